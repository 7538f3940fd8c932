// Blockscout's statistics service on the node: every point of every chart against the chain by JSON-RPC.
import { type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import * as statistics from '../../src/explorer/v1/routes.ts'
import { account, testChain } from '../support/chain.ts'
import { scenario, scenarioOn } from './scenario.ts'

const DAY = 86_400
// Responses are accessed without types: their schemas are checked.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

async function ask(url: string, path: string): Promise<{ status: number; body: Any }> {
  const response = await fetch(`${url}/api/v1${path}`)
  const body = await response.json()
  const [, first, second] = path.split(/[/?]/)
  const route = Object.values(statistics).find(({ path: of }) =>
    first === 'lines' && second !== undefined && !path.startsWith('/lines?')
      ? of === '/lines/{name}'
      : of === path.split('?')[0],
  )
  if (response.status === 200) expect(route?.response.safeParse(body).error?.issues ?? [], path).toEqual([])
  return { status: response.status, body }
}

const on = scenario(async (chain) => {
  const { rpc, send, bob, deploy, call } = chain
  const later = async (days: number) => rpc('evm_increaseTime', days * DAY)
  await send(0, bob.address, parseEther('1'))
  await later(1)
  const coin = await deploy('Coin', ['Coin', 'COIN', 18, 1000n])
  await call(coin, 'transfer', [bob.address, 5n])
  await later(2)
  // A failing transaction, and a new account.
  await call(coin, 'transfer', [bob.address, 5000n])
  await send(0, `0x${'7'.repeat(40)}`, 1n)
  await later(9)
  await send(0, `0x${'8'.repeat(40)}`, 1n)
  await later(40)
  await rpc('evm_mine')
  // An account that was not created by a block counts on the day of the newest block.
  await rpc('anvil_setBalance', `0x${'9'.repeat(40)}`, '0x5')
  return {}
})

/** Data of each block by JSON-RPC. */
async function walk() {
  const { viem, read } = on()
  const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  return Promise.all(
    Array.from({ length: head + 1 }, async (_, number) => {
      const block = await viem.getBlock({ blockNumber: BigInt(number) })
      const receipts = await Promise.all(block.transactions.map((hash) => viem.getTransactionReceipt({ hash })))
      const transfers = (await read(`/token-transfers`)).items.filter(
        (of: { block_number: number }) => of.block_number === number,
      ).length
      return { day: Math.floor(Number(block.timestamp) / DAY), block, receipts, transfers }
    }),
  )
}
type Walked = Awaited<ReturnType<typeof walk>>

const isoDay = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10)
const receiptsOf = (blocks: Walked) => blocks.flatMap(({ receipts }) => receipts)
const feesOf = (blocks: Walked) =>
  receiptsOf(blocks).reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
const gasOf = (blocks: Walked) => receiptsOf(blocks).reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
const coins = (wei: bigint): number => Number(wei) / 1e18

/** The expected value of a chart for a period, from the period's blocks and all blocks until its end. */
const EXPECTED: Readonly<Record<string, (period: Walked, all: Walked) => number>> = {
  newTxns: (period) => receiptsOf(period).length,
  txnsGrowth: (_, all) => receiptsOf(all).length,
  txnsFee: (period) => coins(feesOf(period)),
  averageTxnFee: (period) => coins(feesOf(period)) / Math.max(1, receiptsOf(period).length),
  txnsSuccessRate: (period) => {
    const receipts = receiptsOf(period)
    return receipts.filter(({ status }) => status === 'success').length / Math.max(1, receipts.length)
  },
  newBlocks: (period) => period.length,
  newTokenTransfers: (period) => period.reduce((sum, { transfers }) => sum + transfers, 0),
  averageGasPrice: (period) => {
    const receipts = receiptsOf(period)
    const sum = receipts.reduce((total, { effectiveGasPrice }) => total + effectiveGasPrice, 0n)
    return Number(sum) / 1e9 / Math.max(1, receipts.length)
  },
  newGasUsed: (period) => Number(gasOf(period)),
  gasUsedGrowth: (_, all) => Number(gasOf(all)),
}

describe('charts over time', () => {
  it('have the values of each day, and the totals at its end', async () => {
    const { url } = on()
    const blocks = await walk()
    const first = blocks[1]?.day ?? 0
    const last = blocks.at(-1)?.day ?? 0
    for (const [name, expected] of Object.entries(EXPECTED)) {
      const { chart, info } = (await ask(url, `/lines/${name}`)).body
      expect(info.id).toBe(name)
      expect(chart.map(({ date }: Any) => date)).toEqual(
        Array.from({ length: last - first + 1 }, (_, i) => isoDay(first + i)),
      )
      for (const [i, point] of chart.entries()) {
        const day = first + i
        const within = blocks.filter((of) => of.day === day)
        const until = blocks.filter((of) => of.day <= day)
        expect(Number(point.value), `${name} ${point.date}`).toBeCloseTo(expected(within, until), 8)
        expect(point).toMatchObject({ date_to: point.date, is_approximate: day === last })
      }
    }
  })

  it('count accounts and contracts once, on the day that they first appear', async () => {
    const { url, read } = on()
    const of = async (name: string) =>
      (await ask(url, `/lines/${name}`)).body.chart.map(({ value }: Any) => Number(value))
    const stats = await read('/stats')
    expect((await of('accountsGrowth')).at(-1)).toBe(stats.total_addresses)
    const counters = await read('/smart-contracts/counters')
    expect((await of('contractsGrowth')).at(-1)).toBe(Number(counters.smart_contracts))
    const created = await of('newContracts')
    // The token, on the second day.
    expect(created.slice(1).filter((value: number) => value > 0)).toEqual([1])
    expect(created[1]).toBe(1)
    const accounts: number[] = await of('newAccounts')
    // One new account each on days 3, 12 and 52 after the first: two by a transfer, one by the development method.
    expect([accounts[3], accounts[12], accounts[52]]).toEqual([1, 1, 1])
  })

  it('aggregate weeks, months and years, within a period', async () => {
    const { url } = on()
    const blocks = await walk()
    const last = blocks.at(-1)?.day ?? 0
    for (const [resolution, length] of [
      ['WEEK', 7],
      ['MONTH', 28],
      ['YEAR', 365],
    ] as const) {
      const { chart } = (await ask(url, `/lines/newTxns?resolution=${resolution}`)).body
      let sum = 0
      for (const { date, date_to, value } of chart) {
        const [from, to] = [date, date_to].map((text) => Date.parse(text) / (DAY * 1000)) as [number, number]
        expect(to - from + 1).toBeGreaterThanOrEqual(length)
        if (resolution === 'WEEK') expect(new Date(date).getUTCDay()).toBe(1)
        else expect(date).toMatch(resolution === 'MONTH' ? /-01$/ : /-01-01$/)
        const within = blocks.filter(({ day }) => day >= from && day <= to)
        expect(Number(value), `${resolution} ${date}`).toBe(receiptsOf(within).length)
        sum += Number(value)
      }
      expect(sum).toBe(receiptsOf(blocks).length)
    }
    const part = (await ask(url, `/lines/newBlocks?from=${isoDay(last - 3)}&to=${isoDay(last - 1)}`)).body.chart
    expect(part.map(({ date }: Any) => date)).toEqual([3, 2, 1].map((back) => isoDay(last - back)))
  })

  it('have every day of the asked period, also before the chain began, and none after today', async () => {
    const { url } = on()
    const blocks = await walk()
    const [first = 0, last = 0] = [blocks[1]?.day, blocks.at(-1)?.day]
    const of = async (query: string) => (await ask(url, `/lines/newBlocks?${query}`)).body.chart
    const early = await of(`from=${isoDay(first - 40)}&to=${isoDay(first)}`)
    expect(early.map(({ date }: Any) => date)).toEqual(Array.from({ length: 41 }, (_, i) => isoDay(first - 40 + i)))
    expect(early.slice(0, -1).every(({ value }: Any) => value === '0')).toBe(true)
    expect(Number(early.at(-1).value)).toBeGreaterThan(0)
    expect((await of(`from=${isoDay(last - 1)}&to=${isoDay(last + 1000)}`)).map(({ date }: Any) => date)).toEqual(
      [last - 1, last].map(isoDay),
    )
    // 54 years are the most.
    expect(await of('from=0001-01-01')).toHaveLength(20_000)
    expect(await of('from=0001-01-01&resolution=YEAR&to=0003-02-01')).toHaveLength(3)
  })

  it('are listed by section with their ids, and unknown ids are not found', async () => {
    const { url } = on()
    const { sections } = (await ask(url, '/lines')).body
    const ids = sections.flatMap(({ charts }: Any) => charts.map(({ id }: Any) => id))
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(EXPECTED), 'accountsGrowth', 'newVerifiedContracts']))
    for (const id of ids) expect((await ask(url, `/lines/${id}`)).body.info).toMatchObject({ id })
    expect(await ask(url, '/lines/nothing')).toEqual({ status: 404, body: { message: 'Not found' } })
    expect(await ask(url, '/nothing')).toEqual({ status: 404, body: { message: 'Not found' } })
    for (const query of ['from=today', 'resolution=HOUR']) {
      expect(await ask(url, `/lines/newTxns?${query}`)).toMatchObject({ status: 422 })
    }
  })
})

describe('statistics counters', () => {
  it('equal those of /api/v2', async () => {
    const { url, read } = on()
    const blocks = await walk()
    const stats = await read('/stats')
    const { counters } = (await ask(url, '/counters')).body
    const of: Record<string, number> = Object.fromEntries(counters.map(({ id, value }: Any) => [id, Number(value)]))
    expect(of).toMatchObject({
      totalBlocks: blocks.length,
      totalTxns: receiptsOf(blocks).length,
      completedTxns: receiptsOf(blocks).filter(({ status }) => status === 'success').length,
      totalAddresses: stats.total_addresses,
      totalTokens: (await read('/tokens')).total_count,
      totalNativeCoinHolders: (await read('/addresses')).total_count,
    })
    expect(of.averageBlockTime).toBeCloseTo(stats.average_block_time / 1000, 9)
    const main = (await ask(url, '/pages/main')).body
    expect(main.total_blocks.value).toBe(String(blocks.length))
    expect(main.daily_new_transactions.chart).toHaveLength(31)
    const { transactions_24h } = (await ask(url, '/pages/transactions')).body
    expect(transactions_24h.value).toBe((await read('/transactions/stats')).transactions_count_24h)
    const { total_contracts } = (await ask(url, '/pages/contracts')).body
    expect(total_contracts.value).toBe((await read('/smart-contracts/counters')).smart_contracts)
    expect((await ask(url, '/update-status')).body.all_status).toBe('COMPLETED_INITIAL_UPDATE')
  })

  it('follow a rollback of the chain', async () => {
    const { node } = await testChain()
    const { rpc, send, bob, url } = scenarioOn(node)
    const chart = async () => (await ask(url, '/lines/newTxns')).body.chart.map(({ value }: Any) => value)
    await send(0, bob.address, 1n)
    const before = await chart()
    const snapshot = (await rpc('evm_snapshot')) as Hex
    await rpc('evm_increaseTime', 3 * DAY)
    await send(0, account(1).address, 1n)
    // Days before the chain are zeros, since a frontend draws no chart of fewer than three points.
    expect(await chart()).toEqual([...Array(27).fill('0'), '1', '0', '0', '1'])
    await rpc('evm_revert', snapshot)
    expect(await chart()).toEqual(before)
  })
})
