// The accounts and slots that a transaction or system call has read, for the block access list (EIP-7928). As there, an access is one
// of the state: it follows the charge that pays for it, and a revert does not undo it.
import type { Address, Hash } from '../lib/hex.ts'

export class StateAccesses {
  /** Accounts, each with its slots. */
  readonly accounts = new Map<Address, Set<Hash>>()

  account(address: Address): Set<Hash> {
    const known = this.accounts.get(address)
    if (known !== undefined) return known
    const slots = new Set<Hash>()
    this.accounts.set(address, slots)
    return slots
  }

  slot(of: Address, key: Hash): void {
    this.account(of).add(key)
  }
}
