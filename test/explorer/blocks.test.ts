// Blocks of the explorer API, against the same node's JSON-RPC.
import { getAddress, type Hex, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { account } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { isoTime, type Scenario, scenario, ZERO } from './scenario.ts'

const COINBASE = getAddress(`0x${'c0'.repeat(20)}`)

const native = scenario(({ rpc, send, deploy, bob, walletOf }) => fewBlocks({ rpc, send, deploy, bob, walletOf }))
const plain = scenario(
  async (on) => {
    await on.rpc('anvil_setCoinbase', COINBASE)
    return fewBlocks(on)
  },
  () => ({ spec: plainSpec(account(0).address) }),
)

type Parts = Pick<Scenario, 'rpc' | 'send' | 'deploy' | 'bob' | 'walletOf'>

/** A transfer, a creation, an empty block, and a block of three transactions with different tips. */
async function fewBlocks({ rpc, send, deploy, bob, walletOf }: Parts) {
  await send(0, bob.address, 1n)
  const frames = await deploy('Frames')
  await rpc('evm_mine')
  await rpc('evm_setAutomine', false)
  const wallet = walletOf(0)
  for (const tip of [1n, 2n, 3n]) {
    const fees = { maxFeePerGas: parseGwei('50'), maxPriorityFeePerGas: tip * parseGwei('1') }
    const args = [tip, 1n] as const
    await wallet.writeContract({ ...frames, functionName: 'descend', args, gas: 500_000n, ...fees })
  }
  await rpc('evm_mine')
  await rpc('evm_setAutomine', true)
}

const text = (value: bigint | number) => value.toString()

describe.each([
  ['native', native],
  ['plain', plain],
] as const)('a block of a %s chain', (kind, on) => {
  it('has the fields of its header, and the sums of its receipts', async () => {
    const { read, viem, rpc } = on()
    for (let number = Number(await viem.getBlockNumber({ cacheTime: 0 })); number >= 0; number--) {
      const block = await viem.getBlock({ blockNumber: BigInt(number) })
      const receipts = await Promise.all(block.transactions.map((hash) => viem.getTransactionReceipt({ hash })))
      const baseFee = block.baseFeePerGas ?? 0n
      const fees = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
      const tips = fees - block.gasUsed * baseFee
      const burnt = kind === 'plain' ? block.gasUsed * baseFee : 0n
      const wire = (await rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, false)) as Record<string, Hex>
      const shown = await read(`/blocks/${number}`)
      expect(shown).toMatchObject({
        height: number,
        number,
        hash: block.hash,
        parent_hash: block.parentHash,
        type: 'block',
        timestamp: isoTime(block.timestamp),
        transactions_count: receipts.length,
        tx_count: receipts.length,
        withdrawals_count: 0,
        miner: { hash: getAddress(block.miner) },
        size: Number(block.size),
        difficulty: '0',
        nonce: wire.nonce,
        state_root: block.stateRoot,
        extra_data: block.extraData,
        gas_used: text(block.gasUsed),
        gas_limit: text(block.gasLimit),
        base_fee_per_gas: text(baseFee),
        burnt_fees: text(burnt),
        priority_fee: text(tips),
        transaction_fees: text(fees),
        rewards: kind === 'plain' && tips > 0n ? [{ type: 'Miner Reward', reward: text(tips) }] : [],
        uncles_hashes: [],
        is_pending_update: false,
      })
      expect(shown.gas_used_percentage).toBeCloseTo((Number(block.gasUsed) / Number(block.gasLimit)) * 100, 9)
      const target = Number(block.gasLimit) / 2
      expect(shown.gas_target_percentage).toBeCloseTo((Number(block.gasUsed) / target - 1) * 100, 9)
      if (fees === 0n) expect(shown.burnt_fees_percentage).toBeNull()
      else expect(shown.burnt_fees_percentage).toBeCloseTo((Number(burnt) / Number(fees)) * 100, 9)
      expect(await read(`/blocks/${block.hash}`)).toEqual(shown)
    }
  })

  it('has its transactions and messages in order', async () => {
    const { read, viem } = on()
    for (let number = Number(await viem.getBlockNumber({ cacheTime: 0 })); number >= 0; number--) {
      const block = await viem.getBlock({ blockNumber: BigInt(number) })
      const { items, total_count } = await read(`/blocks/${number}/transactions`)
      expect(items.map(({ hash }: { hash: Hex }) => hash)).toEqual(block.transactions)
      expect(total_count).toBe(block.transactions.length)
      const calls = await read(`/blocks/${block.hash}/internal-transactions`)
      const { internal_transactions_count } = await read(`/blocks/${number}`)
      expect(calls.total_count).toBe(internal_transactions_count)
      const parts = await Promise.all(
        block.transactions.map((hash) => read(`/transactions/${hash}/internal-transactions`)),
      )
      expect(calls.items).toEqual(parts.flatMap((part) => part.items))
    }
    const newest = await viem.getBlockNumber({ cacheTime: 0 })
    expect((await read(`/blocks/${newest}/transactions?type=contract_call`)).items).toHaveLength(3)
    expect((await read(`/blocks/${newest}/transactions?type=coin_transfer`)).items).toEqual([])
    expect((await read(`/blocks/${newest}/transactions?items_count=2&page=2`)).items).toHaveLength(1)
  })
})

it('a block of a chain without native modules pays the tips to its fee recipient', async () => {
  const { read, viem } = plain()
  const block = await viem.getBlock()
  let paid = 0n
  for (const hash of block.transactions) {
    const { items } = await read(`/transactions/${hash}/state-changes`)
    const own = items.filter(({ is_miner }: { is_miner: boolean }) => is_miner)
    expect(own).toHaveLength(1)
    expect(own[0].address.hash).toBe(COINBASE)
    expect(items.at(-1)).toEqual(own[0])
    paid += BigInt(own[0].change)
    const shown = await read(`/transactions/${hash}`)
    expect(shown.priority_fee).toBe(own[0].change)
    const receipt = await viem.getTransactionReceipt({ hash })
    expect(shown.transaction_burnt_fee).toBe(text(receipt.gasUsed * (block.baseFeePerGas ?? 0n)))
  }
  const address = COINBASE
  const before = await viem.getBalance({ address, blockNumber: block.number - 1n })
  expect(paid).toBe((await viem.getBalance({ address, blockNumber: block.number })) - before)
  expect((await read(`/blocks/${block.number}`)).rewards).toEqual([{ type: 'Miner Reward', reward: text(paid) }])
})

describe('the list of blocks', () => {
  it('is newest first, down to the genesis', async () => {
    const { readAll, viem } = native()
    const numbers = (await readAll('/blocks', 2)).map(({ height }) => height)
    const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
    expect(numbers).toEqual(Array.from({ length: head + 1 }, (_, i) => head - i))
    expect((await readAll('/blocks?type=block')).map(({ height }) => height)).toEqual(numbers)
  })

  it('has no uncles and no reorganised blocks', async () => {
    const { read } = native()
    for (const type of ['uncle', 'reorg', 'uncle,reorg']) {
      expect(await read(`/blocks?type=${type}`)).toEqual({ items: [], next_page_params: null, total_count: 0 })
    }
    expect((await read('/blocks?type=uncle,block')).total_count).toBeGreaterThan(0)
  })

  it('has the newest four blocks for the home page', async () => {
    const { read } = native()
    const { items } = await read('/blocks')
    expect(await read('/main-page/blocks')).toEqual(items.slice(0, 4))
    const page = await read('/main-page/blocks?page=2&items_count=2')
    expect(page.items).toEqual(items.slice(2, 4))
    const transactions = (await read('/transactions')).items
    expect(await read('/main-page/transactions')).toEqual(transactions.slice(0, 6))
    expect((await read('/main-page/transactions?items_count=1')).items).toEqual(transactions.slice(0, 1))
    expect(await read('/main-page/indexing-status')).toEqual({
      finished_indexing: true,
      finished_indexing_blocks: true,
      indexed_blocks_ratio: '1.00',
      indexed_internal_transactions_ratio: '1.00',
    })
  })
})

it('a block shows its withdrawals in wei', async () => {
  const { node, read, viem } = plain()
  const address = hexToAddress(`0x${'d1'.repeat(20)}`)
  const withdrawals = [
    { index: 4n, validatorIndex: 77n, address, amount: 5n },
    { index: 5n, validatorIndex: 78n, address: hexToAddress(ZERO), amount: 1_000_000_000n },
  ]
  const { block } = await node.chain.produce({ withdrawals })
  const { number, timestamp, hash } = block.header
  const { items } = await read(`/blocks/${number}/withdrawals`)
  const place = { block_number: Number(number), timestamp: isoTime(timestamp) }
  expect(items).toMatchObject([
    { index: 4, validator_index: 77, receiver: { hash: getAddress(address) }, amount: '5000000000', ...place },
    { index: 5, validator_index: 78, receiver: { hash: ZERO }, amount: '1000000000000000000', ...place },
  ])
  expect(text(await viem.getBalance({ address }))).toBe(items[0].amount)
  expect((await read(`/blocks/${hash}/withdrawals?page=2&items_count=1`)).items).toEqual([items[1]])
  expect((await read(`/blocks/${hash}`)).withdrawals_count).toBe(2)
})

it('the countdown counts to a future block', async () => {
  const { rpc, read, viem, get } = native()
  await rpc('anvil_mine', '0x65', '0x4')
  const head = await viem.getBlockNumber({ cacheTime: 0 })
  // A hundred blocks at intervals of four seconds.
  expect(await read(`/blocks/${head + 25n}/countdown`)).toEqual({
    current_block_number: text(head),
    countdown_block_number: text(head + 25n),
    remaining_blocks_count: '25',
    estimated_time_in_seconds: '100.0',
  })
  expect((await get(`/blocks/${head}/countdown`)).status).toBe(404)
})
