// debug_trace… on a running chain with small contracts. Expected values: the gas of the Yellow Paper and EIPs 2200, 2929, 3529
// and 3860, computed in the tests, and the shapes and messages of go-ethereum's tracers.
import { encodeErrorResult, type Hex, keccak256, pad, parseAbi, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Node, startNode } from '../../src/node.ts'
import { asm, call, playground, returnTop } from '../support/assembler.ts'
import { nodeOptions, withClients } from '../support/chain.ts'

const INTRINSIC = 21_000
const COLD_ACCOUNT = 2600

let node: Node
let chain: ReturnType<typeof withClients>
let alice: Hex
let { contract, send, rpc } = {} as ReturnType<typeof playground>

beforeAll(async () => {
  node = await startNode(nodeOptions())
  chain = withClients(node)
  ;({ alice, contract, send, rpc } = playground(chain))
})
afterAll(() => node.close())

const trace = (hash: Hex, options?: object) => rpc('debug_traceTransaction', hash, ...(options ? [options] : []))
const receipt = (hash: Hex) => rpc('eth_getTransactionReceipt', hash)
const word = (value: number | bigint) => pad(toHex(value))

describe('the opcode logger', () => {
  it('records each opcode with gas, cost and stack', async () => {
    const to = await contract(asm('PUSH1 0x01', 'PUSH1 0x02', 'ADD', ...returnTop))
    const gas = 100_000 - INTRINSIC
    // Five times 3, PUSH0's 2 twice, and MSTORE's 3 plus 3 for the memory word.
    expect(await trace(await send(to, { gas: 100_000 }))).toEqual({
      gas: INTRINSIC + 4 * 3 + 2 * 2 + 6,
      failed: false,
      returnValue: word(3),
      structLogs: [
        { pc: 0, op: 'PUSH1', gas, gasCost: 3, depth: 1, stack: [] },
        { pc: 2, op: 'PUSH1', gas: gas - 3, gasCost: 3, depth: 1, stack: ['0x1'] },
        { pc: 4, op: 'ADD', gas: gas - 6, gasCost: 3, depth: 1, stack: ['0x1', '0x2'] },
        { pc: 5, op: 'PUSH0', gas: gas - 9, gasCost: 2, depth: 1, stack: ['0x3'] },
        { pc: 6, op: 'MSTORE', gas: gas - 11, gasCost: 6, depth: 1, stack: ['0x3', '0x0'] },
        { pc: 7, op: 'PUSH1', gas: gas - 17, gasCost: 3, depth: 1, stack: [] },
        { pc: 9, op: 'PUSH0', gas: gas - 20, gasCost: 2, depth: 1, stack: ['0x20'] },
        { pc: 10, op: 'RETURN', gas: gas - 22, gasCost: 0, depth: 1, stack: ['0x20', '0x0'] },
      ],
    })
  })

  it('counts the gas passed to a call as the call’s cost, without the stipend', async () => {
    const callee = await contract(asm('PUSH0'))
    const to = await contract(asm(...call(callee, { gas: '0x1000', value: '0x01' }), 'STOP'), 1n)
    const { structLogs } = await trace(await send(to))
    const at = structLogs.findIndex(({ op }: { op: string }) => op === 'CALL')
    const before = 200_000 - INTRINSIC - 4 * 2 - 3 * 3
    const base = COLD_ACCOUNT + 9000
    expect(structLogs[at]).toMatchObject({ op: 'CALL', gas: before, gasCost: base + 0x1000, depth: 1 })
    expect(structLogs[at + 1]).toMatchObject({ op: 'PUSH0', pc: 0, gas: 0x1000 + 2300, depth: 2 })
    // Running past the end of the code is a STOP.
    expect(structLogs[at + 2]).toMatchObject({ op: 'STOP', pc: 1, gas: 0x1000 + 2300 - 2, gasCost: 0, depth: 2 })
    expect(structLogs[at + 3]).toMatchObject({ op: 'STOP', gas: before - base + 2300 - 2, depth: 1, stack: ['0x1'] })
  })

  it('records the accessed slots of a contract, and the refunds', async () => {
    const write = (value: string) => [`PUSH1 ${value}`, 'PUSH1 0x01', 'SSTORE']
    const to = await contract(asm('PUSH1 0x07', 'SLOAD', 'POP', ...write('0x05'), ...write('0x00'), 'PUSH0', 'SLOAD'))
    const { structLogs } = await trace(await send(to))
    const [load, set, reset, last] = structLogs.filter(({ op }: { op: string }) => /^S(LOAD|STORE)$/.test(op))
    expect(load).toMatchObject({ gasCost: 2100, storage: { [word(7)]: word(0) } })
    expect(load).not.toHaveProperty('refund')
    // A cold zero slot is set, then cleared: EIP-3529 refunds all but a warm read.
    expect(set).toMatchObject({ gasCost: 22_100, storage: { [word(7)]: word(0), [word(1)]: word(5) } })
    expect(reset).toMatchObject({ gasCost: 100, refund: 19_900, storage: { [word(7)]: word(0), [word(1)]: word(0) } })
    expect(Object.keys(last.storage)).toHaveLength(3)
    expect(structLogs.filter((log: object) => 'storage' in log)).toHaveLength(4)
  })

  it('records memory and return data on request only, and omits disabled fields', async () => {
    const callee = await contract(asm('PUSH1 0x2a', ...returnTop))
    const to = await contract(asm('PUSH1 0xff', 'PUSH1 0x20', 'MSTORE', ...call(callee), 'PUSH0', 'SLOAD', 'STOP'))
    const hash = await send(to)
    const plain = await trace(hash)
    expect(plain.structLogs.some((log: object) => 'memory' in log || 'returnData' in log)).toBe(false)
    const full = await trace(hash, { enableMemory: true, enableReturnData: true })
    const [beforeStore, afterStore] = full.structLogs.slice(2, 4)
    // Recorded before memory expands.
    expect(beforeStore).not.toHaveProperty('memory')
    expect(afterStore.memory).toEqual([word(0), word(0xff)])
    expect(full.structLogs.at(-1)).toMatchObject({ op: 'STOP', depth: 1, returnData: word(0x2a) })
    const bare = await trace(hash, { disableStack: true, disableStorage: true, limit: 3 })
    expect(bare.structLogs).toHaveLength(3)
    expect(bare.structLogs.some((log: object) => 'stack' in log || 'storage' in log)).toBe(false)
    expect(bare.gas).toBe(plain.gas)
    // The options of older clients.
    expect(await trace(hash, { disableMemory: true })).toEqual(plain)
    expect((await trace(hash, { disableMemory: false })).structLogs[3].memory).toHaveLength(2)
  })

  it('records an opcode that fails before it executes once, with the reason', async () => {
    const greedy = await contract(asm('PUSH0', 'PUSH3 0xffffff', 'MSTORE'))
    const { structLogs, failed, returnValue, gas } = await trace(await send(greedy))
    const words = (0xffffff + 32 + 31) >> 5
    const cost = 3 + 3 * words + Number((BigInt(words) * BigInt(words)) / 512n)
    expect(structLogs.at(-1)).toMatchObject({ op: 'MSTORE', gasCost: cost, error: 'out of gas' })
    expect(structLogs).toHaveLength(3)
    expect({ failed, returnValue, gas }).toEqual({ failed: true, returnValue: '0x', gas: 200_000 })

    const empty = await trace(await send(await contract(asm('ADD'))))
    expect(empty.structLogs).toEqual([
      { pc: 0, op: 'ADD', gas: 179_000, gasCost: 3, depth: 1, stack: [], error: 'stack underflow (0 <=> 2)' },
    ])
    const full = await contract(asm('JUMPDEST', 'PUSH0', 'PUSH0', 'JUMP'))
    const last = (await trace(await send(full), { disableStack: true })).structLogs.at(-1)
    expect(last).toMatchObject({ op: 'PUSH0', gasCost: 2, error: 'stack limit reached 1024 (1023)' })
  })

  it('does not record errors that occur during an opcode', async () => {
    const invalid = await trace(await send(await contract(asm('INVALID'))))
    expect(invalid.structLogs).toEqual([{ pc: 0, op: 'INVALID', gas: 179_000, gasCost: 0, depth: 1, stack: [] }])
    const unknown = await trace(await send(await contract('0x0c')))
    expect(unknown.structLogs[0]).toMatchObject({ op: 'opcode 0xc not defined', gasCost: 0 })
    const jump = await trace(await send(await contract(asm('PUSH1 0x09', 'JUMP'))))
    expect(jump.structLogs.at(-1)).toEqual({ pc: 2, op: 'JUMP', gas: 178_997, gasCost: 8, depth: 1, stack: ['0x9'] })
    const revert = await trace(await send(await contract(asm('PUSH1 0x01', 'PUSH1 0x1f', 'REVERT'))))
    expect(revert).toMatchObject({ failed: true, returnValue: '0x00' })
  })
})

describe('callTracer', () => {
  const calls = (hash: Hex, tracerConfig = {}) => trace(hash, { tracer: 'callTracer', tracerConfig })

  it('returns the tree with types, values and gas', async () => {
    const leaf = await contract(asm('PUSH1 0x2a', ...returnTop))
    const kinds = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
    const to = await contract(asm(...kinds.flatMap((kind) => call(leaf, { kind, gas: '0x0400' })), 'STOP'))
    const hash = await send(to, { value: 9n })
    const top = await calls(hash)
    const { gasUsed } = await receipt(hash)
    expect(top).toMatchObject({
      type: 'CALL',
      from: alice,
      to,
      value: '0x9',
      gas: toHex(200_000),
      gasUsed,
      input: '0x',
    })
    expect(top).not.toHaveProperty('output')
    expect(top).not.toHaveProperty('error')
    const common = {
      from: to,
      to: leaf,
      gas: '0x400',
      gasUsed: toHex(3 + 2 + 6 + 3 + 2),
      input: '0x',
      output: word(0x2a),
    }
    expect(top.calls).toEqual([
      { ...common, type: 'CALL', value: '0x0' },
      { ...common, type: 'CALLCODE', value: '0x0' },
      // DELEGATECALL has the value of its caller's frame, and transfers nothing.
      { ...common, type: 'DELEGATECALL', value: '0x9' },
      { ...common, type: 'STATICCALL' },
    ])
    const { calls: _, ...alone } = top
    expect(await calls(hash, { onlyTopCall: true })).toEqual(alone)
  })

  it('returns creations with the code, and failed ones without an address', async () => {
    // Returns one zero byte of code; and an init code that is invalid.
    const init = asm('PUSH1 0x01', 'PUSH0', 'RETURN')
    const deployed = await calls(await send(undefined, { data: init }))
    expect(deployed).toMatchObject({ type: 'CREATE', input: init, output: '0x00', to: expect.stringMatching(/^0x/) })
    const make = (kind: 'CREATE' | 'CREATE2', code: Hex) => [
      `PUSH32 ${pad(code, { dir: 'right' })}`,
      ...['PUSH0', 'MSTORE'],
      ...(kind === 'CREATE2' ? ['PUSH1 0x07'] : []),
      ...[`PUSH1 ${toHex((code.length - 2) / 2, { size: 1 })}`, 'PUSH0', 'PUSH0', kind],
    ]
    const to = await contract(asm(...make('CREATE2', init), ...make('CREATE', '0xfe'), 'STOP'))
    const { calls: inner } = await calls(await send(to))
    expect(inner).toMatchObject([
      { type: 'CREATE2', from: to, input: init, output: '0x00', value: '0x0' },
      { type: 'CREATE', from: to, input: '0xfe', error: 'invalid opcode: INVALID' },
    ])
    expect(inner[1]).not.toHaveProperty('to')
    expect(inner[1].gasUsed).toBe(inner[1].gas)
  })

  it('returns calls that failed before they started', async () => {
    const leaf = await contract(asm('STOP'))
    const create = ['PUSH0', 'PUSH0', 'PUSH1 0x05', 'CREATE']
    const to = await contract(asm(...call(leaf, { value: '0x05', gas: '0x0100' }), ...create, 'STOP'), 4n)
    const { calls: inner } = await calls(await send(to))
    const failed = { from: to, gasUsed: '0x0', input: '0x', error: 'insufficient balance for transfer', value: '0x5' }
    expect(inner[0]).toEqual({ ...failed, type: 'CALL', to: leaf, gas: toHex(0x100 + 2300) })
    expect(inner[1]).toEqual({ ...failed, type: 'CREATE', gas: expect.any(String) })
  })

  it('returns precompiles and self-destructions', async () => {
    const to = await contract(asm(...call(pad('0x02', { size: 20 })), `PUSH20 ${alice}`, 'SELFDESTRUCT'), 77n)
    const { calls: inner } = await calls(await send(to))
    expect(inner[0]).toMatchObject({ type: 'CALL', to: pad('0x02', { size: 20 }), gasUsed: toHex(60) })
    expect(inner[1]).toEqual({
      type: 'SELFDESTRUCT',
      from: to,
      to: alice,
      value: toHex(77),
      gas: '0x0',
      gasUsed: '0x0',
      input: '0x',
    })
  })

  it('returns failures in geth’s words, and reverts with their reason', async () => {
    const abi = parseAbi(['error Error(string)'])
    const data = encodeErrorResult({ abi, errorName: 'Error', args: ['no'] })
    const words = (data.slice(2).padEnd(256, '0').match(/.{64}/g) ?? []).map((digits) => `0x${digits}`)
    const store = words.flatMap((part, i) => [`PUSH32 ${part}`, `PUSH1 ${toHex(i * 32, { size: 1 })}`, 'MSTORE'])
    const size = `PUSH1 ${toHex((data.length - 2) / 2, { size: 1 })}`
    const refusing = await contract(asm(...store, size, 'PUSH0', 'REVERT'))
    const to = await contract(asm(...call(refusing), 'ADD', 'ADD'))
    expect(await calls(await send(to))).toMatchObject({
      error: 'stack underflow (1 <=> 2)',
      calls: [{ to: refusing, error: 'execution reverted', output: data, revertReason: 'no' }],
    })
    const bare = await calls(await send(await contract(asm('PUSH0', 'PUSH0', 'REVERT'))))
    expect(bare).toMatchObject({ error: 'execution reverted' })
    expect(bare).not.toHaveProperty('revertReason')
    const jump = await calls(await send(await contract(asm('PUSH0', 'JUMP'))))
    expect(jump).toMatchObject({ error: 'invalid jump destination', gasUsed: toHex(200_000) })
    const writing = await contract(asm('PUSH0', 'PUSH0', 'SSTORE'))
    const reading = await contract(asm(...call(writing, { kind: 'STATICCALL' })))
    expect((await calls(await send(reading))).calls[0].error).toBe('write protection')
  })

  it('returns logs with their frames, except reverted ones', async () => {
    const log = (topic: string) => [`PUSH1 ${topic}`, 'PUSH0', 'PUSH0', 'LOG1']
    const leaf = await contract(asm(...log('0x02')))
    const failing = await contract(asm(...log('0x03'), 'INVALID'))
    const to = await contract(asm(...log('0x01'), ...call(leaf), ...call(failing), ...log('0x04')))
    const top = await calls(await send(to), { withLog: true })
    expect(top.logs).toEqual([
      { address: to, topics: [word(1)], data: '0x', position: '0x0', index: '0x0' },
      { address: to, topics: [word(4)], data: '0x', position: '0x2', index: '0x2' },
    ])
    expect(top.calls[0].logs).toEqual([{ address: leaf, topics: [word(2)], data: '0x', position: '0x0', index: '0x1' }])
    expect(top.calls[1]).not.toHaveProperty('logs')
  })
})

describe('prestateTracer', () => {
  const state = (hash: Hex, tracerConfig = {}) => trace(hash, { tracer: 'prestateTracer', tracerConfig })

  it('returns the accounts before the transaction', async () => {
    const read = await contract(asm('PUSH0', 'SLOAD'), 5n)
    await rpc('anvil_setStorageAt', read, '0x0', word(8))
    const code = asm(
      ...call(read),
      `PUSH20 ${pad('0x77', { size: 20 })}`,
      'BALANCE',
      'PUSH1 0x01',
      'PUSH1 0x09',
      'SSTORE',
    )
    const to = await contract(code)
    const nonce = Number(await rpc('eth_getTransactionCount', alice))
    const balance = await rpc('eth_getBalance', alice)
    const before = await state(await send(to))
    expect(before[alice]).toEqual({ balance, ...(nonce > 0 && { nonce }) })
    expect(before[to]).toEqual({ balance: '0x0', code, codeHash: keccak256(code), storage: { [word(9)]: word(0) } })
    expect(before[read]).toMatchObject({ balance: '0x5', storage: { [word(0)]: word(8) } })
    // The account exists neither before nor after.
    expect(before).not.toHaveProperty(pad('0x77', { size: 20 }))
  })

  it('omits code and storage, and includes empty accounts, on request', async () => {
    const to = await contract(asm('PUSH0', 'SLOAD', `PUSH20 ${pad('0x78', { size: 20 })}`, 'BALANCE'))
    const hash = await send(to)
    const bare = await state(hash, { disableCode: true, disableStorage: true })
    expect(Object.keys(bare[to])).toEqual(['balance', 'codeHash'])
    const whole = await state(hash, { includeEmpty: true })
    expect(whole[pad('0x78', { size: 20 })]).toEqual({ balance: '0x0' })
  })

  it('returns the values before and after in diff mode', async () => {
    const init = asm('PUSH1 0x03', 'PUSH1 0x01', 'SSTORE', 'PUSH1 0x01', 'PUSH0', 'RETURN')
    const nonce = Number(await rpc('eth_getTransactionCount', alice))
    const hash = await send(undefined, { data: init, value: 6n })
    const { contractAddress, gasUsed, effectiveGasPrice } = await receipt(hash)
    const { pre, post } = await state(hash, { diffMode: true })
    expect(pre).not.toHaveProperty(contractAddress)
    expect(post[contractAddress]).toEqual({
      balance: '0x6',
      nonce: 1,
      code: '0x00',
      codeHash: keccak256('0x00'),
      storage: { [word(1)]: word(3) },
    })
    expect(BigInt(pre[alice].balance) - BigInt(post[alice].balance)).toBe(
      6n + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    )
    expect([pre[alice].nonce ?? 0, post[alice].nonce]).toEqual([nonce, nonce + 1])

    const to = await contract(asm('PUSH0', 'PUSH1 0x02', 'SSTORE', 'PUSH1 0x07', 'SLOAD'))
    await rpc('anvil_setStorageAt', to, '0x2', word(0xbb))
    await rpc('anvil_setStorageAt', to, '0x7', word(0xcc))
    const cleared = await state(await send(to), { diffMode: true })
    expect(cleared.pre[to]).toMatchObject({ storage: { [word(2)]: word(0xbb) } })
    expect(cleared.pre[to].storage).not.toHaveProperty(word(7))
    expect(cleared.post[to]).toEqual({})
  })
})

describe('4byteTracer, noopTracer and muxTracer', () => {
  it('run side by side in muxTracer', async () => {
    const leaf = await contract(asm('STOP'))
    // Calls itself with the first four bytes of its data, and the identity precompile with eight.
    const store = [`PUSH32 ${pad('0xaabbccdd0011', { dir: 'right' })}`, 'PUSH0', 'MSTORE']
    const inner = (to: string, size: string) => [
      'PUSH0',
      'PUSH0',
      size,
      'PUSH0',
      `PUSH20 ${to}`,
      'PUSH2 0xffff',
      'STATICCALL',
    ]
    const identity = pad('0x04', { size: 20 })
    const to = await contract(
      asm(...store, ...inner(leaf, 'PUSH1 0x06'), ...inner(leaf, 'PUSH1 0x06'), ...inner(identity, 'PUSH1 0x08')),
    )
    const hash = await send(to, { data: '0x11223344' })
    expect(await trace(hash, { tracer: '4byteTracer' })).toEqual({ '0x11223344-0': 1, '0xaabbccdd-2': 2 })
    expect(await trace(hash, { tracer: 'noopTracer' })).toEqual({})
    const alone = await trace(hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })
    const pre = await trace(hash, { tracer: 'prestateTracer' })
    const parts = { callTracer: { withLog: true }, prestateTracer: {}, noopTracer: null }
    expect(await trace(hash, { tracer: 'muxTracer', tracerConfig: parts })).toEqual({
      callTracer: alone,
      prestateTracer: pre,
      noopTracer: {},
    })
    const flat = await trace(hash, { tracer: 'flatCallTracer' })
    expect(flat.map(({ traceAddress }: { traceAddress: number[] }) => traceAddress)).toEqual([[], [0], [1]])
    expect(flat[0]).toMatchObject({
      type: 'call',
      subtraces: 2,
      transactionHash: hash,
      transactionPosition: 0,
      action: { callType: 'call', from: alice, to, input: '0x11223344', gas: toHex(200_000), value: '0x0' },
      result: { gasUsed: (await receipt(hash)).gasUsed, output: '0x' },
    })
    const all = await trace(hash, { tracer: 'flatCallTracer', tracerConfig: { includePrecompiles: true } })
    expect(all).toHaveLength(4)
  })

  it('do not count the code of creations as selectors', async () => {
    // Init code of five bytes, PUSH1 0, PUSH1 0, RETURN: as a transaction, and through CREATE and CREATE2.
    const init = '0x60006000f3'
    const store = [`PUSH5 ${init}`, 'PUSH0', 'MSTORE']
    const create = ['PUSH1 0x05', 'PUSH1 0x1b', 'PUSH0', 'CREATE', 'POP']
    const create2 = ['PUSH1 0x07', 'PUSH1 0x05', 'PUSH1 0x1b', 'PUSH0', 'CREATE2', 'POP']
    const factory = await contract(asm(...store, ...create, ...create2))
    const made = await send(undefined, { data: init })
    const inner = await send(factory, { data: '0x1122334455' })
    const toPrecompile = await send(pad('0x04', { size: 20 }), { data: '0x1122334455' })
    expect(await trace(made, { tracer: '4byteTracer' })).toEqual({})
    expect(await trace(inner, { tracer: '4byteTracer' })).toEqual({ '0x11223344-1': 1 })
    expect(await trace(toPrecompile, { tracer: '4byteTracer' })).toEqual({})

    // In geth and Parity the creation's action has the creating opcode.
    const methods = async (hash: Hex) =>
      (await trace(hash, { tracer: 'flatCallTracer' })).map(
        ({ type, action }: { type: string; action: { creationMethod?: string; init?: Hex } }) => [
          ...[type, action.creationMethod, action.init],
        ],
      )
    expect(await methods(made)).toEqual([['create', 'create', init]])
    expect(await methods(inner)).toEqual([
      ['call', undefined, undefined],
      ['create', 'create', init],
      ['create', 'create2', init],
    ])
  })

  it('are refused with unknown names', async () => {
    const hash = await send(await contract(asm('STOP')))
    const refusal = async (options: object) => (await chain.raw('debug_traceTransaction', hash, options)).error
    expect(await refusal({ tracer: 'callTracr' })).toMatchObject({ code: -32000 })
    expect((await refusal({ tracer: 'toString' }))?.message).toContain('tracer not found')
    expect(await refusal({ tracer: 'callTracer', tracerConfig: { withLog: 'yes' } })).toMatchObject({ code: -32602 })
    expect(await refusal({ tracer: 'muxTracer', tracerConfig: { nobody: {} } })).toMatchObject({ code: -32000 })
    expect(await refusal({ timeout: 'soon' })).toMatchObject({ code: -32602 })
    expect(await refusal({ limit: -1 })).toMatchObject({ code: -32602 })
  })
})
