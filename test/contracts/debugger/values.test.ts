// Stacks, memory and return data that the debugger rebuilds, compared with the struct logs of the same transactions, which the
// engines write while they run; and recordings of a million steps and more.
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { amsterdamSpec } from '../../support/amsterdam.ts'
import { account, type testChain } from '../../support/chain.ts'
import { debuggedChain } from '../../support/debugger.ts'

const abi = parseAbi(['function work(uint256) payable', 'function loop(uint256)'])

type StructLog = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly depth: number
  readonly stack: readonly Hex[]
  readonly memory?: readonly string[]
  readonly returnData?: Hex
}

async function busy(settings: object = {}, options: Parameters<typeof testChain>[0] = {}) {
  const chain = await debuggedChain('busy.sol', settings, options)
  const { address: to } = await chain.create('Busy')
  const run = async (functionName: 'work' | 'loop', rounds: bigint) => {
    const hash = await chain.send({ to, data: encodeFunctionData({ abi, functionName, args: [rounds] }) })
    expect(await chain.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    return { hash, ...chain.debug({ transaction: hash }) }
  }
  return { ...chain, run }
}

describe.each([
  ['our engine', {}, { optimizer: { enabled: true } }],
  ['our engine, from plain code', {}, {}],
  ['the library', { engine: 'library' }, {}],
] as const)('stack, memory and return data of %s', (_, options, settings) => {
  it('are those of the struct logs', async () => {
    const { rpc, run } = await busy(settings, options)
    const { hash, open, move } = await run('work', 2n)
    const traceOptions = { enableMemory: true, enableReturnData: true, disableStorage: true }
    const { structLogs } = (await rpc('debug_traceTransaction', hash, traceOptions)) as { structLogs: StructLog[] }
    expect(await open()).toMatchObject({ steps: structLogs.length, first: 0 })
    expect(structLogs.length).toBeGreaterThan(7_500)
    // Also the steps behind each opcode that reads or writes memory, or calls.
    const memory = /COPY|MSTORE8|KECCAK|LOG|CREATE|CALL$/
    const seen = new Set<string>()
    const isFirst = ({ op, depth }: StructLog) =>
      memory.test(op) && !seen.has(`${op} ${depth}`) && seen.add(`${op} ${depth}`)
    const sample = structLogs.flatMap((log, step) => (isFirst(log) || step % 199 === 0 ? [step, step + 1] : []))
    for (const step of sample.filter((step) => step < structLogs.length)) {
      const log = structLogs[step]
      const bytes = (log?.memory ?? []).map((word) => word.slice(2)).join('')
      expect(await move({ to: step })).toMatchObject({
        step,
        op: { pc: log?.pc, name: log?.op, gas: log?.gas, depth: (log?.depth ?? 0) - 1 },
        stack: log?.stack.toReversed().map((item) => `0x${item.slice(2).padStart(64, '0')}`),
        memory: `0x${bytes}`,
        memoryLength: bytes.length / 2,
        returnData: log?.returnData ?? '0x',
      })
    }
    expect([...seen].map((name) => name.split(' ')[0])).toEqual(
      expect.arrayContaining([
        'MCOPY',
        'EXTCODECOPY',
        'CODECOPY',
        'RETURNDATACOPY',
        'CREATE',
        'STATICCALL',
        'DELEGATECALL',
      ]),
    )
  })
})

describe.each(['compiled', 'library'] as const)('stacks with the engine %s on a chain of Amsterdam', (engine) => {
  it('are those of the struct logs through DUPN, SWAPN and EXCHANGE', async () => {
    const options = { spec: amsterdamSpec(account(0).address), engine }
    const { rpc, send, debug } = await debuggedChain('busy.sol', {}, options)
    // 250 items; then each opcode with immediates from all parts of its range (EIP-8024), and a PUSH1 in between.
    const immediates = {
      e6: ['00', '5a', '80', 'ff'],
      e7: ['00', '5a', '80', 'ff'],
      e8: ['00', '51', '80', '8f', '9d', 'ff'],
    }
    const deep = Object.entries(immediates).flatMap(([op, all]) => all.map((immediate) => `${op}${immediate}60aa`))
    const pushes = Array.from({ length: 250 }, (_, n) => `60${n.toString(16).padStart(2, '0')}`)
    const to = '0x00000000000000000000000000000000000c0de5'
    await rpc('anvil_setCode', to, `0x${[...pushes, ...deep].join('')}00`)
    const hash = await send({ to, data: '0x' })
    const { structLogs } = (await rpc('debug_traceTransaction', hash, {})) as { structLogs: StructLog[] }
    expect(structLogs.length).toBe(250 + 2 * deep.length + 1)
    const { open, move } = debug({ transaction: hash })
    await open()
    for (const [step, { stack }] of structLogs.entries()) {
      if (step < 250) continue
      const items = stack.toReversed().map((item) => `0x${item.slice(2).padStart(64, '0')}`)
      expect(await move({ to: step })).toMatchObject({ step, stack: items })
    }
  })
})

describe('a long recording', () => {
  /** The line `sum = step(sum, i)` of `loop`, where sum is 3 · i(i − 1)/2. */
  const check = (variables: readonly { readonly name: string; readonly value: string }[]) => {
    const value = (name: string) => BigInt(variables.find((variable) => variable.name === name)?.value ?? -1)
    const i = value('i')
    expect(value('sum')).toBe((3n * i * (i - 1n)) / 2n)
    return i
  }
  const line = { go: 'line', file: 'contracts/busy.sol', line: 58 }

  it('has a million steps, and values at each of them', async () => {
    const { rpc, run } = await busy()
    const { hash, open, move, steps } = await run('loop', 27_000n)
    const counted = Number(await rpc('debug_traceTransaction', hash, { tracer: 'opcountTracer' }))
    expect(counted).toBeGreaterThan(1_000_000)
    expect(await open()).toMatchObject({ steps: counted, first: 0 })
    const rounds: bigint[] = []
    for (const from of [0, 400_000, 800_000]) rounds.push(check((await move({ from, ...line })).variables))
    expect(rounds).toEqual([...rounds].sort((a, b) => Number(a - b)))
    expect(await steps(counted - 2, 10)).toHaveLength(2)
    const last = await move({ from: counted - 1, ...line, back: true })
    expect(check(last.variables)).toBe(26_999n)
  })

  it('of more than two million steps has the last ones, with what is known at them', async () => {
    const { rpc, run } = await busy()
    const { hash, open, move } = await run('loop', 60_000n)
    const counted = Number(await rpc('debug_traceTransaction', hash, { tracer: 'opcountTracer' }))
    const first = counted - 2 ** 21
    expect(await open()).toMatchObject({ steps: counted, first })
    await expect(move({ to: first - 1 })).rejects.toThrow(`steps are ${first} to ${counted - 1}`)
    const at = await move({ from: first, ...line })
    expect(at).toMatchObject({
      memory: null,
      variables: [],
      variablesNote: 'the first steps of this function were not kept',
    })
    // The loop's counter is on top of it, and was on the stack at the first step that is kept.
    const inner = await move({ from: at.step, go: 'into' })
    expect(inner.frames[0]?.function).toBe('Busy.step')
    expect(inner.variables.map(({ name }) => name)).toEqual(['sum', 'i'])
    const value = (name: string) => BigInt(inner.variables.find((variable) => variable.name === name)?.value ?? -1)
    expect(value('sum')).toBe((3n * value('i') * (value('i') - 1n)) / 2n)
  })
})
