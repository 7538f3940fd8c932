// Statistics of the chain: sums against its blocks, gas prices against tips chosen by the test.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { readPrices } from '../../src/explorer/statistics/prices.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { type Scenario, scenarioOn } from './scenario.ts'
import { api } from './support.ts'

const DAY = 86_400
const GWEI = 1_000_000_000n

/** The newest blocks with their receipts, newest first. */
async function walk({ viem }: Pick<Scenario, 'viem'>) {
  const blocks = []
  for (let number = await viem.getBlockNumber({ cacheTime: 0 }); number >= 0n; number--) {
    const block = await viem.getBlock({ blockNumber: number })
    const receipts = await Promise.all(block.transactions.map((hash) => viem.getTransactionReceipt({ hash })))
    blocks.push({ ...block, receipts })
  }
  return blocks
}

/** A node with transfers with these tips, in blocks of five. */
async function chainWithTips(tips: readonly bigint[], spec = plainSpec(account(0).address)) {
  const { node } = await testChain({ spec })
  const on = scenarioOn(node)
  await on.rpc('evm_setAutomine', false)
  for (const [i, tip] of tips.entries()) {
    const fees = { maxFeePerGas: parseGwei('1000'), maxPriorityFeePerGas: tip }
    await on.walletOf(0).sendTransaction({ to: on.bob.address, gas: 21_000n, nonce: i, ...fees })
    if (i % 5 === 4) await on.rpc('evm_mine')
  }
  await on.rpc('evm_mine')
  return on
}

describe('/stats', () => {
  it('counts blocks, transactions and addresses', async () => {
    const on = await chainWithTips([1n, 2n, 3n])
    const blocks = await walk(on)
    const { read } = on
    const shown = await read('/stats')
    const gas = blocks.reduce((sum, block) => sum + block.gasUsed, 0n)
    expect(shown).toMatchObject({
      total_blocks: blocks.length,
      total_transactions: 3,
      total_gas_used: gas.toString(),
      transactions_today: '3',
      gas_used_today: gas.toString(),
      coin_price: null,
      coin_price_change_percentage: null,
      market_cap: '0',
      tvl: null,
      static_gas_price: null,
    })
    const limit = blocks.reduce((sum, block) => sum + block.gasLimit, 0n)
    expect(shown.network_utilization_percentage).toBeCloseTo((Number(gas) / Number(limit)) * 100, 9)
  })

  it('counts an address once, at its first appearance', async () => {
    const { node, url } = await testChain()
    const { send, bob } = scenarioOn(node)
    const addresses = async () => (await api(url).read('/stats')).total_addresses
    const before = await addresses()
    // Bob and the sender are in the genesis.
    await send(0, bob.address, 1n)
    expect(await addresses()).toBe(before)
    for (const digit of ['1', '2', '3', '2']) await send(0, `0x${digit.repeat(40)}`, 1n)
    expect(await addresses()).toBe(before + 3)
  })

  it('averages the time between blocks, without the genesis', async () => {
    const on = await testChain()
    const { rpc } = on
    const { read } = api(on.url)
    const average = async () => (await read('/stats')).average_block_time
    expect(await average()).toBe(0)
    await rpc('evm_mine')
    expect(await average()).toBe(0)
    await rpc('anvil_mine', '0x3', '0x5')
    const shown = await average()
    const blocks = await walk(on)
    const head = blocks[0]?.timestamp ?? 0n
    const oldest = blocks.at(-2)?.timestamp ?? 0n
    expect(shown).toBeCloseTo((Number(head - oldest) * 1000) / (blocks.length - 2), 6)
    // A hundred more blocks: only these count.
    await rpc('anvil_mine', '0x65', '0x7')
    expect(await average()).toBe(7000)
  })

  it('has gas prices as text, and in detail with the header updated-gas-oracle', async () => {
    // 20 tips of 1..20 gwei: percentiles 35, 60 and 90 are the 7th, the 12th and the 18th.
    const tips = Array.from({ length: 20 }, (_, i) => BigInt(((i * 7) % 20) + 1) * GWEI)
    const { read, viem, rpc } = await chainWithTips(tips)
    const { baseFeePerGas } = await viem.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })
    const next = baseFeePerGas.at(-1) ?? 0n
    expect(next).toBeGreaterThan(0n)
    const wei = { slow: next + 7n * GWEI, average: next + 12n * GWEI, fast: next + 18n * GWEI }
    const plain = await read('/stats')
    expect(plain.gas_prices).toEqual({ slow: `${wei.slow}`, average: `${wei.average}`, fast: `${wei.fast}` })
    const full = await read('/stats', { 'updated-gas-oracle': 'true' })
    expect(full.gas_prices).toMatchObject({
      slow: { wei: `${wei.slow}`, price: Number(wei.slow) / 1e9, priority_fee: 7, priority_fee_wei: `${7n * GWEI}` },
      average: { wei: `${wei.average}`, base_fee: Number(next) / 1e9, priority_fee: 12, fiat_price: null, time: null },
      fast: { wei: `${wei.fast}`, priority_fee: 18 },
    })
    expect({ ...full, gas_prices: null }).toEqual({ ...plain, gas_prices: null })

    // They follow the head: more and dearer transactions raise them.
    const more = { to: account(1).address, from: account(0).address, gas: '0x5208', maxFeePerGas: '0x174876e800' }
    for (let i = 0; i < 20; i++) await rpc('eth_sendTransaction', { ...more, maxPriorityFeePerGas: '0xba43b7400' })
    await rpc('evm_mine')
    const raised = (await read('/stats', { 'updated-gas-oracle': 'true' })).gas_prices
    // 40 tips, the higher half 50 gwei: the 14th is unchanged, the 24th and the 36th are 50.
    expect([raised.slow, raised.average, raised.fast].map((price) => price.priority_fee)).toEqual([14, 50, 50])
  })

  it('has the suggested tip as gas price while no tip was paid', async () => {
    const { url, rpc } = await testChain()
    const tip = BigInt((await rpc('eth_maxPriorityFeePerGas')) as Hex)
    const { gas_prices } = await api(url).read('/stats', { 'updated-gas-oracle': 'true' })
    expect(gas_prices.slow).toEqual(gas_prices.fast)
    expect(gas_prices.fast.priority_fee_wei).toBe(tip.toString())
  })
})

describe('statistics of the last 24 hours', () => {
  it('cover the day up to the head, and move with it', async () => {
    const { node, rpc, url } = await testChain()
    const on = scenarioOn(node)
    const { read } = api(url)
    const expectDay = async () => {
      const blocks = await walk(on)
      const since = (blocks[0]?.timestamp ?? 0n) - BigInt(DAY)
      const receipts = blocks.filter(({ timestamp }) => timestamp > since).flatMap((block) => block.receipts)
      const fees = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
      expect(await read('/transactions/stats')).toEqual({
        transactions_count_24h: receipts.length.toString(),
        pending_transactions_count: '0',
        transaction_fees_sum_24h: fees.toString(),
        transaction_fees_avg_24h: (receipts.length === 0 ? 0n : fees / BigInt(receipts.length)).toString(),
      })
      return receipts.length
    }
    expect(await expectDay()).toBe(0)
    const snapshot = await rpc('evm_snapshot')
    await on.send(0, on.bob.address, 1n)
    await on.send(0, on.bob.address, 2n)
    expect(await expectDay()).toBe(2)
    await rpc('evm_increaseTime', DAY / 2)
    await on.send(0, on.bob.address, 3n)
    expect(await expectDay()).toBe(3)
    await rpc('evm_increaseTime', DAY / 2 + 60)
    await on.send(0, on.bob.address, 4n)
    expect(await expectDay()).toBe(2)
    await rpc('evm_increaseTime', 3 * DAY)
    await rpc('evm_mine')
    expect(await expectDay()).toBe(0)
    await rpc('evm_revert', snapshot)
    expect(await expectDay()).toBe(0)
    await on.send(0, on.bob.address, 5n)
    expect(await expectDay()).toBe(1)
  })
})

describe('charts of /stats', () => {
  it('count the transactions of each day, newest first, without gaps', async () => {
    const { node, rpc, url } = await testChain()
    const on = scenarioOn(node)
    for (const days of [0, 3, 1]) {
      if (days > 0) await rpc('evm_increaseTime', days * DAY)
      for (let i = 0; i <= days; i++) await on.send(0, on.bob.address, 1n)
    }
    const expected = new Map<string, number>()
    const dayOf = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
    const blocks = await walk(on)
    for (const { timestamp, receipts } of blocks) {
      expected.set(dayOf(timestamp), (expected.get(dayOf(timestamp)) ?? 0) + receipts.length)
    }
    const { chart_data } = await api(url).read('/stats/charts/transactions')
    const head = blocks[0]?.timestamp ?? 0n
    const dates = Array.from({ length: 31 }, (_, back) => dayOf(head - BigInt(back * DAY)))
    expect(chart_data).toEqual(
      dates.map((date) => {
        const count = expected.get(date) ?? 0
        return { date, transactions_count: count, transaction_count: count, tx_count: count }
      }),
    )
    expect(chart_data.reduce((sum: number, { tx_count }: { tx_count: number }) => sum + tx_count, 0)).toBe(7)
  })

  it('have the prices of the operator’s file, and none without it', async () => {
    const without = await testChain()
    expect((await api(without.url).read('/stats/charts/market')).chart_data).toEqual([])
    expect(await api(without.url).read('/stats/charts/secondary-coin-market')).toEqual({ chart_data: [] })

    const file = join(mkdtempSync(join(tmpdir(), 'prices-')), 'prices.json')
    const history = [
      { date: '2025-01-01', closing_price: '1.5' },
      { date: '2025-01-02', closing_price: '2', market_cap: '1000' },
    ]
    writeFileSync(file, JSON.stringify({ coin: '2.5', history }))
    const { url, rpc, alice, bob } = await testChain({ explorer: { prices: await readPrices(file) } })
    const { read } = api(url)
    const { chart_data, available_supply } = await read('/stats/charts/market')
    expect(chart_data).toEqual([
      { date: '2025-01-02', closing_price: '2', market_cap: '1000', tvl: null },
      { date: '2025-01-01', closing_price: '1.5', market_cap: null, tvl: null },
    ])
    const shown = await read('/stats', { 'updated-gas-oracle': 'true' })
    expect(shown).toMatchObject({ coin_price: '2.5', market_cap: (Number(available_supply) * 2.5).toFixed(2) })
    expect(shown.coin_price_change_percentage).toBeCloseTo(25, 9)
    const { wei, fiat_price } = shown.gas_prices.fast
    expect(fiat_price).toBe(((Number(wei) * 21_000 * 2.5) / 1e18).toFixed(2))
    const hash = await rpc('eth_sendTransaction', { from: alice.address, to: bob.address })
    expect(await read(`/transactions/${hash}`)).toMatchObject({ exchange_rate: '2.5', historic_exchange_rate: null })
  })
})
