// Rankings against a sorted array: members are added and removed, many or few at a time, and versions are undone.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigToFixed, toHex } from '../../src/lib/hex.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { Overlay } from '../../src/tables/overlay.ts'
import {
  addMember,
  complement,
  countUpTo,
  descending,
  membersAfter,
  membersFrom,
  membersUnder,
  moveMember,
  readDescending,
  removeMember,
} from '../../src/tables/ranking.ts'
import { countMembers, memberCount, nodeRow } from '../../src/tables/ranking-tree.ts'
import { SMALL_SET_SIZE, smallSetOf } from '../../src/tables/small-set.ts'
import { undoOps } from '../../src/tables/undo.ts'
import { everyRow } from '../support/stores.ts'

const RANKING = '0x01'
/** A ranking with an adjacent key, whose rows must not be returned. */
const OTHER = '0x0100'

const text = (members: readonly Uint8Array[]): string[] => members.map(toHex)
const byBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

/** The sort key of a member: `family` selects one of few prefixes, `child` the rest. No key is a prefix of another. */
const orderOf = (family: number, child: number): Uint8Array =>
  Uint8Array.of(...([[7, 7, 7], [7, 7, 8], [7, 9], [200]][family % 4] ?? []), child >> 8, child & 255, 9)

/** Adds and removes members in one version of a store, like the indexer, and in `wanted`. */
async function write(
  store: KvStore,
  version: number,
  wanted: Map<string, Uint8Array>,
  changes: readonly Uint8Array[],
): Promise<void> {
  const overlay = new Overlay(store)
  for (const order of changes) {
    const name = toHex(order)
    if (wanted.delete(name)) removeMember(overlay, RANKING, order)
    else {
      wanted.set(name, order)
      addMember(overlay, RANKING, order)
    }
  }
  await countMembers(overlay)
  await store.write(await overlay.ops(version))
}

async function check(store: KvStore, wanted: readonly Uint8Array[], asked: readonly number[]): Promise<void> {
  const sorted = wanted.toSorted(byBytes)
  expect(memberCount(store, RANKING)).toBe(sorted.length)
  for (const at of [0, sorted.length - 1, sorted.length, ...asked.map((n) => n % (sorted.length + 2))]) {
    const rank = Math.max(0, at)
    expect(text(await membersFrom(store, RANKING, rank, 50))).toEqual(text(sorted.slice(rank, rank + 50)))
    const member = orderOf(at, at * 13)
    const behind = sorted.filter((other) => byBytes(other, member) > 0).slice(0, 50)
    expect(text(await membersAfter(store, RANKING, member, 50))).toEqual(text(behind))
    for (const order of [member, sorted[rank] ?? member]) {
      const below = sorted.filter((other) => byBytes(other, order) < 0).length
      const isMember = sorted.some((other) => byBytes(other, order) === 0)
      expect(await countUpTo(store, RANKING, order)).toBe(below + (isMember ? 1 : 0))
      expect(await countUpTo(store, RANKING, order, false)).toBe(below)
    }
    const prefix = member.subarray(0, 2)
    const under = sorted.filter((other) => byBytes(other.subarray(0, 2), prefix) === 0).slice(0, 50)
    expect(text(await membersUnder(store, RANKING, prefix, 50))).toEqual(text(under))
  }
  await checkRows(store, sorted)
}

/**
 * Expects either a single row with at most SMALL_SET_SIZE members; or a row per member and tree nodes with right counts, where
 * a node's child without a node of its own has at most 512 members, which bounds the walk to a page. No other rows exist.
 */
async function checkRows(store: KvStore, members: readonly Uint8Array[]): Promise<void> {
  const keys = [...(await everyRow(store)).keys()]
  // 42: member, 43: node; 01 01: of RANKING.
  const rows = keys.filter((key) => key.startsWith('0x420101')).length
  const found = keys.filter((key) => key.startsWith('0x430101')).length
  const few = smallSetOf(store, RANKING)
  if (few !== undefined) {
    expect(members.length).toBeLessThanOrEqual(SMALL_SET_SIZE)
    expect(text(few)).toEqual(text(members))
    expect([rows, found]).toEqual([0, members.length === 0 ? 0 : 1])
    return
  }
  expect(rows).toBe(members.length)
  const digits = members.map((order) => toHex(order).slice(2))
  const nodesUnder = (prefix: string, under: readonly string[]): number => {
    const row = store.get(
      KEY.memberCounts(
        RANKING,
        Uint8Array.from(prefix, (digit) => Number.parseInt(digit, 16)),
      ),
    )
    if (row === undefined) throw new Error(`no node ${prefix}`)
    const node = nodeRow.decode(row)
    const nodes = [...'0123456789abcdef'].map((digit, i) => {
      const inside = under.filter((order) => order[prefix.length] === digit)
      expect(node.members[i]).toBe(inside.length)
      if ((node.nodes & (1 << i)) !== 0) return nodesUnder(prefix + digit, inside)
      expect(inside.length).toBeLessThanOrEqual(512)
      return 0
    })
    return nodes.reduce((sum, of) => sum + of, 1)
  }
  expect(found).toBe(nodesUnder('', digits))
}

describe('a ranking', () => {
  it('equals a sorted array after any changes, and is restored when versions are rolled back', async () => {
    const crowd = fc.record({ family: fc.nat({ max: 3 }), from: fc.nat({ max: 1500 }), size: fc.nat({ max: 900 }) })
    const single = fc.record({ family: fc.nat({ max: 3 }), from: fc.nat({ max: 1500 }), size: fc.nat({ max: 9 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.oneof(crowd, single), { maxLength: 4 }), { minLength: 2, maxLength: 5 }),
        fc.array(fc.nat({ max: 5000 }), { minLength: 5, maxLength: 5 }),
        async (versions, asked) => {
          const store = await openMemoryStore()
          const other = new Overlay(store)
          for (let child = 0; child < SMALL_SET_SIZE + 1; child++) addMember(other, OTHER, orderOf(0, child))
          await countMembers(other)
          await store.write(await other.ops(0))
          const wanted = new Map<string, Uint8Array>()
          const versionRows = [await everyRow(store)]
          for (const [i, changes] of versions.entries()) {
            const members = changes.flatMap(({ family, from, size }) =>
              Array.from({ length: size }, (_, n) => orderOf(family, from + n)),
            )
            await write(store, i + 1, wanted, members)
            await check(store, [...wanted.values()], asked)
            versionRows.push(await everyRow(store))
          }
          for (let version = versions.length; version > 0; version--) {
            await store.write(undoOps(version, store))
            expect(await everyRow(store)).toEqual(versionRows[version - 1])
          }
          await store.close()
        },
      ),
      { numRuns: 12 },
    )
  }, 120_000)

  it('finds ranks among thousands of members with a common prefix', async () => {
    const store = await openMemoryStore()
    const wanted = new Map<string, Uint8Array>()
    const alike = Array.from({ length: 3000 }, (_, n) => Buffer.concat([new Uint8Array(20), bigToFixed(BigInt(n), 8)]))
    await write(store, 1, wanted, alike)
    await check(store, alike, [511, 512, 513, 1024, 2999])
    await write(store, 2, wanted, alike.slice(10, 2990))
    await check(store, [...wanted.values()], [9, 10, 11])
  })

  it('keeps a small set in one row, and a tree for more members', async () => {
    const store = await openMemoryStore()
    const wanted = new Map<string, Uint8Array>()
    const members = Array.from({ length: SMALL_SET_SIZE + 1 }, (_, n) => orderOf(n, 7 * n))
    const rows = async () => (await everyRow(store)).size
    const versions: (readonly [changes: readonly Uint8Array[], rows: number])[] = [
      [members.slice(0, SMALL_SET_SIZE), 1],
      [members.slice(0, 2), 1],
      // One row per member, and the node with their count.
      [[...members.slice(0, 2), ...members.slice(SMALL_SET_SIZE)], SMALL_SET_SIZE + 2],
      [members.slice(1), 2],
      [members.slice(0, 1), 0],
      [members.slice(2, 5), 1],
    ]
    const versionRows = [await everyRow(store)]
    for (const [i, [changes, expected]] of versions.entries()) {
      await write(store, i + 1, wanted, changes)
      // Minus one undo row per version.
      expect((await rows()) - (i + 1)).toBe(expected)
      await check(store, [...wanted.values()], [1, 2])
      versionRows.push(await everyRow(store))
    }
    for (let version = versions.length; version > 0; version--) {
      await store.write(undoOps(version, store))
      expect(await everyRow(store)).toEqual(versionRows[version - 1])
    }
  })

  it('refuses to remove a member that is not in the row', async () => {
    const overlay = new Overlay(await openMemoryStore())
    addMember(overlay, RANKING, Uint8Array.of(1))
    expect(() => removeMember(overlay, RANKING, Uint8Array.of(2))).toThrow('not there')
  })

  it('moves, adds and removes a member', async () => {
    const store = await openMemoryStore()
    const overlay = new Overlay(store)
    const one = Uint8Array.of(1)
    const two = Uint8Array.of(2)
    moveMember(overlay, RANKING, undefined, one)
    moveMember(overlay, RANKING, one, two)
    moveMember(overlay, RANKING, two, two)
    await countMembers(overlay)
    await store.write(await overlay.ops(1))
    expect([memberCount(store, RANKING), text(await membersFrom(store, RANKING, 0, 9))]).toEqual([1, ['0x02']])
    const last = new Overlay(store)
    moveMember(last, RANKING, two, undefined)
    await countMembers(last)
    await store.write([...(await last.ops(2))])
    await store.write(undoOps(2, store))
    await store.write(undoOps(1, store))
    expect([...(await everyRow(store))]).toEqual([])
  })
})

describe('sort keys of rankings', () => {
  const amount = fc.oneof(fc.bigInt(0n, 1000n), fc.bigInt(0n, 2n ** 256n - 1n))

  it('sort larger amounts first, and can be decoded', () => {
    fc.assert(
      fc.property(amount, amount, fc.uint8Array({ maxLength: 4 }), (a, b, rest) => {
        const x = Buffer.concat([descending(a), rest])
        const y = descending(b)
        // For equal amounts the rest decides: `y` has none, so it is never later.
        expect(byBytes(x, y) < 0).toBe(a > b)
        expect(readDescending(x)).toEqual({ value: a, rest: Buffer.from(rest) })
      }),
    )
  })

  it('complement bytes for a descending order', () => {
    expect(toHex(complement(Uint8Array.of(0x00, 0x01, 0xff)))).toBe('0xfffe00')
  })
})
