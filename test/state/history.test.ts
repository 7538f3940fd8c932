// Versioned rows: the value of a row at any version, against a list of its values, and the number of reads.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../src/lib/hex.ts'
import {
  decodeChanges,
  decodeRow,
  encodeChanges,
  encodeFormer,
  encodeRow,
  MissingHistory,
  type RowChange,
  type RowState,
  rowAsOf,
} from '../../src/state/history.ts'
import { KEY } from '../../src/state/keyspace.ts'
import type { KvReader } from '../../src/state/types.ts'

const KEY_OF_ROW = fromHex('0x10aa')

/** A row with its history, as a store holds it; counts its reads. */
class Past implements KvReader {
  readonly rows = new Map<string, Uint8Array>()
  reads = 0
  latest: RowState | undefined

  get(key: Uint8Array): Uint8Array | undefined {
    this.reads++
    return this.rows.get(toHex(key))
  }

  scan(): never {
    throw new Error('nothing here is scanned')
  }

  change(since: number, value: Uint8Array | undefined): void {
    const before = this.latest
    if (before) this.rows.set(toHex(KEY.history(KEY_OF_ROW, before.ordinal)), encodeFormer(before, value))
    this.latest = { ordinal: before ? before.ordinal + 1 : 0, since, value }
  }

  at(version: number): string | undefined {
    const value = rowAsOf(this, KEY_OF_ROW, this.latest, version)?.value
    return value && toHex(value)
  }
}

describe('a versioned row', () => {
  it('has at every version the value that was committed then', () => {
    // For each version: the row is unchanged, set, or deleted.
    const change = fc.option(fc.option(fc.uint8Array({ maxLength: 3 }), { nil: null, freq: 3 }), {
      nil: undefined,
      freq: 2,
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const past = new Past()
        const then: (string | undefined)[] = []
        for (const [version, value] of changes.entries()) {
          if (value !== undefined) past.change(version, value ?? undefined)
          then.push(value === undefined ? then.at(-1) : value === null ? undefined : toHex(value))
        }
        expect(changes.map((_, version) => past.at(version))).toEqual(then)
        expect(past.at(-1)).toBeUndefined()
        expect(past.at(changes.length + 5)).toBe(then.at(-1))
      }),
      { numRuns: 300 },
    )
  })

  it('has long values at every version, most of them stored as differences', () => {
    // A branch node: 16 hashes, of which one or two change; sometimes the length changes or the row is deleted.
    const next = fc.oneof(
      { weight: 12, arbitrary: fc.record({ child: fc.nat(15), fill: fc.nat(255), also: fc.option(fc.nat(531)) }) },
      { weight: 1, arbitrary: fc.constantFrom('shorter', 'gone') },
    )
    fc.assert(
      fc.property(fc.array(next, { minLength: 20, maxLength: 80 }), (changes) => {
        const past = new Past()
        const then: (string | undefined)[] = []
        let node: Uint8Array<ArrayBufferLike> = new Uint8Array(532)
        for (const [version, change] of changes.entries()) {
          node = node.length === 532 ? Uint8Array.from(node) : new Uint8Array(532)
          if (change === 'shorter') node = node.slice(0, 100)
          else if (change !== 'gone') {
            node.fill(change.fill, 4 + 33 * change.child, 36 + 33 * change.child)
            if (change.also !== null) node[change.also] = change.fill ^ 1
          }
          past.change(version, change === 'gone' ? undefined : node)
          then.push(change === 'gone' ? undefined : toHex(node))
        }
        expect(changes.map((_, version) => past.at(version))).toEqual(then)
      }),
      { numRuns: 200 },
    )
  })

  it('stores one former value of 16 in full, and the others as differences', () => {
    const past = new Past()
    const node = (version: number) => new Uint8Array(532).fill(1 + (version & 0x7f), 4, 36)
    for (let version = 0; version < 33; version++) past.change(version, node(version))
    const sizes = [...past.rows.values()].map(({ length }) => length)
    // Ordinal and version; then 4 equal bytes and 32 different ones, each with a length, or all 532.
    expect(sizes).toEqual(Array.from({ length: 32 }, (_, ordinal) => 2 + (ordinal % 16 === 15 ? 532 : 34)))
    past.reads = 0
    expect(past.at(16)).toBe(toHex(node(16)))
    // Value 31 is stored in full, so there are 15 differences back to value 16; the search takes 9 reads at most.
    expect(past.reads).toBeLessThanOrEqual(9 + 15)
  })

  it('throws MissingHistory when the base of a difference is missing', () => {
    const past = new Past()
    for (let version = 0; version < 4; version++) past.change(version, new Uint8Array(532).fill(version, 0, 32))
    past.rows.delete(toHex(KEY.history(KEY_OF_ROW, 1)))
    expect(() => past.at(0)).toThrow(MissingHistory)
    expect(past.at(2)).toBe(toHex(new Uint8Array(532).fill(2, 0, 32)))
  })

  it('is found with few reads, fewer for recent versions', () => {
    const past = new Past()
    for (let version = 0; version < 1000; version++) past.change(version, Uint8Array.of(version & 0xff))
    const readsAt = (version: number): number => {
      past.reads = 0
      expect(past.at(version)).toBe(toHex(Uint8Array.of(version & 0xff)))
      return past.reads
    }
    expect(readsAt(999)).toBe(0)
    expect(readsAt(998)).toBe(1)
    // Probes at 998, 996, 992 and 984 values; then three halvings of the last eight.
    expect(readsAt(990)).toBeLessThanOrEqual(7)
    // Twice the binary logarithm of 1,000.
    for (let version = 0; version < 1000; version += 37) expect(readsAt(version)).toBeLessThanOrEqual(20)
  })

  it('throws MissingHistory when its history is incomplete', () => {
    const past = new Past()
    past.change(0, Uint8Array.of(1))
    past.change(1, Uint8Array.of(2))
    past.rows.clear()
    expect(() => past.at(0)).toThrow(MissingHistory)
    expect(past.at(1)).toBe('0x02')
  })

  it('survives encoding and decoding for all numbers', () => {
    const state = fc.record({
      ordinal: fc.oneof(fc.nat(), fc.constantFrom(0, 63, 64, 2 ** 31, 2 ** 32 - 1)),
      since: fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, 2 ** 32, 2 ** 48)),
      value: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(state, (row) => {
        expect(plain(decodeRow(encodeRow(row)))).toEqual(plain(row))
      }),
    )
    // By hand: ordinal 1 with a value is 3, version 200 is 0xc8 0x01.
    expect(toHex(encodeRow({ ordinal: 1, since: 200, value: fromHex('0xabcd') }))).toBe('0x03c801abcd')
    expect(toHex(encodeRow({ ordinal: 1, since: 200, value: undefined }))).toBe('0x02c801')
  })
})

describe('the list of changes of a version', () => {
  it('survives encoding and decoding', () => {
    const keys = fc.array(
      fc.record({
        key: fc.uint8Array({ minLength: 1, maxLength: 90 }),
        replaced: fc.option(fc.integer({ min: 0, max: 2 ** 31 }), { nil: undefined }),
      }),
    )
    fc.assert(
      fc.property(keys, (keys) => {
        const plain = (changes: RowChange[]) => changes.map(({ key, replaced }) => ({ key: toHex(key), replaced }))
        expect(plain(decodeChanges(encodeChanges(keys)))).toEqual(plain(keys))
      }),
    )
    // By hand: length, key, ordinal + 1; 127 becomes 0x80 0x01.
    const changes = [
      { key: fromHex('0x10aabb'), replaced: undefined },
      { key: fromHex('0x11'), replaced: 127 },
    ]
    expect(toHex(encodeChanges(changes))).toBe('0x0310aabb0001118001')
  })
})

const plain = ({ value, ...rest }: RowState) => ({ ...rest, value: value && toHex(value) })
