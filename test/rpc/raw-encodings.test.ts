// debug_getRaw…, eth_config, eth_capabilities and testing_buildBlockV1. Expected values: ethers and viem decode the bytes,
// EIP-7910 names the fields of eth_config; the built block follows EIP-1559 and the rule for the gas limit (at most a 1024th of
// the parent's).
import { Transaction } from 'ethers'
import { fromRlp, type Hex, keccak256, parseGwei, toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { SYSTEM_CONTRACT } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'

type Block = Record<'hash' | 'number' | 'timestamp' | 'stateRoot' | 'gasLimit' | 'receiptsRoot', Hex> & {
  transactions: Hex[]
}

const bob = account(1).address
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
const word = (digit: string): Hex => `0x${digit.repeat(64)}`
const unknown = word('7')

/** A chain with a block of a legacy transfer, a type-2 transfer and a contract whose constructor logs. */
async function minedChain() {
  const test = await testChain({ automine: false })
  const wallet = test.walletOf(0)
  const sent = [
    await wallet.sendTransaction({ to: bob, value: 1n, gasPrice: parseGwei('3') }),
    await wallet.sendTransaction({ to: bob, value: 2n, maxFeePerGas: parseGwei('3') }),
    await wallet.sendTransaction({ data: '0x5f5fa0', gas: 100_000n }),
  ]
  await test.mine()
  const block = (await test.rpc('eth_getBlockByNumber', '0x1', false)) as Block
  expect(block.transactions).toEqual(sent)
  return { ...test, block }
}

describe('debug_getRaw…', () => {
  it('returns blocks and headers with the right hash, by number, tag and hash', async () => {
    const { rpc, block } = await minedChain()
    const header = (await rpc('debug_getRawHeader', '0x1')) as Hex
    expect(keccak256(header)).toBe(block.hash)
    const raw = (await rpc('debug_getRawBlock', 'latest')) as Hex
    const [head, transactions, uncles, withdrawals] = fromRlp(raw)
    expect(toRlp(head as Hex[])).toBe(header)
    expect(transactions).toHaveLength(3)
    expect([uncles, withdrawals]).toEqual([[], []])
    expect(await rpc('debug_getRawBlock', block.hash)).toBe(raw)
    expect(await rpc('debug_getRawBlock', { blockHash: block.hash })).toBe(raw)
    const size = ((await rpc('eth_getBlockByNumber', '0x1', false)) as { size: Hex }).size
    expect((raw.length - 2) / 2).toBe(Number(size))
  })

  it('returns transactions as they were signed, mined or pending', async () => {
    const { rpc, block, walletOf } = await minedChain()
    const raws = (await rpc('debug_getRawTransactions', '0x1')) as Hex[]
    expect(raws.map((raw) => Transaction.from(raw).hash)).toEqual(block.transactions)
    for (const [i, hash] of block.transactions.entries())
      expect(await rpc('debug_getRawTransaction', hash)).toBe(raws[i])
    const waiting = await walletOf(0).sendTransaction({ to: bob, value: 1n })
    expect(Transaction.from((await rpc('debug_getRawTransaction', waiting)) as Hex).hash).toBe(waiting)
    expect(await rpc('debug_getRawTransaction', unknown)).toBe('0x')
  })

  it('returns receipts as encoded in the receipts trie', async () => {
    const { rpc, block } = await minedChain()
    const raws = (await rpc('debug_getRawReceipts', '0x1')) as Hex[]
    const receipts = (await rpc('eth_getBlockReceipts', '0x1')) as {
      type: Hex
      status: Hex
      cumulativeGasUsed: Hex
      logsBloom: Hex
      logs: { address: Hex; topics: Hex[]; data: Hex }[]
    }[]
    expect(raws.map((raw) => raw.slice(0, 4))).toEqual([expect.stringMatching(/^0xf9/), '0x02', '0x02'])
    const expected = receipts.map(({ type, status, cumulativeGasUsed, logsBloom, logs }) => {
      const even = (value: Hex): Hex => (value.length % 2 === 0 ? value : `0x0${value.slice(2)}`)
      const wireLogs = logs.map(({ address, topics, data }) => [address, topics, data])
      const rlp = toRlp([status === '0x0' ? '0x' : '0x01', even(cumulativeGasUsed), logsBloom, wireLogs as never])
      return type === '0x0' ? rlp : `0x0${type.slice(2)}${rlp.slice(2)}`
    })
    expect(raws).toEqual(expected)
    expect(receipts[2]?.logs).toHaveLength(1)
    expect(await rpc('debug_getRawReceipts', block.hash)).toEqual(raws)
  })

  it('returns block 0, and an error for unknown blocks', async () => {
    const { rpc, raw } = await testChain()
    const genesis = (await rpc('eth_getBlockByNumber', '0x0', false)) as Block
    expect(keccak256((await rpc('debug_getRawHeader', 'earliest')) as Hex)).toBe(genesis.hash)
    expect(await rpc('debug_getRawReceipts', '0x0')).toEqual([])
    expect(await rpc('debug_getRawTransactions', '0x0')).toEqual([])
    for (const what of ['Block', 'Header', 'Receipts', 'Transactions']) {
      expect((await raw(`debug_getRaw${what}`, '0x9')).error?.code, what).toBe(-32000)
      expect((await raw(`debug_getRaw${what}`, unknown)).error?.code, what).toBe(-32000)
      expect((await raw(`debug_getRaw${what}`, '9')).error?.code, what).toBe(-32602)
    }
    expect((await raw('debug_getRawTransaction', unknown.slice(2))).error?.code).toBe(-32602)
  })
})

describe('eth_config', () => {
  type Config = {
    activationTime: number
    blobSchedule: object
    chainId: Hex
    forkId: Hex
    precompiles: object
    systemContracts: object
  }
  type Configs = Record<'current' | 'next' | 'last', Config | null>

  it('returns the configuration at genesis', async () => {
    const { rpc } = await testChain()
    const { current, next, last } = (await rpc('eth_config')) as Configs
    expect([next, last]).toEqual([null, null])
    // The second blob-parameter-only fork of mainnet, active from block 0.
    expect(current).toMatchObject({
      activationTime: 0,
      blobSchedule: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
      chainId: '0x7d',
      forkId: expect.stringMatching(/^0x[0-9a-f]{8}$/),
      systemContracts: {
        BEACON_ROOTS_ADDRESS: SYSTEM_CONTRACT.beaconRoots,
        HISTORY_STORAGE_ADDRESS: SYSTEM_CONTRACT.history,
      },
    })
    expect(Object.keys(current?.precompiles ?? {})).toHaveLength(18)
    expect(Object.keys(current?.systemContracts ?? {})).toHaveLength(5)
  })

  it('returns the next and last configuration with their changes', async () => {
    const plain = presets.kestrel()
    const start = plain.genesis.timestamp
    const schedule = [
      { fork: 'prague', time: start + 1_000n },
      { fork: 'osaka', time: start + 2_000n },
      { fork: 'bpo1', time: start + 3_000n },
    ] as const
    const forks = [
      ...plain.forks.filter(({ fork }) => !['prague', 'osaka', 'bpo1', 'bpo2'].includes(fork)),
      ...schedule,
    ]
    const { rpc } = await testChain({ spec: { ...plain, forks } })
    const before = (await rpc('eth_config')) as Configs
    const namesOf = (config: Config | null) => Object.keys(config?.precompiles ?? {})
    expect([before.current?.activationTime, before.next?.activationTime, before.last?.activationTime]).toEqual([
      0,
      Number(start) + 1_000,
      Number(start) + 3_000,
    ])
    expect(namesOf(before.current)).toHaveLength(10)
    expect(namesOf(before.next).filter((name) => !namesOf(before.current).includes(name))).toEqual([
      'BLS12_G1ADD',
      'BLS12_G1MSM',
      'BLS12_G2ADD',
      'BLS12_G2MSM',
      'BLS12_PAIRING_CHECK',
      'BLS12_MAP_FP_TO_G1',
      'BLS12_MAP_FP2_TO_G2',
    ])
    expect(namesOf(before.last)).toContain('P256VERIFY')
    expect(Object.keys(before.current?.systemContracts ?? {})).toEqual(['BEACON_ROOTS_ADDRESS'])
    expect(before.current?.blobSchedule).toEqual({ target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 })
    expect(before.last?.blobSchedule).toEqual({ target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 })
    expect(new Set([before.current?.forkId, before.next?.forkId, before.last?.forkId]).size).toBe(3)

    await rpc('evm_setNextBlockTimestamp', Number(start) + 2_500)
    await rpc('evm_mine')
    const later = (await rpc('eth_config')) as Configs
    expect(later.current?.activationTime).toBe(Number(start) + 2_000)
    expect(later.next).toEqual(before.last)
    expect(later.last).toEqual(before.last)
  })
})

it('eth_capabilities reports all data from block 0 on', async () => {
  const { rpc, mine } = await testChain()
  await mine()
  const { hash } = (await rpc('eth_getBlockByNumber', 'latest', false)) as Block
  const all = { disabled: false, oldestBlock: '0x0' }
  expect(await rpc('eth_capabilities')).toEqual({
    head: { number: '0x1', hash },
    state: all,
    tx: all,
    logs: all,
    receipts: all,
    blocks: all,
    stateproofs: all,
  })
})

describe('testing_buildBlockV1', () => {
  type Payload = Record<
    'blockHash' | 'gasLimit' | 'gasUsed' | 'baseFeePerGas' | 'extraData' | 'feeRecipient' | 'blockNumber',
    Hex
  > & {
    transactions: Hex[]
    withdrawals: object[]
  }
  type Built = { executionPayload: Payload; blockValue: Hex; executionRequests: Hex[]; blobsBundle: object }
  const coinbase = `0x${'cb'.repeat(20)}`

  async function builder() {
    const test = await testChain({ automine: false, rpc: { testing: true, development: true } })
    const head = (await test.rpc('eth_getBlockByNumber', 'latest', false)) as Block
    const attributes = {
      timestamp: hex(Number(head.timestamp) + 5),
      prevRandao: word('3'),
      suggestedFeeRecipient: coinbase,
      withdrawals: [],
      parentBeaconBlockRoot: word('4'),
    }
    const sign = (fields: { nonce: number; value?: bigint; gas?: bigint }) =>
      test.alice.signTransaction({
        type: 'eip1559',
        chainId: 125,
        to: bob,
        gas: 21_000n,
        maxFeePerGas: parseGwei('5'),
        maxPriorityFeePerGas: parseGwei('1'),
        ...fields,
      })
    const build = async (...rest: unknown[]) =>
      (await test.rpc('testing_buildBlockV1', head.hash, attributes, ...rest)) as Built
    return { ...test, head, attributes, sign, build }
  }

  it('is not enabled by default', async () => {
    const { raw } = await testChain()
    expect((await raw('testing_buildBlockV1', unknown, {}, [])).error?.code).toBe(-32601)
  })

  it('builds an empty block whose gas limit moves towards 60 million', async () => {
    const { build, rpc, head } = await builder()
    const { executionPayload, blockValue, executionRequests, blobsBundle } = await build([], '0x1234')
    // 36,000,000 plus a 1024th, minus one.
    expect(executionPayload).toMatchObject({
      gasLimit: hex(36_000_000 + 35_156 - 1),
      gasUsed: '0x0',
      baseFeePerGas: hex(875_000_000),
      blockNumber: '0x1',
      extraData: '0x1234',
      feeRecipient: coinbase,
      transactions: [],
      withdrawals: [],
    })
    expect({ blockValue, executionRequests, blobsBundle }).toEqual({
      blockValue: '0x0',
      executionRequests: [],
      blobsBundle: { commitments: [], proofs: [], blobs: [] },
    })
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: head.hash })
  })

  it('includes the given transactions, or those of the pool', async () => {
    const { build, sign, rpc, raw, head } = await builder()
    const first = await sign({ nonce: 0 })
    const second = await sign({ nonce: 1 })
    const given = await build([first, second])
    expect(given.executionPayload).toMatchObject({
      transactions: [first, second],
      gasUsed: hex(42_000),
      extraData: '0x',
    })
    expect(BigInt(given.blockValue)).toBe(42_000n * parseGwei('1'))

    await rpc('eth_sendRawTransaction', first)
    expect((await build(null)).executionPayload.transactions).toEqual([first])
    expect((await build()).executionPayload.transactions).toEqual([first])
    expect((await build([])).executionPayload.transactions).toEqual([])
    // Pool and chain have not changed.
    expect(await rpc('txpool_status')).toMatchObject({ pending: '0x1' })
    expect((await raw('eth_getBlockByNumber', 'latest', false)).result).toMatchObject({ hash: head.hash })
  })

  it('builds the same block as mining with the same attributes', async () => {
    const { build, sign, rpc, attributes } = await builder()
    const transaction = await sign({ nonce: 0, value: 7n })
    const { executionPayload } = await build([transaction])
    await rpc('eth_sendRawTransaction', transaction)
    await rpc('anvil_setCoinbase', coinbase)
    await rpc('anvil_setNextBlockPrevRandao', attributes.prevRandao)
    await rpc('evm_setBlockGasLimit', executionPayload.gasLimit)
    await rpc('evm_setNextBlockTimestamp', attributes.timestamp)
    await rpc('evm_mine')
    const mined = (await rpc('eth_getBlockByNumber', 'latest', false)) as Block
    const built = executionPayload as unknown as Record<string, unknown>
    // The beacon root is written to the state and cannot be set by development methods, so all fields but the state root are
    // compared.
    for (const field of [
      'receiptsRoot',
      'gasUsed',
      'gasLimit',
      'timestamp',
      'logsBloom',
      'baseFeePerGas',
      'extraData',
    ] as const) {
      expect(built[field], field).toBe((mined as Record<string, unknown>)[field])
    }
  })

  it('refuses attributes and transactions that are invalid in any block', async () => {
    const { raw, sign, head, attributes } = await builder()
    const refusal = async (...params: unknown[]) => (await raw('testing_buildBlockV1', ...params)).error?.code
    const valid = await sign({ nonce: 0 })
    expect(await refusal(head.hash, attributes, [await sign({ nonce: 5 })])).toBe(-32000)
    expect(await refusal(head.hash, attributes, [valid, valid])).toBe(-32000)
    expect(await refusal(head.hash, attributes, [`${valid.slice(0, -2)}00`])).toBe(-32000)
    expect(await refusal(head.hash, attributes, ['0x02'])).toBe(-32000)
    expect(await refusal(head.hash, attributes, [await sign({ nonce: 0, gas: 40_000_000n })])).toBe(-32000)
    expect(await refusal(unknown, attributes, [])).toBe(-32000)
    const early = `0x${(BigInt(head.timestamp) - 1n).toString(16)}`
    expect(await refusal(head.hash, { ...attributes, timestamp: early }, [])).toBe(-32000)
    expect(await refusal(head.hash, { ...attributes, timestamp: head.timestamp }, [])).toBeUndefined()
    expect(await refusal(head.hash, attributes, [], `0x${'00'.repeat(33)}`)).toBe(-32000)
    expect(await refusal(head.hash, { ...attributes, timestamp: 5 }, [])).toBe(-32602)
    expect(await refusal(head.hash, { ...attributes, prevRandao: undefined }, [])).toBe(-32602)
    expect(await refusal(head.hash)).toBe(-32602)
    expect(await refusal(head.hash, attributes, [valid])).toBeUndefined()
  })
})
