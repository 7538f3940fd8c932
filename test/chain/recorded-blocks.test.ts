// Traces of recorded blocks equal those of a second chain over the same store, which has executed nothing and replays. The chain
// is the explorer's scenario with every kind of message and native contract, and what it lacks; both engines.
import { parseGwei, toHex } from 'viem'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { bigToWord, fromHex, type Hash } from '../../src/lib/hex.ts'
import { startNode } from '../../src/node.ts'
import type { Block, Transaction } from '../../src/primitives/types.ts'
import { RecordedBlock } from '../../src/runtime/tracing/recorded-block.ts'
import { BlockReplay } from '../../src/runtime/tracing/replay.ts'
import type { ExecutedBlock } from '../../src/runtime/types.ts'
import { play, spec, stranger } from '../explorer/full/script.ts'
import { type Scenario, scenarioOn } from '../explorer/scenario.ts'
import { asm, call, playground } from '../support/assembler.ts'
import { viemKzg, withCellProofs } from '../support/blobs.ts'
import { nodeOptions } from '../support/chain.ts'
import { FACTORY, openSmallChain, REVERTER, reopen, signed, smallSpec, textOf, words } from './support.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const TRACERS: readonly (readonly [name: string | undefined, config: object])[] = [
  ['callTracer', {}],
  ['callTracer', { onlyTopCall: true, withLog: true }],
  ['callTracer', { withLog: true }],
  ['flatCallTracer', {}],
  ['flatCallTracer', { convertParityErrors: true, includePrecompiles: true }],
  ['4byteTracer', {}],
  ['noopTracer', {}],
  ['muxTracer', { callTracer: { withLog: true }, '4byteTracer': {}, flatCallTracer: {} }],
  ['muxTracer', { callTracer: {}, prestateTracer: { diffMode: true } }],
  ['prestateTracer', {}],
  ['prestateTracer', { disableCode: true, disableStorage: true }],
  ['prestateTracer', { includeEmpty: true }],
  ['prestateTracer', { diffMode: true }],
  ['prestateTracer', { diffMode: true, disableCode: true, disableStorage: true, includeEmpty: true }],
  [undefined, {}],
]

const NO_STRUCT_LOGS = {
  ...{ disableStack: true, disableStorage: true, enableMemory: false, enableReturnData: false },
  limit: 0,
}

/** All traces of a chain as text, one for each block, transaction and kind. */
async function tracesOf(chain: BlockChain): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const options = ([name, config]: (typeof TRACERS)[number]) => ({
    choice: {
      name,
      config,
      structLogs: { disableStack: false, disableStorage: false, enableMemory: true, enableReturnData: true, limit: 0 },
    },
    timeout: 60_000,
  })
  for (let number = 1n; number <= chain.head.number; number++) {
    const block = (await chain.block({ number })) as Block
    if (block.transactions.length === 0) continue
    for (const tracer of TRACERS) {
      const traces = await chain.traces.block({ number }, options(tracer))
      texts.set(`${number} ${tracer[0]} ${JSON.stringify(tracer[1])}`, JSON.stringify(traces.map(resultOf)))
    }
    texts.set(`${number} record`, textOf(await chain.traces.replayBlock({ number })))
    texts.set(`${number} roots`, textOf(await chain.traces.rootsWithin({ number })))
    const last = block.transactions.length - 1
    for (const index of new Set([0, last >> 1, last])) {
      const { hash, from, to } = block.transactions[index] as Transaction
      for (const tracer of TRACERS) {
        const trace = await chain.traces.transaction(hash, options(tracer))
        texts.set(`${hash} ${tracer[0]} ${JSON.stringify(tracer[1])}`, JSON.stringify(trace))
      }
      texts.set(`${hash} record`, textOf(await chain.traces.replayTransaction(hash)))
      texts.set(`${hash} opcodes`, textOf(await chain.traces.replayTransaction(hash, { opcodes: true })))
      const at = { ref: { number }, index }
      texts.set(`${hash} call`, textOf(await chain.traces.replayCalls([{ from, to, value: 1n }], at)))
    }
  }
  return texts
}

const resultOf = (trace: object) => ('result' in trace ? trace.result : trace)

/** Compares the traces of a chain that has executed its blocks with those of one that has not. */
async function expectEqualTraces(executed: BlockChain, engine?: 'library'): Promise<number> {
  const replayed = reopen(executed.store, executed.spec, undefined, engine)
  const begin = vi.spyOn(BlockReplay, 'begin')
  const played = vi.spyOn(RecordedBlock.prototype, 'play')
  const recorded = await tracesOf(executed)
  expect(begin).not.toHaveBeenCalled()
  expect(played.mock.calls.length).toBeGreaterThan(recorded.size / 3)
  played.mockClear()
  const expected = await tracesOf(replayed)
  expect(begin).toHaveBeenCalled()
  expect(played).not.toHaveBeenCalled()
  expect([...recorded.keys()]).toEqual([...expected.keys()])
  for (const [of, text] of recorded) expect(text, of).toBe(expected.get(of))
  return recorded.size
}

/** Refused calls and creations, precompiles, logs and slots of reverted frames, blobs, two delegations within one block. */
async function addRareMessages(on: Scenario): Promise<void> {
  const { contract, send } = playground(on)
  const { rpc, walletOf, receiptOf, viem } = on
  const identity = `0x${'4'.padStart(40, '0')}`
  const undone = await contract(asm('PUSH0', 'SLOAD', 'PUSH0', 'PUSH0', 'LOG0', 'PUSH0', 'PUSH0', 'REVERT'))
  const log = ['PUSH1 0x07', 'PUSH0', 'PUSH0', 'LOG1']
  const rare = await contract(
    asm(
      ...log,
      ...call(stranger(40), { value: '0x01' }),
      ...['PUSH0', 'PUSH0', 'PUSH1 0x01', 'CREATE', ...log],
      ...call(identity),
      ...call(undone),
      ...call(undone, { kind: 'DELEGATECALL' }),
      ...call(identity, { kind: 'STATICCALL' }),
      ...[`PUSH20 ${identity}`, 'BALANCE', `PUSH20 ${stranger(41).toLowerCase()}`, 'EXTCODEHASH', ...log, 'STOP'],
    ),
  )
  await send(rare, { gas: 500_000 })

  const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }
  const { account } = walletOf(3)
  const blob = await account.signTransaction({
    type: 'eip4844',
    chainId: await viem.getChainId(),
    to: stranger(42),
    gas: 21_000n,
    nonce: await viem.getTransactionCount({ address: account.address }),
    maxFeePerBlobGas: parseGwei('10'),
    blobs: [toHex(new Uint8Array(131_072))],
    kzg: viemKzg,
    ...fees,
  })
  await receiptOf((await rpc('eth_sendRawTransaction', withCellProofs(blob))) as Hash)

  const authority = walletOf(7)
  await rpc('evm_setAutomine', false)
  for (const [nonce, contractAddress] of [undone, rare].entries()) {
    const authorization = await authority.signAuthorization({ contractAddress, nonce })
    await walletOf(8).sendTransaction({
      to: authority.account.address,
      authorizationList: [authorization],
      gas: 400_000n,
      ...fees,
    })
  }
  await rpc('evm_mine')
  await rpc('evm_setAutomine', true)
}

describe.each(['compiled', 'library'] as const)('on the %s engine', (engine) => {
  it('traces of recorded blocks equal those of a replay', { timeout: 600_000 }, async () => {
    const node = await startNode(nodeOptions({ spec: spec(), engine }))
    onTestFinished(() => node.close())
    const on = scenarioOn(node)
    await play(on)
    await on.rpc('anvil_dropAllTransactions')
    await on.rpc('evm_setAutomine', true)
    await addRareMessages(on)
    expect(await expectEqualTraces(node.chain, engine === 'library' ? engine : undefined)).toBeGreaterThan(1000)
  })
})

it('recorded blocks may delete contracts and create them again (before Cancun)', async () => {
  const chain = await openSmallChain({ spec: smallSpec('shanghai') })
  let nonce = 0n
  const send = (fields: Parameters<typeof signed>[2]): Transaction => signed(0, nonce++, fields)
  const mine = async (...transactions: Transaction[]): Promise<ExecutedBlock> => {
    const executed = await chain.build({ timestamp: chain.head.timestamp + 1n }, transactions)
    expect(executed.refused).toEqual([])
    await chain.commit(executed)
    return executed
  }
  const { callTrees } = await mine(send({ to: FACTORY }))
  const child = callTrees[0]?.calls[0]?.to ?? null
  expect(child).not.toBeNull()
  const store = (value: bigint) => send({ to: child, data: words(5n, value) })
  await mine(store(1n), store(2n), send({ to: child }), send({ to: child, value: 1n }), send({ to: REVERTER }))
  await mine(send({ to: FACTORY }), store(3n), send({ to: child }))
  // A transaction reads a slot of the account that the next one deletes.
  await mine(send({ to: FACTORY }), store(4n))
  await mine(store(4n), send({ to: child }))
  expect(await expectEqualTraces(chain)).toBeGreaterThan(100)
})

describe.each(['compiled', 'library'] as const)('on the %s engine', (engine) => {
  it('inputs of calls are recorded and traced up to a bound: a call may have a megabyte of input for 100 gas', async () => {
    const { store, spec: small } = await openSmallChain()
    const chain = reopen(store, small, undefined, engine)
    onTestFinished(() => chain.close())
    // Calls an account without code `calls` times with 256 KB of memory, in creation code.
    const callsOf = (calls: number) => {
      const call = ['PUSH0', 'PUSH0', 'PUSH3 0x040000', 'PUSH0', 'PUSH0', 'PUSH2 0xdead', 'GAS', 'CALL', 'POP']
      const loop = [`PUSH2 0x${calls.toString(16).padStart(4, '0')}`, 'JUMPDEST', ...call, 'PUSH1 0x01', 'SWAP1', 'SUB']
      return fromHex(asm(...loop, 'DUP1', 'PUSH1 0x03', 'JUMPI', 'STOP'))
    }
    const traceOf = async (calls: number, nonce: bigint) => {
      const transaction = signed(0, nonce, { to: null, data: callsOf(calls), gasLimit: 5_000_000n })
      const executed = await chain.build({ timestamp: chain.head.timestamp + 1n }, [transaction])
      expect(executed.receipts.map(({ status }) => status)).toEqual([1])
      await chain.commit(executed)
      const inner = executed.callTrees[0]?.calls ?? []
      const kept = inner.reduce((sum, { input }) => sum + input.length, 0)
      const choice = { name: 'callTracer', config: {}, structLogs: NO_STRUCT_LOGS }
      const traced = chain.traces.transaction(transaction.hash, { choice, timeout: 60_000 })
      return { calls: inner.length, kept, isRecorded: executed.recording !== undefined, traced }
    }
    const few = await traceOf(20, 0n)
    expect(few).toMatchObject({ calls: 20, kept: 20 << 18, isRecorded: true })
    await few.traced
    const many = await traceOf(100, 1n)
    expect(many).toMatchObject({ calls: 100, kept: 24 << 18, isRecorded: false })
    expect(JSON.stringify(await many.traced).length).toBeGreaterThan(100 << 19)
    const tooMany = await traceOf(300, 2n)
    expect(tooMany).toMatchObject({ calls: 300, kept: 24 << 18, isRecorded: false })
    const tooLarge = { code: 'limit-exceeded', message: 'the trace is too large' }
    await expect(tooMany.traced).rejects.toMatchObject(tooLarge)
    // The bound is that of a request: of several calls, and of several tracers.
    const call = { data: callsOf(100), gas: 5_000_000n }
    const at = { ref: 'latest', index: undefined } as const
    const replay = (calls: number, bytes: boolean) =>
      chain.traces.replayCalls(
        Array.from({ length: calls }, () => call),
        at,
        { bytes },
      )
    expect((await replay(2, true)).map(({ frames }) => frames.length)).toEqual([101, 101])
    await expect(replay(3, true)).rejects.toMatchObject(tooLarge)
    expect(await replay(3, false)).toHaveLength(3)
    const mux = { name: 'muxTracer', structLogs: NO_STRUCT_LOGS }
    const traceBy = (config: object) => chain.traces.call(call, at, { choice: { ...mux, config }, timeout: 60_000 })
    await traceBy({ callTracer: {}, flatCallTracer: {} })
    const nested = { callTracer: {}, muxTracer: { callTracer: {}, flatCallTracer: {} } }
    await expect(traceBy(nested)).rejects.toMatchObject(tooLarge)
  })
})

it('the size of a recording counts what logs and access lists hold', async () => {
  const chain = await openSmallChain()
  const size = async (transaction: Transaction): Promise<number> => {
    const executed = await chain.build({ timestamp: chain.head.timestamp + 1n }, [transaction])
    expect(executed.refused).toEqual([])
    return new RecordedBlock(executed, executed.recording ?? expect.fail('nothing was recorded'), 0).size
  }
  // Creation code that logs 100,000 bytes of memory twice.
  const log = ['PUSH3 0x0186a0', 'PUSH0', 'LOG0']
  const data = fromHex(asm(...log, ...log, 'STOP'))
  expect(await size(signed(0, 0n, { to: null, data, gasLimit: 5_000_000n }))).toBeGreaterThan(200_000)
  const storageKeys = Array.from({ length: 500 }, (_, key) => bigToWord(BigInt(key)))
  const accessList = [{ address: REVERTER, storageKeys }]
  expect(await size(signed(0, 0n, { to: REVERTER, accessList, gasLimit: 5_000_000n }))).toBeGreaterThan(66 * 500)
})
