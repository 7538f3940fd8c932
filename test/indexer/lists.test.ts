// Lists and unions of lists against arrays: any page, while they grow.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sequenceEntry } from '../../src/indexer/tables.ts'
import { type Hex, toHex } from '../../src/lib/hex.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { countBetween, sequencesDown } from '../../src/tables/descent.ts'
import {
  entriesBetween,
  entryAt,
  ListReader,
  lengthOfAll,
  listLength,
  newestPage,
  scanPages,
  sequenceOf,
} from '../../src/tables/list.ts'
import { Overlay } from '../../src/tables/overlay.ts'
import { undoOps } from '../../src/tables/undo.ts'
import { everyRow } from '../support/stores.ts'

const LISTS = ['0x01', '0x0101', '0x02', '0x00'] as const
const listAt = (index: number): Hex => LISTS[index % LISTS.length] ?? '0x'

/** Writes one version: each entry goes to one list, with increasing sequences. Returns the added entries by list. */
async function grow(store: KvStore, version: number, from: number, owners: readonly number[]): Promise<number[][]> {
  const overlay = new Overlay(store)
  const added: number[][] = LISTS.map(() => [])
  for (const [i, owner] of owners.entries()) {
    const sequence = from + i * 2 + (i % 2)
    const list = listAt(owner)
    const position = overlay.append(list, sequenceEntry.encode({ sequence }))
    expect(overlay.length(list)).toBe(position + 1)
    added[owner % LISTS.length]?.push(sequence)
  }
  expect(LISTS.map((list) => overlay.added(list))).toEqual(added.map(({ length }) => length))
  await store.write(await overlay.ops(version))
  return added
}

const page = { page: fc.integer({ min: 1, max: 12 }), size: fc.integer({ min: 1, max: 9 }) }
/** Enough entries that most lists are longer than a page. */
const owners = fc.array(fc.nat({ max: 3 }), { minLength: 20, maxLength: 120 })

describe('lists', () => {
  it('and their unions have the same pages as an array, and keep to their anchor while they grow', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([owners, owners] as const),
        fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.record(page), { minLength: 5, maxLength: 5 }),
        async (first, second, chosen, pages) => {
          const store = await openMemoryStore()
          const lists = chosen.map(listAt)
          const before = await grow(store, 1, 0, first)
          const rows = await everyRow(store)
          const naive = chosen.flatMap((i) => before[i] ?? []).sort((a, b) => b - a)
          const ask = (request: { page: number; size: number; anchor?: number }) => {
            const { entries, ...rest } = newestPage(store, lists, request)
            return { sequences: entries.map(sequenceOf), ...rest }
          }
          const expected = ({ page, size }: { page: number; size: number }) => ({
            sequences: naive.slice((page - 1) * size, page * size),
            anchor: naive.length,
            hasNext: page * size < naive.length,
          })
          for (const request of pages) {
            expect(ask(request)).toEqual({ ...expected(request), total: naive.length })
          }

          for (const [from, to] of [
            [0, 2 ** 40],
            [naive.at(-3) ?? 0, naive[1] ?? 0],
            [9, 9],
          ] as const) {
            const between = naive.filter((sequence) => sequence >= from && sequence < to)
            // Lists that overlap give each entry once.
            expect([...sequencesDown(store, [...lists, ...lists], from, to)]).toEqual(between)
            expect(countBetween(store, lists, from, to)).toBe(between.length)
          }

          const grown = await grow(store, 2, first.length * 3, second)
          const total = naive.length + chosen.flatMap((i) => grown[i] ?? []).length
          expect(lengthOfAll(store, lists)).toBe(total)
          for (const request of pages) {
            const answer = ask({ ...request, anchor: naive.length })
            expect(answer).toEqual({ ...expected(request), total })
          }

          // Versions that are undone together, and one alone.
          await grow(store, 3, (first.length + second.length) * 3, first)
          await store.write([...undoOps(3, store), ...undoOps(2, store)])
          expect(await everyRow(store)).toEqual(rows)
          await store.write(undoOps(1, store))
          expect([...(await everyRow(store))]).toEqual([])
          await store.close()
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  it('find the position of a number', async () => {
    const store = await openMemoryStore()
    const list = listAt(0)
    const overlay = new Overlay(store)
    for (const sequence of [3, 5, 9]) overlay.append(list, sequenceEntry.encode({ sequence }))
    await store.write(await overlay.ops(1))
    expect(entriesBetween(store, list, 1, 9).map(sequenceOf)).toEqual([5, 9])
    const places = [0, 3, 4, 5, 6, 9, 10].map((sequence) => new ListReader(store, list).find(sequence))
    expect(places).toEqual([0, 0, 1, 1, 2, 2, 3])
  })

  it('are restored when a version is rolled back', async () => {
    const store = await openMemoryStore()
    await grow(store, 1, 0, [0, 1, 2])
    const before = await everyRow(store)
    await grow(store, 2, 100, [0, 0, 3])
    expect(LISTS.map((list) => listLength(store, list))).toEqual([3, 1, 1, 1])
    await store.write(undoOps(2, store))
    expect(await everyRow(store)).toEqual(before)
    await store.write(undoOps(1, store))
    expect([...(await everyRow(store))]).toEqual([])
    expect(undoOps(1, store)).toEqual([])
  })

  it('return entries of any size unchanged, in any range', async () => {
    const store = await openMemoryStore()
    const list = listAt(0)
    const entries = [0, 1, 254, 255, 256, 70_000, 7].flatMap((size) =>
      [1, 2, 3, 4, 5, 6].map((n) => new Uint8Array(size).fill(n)),
    )
    for (const [version, part] of [entries.slice(0, 17), entries.slice(17, 18), entries.slice(18)].entries()) {
      const overlay = new Overlay(store)
      for (const entry of part) overlay.append(list, entry)
      await store.write(await overlay.ops(version + 1))
    }
    for (const [from, to] of [
      [0, 42],
      [0, 16],
      [15, 33],
      [16, 32],
      [20, 20],
      [33, 42],
      [40, 99],
      [42, 43],
    ] as const) {
      const expected = entries.slice(from, to).map(toHex)
      expect(entriesBetween(store, list, from, to).map(toHex)).toEqual(expected)
      const scanned: Hex[] = []
      for await (const page of scanPages(store, list, from, to)) scanned.push(...page.map(toHex))
      expect(scanned).toEqual(expected)
    }
    expect(entries.map((_, i) => toHex(entryAt(store, list, i) ?? new Uint8Array(0)))).toEqual(entries.map(toHex))
  })

  it('are empty beyond their end', async () => {
    const store = await openMemoryStore()
    expect(newestPage(store, LISTS, { page: 1, size: 10 })).toEqual({
      entries: [],
      total: 0,
      anchor: 0,
      hasNext: false,
    })
    await grow(store, 1, 0, [0, 1])
    expect(newestPage(store, LISTS, { page: 7, size: 10 }).entries).toEqual([])
    // An anchor from before a rollback may exceed the list's length.
    expect(newestPage(store, LISTS, { page: 1, size: 10, anchor: 99 }).entries.map(sequenceOf)).toEqual([3, 0])
  })
})
