// The whole explorer over one long scenario: every endpoint, list and filter against JSON-RPC of the same chain. The scenario
// is `full/script.ts`; `full/book.ts` reads the expected data from JSON-RPC.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeAccounts } from './full/accounts.ts'
import { type Book, readBook } from './full/book.ts'
import { describeDialect } from './full/dialect.ts'
import { describeFigures } from './full/figures.ts'
import { describeFrontend } from './full/frontend.ts'
import { addressLists, blocksOf, chainLists, coinHistory, type Expected, partLists } from './full/lists.ts'
import { describeNative } from './full/native.ts'
import { describeOperations } from './full/operations.ts'
import { describeRecords } from './full/records.ts'
import { NATIVE, play, spec, stranger } from './full/script.ts'
import { describeContracts } from './full/sources.ts'
import { describeSummaries } from './full/summaries.ts'
import { type Visitor, visitor } from './full/visits.ts'
import { scenario } from './scenario.ts'

const on = scenario(play, () => ({ spec: spec() }))
let book: Book
let visit: Visitor
beforeAll(async () => {
  visit = visitor(on().url)
  book = await readBook(on(), on().made)
}, 120_000)

describe('the scenario', () => {
  it('has more than 100 transactions, transfers and blocks', () => {
    expect(book.transactions.length).toBeGreaterThan(100)
    expect(book.transfers.length).toBeGreaterThan(100)
    expect(book.head).toBeGreaterThan(100)
  })
})

/** Expects that pages of every size make up the book's list, each item once. */
async function expectList({ path, key, keys }: Expected, sizes: readonly number[]): Promise<void> {
  const whole = await visit.readAll(path, 100)
  expect(whole.map(key), path).toEqual(keys)
  expect((await visit.read(path)).total_count, path).toBe(keys.length)
  for (const size of sizes) expect(await visit.readAll(path, size), `${path} by ${size}`).toEqual(whole)
}

describe('paginated lists', () => {
  it('of the chain are complete, on pages of every size', async () => {
    for (const expected of chainLists(book, on().made)) await expectList(expected, [1, 7, 50])
  }, 120_000)

  it('of every block and transaction are complete', async () => {
    for (const expected of partLists(book)) await expectList(expected, expected.keys.length > 1 ? [1, 7, 50] : [])
  }, 120_000)

  it('of addresses are complete', async () => {
    const { people, coin, stage, art, items } = on().made
    const contracts = [coin, stage, art, items].map(({ address }) => address)
    const miner = book.blocks[1]?.miner ?? NATIVE.staking
    const cast = [miner, ...Object.values(people), ...contracts, ...Object.values(NATIVE), stranger(1), stranger(100)]
    for (const of of cast) {
      for (const expected of addressLists(book, of)) await expectList(expected, [7, 50])
      await expectList(await coinHistory(on(), book, of), [7, 50])
      await expectList(blocksOf(book, of), [50])
    }
  }, 240_000)
})

const given = () => ({ on: on(), book, visit })
describeRecords(given)
describeAccounts(given)
describeFigures(given)
describeNative(given)
// Before contracts are verified, whose names the sentences would have.
describeSummaries(given)

describeContracts(given)
describeDialect(given)
describeFrontend(given)
describeOperations(given)

it('the scenario has visited every route', () => {
  expect(visit.unvisited()).toEqual([])
})
