// The blobs of the newest transactions of blocks, in memory: the pool forgets them with the transaction, and blocks have their hashes
// only.
import type { Hash } from '../lib/hex.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'

/** Most blobs, of 128 KB each: those of about seven full blocks. */
const MOST_BLOBS = 64

type Kept = { readonly transaction: Transaction; readonly sidecar: BlobSidecar }

export class RecentBlobs {
  readonly #isMined: (hash: Hash) => boolean
  #kept: readonly Kept[] = []

  /** `isMined`: false for a transaction whose block was removed. */
  constructor(isMined: (hash: Hash) => boolean) {
    this.#isMined = isMined
  }

  /** Call it while the pool still has the transactions. */
  remember(transactions: readonly Transaction[], sidecarOf: (hash: Hash) => BlobSidecar | undefined): void {
    for (const transaction of transactions) {
      const sidecar = transaction.type === 3 ? sidecarOf(transaction.hash) : undefined
      if (sidecar !== undefined) this.#add({ transaction, sidecar })
    }
  }

  /** The blobs of a mined transaction; undefined: it is unknown, had none, or they are not kept any more. */
  of(hash: Hash): readonly Uint8Array[] | undefined {
    return this.#mined().find(({ transaction }) => transaction.hash === hash)?.sidecar.blobs
  }

  /** A blob of a mined transaction. */
  with(versionedHash: Hash): Uint8Array | undefined {
    const found = this.#mined().find(({ transaction }) => transaction.blobVersionedHashes.includes(versionedHash))
    return found?.sidecar.blobs[found.transaction.blobVersionedHashes.indexOf(versionedHash)]
  }

  #mined(): readonly Kept[] {
    return this.#kept.filter(({ transaction }) => this.#isMined(transaction.hash))
  }

  #add(added: Kept): void {
    const kept = [...this.#kept.filter(({ transaction }) => transaction.hash !== added.transaction.hash), added]
    let count = 0
    const tooOld = kept.findLastIndex(({ sidecar }) => {
      count += sidecar.blobs.length
      return count > MOST_BLOBS
    })
    this.#kept = kept.slice(tooOld + 1)
  }
}
