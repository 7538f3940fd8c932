// The stored rows of the state for a view, and the changed rows of a commit.
import { type Address, equalBytes, type Hash } from '../lib/hex.ts'
import type { StoredAccount } from './accounts.ts'
import type { KvReader, MissingParts } from './types.ts'

/** A changed row; a value of null deletes it. */
export type ChangedRow = { readonly key: Uint8Array; readonly value: Uint8Array | null }
/** The changed rows of one commit by key as latin-1. */
export type RowChanges = Map<string, ChangedRow>

/** Whether two values of a row are equal; null and undefined: there is no row. */
export const isSameValue = (one: Uint8Array | null | undefined, other: Uint8Array | null | undefined): boolean =>
  one == null || other == null ? one == null && other == null : equalBytes(one, other)

/** The source of a view. `StateStore` reads the disk, `ReplayedRows` first the rows of blocks just executed again. */
export type StateRows = {
  /** A row's value as of a version. `name` is the key as latin-1, for callers that have it. */
  row(key: Uint8Array, version: number, name?: string): Uint8Array | undefined
  account(of: Address, version: number): StoredAccount | undefined
  /** A storage word without leading zeros; no bytes for zero. */
  word(of: Address, key: Hash, version: number): Uint8Array
  /** The number of a version's storage (`StateView.storageId`); undefined: it has none yet. */
  storageId(version: number): number | undefined
  code(hash: Hash): Uint8Array | undefined
  /** What is missing from the rows of a fork; undefined: nothing. A missing account or slot throws MissingState. */
  readonly missing?: MissingParts | undefined
  /** For listing the rows to delete when an account loses its storage. */
  readonly store: Pick<KvReader, 'scan'>
}
