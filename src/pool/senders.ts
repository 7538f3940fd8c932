// Signature -> sender. Recovering costs more than anything else that admission does, and the same transaction is met
// again when it is re-published; a hash covers the signature, so it may stand for both.

import { GenerationalCache } from '../lib/caches.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { recoverSender } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'

export type SenderMemory = {
  /** The sender, remembered or recovered now. Throws what `recoverSender` throws for a signature that belongs to nobody. */
  of(transaction: SignedTransaction): Address
  has(transaction: Hash): boolean
  /** Takes what was recovered elsewhere. */
  remember(transaction: Hash, sender: Address): void
}

/** A `recoverSender` that remembers the last `max` senders; failures are not remembered. */
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
