// The accounts of a genesis file as the rows of a view, before any state is written, so that block 0 can be executed on them
// without the first state version. Such a view has no trie: it gives no root, proof or rows.
import { type Address, EMPTY_BYTES, fromHex, type Hash, trimZeros } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { accountOf, EMPTY_CODE_HASH, type StoredAccount } from './accounts.ts'
import type { StateRows } from './state-rows.ts'
import { EMPTY_ROOT_BYTES } from './trie.ts'

type AllocatedAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}
type Allocation = { get(of: Address): AllocatedAccount | undefined }

export class AllocationRows implements StateRows {
  readonly #alloc: Allocation
  readonly code: (hash: Hash) => Uint8Array | undefined
  readonly store = { scan: noRows }

  /** `code`: finds a code by its hash. */
  constructor(alloc: Allocation, code: (hash: Hash) => Uint8Array | undefined) {
    this.#alloc = alloc
    this.code = code
  }

  row(): undefined {
    return undefined
  }

  account(of: Address): StoredAccount | undefined {
    const account = this.#alloc.get(of)
    if (account === undefined) return undefined
    const { nonce, balance, code } = account
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
    return { ...accountOf(nonce, balance, codeHash), storageRoot: EMPTY_ROOT_BYTES }
  }

  storageId(): undefined {
    return undefined
  }

  word(of: Address, key: Hash): Uint8Array {
    const word = this.#alloc.get(of)?.storage.get(key)
    return word === undefined ? EMPTY_BYTES : trimZeros(fromHex(word))
  }
}

async function* noRows(): AsyncGenerator<[Uint8Array, Uint8Array]> {}
