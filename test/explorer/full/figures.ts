// Counts and sums of the whole chain against the book; filters; searches; rolled-back blocks.
import { getAddress, type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Book, feeOf, type Mined, sum } from './book.ts'
import { createdBy, KINDS } from './lists.ts'
import type { Given } from './records.ts'
import { stranger } from './script.ts'

const DAY = 86_400
const timeOf = ({ blocks }: Book, number: bigint | number): number => Number(blocks[Number(number)]?.timestamp)
const dayOf = (book: Book, { receipt }: Mined): number => Math.floor(timeOf(book, receipt.blockNumber) / DAY)
const isoDay = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10)

export function describeFigures(given: () => Given): void {
  const lastDay = () => {
    const { book } = given()
    const since = timeOf(book, book.head) - DAY
    return book.transactions.filter(({ receipt }) => timeOf(book, receipt.blockNumber) > since)
  }

  describe('figures', () => {
    it('of the chain are sums over its blocks', async () => {
      const { book, visit, on } = given()
      const shown = await visit.read('/stats')
      const today = Math.floor(timeOf(book, book.head) / DAY)
      const now = book.transactions.filter((of) => dayOf(book, of) === today)
      const blocks = book.blocks.slice(-50)
      const total = (of: readonly bigint[]) => Number(sum(of))
      expect(shown).toMatchObject({
        total_blocks: book.head + 1,
        total_transactions: book.transactions.length,
        total_gas_used: sum(book.blocks.map(({ gasUsed }) => gasUsed)).toString(),
        transactions_today: String(now.length),
        gas_used_today: sum(now.map(({ receipt }) => receipt.gasUsed)).toString(),
        average_block_time: ((timeOf(book, book.head) - timeOf(book, book.head - 100)) * 1000) / 100,
        coin_price: null,
        market_cap: '0',
      })
      const used = total(blocks.map(({ gasUsed }) => gasUsed)) / total(blocks.map(({ gasLimit }) => gasLimit))
      expect(shown.network_utilization_percentage).toBeCloseTo(100 * used, 9)

      const { baseFeePerGas } = await on.viem.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })
      const tips = book.transactions.map(
        ({ receipt }) => receipt.effectiveGasPrice - (book.blocks[Number(receipt.blockNumber)]?.baseFeePerGas ?? 0n),
      )
      const sorted = tips.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      const at = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0n
      const next = baseFeePerGas.at(-1) ?? 0n
      const prices = { slow: next + at(35), average: next + at(60), fast: next + at(90) }
      expect(shown.gas_prices).toEqual(
        Object.fromEntries(Object.entries(prices).map(([name, wei]) => [name, `${wei}`])),
      )
      const inFull = await visit.read('/stats', { 'updated-gas-oracle': 'true' })
      for (const [speed, wei] of Object.entries(prices)) {
        expect(inFull.gas_prices[speed]).toMatchObject({ wei: `${wei}`, price: Number(wei) / 1e9, fiat_price: null })
      }
    })

    it('of the last day exclude older blocks', async () => {
      const { book, visit, on } = given()
      const fees = sum(lastDay().map(feeOf))
      expect(lastDay().length).toBeLessThan(book.transactions.length)
      expect(await visit.read('/transactions/stats')).toEqual({
        transactions_count_24h: String(lastDay().length),
        pending_transactions_count: '3',
        transaction_fees_sum_24h: fees.toString(),
        transaction_fees_avg_24h: (fees / BigInt(lastDay().length)).toString(),
      })
      const made = createdBy(lastDay().flatMap(({ messages }) => messages)).map(({ to }) => to)
      expect(made).toContain(on.made.lamp.address.toLowerCase())
      expect(await visit.read('/smart-contracts/counters')).toMatchObject({
        new_smart_contracts_24h: String(made.length),
      })
    })

    it('of days have no gaps', async () => {
      const { book, visit } = given()
      const { chart_data } = await visit.read('/stats/charts/transactions')
      const today = Math.floor(timeOf(book, book.head) / DAY)
      expect(chart_data).toEqual(
        Array.from({ length: 31 }, (_, back) => {
          const count = book.transactions.filter((of) => dayOf(book, of) === today - back).length
          return { date: isoDay(today - back), transactions_count: count, transaction_count: count, tx_count: count }
        }),
      )
      const { available_supply, chart_data: prices } = await visit.read('/stats/charts/market')
      const { total_supply } = await visit.read('/addresses')
      expect(prices).toEqual([])
      expect(available_supply.replace('.', '')).toMatch(/^\d+$/)
      expect(total_supply).toBe(available_supply)
      const all = await visit.readAll('/addresses', 100)
      // Includes the withdrawals.
      const held = sum(all.map(({ coin_balance }) => BigInt(coin_balance)))
      expect(held).toBe(parseEther(total_supply))
      expect(await visit.read('/stats/charts/secondary-coin-market')).toEqual({ chart_data: [] })
    })

    it('of withdrawals and of the other endpoints are right', async () => {
      const { visit, book } = given()
      expect(await visit.read('/withdrawals/counters')).toEqual({
        withdrawals_count: '3',
        withdrawals_sum: (6n * 10n ** 9n).toString(),
      })
      expect(await visit.read('/main-page/indexing-status')).toEqual({
        finished_indexing: true,
        finished_indexing_blocks: true,
        indexed_blocks_ratio: '1.00',
        indexed_internal_transactions_ratio: '1.00',
      })
      const blocks = await visit.read('/main-page/blocks')
      expect(blocks).toEqual((await visit.read('/blocks?items_count=4')).items)
      const transactions = await visit.read('/main-page/transactions')
      expect(transactions).toEqual((await visit.read('/transactions?items_count=6')).items)
      const countdown = await visit.read(`/blocks/${book.head + 10}/countdown`)
      expect(countdown).toMatchObject({ current_block_number: `${book.head}`, remaining_blocks_count: '10' })
      expect((await visit.read('/config/backend-version')).backend_version).toMatch(/^v\d/)
      expect(await visit.read('/proxy/account-abstraction/status')).toMatchObject({ v06: { enabled: true } })
    })

    it('of CSV files: the number of lines equals that of the list’s entries', async () => {
      const { book, visit, on } = given()
      const { coin, people } = on.made
      const paths = ['transactions', 'token-transfers', 'internal-transactions', 'logs']
      const files = [
        ...paths.flatMap((list) => [people.bob, coin.address].map((of) => `/addresses/${of}/${list}`)),
        `/tokens/${coin.address}/holders`,
      ]
      for (const list of files) {
        const { total_count } = await visit.read(list)
        expect((await visit.read(`${list}/csv`)).trim().split('\r\n').length - 1, list).toBe(total_count)
      }
      expect(book.head).toBeGreaterThan(0)
    })
  })

  it('filters by method partition the calls of contracts', async () => {
    const { book, visit } = given()
    const all = await visit.readAll('/transactions', 100)
    const names = new Set<string>(all.flatMap(({ method }) => (method === null ? [] : [method])))
    expect(names.size).toBeGreaterThan(10)
    let found = 0
    for (const name of names) {
      const items = await visit.readAll(`/transactions?method=${name}`, 50)
      expect(items, name).toEqual(all.filter(({ method }) => method === name))
      found += items.length
    }
    expect(found).toBe(book.transactions.filter(({ isCall, input }) => isCall && input.length >= 10).length)
    expect(new Set(all.flatMap((of) => of.transaction_types))).toEqual(new Set(KINDS))
  })

  it('rolled-back blocks have left nothing in the index', async () => {
    const { visit, on, book } = given()
    const { beforeRevert, afterRevert, phantom, phantomTransfer } = on.made
    for (const [path, body] of Object.entries(beforeRevert)) expect(afterRevert[path], path).toEqual(body)
    for (const hash of [phantom.receipt.transactionHash, phantomTransfer.transactionHash]) {
      if (book.transactions.some((of) => of.hash === hash)) throw new Error('it was mined again')
      expect((await visit.ask(`/transactions/${hash}`)).status).toBe(404)
      expect((await visit.ask(`/transactions/${hash}/logs`)).status).toBe(404)
      expect(await visit.read(`/search/check-redirect?q=${hash}`)).toMatchObject({ redirect: false })
    }
    expect((await visit.ask(`/blocks/${phantomTransfer.blockHash}`)).status).toBe(404)
    expect((await visit.read('/search?q=phantom')).items).toEqual([])
    for (const of of [stranger(12), stranger(13)]) {
      expect(await visit.read(`/addresses/${of}`)).toMatchObject({ balance: '0', token_transfers_count: 0 })
      expect((await visit.read(`/addresses/${of}/coin-balance-history`)).items).toEqual([])
    }
    expect((await visit.ask(`/tokens/${on.made.art.address}/instances/77`)).status).toBe(404)
  })

  describe('a search', () => {
    it('finds addresses, tokens, blocks and transactions by name, number or hash', async () => {
      const { visit, on, book } = given()
      const { coin, people } = on.made
      const [transaction] = book.transactions
      const block = book.blocks[9]
      const hit = async (q: string) => (await visit.read(`/search?q=${q}`)).items[0]
      const redirect = (q: string) => visit.read(`/search/check-redirect?q=${q}`)
      const cases: readonly (readonly [string, object, object])[] = [
        [people.bob, { type: 'address', address_hash: people.bob }, { type: 'address', parameter: people.bob }],
        [people.bob.slice(2).toLowerCase(), { type: 'address' }, { type: 'address', parameter: people.bob }],
        [coin.address, { type: 'token', address_hash: coin.address }, { type: 'address', parameter: coin.address }],
        ['9', { type: 'block', block_number: 9 }, { type: 'block', parameter: block?.hash }],
        [block?.hash ?? '', { type: 'block', block_number: 9 }, { type: 'block', parameter: block?.hash }],
        [transaction?.hash ?? '', { type: 'transaction' }, { type: 'transaction', parameter: transaction?.hash }],
        [on.made.waiting[0] as Hex, { type: 'transaction' }, { type: 'transaction', parameter: on.made.waiting[0] }],
        ['silv', { type: 'token', address_hash: coin.address }, { redirect: false }],
        ['coin%20SILVER', { type: 'token', name: 'Silver Coin' }, { redirect: false }],
      ]
      for (const [q, first, where] of cases) {
        expect(await hit(q), q).toMatchObject(first)
        expect(await redirect(q), q).toMatchObject({ redirect: true, ...where })
        // A quick search requires three characters.
        const quick = (await visit.read(`/search/quick?q=${q}`))[0]
        expect(quick ?? null, q).toEqual(q.length > 2 ? expect.objectContaining(first) : null)
      }
      expect((await visit.read('/search?q=%20')).items).toEqual([])
      const wrapped = (await visit.read('/search?q=wrap')).items.map((of: { address: string }) => of.address)
      expect(wrapped.toSorted()).toEqual([on.made.wrapped, on.made.plainWrapped].map((of) => of.address).toSorted())
      expect(getAddress(wrapped[0])).toBe(wrapped[0])
    })
  })
}
