// An account as a row of the store and as a leaf of the account trie.
import { bigToBytes, bytesToBig, fromHex, type Hash, toHash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { asListOf, decodeRlp, encodeRlp } from '../primitives/rlp.ts'
import type { Account } from './types.ts'

export const EMPTY_CODE_HASH: Hash = keccakHash(new Uint8Array(0))

export type StoredAccount = Account & { readonly storageRoot: Uint8Array }

/** Yellow paper 4.1: rlp(nonce, balance, storage root, code hash). Row and leaf are the same bytes. */
export function encodeAccount(account: Account, storageRoot: Uint8Array): Uint8Array {
  return encodeRlp([bigToBytes(account.nonce), bigToBytes(account.balance), storageRoot, fromHex(account.codeHash)])
}

export function decodeAccount(row: Uint8Array): StoredAccount {
  const [nonce, balance, storageRoot, codeHash] = asListOf(decodeRlp(row), [4], 'account')
  if (
    !(nonce instanceof Uint8Array) ||
    !(balance instanceof Uint8Array) ||
    !(storageRoot instanceof Uint8Array) ||
    !(codeHash instanceof Uint8Array)
  ) {
    throw new Error('an account row is not an account')
  }
  return { nonce: bytesToBig(nonce), balance: bytesToBig(balance), storageRoot, codeHash: toHash(codeHash) }
}
