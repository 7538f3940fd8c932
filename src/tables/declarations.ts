// The declarations of an index: which tables it has, how a row's id is made, and the layout of what a row holds. The format of an
// index is a hash over all declarations, so that no change of a layout can be forgotten.
import type { Hex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import type { Codec, RecordCodec } from './codec.ts'
import { PAGE_SIZE } from './list-rows.ts'
import type { Overlay } from './overlay.ts'
import { SMALL_SET_SIZE } from './small-set.ts'

/** Increase when this library writes other rows for the same declarations. */
const LIBRARY_LAYOUT = 2

const BYTES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'))
/** One byte as two hex digits. */
export const byteDigits = (value: number): string => BYTES[value] ?? ''

/** A record table: the present state of one thing per owner. */
export interface RecordTable<K extends readonly unknown[], T> {
  encode(value: T): Uint8Array
  decode(row: Uint8Array): T
  key(...of: K): Uint8Array
  get(from: Pick<KvReader, 'get'>, ...of: K): T | undefined
  /** undefined removes the record. */
  set(overlay: Overlay, value: T | undefined, ...of: K): void
  /** As `set`; returns the former value. */
  exchange(overlay: Overlay, value: T | undefined, ...of: K): T | undefined
}

export class TableDeclarations {
  readonly #declared = new Map<string, string>()

  /** A list with one id. `table` is its number among lists, 0 to 255; `entry` the layout of its entries. */
  list(table: number, entry: Pick<Codec<unknown>, 'layout'>): Hex {
    this.#declare('list', table, '', entry.layout)
    return `0x${byteDigits(table)}`
  }

  /** Lists of one table, each named by `key`: hex digits of a fixed length, which `keyWords` describes. */
  lists<K extends readonly unknown[]>(
    table: number,
    keyWords: string,
    entry: Pick<Codec<unknown>, 'layout'>,
    key: (...of: K) => string,
  ): (...of: K) => Hex {
    this.#declare('list', table, keyWords, entry.layout)
    return named(table, key)
  }

  /** A ranking with one id; `order` describes the bytes of a member. */
  ranking(table: number, order: string): Hex {
    this.#declare('ranking', table, '', order)
    return `0x${byteDigits(table)}`
  }

  /** Rankings of one table, each named by `key` as in `lists`. */
  rankings<K extends readonly unknown[]>(
    table: number,
    keyWords: string,
    order: string,
    key: (...of: K) => string,
  ): (...of: K) => Hex {
    this.#declare('ranking', table, keyWords, order)
    return named(table, key)
  }

  /** A table of records; `owner` makes the key of a record, which `keyWords` describes. */
  records<K extends readonly unknown[], T>(
    table: number,
    keyWords: string,
    owner: (...of: K) => Hex,
    row: RecordCodec<T>,
  ): RecordTable<K, T> {
    this.#declare('record', table, keyWords, row.layout)
    const { encode, decode } = row
    const key = (...of: K) => KEY.record(table, owner(...of))
    return {
      encode,
      decode,
      key,
      get(from, ...of) {
        const found = from.get(key(...of))
        return found && decode(found)
      },
      set: (overlay, value, ...of) => overlay.set(key(...of), value && encode(value)),
      exchange(overlay, value, ...of) {
        const found = overlay.exchange(key(...of), value && encode(value))
        return found && decode(found)
      },
    }
  }

  /** Hash over all declarations and the library's own layout; equal for equal rows, in whatever order tables are declared. */
  format(): Hex {
    const lines = [...this.#declared].map(([table, layout]) => `${table} ${layout}`).sort()
    const library = `library ${LIBRARY_LAYOUT}, pages of ${PAGE_SIZE}, small sets of ${SMALL_SET_SIZE}`
    return keccakHash(Buffer.from([library, ...lines].join('\n')))
  }

  #declare(kind: 'list' | 'ranking' | 'record', table: number, keyWords: string, layout: string): void {
    const name = `${kind} ${table}`
    if (this.#declared.has(name)) throw new Error(`${name} is declared twice`)
    this.#declared.set(name, `(${keyWords}) ${layout}`)
  }
}

/** Ids are hex text, so that an id that is never read costs no bytes. */
const named =
  <K extends readonly unknown[]>(table: number, key: (...of: K) => string) =>
  (...of: K): Hex =>
    `0x${byteDigits(table)}${key(...of)}`
