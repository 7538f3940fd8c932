// Versioned rows: the value of a row at any version, against a list of its values, and the number of reads.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../src/lib/hex.ts'
import {
  decodeChanges,
  decodeRow,
  encodeChanges,
  encodeRow,
  MissingHistory,
  type RowChange,
  type RowState,
  rowAsOf,
} from '../../src/state/history.ts'
import { KEY } from '../../src/state/keyspace.ts'
import type { KvReader } from '../../src/state/types.ts'

const KEY_OF_ROW = fromHex('0x10aa')

/** A row with a past, as a store holds it; counts its reads. */
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
    if (before) this.rows.set(toHex(KEY.history(KEY_OF_ROW, before.ordinal)), encodeRow(before))
    this.latest = { ordinal: before ? before.ordinal + 1 : 0, since, value }
  }

  at(version: number): string | undefined {
    const value = rowAsOf(this, KEY_OF_ROW, this.latest, version)?.value
    return value && toHex(value)
  }
}

describe('a versioned row', () => {
  it('has at every version the value that it had then', () => {
    // Per version: nothing happens to the row, or it gets a value, or it goes.
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

  it('is found in its history with few reads, fewer for recent versions', () => {
    const past = new Past()
    for (let version = 0; version < 1000; version++) past.change(version, Uint8Array.of(version & 0xff))
    const readsAt = (version: number): number => {
      past.reads = 0
      expect(past.at(version)).toBe(toHex(Uint8Array.of(version & 0xff)))
      return past.reads
    }
    expect(readsAt(999)).toBe(0)
    expect(readsAt(998)).toBe(1)
    // Probed at 998, 996, 992 and 984 values; then three halvings of the last eight.
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

  it('is decoded as it was encoded, for all numbers', () => {
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
  it('decodes to the changes that were encoded', () => {
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
    // By hand: length, key, ordinal + 1; 127 is 0x80 0x01 then.
    const changes = [
      { key: fromHex('0x10aabb'), replaced: undefined },
      { key: fromHex('0x11'), replaced: 127 },
    ]
    expect(toHex(encodeChanges(changes))).toBe('0x0310aabb0001118001')
  })
})

const plain = ({ value, ...rest }: RowState) => ({ ...rest, value: value && toHex(value) })
