// Traces of blocks and of unmined calls, and the debug_ methods for ranges of state. Expected values: the gas of the Yellow
// Paper, Keccak's order of keys, and the shapes and errors of go-ethereum.
import { type Hex, keccak256, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Node, startNode } from '../../src/node.ts'
import { asm, call, playground, returnTop } from '../support/assembler.ts'
import { nodeOptions, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'

let node: Node
let chain: ReturnType<typeof withClients>
let { alice, contract, send, rpc } = {} as ReturnType<typeof playground>

beforeAll(async () => {
  // Enough gas for a call that runs for minutes.
  node = await startNode(nodeOptions({ limits: { gasCap: 10n ** 12n, time: 5_000 } }))
  chain = withClients(node)
  ;({ alice, contract, send, rpc } = playground(chain))
})
afterAll(() => node.close())

const word = (value: number | bigint) => pad(toHex(value))
const UNKNOWN = `0x${'77'.repeat(32)}`
/** Adds one to its slot 0 and returns it. */
const COUNTER = asm('PUSH0', 'SLOAD', 'PUSH1 0x01', 'ADD', 'DUP1', 'PUSH0', 'SSTORE', ...returnTop)
/** Loops until it runs out of gas. */
const LOOP = asm('JUMPDEST', 'PUSH0', 'JUMP')

/** Mines transactions in one block, in the given order. */
async function mineTogether(...targets: readonly Hex[]): Promise<Hex[]> {
  await rpc('evm_setAutomine', false)
  const hashes: Hex[] = []
  for (const to of targets) hashes.push(await send(to))
  await chain.mine()
  await rpc('evm_setAutomine', true)
  return hashes
}

describe('traces of a block', () => {
  it('run each transaction on the state after the one before', async () => {
    const counter = await contract(COUNTER)
    const hashes = await mineTogether(counter, counter, counter)
    const block = await rpc('eth_getBlockByNumber', 'latest', false)
    const traces = await rpc('debug_traceBlockByNumber', block.number)
    expect(traces.map(({ txHash }: { txHash: Hex }) => txHash)).toEqual(hashes)
    expect(traces.map(({ result }: { result: { returnValue: Hex } }) => result.returnValue)).toEqual(
      [1, 2, 3].map(word),
    )
    expect(await rpc('debug_traceBlockByHash', block.hash)).toEqual(traces)
    expect(await rpc('debug_traceTransaction', hashes[1])).toEqual(traces[1].result)
    const raw = await rpc('debug_getRawBlock', block.number)
    expect(await rpc('debug_traceBlock', raw)).toEqual(traces)
    // A later change of storage does not affect the trace of the block.
    await rpc('anvil_setStorageAt', counter, '0x0', word(70))
    expect(await rpc('debug_traceTransaction', hashes[2])).toEqual(traces[2].result)
  })

  it('exist for the pending block too', async () => {
    const counter = await contract(COUNTER)
    await rpc('evm_setAutomine', false)
    const hash = await send(counter)
    const [trace] = await rpc('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' })
    expect(trace).toMatchObject({ txHash: hash, result: { to: counter, output: word(1) } })
    await rpc('evm_setAutomine', true)
    await chain.mine()
  })

  it('are refused for unknown blocks', async () => {
    const code = async (method: string, ...params: unknown[]) => (await chain.raw(method, ...params)).error?.code
    expect(await code('debug_traceBlockByNumber', '0x0')).toBe(-32000)
    expect(await code('debug_traceBlockByNumber', 'earliest')).toBe(-32000)
    expect(await code('debug_traceBlockByNumber', '0xffffff')).toBe(-32000)
    expect(await code('debug_traceBlockByNumber', '3')).toBe(-32602)
    expect(await code('debug_traceBlockByHash', UNKNOWN)).toBe(-32000)
    expect(await chain.raw('debug_traceTransaction', UNKNOWN)).toMatchObject({
      error: { code: -32000, message: 'transaction not found' },
    })
    expect(await code('debug_traceBlock', '0x1234')).toBe(-32000)
    expect(await code('debug_intermediateRoots', UNKNOWN)).toBe(-32000)
  })

  it('include a state root after each transaction, the last of which is the block’s', async () => {
    const plain = withClients(await startNode(nodeOptions({ spec: plainSpec(alice) })))
    onTestFinished(() => plain.node.close())
    await plain.rpc('evm_setAutomine', false)
    const { send } = playground(plain)
    for (const to of [pad('0x11', { size: 20 }), pad('0x22', { size: 20 })]) await send(to, { value: 1n })
    await plain.mine()
    const block = await plain.viem.getBlock()
    const [first, second, ...rest] = (await plain.rpc('debug_intermediateRoots', block.hash)) as Hex[]
    expect(rest).toEqual([])
    expect(second).toBe(block.stateRoot)
    expect(first).toMatch(/^0x[0-9a-f]{64}$/)
    expect(first).not.toBe(second)
  })
})

describe('traces of calls', () => {
  const NUMBER = asm('NUMBER', ...returnTop)

  it('run on a block’s state, with overrides', async () => {
    const to = pad('0xabcd', { size: 20 })
    const options = {
      stateOverrides: { [to]: { code: NUMBER } },
      blockOverrides: { number: '0x1234' },
    }
    const traced = await rpc('debug_traceCall', { to }, 'latest', options)
    expect(traced).toMatchObject({ failed: false, returnValue: word(0x1234), gas: 21_000 + 2 + 2 + 6 + 3 + 2 })
    expect(traced.structLogs[0]).toMatchObject({ op: 'NUMBER', stack: [] })
    const frame = await rpc('debug_traceCall', { from: alice, to, value: '0x1' }, 'latest', {
      ...options,
      tracer: 'callTracer',
    })
    expect(frame).toMatchObject({ type: 'CALL', from: alice, value: '0x1', output: word(0x1234) })
    const pre = await rpc('debug_traceCall', { to }, 'latest', { ...options, tracer: 'prestateTracer' })
    expect(pre[to]).toMatchObject({ code: NUMBER })
    expect(await rpc('debug_traceCall', { to }, 'latest')).toMatchObject({ returnValue: '0x', structLogs: [] })
  })

  it('run after some of a block’s transactions', async () => {
    const counter = await contract(COUNTER)
    await mineTogether(counter, counter, counter)
    const at = async (txIndex?: string) => {
      const options = txIndex === undefined ? {} : { txIndex }
      return (await rpc('debug_traceCall', { to: counter }, 'latest', options)).returnValue
    }
    expect([await at('0x0'), await at('0x2'), await at()]).toEqual([1, 3, 4].map(word))
    expect((await chain.raw('debug_traceCall', { to: counter }, 'latest', { txIndex: '0x9' })).error?.code).toBe(-32000)
  })

  it('in bundles run each on the state after the one before', async () => {
    const to = await contract(COUNTER)
    const bundles = [{ transactions: [{ to }, { to }] }, { transactions: [{ to }] }]
    const traces = await rpc('debug_traceCallMany', bundles, { blockNumber: 'latest', transactionIndex: -1 })
    expect(traces.map((bundle: { returnValue: Hex }[]) => bundle.map(({ returnValue }) => returnValue))).toEqual([
      [word(1), word(2)],
      [word(3)],
    ])
    const overridden = [{ ...bundles[0], stateOverride: { [to]: { stateDiff: { [word(0)]: word(40) } } } }]
    const [[first, second]] = await rpc('debug_traceCallMany', overridden, { blockNumber: 'latest' })
    expect([first.returnValue, second.returnValue]).toEqual([word(41), word(42)])
  })

  it('stop at their timeout, and yield to other work while they run', async () => {
    const to = await contract(LOOP)
    const long = { to, gas: toHex(10n ** 11n) }
    const order: string[] = []
    const stopped = chain
      .raw('debug_traceCall', long, 'latest', { tracer: 'callTracer', timeout: '300ms' })
      .finally(() => order.push('trace'))
    const others = Promise.all(Array.from({ length: 5 }, () => rpc('eth_blockNumber')))
    await others.then(() => order.push('others'))
    expect((await stopped).error).toMatchObject({ code: -32000, message: 'execution timeout' })
    expect(order).toEqual(['others', 'trace'])
    const brief = { ...long, gas: toHex(60_000) }
    expect(await rpc('debug_traceCall', brief, 'latest', { tracer: 'callTracer', timeout: '1m30s' })).toMatchObject({
      error: 'out of gas',
    })
  })
})

describe('ranges of state', () => {
  it('return the slots of an account in the order of their hashes', async () => {
    const write = (slot: number) => [`PUSH1 ${toHex(slot + 0x10)}`, `PUSH1 ${toHex(slot, { size: 1 })}`, 'SSTORE']
    const to = await contract(asm(...[1, 2, 3].flatMap(write)))
    const counter = await contract(COUNTER)
    await mineTogether(counter, to)
    const { hash } = await rpc('eth_getBlockByNumber', 'latest', false)
    const range = (index: number, start: string, count: number) =>
      rpc('debug_storageRangeAt', hash, index, to, start, count)
    const order = [1, 2, 3]
      .map((slot) => ({ hash: keccak256(word(slot)), slot }))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    const entry = (place: number) => {
      const { hash, slot } = order[place] ?? { hash: '', slot: 0 }
      return { [hash]: { key: word(slot), value: word(slot + 0x10) } }
    }
    expect(await range(2, '0x', 10)).toEqual({ storage: { ...entry(0), ...entry(1), ...entry(2) }, nextKey: null })
    const first = await range(2, '0x', 2)
    expect(first).toEqual({ storage: { ...entry(0), ...entry(1) }, nextKey: order[2]?.hash })
    expect(await range(2, first.nextKey, 2)).toEqual({ storage: entry(2), nextKey: null })
    // Before the second transaction the storage was empty.
    expect(await range(1, '0x', 10)).toEqual({ storage: {}, nextKey: null })
  })

  it('return the accounts of a block, and the start of the next page', async () => {
    const to = await contract(COUNTER, 3n)
    await send(to)
    const dump = await rpc('debug_accountRange', 'latest', '0x', 256, false, false, false)
    const proof = await rpc('eth_getProof', to, [], 'latest')
    expect(dump.accounts[to]).toEqual({
      address: to,
      key: keccak256(to),
      balance: '3',
      nonce: 0,
      code: COUNTER,
      codeHash: keccak256(COUNTER),
      root: proof.storageHash,
      storage: { [word(0)]: '01' },
    })
    const { stateRoot } = await rpc('eth_getBlockByNumber', 'latest', false)
    expect(`0x${dump.root}`).toBe(stateRoot)
    const keys: Hex[] = []
    for (let start = '0x'; start !== ''; ) {
      const page = await rpc('debug_accountRange', 'latest', start, 7, true, true, false)
      keys.push(...Object.values<{ key: Hex }>(page.accounts).map(({ key }) => key))
      start = page.next ?? ''
    }
    expect(keys).toEqual([...keys].sort())
    expect(keys).toEqual(Object.values<{ key: Hex }>(dump.accounts).map(({ key }) => key))
    expect(await rpc('debug_dumpBlock', 'latest')).toEqual(dump)
  })

  it('return the accounts that blocks modified', async () => {
    const to = await contract(COUNTER)
    await send(to)
    const block = await rpc('eth_getBlockByNumber', 'latest', false)
    const number = Number(block.number)
    const changed = await rpc('debug_getModifiedAccountsByNumber', number)
    expect(changed).toEqual(expect.arrayContaining([alice, to]))
    expect(await rpc('debug_getModifiedAccountsByHash', block.hash)).toEqual(changed)
    const caller = await contract(asm(...call(to)))
    await send(caller)
    const both = await rpc('debug_getModifiedAccountsByNumber', number - 1, number + 1)
    expect(both).toEqual(expect.arrayContaining(changed))
    expect((await chain.raw('debug_getModifiedAccountsByNumber', number, number)).error?.code).toBe(-32000)
    expect((await chain.raw('debug_getModifiedAccountsByNumber', number, number + 100)).error?.code).toBe(-32000)
  })
})
