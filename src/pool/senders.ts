// Caches the sender of each transaction by the transaction's hash, which covers the signature. Recovery is the most expensive
// step of admission, and a transaction comes again when it is sent twice, or imported after it was pooled.
import { GenerationalCache } from '../lib/caches.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { recoverSender } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'

export type SenderMemory = {
  /** The sender, from the cache or recovered. Throws like `recoverSender` for an invalid signature. */
  of(transaction: SignedTransaction): Address
  has(transaction: Hash): boolean
  /** Adds a sender that was recovered on another thread. */
  remember(transaction: Hash, sender: Address): void
}

/** A `recoverSender` that caches at least the last `max / 2` senders and at most `max`; failures are not cached. */
export function rememberSenders(max = 65_536): SenderMemory {
  const senders = new GenerationalCache<Hash, Address>(max)
  return {
    of(transaction) {
      const known = senders.get(transaction.hash)
      if (known) return known
      const sender = recoverSender(transaction)
      senders.set(transaction.hash, sender)
      return sender
    },
    has: (hash) => senders.has(hash),
    remember: (hash, sender) => {
      senders.set(hash, sender)
    },
  }
}
