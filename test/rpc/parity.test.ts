// trace_… and ots_… on a running chain. Expected values: the shapes of Parity's and Otterscan's documentation, and the gas of
// the Yellow Paper.
import { type Hex, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Node, startNode } from '../../src/node.ts'
import { asm, call, playground, returnTop } from '../support/assembler.ts'
import { nodeOptions, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const UNKNOWN = `0x${'77'.repeat(32)}`
/** Init code that returns code of one zero byte. */
const INIT = asm('PUSH1 0x01', 'PUSH0', 'RETURN')

let node: Node
let chain: ReturnType<typeof withClients>
let { alice, contract, send, rpc } = {} as ReturnType<typeof playground>

beforeAll(async () => {
  // A plain chain: transactions change only what Ethereum's rules change.
  node = await startNode(nodeOptions({ spec: plainSpec(ALICE) }))
  chain = withClients(node)
  ;({ alice, contract, send, rpc } = playground(chain))
})
afterAll(() => node.close())

const word = (value: number | bigint) => pad(toHex(value))
const refusal = async (method: string, ...params: unknown[]) => (await chain.raw(method, ...params)).error?.code

const numberFrom = async (hash: Hex) => Number((await rpc('eth_getTransactionByHash', hash)).blockNumber)

/** Calls a contract that reverts, sends three wei to a new account, creates a contract, calls a precompile, self-destructs. */
async function busy() {
  const refusing = await contract(asm('PUSH0', 'PUSH0', 'REVERT'))
  const newAccount = pad('0xbeef', { size: 20 })
  const create = [`PUSH4 ${INIT}`, 'PUSH0', 'MSTORE', 'PUSH1 0x04', 'PUSH1 0x1c', 'PUSH0', 'CREATE']
  const to = await contract(
    asm(
      ...call(refusing),
      ...call(newAccount, { value: '0x03' }),
      ...create,
      ...call(pad('0x04', { size: 20 })),
      `PUSH20 ${newAccount}`,
      'SELFDESTRUCT',
    ),
    10n,
  )
  const hash = await send(to, { gas: 300_000 })
  return { refusing, newAccount, to, hash, receipt: await rpc('eth_getTransactionReceipt', hash) }
}

describe('trace_', () => {
  it('returns the frames of a transaction and of a block with their positions', async () => {
    const { refusing, newAccount, to, hash, receipt } = await busy()
    const traces = await rpc('trace_transaction', hash)
    const place = {
      transactionHash: hash,
      transactionPosition: 0,
      blockHash: receipt.blockHash,
      blockNumber: Number(receipt.blockNumber),
    }
    expect(traces).toEqual([
      {
        type: 'call',
        subtraces: 4,
        traceAddress: [],
        ...place,
        // The intrinsic gas of the transaction is not part of a frame's gas.
        action: { callType: 'call', from: alice, to, gas: toHex(300_000 - 21_000), input: '0x', value: '0x0' },
        result: { gasUsed: toHex(Number(receipt.gasUsed) - 21_000), output: '0x' },
      },
      {
        type: 'call',
        subtraces: 0,
        traceAddress: [0],
        ...place,
        error: 'Reverted',
        action: { callType: 'call', from: to, to: refusing, gas: '0xffff', input: '0x', value: '0x0' },
        result: { gasUsed: '0x4', output: '0x' },
      },
      {
        type: 'call',
        subtraces: 0,
        traceAddress: [1],
        ...place,
        action: { callType: 'call', from: to, to: newAccount, gas: toHex(0xffff + 2300), input: '0x', value: '0x3' },
        result: { gasUsed: '0x0', output: '0x' },
      },
      {
        type: 'create',
        subtraces: 0,
        traceAddress: [2],
        ...place,
        action: { creationMethod: 'create', from: to, gas: expect.any(String), init: INIT, value: '0x0' },
        // PUSH1, PUSH0, memory; 200 gas for a byte of code.
        result: { address: expect.any(String), code: '0x00', gasUsed: toHex(3 + 2 + 3 + 200) },
      },
      {
        type: 'suicide',
        subtraces: 0,
        traceAddress: [3],
        ...place,
        action: { address: to, balance: '0x7', refundAddress: newAccount },
        result: null,
      },
    ])
    expect(await rpc('trace_block', receipt.blockNumber)).toEqual(traces)
    expect(await rpc('trace_get', hash, ['0x2'])).toEqual(traces[3])
    expect(await rpc('trace_get', hash, ['0x2', '0x0'])).toBeNull()
  })

  it('returns null or an error for unknown blocks and transactions', async () => {
    expect(await rpc('trace_transaction', UNKNOWN)).toBeNull()
    expect(await rpc('trace_get', UNKNOWN, ['0x0'])).toBeNull()
    expect(await rpc('trace_block', '0xffffff')).toBeNull()
    expect(await rpc('trace_block', '0x0')).toEqual([])
    expect(await rpc('trace_replayBlockTransactions', '0xffffff', ['trace'])).toBeNull()
    expect(await refusal('trace_replayTransaction', UNKNOWN, ['trace'])).toBe(-32000)
    expect(await refusal('trace_call', {}, ['everything'])).toBe(-32602)
    expect(await refusal('trace_filter', { fromAddress: ['0x12'] })).toBe(-32602)
  })

  it('finds frames by sender and recipient (trace_filter)', async () => {
    const { newAccount, to, refusing, receipt } = await busy()
    const range = { fromBlock: receipt.blockNumber, toBlock: receipt.blockNumber }
    const paths = async (filter: object) =>
      (await rpc('trace_filter', { ...range, ...filter })).map(
        ({ traceAddress }: { traceAddress: number[] }) => traceAddress,
      )
    expect(await paths({})).toEqual([[], [0], [1], [2], [3]])
    expect(await paths({ toAddress: [newAccount] })).toEqual([[1], [3]])
    expect(await paths({ fromAddress: [alice] })).toEqual([[]])
    expect(await paths({ fromAddress: [to], toAddress: [refusing, newAccount] })).toEqual([[0], [1], [3]])
    expect(await paths({ fromAddress: [refusing], toAddress: [newAccount] })).toEqual([])
    expect(await paths({ fromAddress: [to], after: 1, count: 2 })).toEqual([[1], [2]])
    const [{ result }] = await rpc('trace_filter', { ...range, fromAddress: [to], after: 2, count: 1 })
    expect(await paths({ toAddress: [result.address] })).toEqual([[2]])
  })

  it('finds all frames of an address over the whole chain (trace_filter)', async () => {
    await busy()
    const of = async (filter: object) => await rpc('trace_filter', { fromBlock: 'earliest', ...filter })
    const all: { action: Record<string, string>; result: { address?: string } | null }[] = await of({})
    const senderOf = ({ action }: (typeof all)[number]) => action['from'] ?? action['address']
    const receiverOf = ({ action, result }: (typeof all)[number]) =>
      action['to'] ?? action['refundAddress'] ?? result?.address
    const seen = [...new Set(all.flatMap((trace) => [senderOf(trace), receiverOf(trace)]))].filter((who) => who)
    expect(seen.length).toBeGreaterThan(5)
    for (const who of seen) {
      expect(await of({ fromAddress: [who] }), who).toEqual(all.filter((trace) => senderOf(trace) === who))
      expect(await of({ toAddress: [who] }), who).toEqual(all.filter((trace) => receiverOf(trace) === who))
    }
    const [first, second] = seen
    const ofBoth = all.filter((trace) => [first, second].includes(receiverOf(trace)))
    expect(await of({ toAddress: [first, second] })).toEqual(ofBoth)
    expect(await of({ toAddress: [first, second], after: 1, count: 2 })).toEqual(ofBoth.slice(1, 3))
  })

  it('returns the state changes of a transaction (stateDiff)', async () => {
    const init = asm('PUSH1 0x05', 'PUSH1 0x01', 'SSTORE', 'PUSH1 0x01', 'PUSH0', 'RETURN')
    const hash = await send(undefined, { data: init, value: 2n })
    const { contractAddress, gasUsed, effectiveGasPrice } = await rpc('eth_getTransactionReceipt', hash)
    const { stateDiff, trace, vmTrace, output } = await rpc('trace_replayTransaction', hash, ['stateDiff'])
    expect({ trace, vmTrace, output }).toEqual({ trace: [], vmTrace: null, output: '0x00' })
    expect(stateDiff[contractAddress]).toEqual({
      balance: { '+': '0x2' },
      nonce: { '+': '0x1' },
      code: { '+': '0x00' },
      storage: { [word(1)]: { '+': word(5) } },
    })
    const { balance, nonce, code, storage } = stateDiff[alice]
    expect(BigInt(balance['*'].from) - BigInt(balance['*'].to)).toBe(2n + BigInt(gasUsed) * BigInt(effectiveGasPrice))
    expect(BigInt(nonce['*'].to) - BigInt(nonce['*'].from)).toBe(1n)
    expect({ code, storage }).toEqual({ code: '=', storage: {} })

    const to = await contract(asm('PUSH1 0x09', 'PUSH0', 'SSTORE'))
    await rpc('anvil_setStorageAt', to, '0x0', word(4))
    const changing = await send(to)
    const { number } = await rpc('eth_getBlockByNumber', 'latest', false)
    const [replay] = await rpc('trace_replayBlockTransactions', number, ['trace', 'stateDiff'])
    expect(replay.transactionHash).toBe(changing)
    expect(replay.trace).toHaveLength(1)
    expect(replay.trace[0]).not.toHaveProperty('blockHash')
    expect(replay.stateDiff[to]).toEqual({
      balance: '=',
      nonce: '=',
      code: '=',
      storage: { [word(0)]: { '*': { from: word(4), to: word(9) } } },
    })
  })

  it('returns the opcodes with their effects (vmTrace)', async () => {
    const leaf = await contract(asm('PUSH1 0x2a', ...returnTop))
    const code = asm('PUSH1 0x07', 'DUP1', 'SSTORE', ...call(leaf, { kind: 'STATICCALL', gas: '0x1000' }))
    const to = await contract(code)
    const { vmTrace } = await rpc('trace_replayTransaction', await send(to), ['vmTrace'])
    expect(vmTrace.code).toBe(code)
    const gas = 200_000 - 21_000
    const [push, dup, store] = vmTrace.ops
    expect(push).toEqual({
      pc: 0,
      op: 'PUSH1',
      cost: 3,
      sub: null,
      ex: { used: gas - 3, push: ['0x7'], mem: null, store: null },
    })
    // The stack items that DUP has read and pushed.
    expect(dup.ex).toEqual({ used: gas - 6, push: ['0x7', '0x7'], mem: null, store: null })
    expect(store).toMatchObject({
      cost: 22_100,
      ex: { push: [], store: { key: '0x7', val: '0x7' }, used: gas - 22_106 },
    })
    const calling = vmTrace.ops.find(({ op }: { op: string }) => op === 'STATICCALL')
    expect(calling).toMatchObject({ cost: 2600 + 0x1000, ex: { push: ['0x1'] } })
    expect(vmTrace.ops.at(-1)).toBe(calling)
    expect(calling.sub.ops.map(({ op }: { op: string }) => op)).toEqual([
      'PUSH1',
      'PUSH0',
      'MSTORE',
      'PUSH1',
      'PUSH0',
      'RETURN',
    ])
    expect(calling.sub.ops[2].ex.mem).toEqual({ off: 0, data: word(0x2a) })
  })

  it('traces calls and unsent transactions', async () => {
    const to = await contract(asm('PUSH0', 'SLOAD', 'PUSH1 0x01', 'ADD', 'DUP1', 'PUSH0', 'SSTORE', ...returnTop))
    const once = await rpc('trace_call', { from: alice, to }, ['trace', 'stateDiff'])
    expect(once).toMatchObject({ output: word(1), vmTrace: null, trace: [{ action: { from: alice, to } }] })
    expect(once.stateDiff[to].storage).toEqual({ [word(0)]: { '*': { from: word(0), to: word(1) } } })
    const many = await rpc(
      'trace_callMany',
      [
        [{ to }, ['trace']],
        [{ to }, ['stateDiff']],
      ],
      'latest',
    )
    expect(many.map(({ output }: { output: Hex }) => output)).toEqual([word(1), word(2)])
    expect(many.map(({ trace }: { trace: unknown[] }) => trace.length)).toEqual([1, 0])
    const request = await chain.walletOf(0).prepareTransactionRequest({ to, gas: 100_000n, type: 'eip1559' })
    const raw = await chain.walletOf(0).signTransaction(request)
    expect(await rpc('trace_rawTransaction', raw, ['trace'])).toMatchObject({
      output: word(1),
      trace: [{ action: { to } }],
    })
    expect(await rpc('eth_getStorageAt', to, '0x0', 'latest')).toBe(word(0))
  })
})

describe('ots_', () => {
  it('returns blocks without their transactions', async () => {
    const { receipt, hash, to } = await busy()
    const number = Number(receipt.blockNumber)
    const block = await rpc('eth_getBlockByNumber', receipt.blockNumber, true)
    const { transactions, logsBloom: _, ...rest } = block
    const details = await rpc('ots_getBlockDetails', number)
    const none = { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' }
    expect(details).toEqual({
      block: { ...rest, logsBloom: null, transactionCount: 1 },
      issuance: none,
      totalFees: toHex(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)),
    })
    expect(await rpc('ots_getBlockDetailsByHash', block.hash)).toEqual(details)
    expect(await rpc('ots_getBlockDetails', 999_999)).toBeNull()
    const page = await rpc('ots_getBlockTransactions', number, 0, 10)
    expect(page.fullblock).toEqual({
      ...block,
      transactions: [{ ...transactions[0], input: '0x' }],
      transactionCount: 1,
    })
    expect(page.receipts).toEqual([{ ...receipt, logs: null, logsBloom: null }])
    expect((await rpc('ots_getBlockTransactions', number, 1, 10)).receipts).toEqual([])
    expect(await rpc('erigon_getHeaderByNumber', number)).toEqual(
      await rpc('eth_getHeaderByNumber', receipt.blockNumber),
    )
    expect(await rpc('ots_getApiLevel')).toBe(8)
    expect([await rpc('ots_hasCode', to, 'latest'), await rpc('ots_hasCode', alice, 'latest')]).toEqual([true, false])
    expect(hash).toBe(transactions[0].hash)
  })

  it('returns the frames and internal operations of a transaction', async () => {
    const { hash, to, newAccount, refusing } = await busy()
    const entries = await rpc('ots_traceTransaction', hash)
    expect(entries[0]).toEqual({ type: 'CALL', depth: 0, from: alice, to, value: '0x0', input: '0x', output: '0x' })
    expect(entries.map(({ type, depth }: { type: string; depth: number }) => [type, depth])).toEqual([
      ...[
        ['CALL', 0],
        ['CALL', 1],
        ['CALL', 1],
        ['CREATE', 1],
        ['SELFDESTRUCT', 1],
      ],
    ])
    expect(entries[1]).toMatchObject({ to: refusing, value: '0x0' })
    const created = entries[3].to
    expect(await rpc('ots_getInternalOperations', hash)).toEqual([
      { type: 0, from: to, to: newAccount, value: '0x3' },
      { type: 2, from: to, to: created, value: '0x0' },
      { type: 1, from: to, to: newAccount, value: '0x7' },
    ])
    expect(await rpc('ots_getContractCreator', created)).toEqual({ hash, creator: to })
    expect(await rpc('ots_getContractCreator', newAccount)).toBeNull()
    expect(await rpc('ots_getTransactionError', hash)).toBe('0x')
    const reverting = await contract(asm('PUSH1 0xaa', 'PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'REVERT'))
    expect(await rpc('ots_getTransactionError', await send(reverting))).toBe(word(0xaa))
    const outer = await contract(
      asm(...call(await contract(asm(...call(newAccount, { value: '0x01' }), 'INVALID'), 5n))),
    )
    expect(await rpc('ots_getInternalOperations', await send(outer))).toEqual([])
    expect(await refusal('ots_traceTransaction', UNKNOWN)).toBe(-32000)
  })

  it('finds transactions by sender and nonce, and by participating address', async () => {
    const to = await contract(asm('PUSH0', 'PUSH0', 'LOG0'))
    const caller = await contract(asm(...call(to)))
    const hashes: Hex[] = []
    for (const target of [to, to, caller]) hashes.push(await send(target))
    const nonce = Number((await rpc('eth_getTransactionByHash', hashes[1])).nonce)
    expect(await rpc('ots_getTransactionBySenderAndNonce', alice, nonce)).toBe(hashes[1])
    expect(await rpc('ots_getTransactionBySenderAndNonce', alice, 9999)).toBeNull()
    const numbers = await Promise.all(hashes.map(numberFrom))
    const page = async (side: 'Before' | 'After', number: number | undefined, size: number) => {
      const found = await rpc(`ots_searchTransactions${side}`, to, number ?? 0, size)
      return [found.txs.map(({ hash }: { hash: Hex }) => hashes.indexOf(hash)), found.firstPage, found.lastPage]
    }
    expect(await page('Before', 0, 2)).toEqual([[2, 1], true, false])
    expect(await page('Before', numbers[1], 2)).toEqual([[0], false, true])
    expect(await page('After', 0, 2)).toEqual([[1, 0], false, true])
    expect(await page('After', numbers[1], 2)).toEqual([[2], true, false])
    // Called only by a contract that another contract calls; emits nothing.
    const silent = await contract(asm('STOP'))
    const outer = await contract(asm(...call(await contract(asm(...call(silent))))))
    const sent = [numberFrom(await send(outer)), numberFrom(await send(alice)), numberFrom(await send(outer))]
    const [first, , last] = await Promise.all(sent)
    const around = async (side: 'Before' | 'After', number: number) => {
      const { txs, firstPage, lastPage } = await rpc(`ots_searchTransactions${side}`, silent, number, 1)
      return [txs.map((tx: { blockNumber: Hex }) => Number(tx.blockNumber)), firstPage, lastPage]
    }
    expect(await around('Before', 0)).toEqual([[last], true, false])
    expect(await around('Before', last ?? 0)).toEqual([[first], false, true])
    expect(await around('Before', first ?? 0)).toEqual([[], false, true])
    expect(await around('After', 0)).toEqual([[first], false, true])
    expect(await around('After', first ?? 0)).toEqual([[last], true, false])
    expect(await around('After', last ?? 0)).toEqual([[], true, false])
    const { txs, receipts } = await rpc('ots_searchTransactionsBefore', to, 0, 1)
    expect(txs[0]).toEqual(await rpc('eth_getTransactionByHash', hashes[2]))
    const { timestamp } = await rpc('eth_getBlockByNumber', txs[0].blockNumber, false)
    expect(receipts[0]).toEqual({
      ...(await rpc('eth_getTransactionReceipt', hashes[2])),
      timestamp: Number(timestamp),
    })
  })
})
