// Format 1 of a state snapshot: chunks that are equal on every node. The first chunk authenticates the others: it has block H,
// whose app hash the receiver knows, and the 256 headers before it, and so the root of the state that block H is executed on. On a
// chain with IBC it also has the root of the provable store after block H, to which the app hash commits too.
// The other chunks are rows of that state (after block H - 1), concatenated without an enclosing list:
//   account: rlp(address, nonce, balance), with code rlp(…, code hash), rlp(…, "", code) for the first account with that code
//   slot of the preceding account: rlp(slot, word without leading zeros)
//   address that occurred up to block H but has no account: rlp(address). It may hold tokens, so the receiver asks their
//   contracts. No root authenticates these rows; only the explorer's lists of holders depend on them.
// Addresses and slots are in ascending order, as stored, so a node makes a state snapshot in one pass. In order of hashed keys it
// would have to sort them; only the receiver does that, once, for its tries.
import { createHash } from 'node:crypto'
import { type Address, bigToBytes, equalBytes, fromHex, type Hash } from '../../lib/hex.ts'
import { type DecodedBlock, decodeBlock } from '../../primitives/block.ts'
import { decodeHeader } from '../../primitives/header.ts'
import {
  asAddress,
  asBytes,
  asHash,
  asListOf,
  asUint,
  decodeRlp,
  encodeRlp,
  joinList,
  Malformed,
  reading,
  splitItems,
  splitList,
} from '../../primitives/rlp.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { Account } from '../../state/types.ts'

export const FORMAT = 1
/** Bytes of a chunk of rows, unless a single row is larger. CometBFT's messages hold 16 MB. */
export const CHUNK_SIZE = 4 << 20
/** Number of headers before block H, whose hashes BLOCKHASH can return in block H and later ones. */
export const HASHES = 256n

/** A state snapshot as nodes offer it to each other (ABCI's Snapshot). */
export type StateSnapshot = {
  readonly height: bigint
  readonly format: number
  /** Number of chunks. */
  readonly chunks: number
  /** SHA-256 of `metadata`. */
  readonly hash: Uint8Array
  /** SHA-256 of each chunk, concatenated. */
  readonly metadata: Uint8Array
}

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

export const HASH_LENGTH = 32

export const snapshotOf = (height: bigint, metadata: Uint8Array): StateSnapshot => ({
  height,
  format: FORMAT,
  chunks: metadata.length / HASH_LENGTH,
  hash: sha256(metadata),
  metadata,
})

/** The hash of a chunk according to the metadata. */
export const chunkHash = (metadata: Uint8Array, index: number): Uint8Array =>
  metadata.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH)

/** Whether `hash` and the number of chunks match `metadata`. */
export const isConsistent = ({ chunks, hash, metadata }: StateSnapshot): boolean =>
  chunks > 0 && metadata.length === chunks * HASH_LENGTH && equalBytes(sha256(metadata), hash)

// --- the first chunk

/** `headers`: those before the block, oldest first. `ibcRoot`: root of IBC's provable store after the block; undefined: there is none. */
export type SnapshotHead = {
  readonly block: DecodedBlock
  readonly headers: readonly SealedHeader[]
  readonly ibcRoot: Hash | undefined
}

/** `block`: encoded as in an exported file. `headers`: encoded, oldest first. */
export const encodeHead = (block: Uint8Array, headers: readonly Uint8Array[], ibcRoot: Hash | undefined): Uint8Array =>
  joinList([block, joinList(headers), ...(ibcRoot === undefined ? [] : [encodeRlp(fromHex(ibcRoot))])])

/** Decodes the first chunk without verifying its content. Throws ChainError `invalid-block`. */
export const decodeHead = (chunk: Uint8Array): SnapshotHead =>
  reading('invalid-block', () => {
    const [block, headers, ibcRoot, ...rest] = splitList(chunk)
    if (block === undefined || headers === undefined || rest.length > 0)
      throw new Malformed('the first chunk of a snapshot is a block and headers')
    return {
      block: decodeBlock(block),
      headers: splitList(headers).map(decodeHeader),
      ibcRoot: ibcRoot && asHash(decodeRlp(ibcRoot), 'root of the provable store'),
    }
  })

// --- rows

export type AccountRow = { readonly address: Address; readonly account: Omit<Account, 'codeHash'> } & (
  | { readonly codeHash: Hash; readonly code?: undefined }
  /** The first account with this code. */
  | { readonly codeHash: undefined; readonly code: Uint8Array }
)
export type KnownRow = { readonly known: Address }
export type SlotRow = { readonly slot: Hash; readonly word: Uint8Array }

/** `code`: given for the first account that has it. */
export function encodeAccountRow(address: Address, account: Account, code: Uint8Array | undefined): Uint8Array {
  const fields = [fromHex(address), bigToBytes(account.nonce), bigToBytes(account.balance)]
  if (code !== undefined) return encodeRlp([...fields, new Uint8Array(0), code])
  return encodeRlp(account.codeHash === EMPTY_CODE_HASH ? fields : [...fields, fromHex(account.codeHash)])
}

export const encodeKnownRow = (address: Address): Uint8Array => encodeRlp([address])

export const encodeSlotRow = (slot: Uint8Array, word: Uint8Array): Uint8Array => encodeRlp([slot, word])

/** The rows of a chunk, in order. Throws Malformed; use it within `reading`. */
export function* decodeRows(chunk: Uint8Array): Generator<AccountRow | SlotRow | KnownRow> {
  for (const row of splitItems(chunk)) {
    const fields = asListOf(decodeRlp(row), [1, 2, 3, 4, 5], 'row of a snapshot')
    if (fields.length === 1) {
      yield { known: asAddress(fields[0], 'address') }
      continue
    }
    if (fields.length === 2) {
      const word = asBytes(fields[1], 'word')
      if (word.length === 0 || word.length > 32 || word[0] === 0) throw new Malformed('a word is not canonical')
      yield { slot: asHash(fields[0], 'slot'), word }
      continue
    }
    const address = asAddress(fields[0], 'address')
    const account = { nonce: asUint(fields[1], 'nonce', 8), balance: asUint(fields[2], 'balance', 32) }
    if (fields.length < 5)
      yield { address, account, codeHash: fields.length === 3 ? EMPTY_CODE_HASH : asHash(fields[3], 'code hash') }
    else {
      asBytes(fields[3], 'code hash', 0)
      yield { address, account, codeHash: undefined, code: asBytes(fields[4], 'code') }
    }
  }
}
