// The debugger over `scenario.sol`: the lines, functions and values that are expected were read off the source.
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { debuggedChain, type Position, SCENARIO } from '../../support/debugger.ts'

const abi = parseAbi([
  'function buy(uint256, string)',
  'function fail(uint256)',
  'function attempt(address, uint256)',
  'function all(uint256[], bytes, address, uint64)',
])
const buy = encodeFunctionData({ abi, functionName: 'buy', args: [7n, 'gift'] })

async function scenario(settings: object = {}) {
  const chain = await debuggedChain('scenario.sol', settings)
  const hundred = encodeAbiParameters(parseAbiParameters('uint256'), [100n])
  const shop = await chain.create('Shop', hundred)
  const buyer = await chain.create('Buyer')
  const attempt = encodeFunctionData({ abi, functionName: 'attempt', args: [shop.address, 7n] })
  return { ...chain, shop, buyer, attempt }
}

/** `Shop.buy:34` */
const lineOf = ({ frames, place }: Position): string => `${frames[0]?.function.split('.')[1]}:${place?.line}`

/** The lines of moves up to the end, or the begin. */
async function walk(move: (move: object) => Promise<Position>, go: string, back = false): Promise<string[]> {
  const lines: string[] = []
  for (let at = await move({ to: back ? 'end' : 'start' }); ; ) {
    lines.push(lineOf(at))
    const next = await move({ from: at.step, go, back })
    if (next.step === at.step || next.isEnd || lines.length > 200) return lines
    at = next
  }
}

const INTO = [
  ...['positive:25', 'buy:34', 'buy:35', '_price:44', 'twice:6', '_price:44', '_price:45', 'buy:35'],
  ...['buy:36', 'buy:37', 'buy:36', 'buy:37', 'buy:36', 'buy:39', 'buy:40'],
]
const OVER = INTO.filter((line, i) => !/_price|twice/.test(line) && i !== 7)

describe('moves', () => {
  it('by lines go into functions, over them and out of them, forward and backward', async () => {
    const { shop, send, debug } = await scenario()
    const { move } = debug({ transaction: await send({ to: shop.address, data: buy }) })
    expect(await walk(move, 'into')).toEqual(INTO)
    expect(await walk(move, 'over')).toEqual(OVER)
    // From the end to the begin of the last line, and at last to what precedes the first one.
    const backward = (lines: readonly string[]) => ['buy:40', ...lines.toReversed(), 'buy:undefined']
    expect(await walk(move, 'into', true)).toEqual(backward(INTO))
    expect(await walk(move, 'over', true)).toEqual(backward(OVER))
    const inner = await move({ from: 0, go: 'line', file: SCENARIO, line: 6 })
    // The right operand of `value * 2` comes first.
    expect(inner.frames).toMatchObject([
      { function: 'Maths.twice', kind: 'internal', place: { line: 6, column: 26 } },
      { function: 'Shop._price', kind: 'internal', place: { line: 44 } },
      { function: 'Shop.buy', kind: 'message', place: { line: 35 }, address: shop.address },
    ])
    const caller = await move({ from: inner.step, go: 'out' })
    expect(lineOf(caller)).toBe('_price:44')
    expect(lineOf(await move({ from: caller.step, go: 'out' }))).toBe('buy:35')
    const call = await move({ from: inner.step, go: 'out', back: true })
    expect([lineOf(call), call.op.name]).toEqual(['_price:44', 'JUMP'])
    expect(await move({ from: call.step, go: 'opcode' })).toMatchObject({
      step: call.step + 1,
      op: { name: 'JUMPDEST' },
    })
    expect(await move({ from: call.step, go: 'opcode', back: true })).toMatchObject({ step: call.step - 1 })
  })

  it('run to a line, once for each time that it is reached', async () => {
    const { shop, send, debug } = await scenario()
    const { move } = debug({ transaction: await send({ to: shop.address, data: buy }) })
    const to = (from: number, back = false) => move({ from, go: 'line', file: SCENARIO, line: 37, back })
    const first = await to(0)
    const second = await to(first.step)
    const values = ({ variables }: Position) => variables.find(({ name }) => name === 'i')?.value
    expect([lineOf(first), values(first), lineOf(second), values(second)]).toEqual(['buy:37', '0', 'buy:37', '1'])
    const end = await to(second.step)
    expect(end.isEnd).toBe(true)
    expect((await to(end.step, true)).step).toBe(second.step)
    expect((await to(second.step, true)).step).toBe(first.step)
    expect((await to(first.step, true)).step).toBe(0)
    // A line without code.
    expect(await move({ from: 0, go: 'line', file: SCENARIO, line: 2 })).toMatchObject({ isEnd: true })
  })

  it('to writes of a slot and to a failure', async () => {
    const { shop, buyer, send, debug, attempt } = await scenario()
    const { move } = debug({ transaction: await send({ to: buyer.address, data: attempt }) })
    const total = { address: shop.address, slot: `0x${'1'.padStart(64, '0')}` }
    const write = (from: number, back = false) => move({ from, go: 'write', ...total, back })
    const writes = [await write(0)]
    for (let i = 0; i < 2; i++) writes.push(await write(writes.at(-1)?.step ?? 0))
    expect(writes.map(lineOf)).toEqual(['fail:49', 'buy:37', 'buy:37'])
    expect(writes.map(({ op }) => op.name)).toEqual(['SSTORE', 'SSTORE', 'SSTORE'])
    expect(await write(writes[2]?.step ?? 0)).toMatchObject({ step: writes[2]?.step })
    expect(await write(writes[2]?.step ?? 0, true)).toMatchObject({ step: writes[1]?.step })
    await expect(move({ to: 'failure' })).rejects.toThrow('it has not failed')
    const failing = encodeFunctionData({ abi, functionName: 'fail', args: [5n] })
    const failed = debug({ transaction: await send({ to: shop.address, data: failing }) })
    expect(await failed.move({ to: 'failure' })).toMatchObject({
      op: { name: 'REVERT' },
      place: { line: 50 },
      frames: [{ function: 'Shop.fail' }],
      isEnd: true,
    })
  })

  it('of a creation begin with the values of variables', async () => {
    const { shop, debug } = await scenario()
    const { move } = debug({ transaction: shop.hash })
    expect(await walk(move, 'over')).toEqual(['constructor:18', 'constructor:30'])
    const { variables } = await move({ from: 0, go: 'line', file: SCENARIO, line: 30 })
    expect(variables).toEqual([{ name: 'first', type: 'uint256', value: '100', kind: 'parameter' }])
  })

  it('with the optimizer and by the IR come through all functions that were not inlined', async () => {
    for (const settings of [{ optimizer: { enabled: true } }, { viaIR: true }]) {
      const { shop, send, debug } = await scenario(settings)
      const { move } = debug({ transaction: await send({ to: shop.address, data: buy }) })
      const lines = await walk(move, 'into')
      expect(lines).toEqual(expect.arrayContaining(['buy:34', '_price:44', 'twice:6', 'buy:37', 'buy:40']))
    }
  })
})

describe('values', () => {
  it('of variables are with the optimizer those of the parameters, as the function began', async () => {
    const { shop, send, debug } = await scenario({ optimizer: { enabled: true } })
    const { move } = debug({ transaction: await send({ to: shop.address, data: buy }) })
    for (const [line, name] of [
      [40, 'Shop.buy'],
      [45, 'Shop._price'],
    ] as const) {
      const { frames, variables, variablesNote } = await move({ from: 0, go: 'line', file: SCENARIO, line })
      expect(frames[0]?.function).toBe(name)
      expect(variables.find((of) => of.name === 'amount')?.value).toBe('7')
      // Neither `order`, `paid` and `i` nor `price`.
      expect(variables.filter((of) => !['amount', 'note'].includes(of.name))).toEqual([])
      expect(variablesNote).toContain('optimizer')
    }
  })

  it('of storage are those of the step, without what a failure has undone', async () => {
    const { shop, buyer, send, debug, attempt } = await scenario()
    const { move } = debug({ transaction: await send({ to: buyer.address, data: attempt }) })
    const at = (line: number) => move({ from: 0, go: 'line', file: SCENARIO, line })
    const shown = ({ slots, op }: Position) => [op.address, slots.map(({ value }) => Number(value))]
    expect(shown(await at(50))).toEqual([shop.address, [7]])
    expect(shown(await at(64))).toEqual([buyer.address, [1]])
    // 100 since the creation, since 7 was undone; then two times 15 more.
    expect(shown(await at(37))).toEqual([shop.address, [100]])
    expect(shown(await at(39))).toEqual([shop.address, [130]])
    expect(shown(await move({ to: 'end' }))).toEqual([buyer.address, [3]])
  })

  it('of storage have the names of variables, with the keys of mappings that were used', async () => {
    const { buyer, send, debug, attempt, address } = await scenario()
    const { move } = debug({ transaction: await send({ to: buyer.address, data: attempt }) })
    const at = async (line: number) => {
      const { storage, storageNote } = await move({ from: 0, go: 'line', file: SCENARIO, line })
      expect(storageNote).toBeNull()
      return Object.fromEntries((storage ?? []).map(({ name, value }) => [name.toLowerCase(), value.toLowerCase()]))
    }
    const spent = `spent[${buyer.address}]`
    expect(await at(50)).toEqual({ owner: address, total: '7', [spent]: '0' })
    expect(await at(39)).toEqual({ owner: address, total: '130', [spent]: '0' })
    expect(await at(40)).toEqual({ owner: address, total: '130', [spent]: '130' })
    expect(await at(67)).toEqual({ tries: '2' })
    const { slots } = await move({ from: 0, go: 'line', file: SCENARIO, line: 40 })
    expect(slots.map(({ name }) => name?.toLowerCase())).toEqual(['total', spent])
    expect(slots.every(({ value }) => Number(value) === 130)).toBe(true)
  })

  it('of events are those so far', async () => {
    const { buyer, send, debug, attempt } = await scenario()
    const { move } = debug({ transaction: await send({ to: buyer.address, data: attempt }) })
    const at = await move({ from: 0, go: 'line', file: SCENARIO, line: 40 })
    expect(at.events).toEqual([])
    const after = await move({ from: at.step, go: 'out' })
    expect(after.events).toEqual([expect.stringMatching(/^Bought\(who: 0x\w{40}, amount: 15\)$/)])
  })

  it('of parameters, return values and locals are those of the source', async () => {
    const { create, send, debug } = await scenario()
    const { address } = await create('Values')
    const check = async (second: bigint, lines: Readonly<Record<number, Readonly<Record<string, string>>>>) => {
      const args = [[3n, second], '0x0102030405', address, 3n] as const
      const data = encodeFunctionData({ abi, functionName: 'all', args })
      const { move } = debug({ transaction: await send({ to: address, data }) })
      for (const [line, expected] of Object.entries(lines)) {
        const { variables } = await move({ from: 0, go: 'line', file: SCENARIO, line: Number(line) })
        const found = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
        const wanted = Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== 'none'))
        const absent = Object.keys(expected).filter((name) => expected[name] === 'none')
        expect({ line, ...found }).toMatchObject({ line, ...wanted })
        expect(Object.keys(found).filter((name) => absent.includes(name))).toEqual([])
      }
    }
    await check(1n, {
      87: { list: '[3, 1]', data: '0x0102030405', price: '3', id: '0x00000000', text: '""', minus: 'none' },
      90: { id: '0x01020304', text: '"done"', minus: '-5', fixedList: 'none' },
      92: { fixedList: '[1, 2, 3]', many: '[(x: 0, seen: false), (x: 0, seen: false)]', first: 'none' },
      93: { many: '[(x: 0, seen: false), (x: -7, seen: true)]' },
      95: { first: '1', third: 'true', inner: 'none' },
      96: { inner: '1' },
      98: { first: '2', inner: 'none' },
      99: { after_: '2', stored: 'none' },
      // keccak256 of slot 0, where the array's first element is.
      101: { stored: 'slot 0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563' },
      102: { value: '4', after_: '2' },
      109: { i: '0', square: 'none', value: 'none', first: '4' },
      110: { square: '0' },
      116: { first: '9', i: 'none' },
      117: { callback: expect.stringMatching(/^0x9fE4\w{36}\.0x\w{8}$/) as unknown as string },
    })
    await check(0n, { 104: { reason: '"one"', value: 'none' } })
  })

  it('are left out where the compiler does not tell them', async () => {
    const { shop, send, debug } = await scenario({ viaIR: true })
    const { move } = debug({ transaction: await send({ to: shop.address, data: buy }) })
    expect(await move({ from: 0, go: 'line', file: SCENARIO, line: 45 })).toMatchObject({
      variables: [],
      variablesNote: 'with viaIR the compiler does not tell where variables are',
    })
  })
})

describe('what is debugged', () => {
  it('may be a call that is not mined, also a creation, and one that fails', async () => {
    const { shop, rpc, debug, code, address } = await scenario()
    const call = { to: shop.address, data: buy, from: address }
    const { open, move } = debug({ call })
    const counted = await rpc('debug_traceCall', call, 'latest', { tracer: 'opcountTracer' })
    expect(await open()).toMatchObject({
      steps: counted,
      first: 0,
      failure: null,
      // After the blocks of the two creations.
      block: '0x2',
      calls: { function: 'Shop.buy', address: shop.address, step: 0, end: counted, calls: [] },
      files: [{ path: SCENARIO }],
    })
    expect(await walk(move, 'over')).toEqual(OVER)
    const failing = encodeFunctionData({ abi, functionName: 'fail', args: [5n] })
    const failed = debug({ call: { to: shop.address, data: failing }, block: 'latest' })
    const { failure } = await failed.open()
    expect(await failed.move({ to: 'failure' })).toMatchObject({ step: failure, place: { line: 50 } })
    const creation = debug({ call: { from: address, data: code('Buyer') } })
    expect((await creation.open()).calls).toMatchObject({ function: 'Buyer.constructor' })
    await expect(debug({ call, block: 'pending' }).open()).rejects.toThrow('pending')
    await expect(debug({ call, block: '0xffff' }).open()).rejects.toThrow('header not found')
  })

  it('may be a contract without sources, or no contract', async () => {
    const { send, debug, address } = await scenario()
    // PUSH1 0, PUSH1 0, MSTORE, STOP
    const hash = await send({ data: '0x600060005200' })
    const { open, move, steps } = debug({ transaction: hash })
    expect(await open()).toMatchObject({ steps: 4, files: [], calls: { function: 'a new contract' } })
    expect(await move({ to: 'start' })).toMatchObject({ step: 0, place: null, variables: [], op: { name: 'PUSH1' } })
    expect(await move({ from: 1, go: 'over' })).toMatchObject({
      step: 2,
      stack: [0, 0].map(() => `0x${'0'.repeat(64)}`),
    })
    expect(await move({ from: 2, go: 'into', back: true })).toMatchObject({ step: 1 })
    expect(await steps(1, 10)).toEqual([
      [2, 'PUSH1', expect.any(Number), 0, null],
      [4, 'MSTORE', expect.any(Number), 0, null],
      [5, 'STOP', expect.any(Number), 0, null],
    ])
    const paid = debug({ transaction: await send({ to: address, value: '0x1' }) })
    expect(await paid.open()).toMatchObject({ steps: 0, failure: null })
    expect(await paid.move({ to: 'end' })).toMatchObject({ step: 0, isEnd: true, op: { name: '' }, stack: [] })
  })

  it('may fail in messages within messages, and runs on behalf of proxies', async () => {
    const { shop, create, send, debug } = await scenario()
    const proxy = await create('Proxy', encodeAbiParameters(parseAbiParameters('address'), [shop.address as Hex]))
    const { open, move } = debug({ transaction: await send({ to: proxy.address, data: buy }) })
    expect((await open()).calls).toMatchObject({ address: proxy.address, calls: [{ function: 'Shop.buy' }] })
    const at = await move({ from: 0, go: 'line', file: SCENARIO, line: 39 })
    expect(at.frames.map(({ function: name, kind }) => [name, kind])).toEqual([
      ['Shop.buy', 'message'],
      ['Proxy.fallback', 'message'],
    ])
    // The proxy's own storage: nothing was there.
    expect([at.op.address, at.slots.map(({ value }) => Number(value))]).toEqual([proxy.address, [30]])
  })

  it('is refused in standard errors when it is not there', async () => {
    const { shop, raw, send } = await scenario()
    const target = { transaction: await send({ to: shop.address, data: buy }) }
    const code = async (...params: unknown[]) => (await raw('kestrel_debuggerPosition', ...params)).error?.code
    expect(await code({ transaction: `0x${'1'.repeat(64)}` }, { to: 0 })).toBe(-32000)
    expect(await code({}, { to: 0 })).toBe(-32602)
    expect(await code(target, { to: 10_000_000 })).toBe(-32602)
    expect(await code(target, { from: 0, go: 'sideways' })).toBe(-32602)
    expect(await code(target, { from: 0, go: 'line' })).toBe(-32602)
    expect((await raw('kestrel_debuggerSteps', target, 0, 1001)).error?.code).toBe(-32602)
  })

  it('is gone when the chain has gone back before it', async () => {
    const { shop, rpc, send, debug } = await scenario()
    const snapshot = await rpc('evm_snapshot')
    const { open } = debug({ transaction: await send({ to: shop.address, data: buy }) })
    await open()
    await rpc('evm_revert', snapshot)
    await expect(open()).rejects.toThrow('transaction not found')
  })
})
