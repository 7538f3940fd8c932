// The RLP of an account, which is both its row in the store and its leaf in the account trie.
import { scratchBytes } from '../lib/byte-pool.ts'
import { bigToBytes, bytesToBig, fromHex, type Hash, rangeToHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { encodedLength, prefixLength, writeHexItem, writePrefix, writeString } from '../primitives/rlp.ts'
import type { Account } from './types.ts'

export const EMPTY_CODE_HASH: Hash = keccakHash(new Uint8Array(0))

/** Creates every account of a view, so that all have one hidden class, and V8 compiles their readers for it. */
export const accountOf = (nonce: bigint, balance: bigint, codeHash: Hash): Account => ({ nonce, balance, codeHash })

export const NEW_ACCOUNT = accountOf(0n, 0n, EMPTY_CODE_HASH)

/** Whether the account does not exist or is empty (EIP-161). */
export const isEmpty = (account: Account | undefined): boolean =>
  account === undefined || (account.balance === 0n && account.nonce === 0n && account.codeHash === EMPTY_CODE_HASH)

export type StoredAccount = Account & { readonly storageRoot: Uint8Array }

/** RLP prefix of the last two fields: a string of 32 bytes. */
const WORD_PREFIX = 0xa0
const WORD = 33

/** Yellow Paper 4.1: rlp(nonce, balance, storage root, code hash). */
export function encodeAccount(account: Account, storageRoot: Uint8Array): Uint8Array {
  const nonce = bigToBytes(account.nonce)
  const balance = bigToBytes(account.balance)
  const length = encodedLength(nonce) + encodedLength(balance) + 2 * WORD
  const row = scratchBytes(prefixLength(length) + length)
  let at = writeString(nonce, row, writePrefix(0xc0, length, row, 0))
  at = writeString(storageRoot, row, writeString(balance, row, at))
  writeHexItem(account.codeHash, row, at)
  return row
}

/** Without the general RLP reader, because every balance and call needs it. Throws if the row is malformed. */
export function decodeAccount(row: Uint8Array): StoredAccount {
  const end = row.length - 2 * WORD
  const nonceAt = 2
  const balanceAt = nonceAt + lengthAt(row, nonceAt)
  const isWhole = row[0] === 0xf8 && row[1] === row.length - 2 && balanceAt + lengthAt(row, balanceAt) === end
  if (!isWhole || row[end] !== WORD_PREFIX || row[end + WORD] !== WORD_PREFIX) {
    throw new Error('an account row is not an account')
  }
  return {
    nonce: integer(row, nonceAt, balanceAt),
    balance: integer(row, balanceAt, end),
    storageRoot: row.subarray(end + 1, end + WORD),
    codeHash: codeHashAt(row, end + WORD + 1),
  }
}

const EMPTY_CODE_HASH_BYTES = fromHex(EMPTY_CODE_HASH)

/** Most accounts have no code and share one string. */
function codeHashAt(row: Uint8Array, at: number): Hash {
  for (let i = 0; i < EMPTY_CODE_HASH_BYTES.length; i++) {
    if (row[at + i] !== EMPTY_CODE_HASH_BYTES[i]) return rangeToHex(row, at, row.length) as Hash
  }
  return EMPTY_CODE_HASH
}

/** Length of a short string with its prefix. */
function lengthAt(row: Uint8Array, at: number): number {
  const prefix = row[at] ?? 0
  return prefix < 0x80 ? 1 : prefix - 0x7f
}

function integer(row: Uint8Array, from: number, to: number): bigint {
  const prefix = row[from] ?? 0
  return prefix < 0x80 ? BigInt(prefix) : bytesToBig(row.subarray(from + 1, to))
}
