// One sender's waiting transactions. `pending` has those from the state's nonce on without a gap; `queued` has the rest, and
// never the nonce that follows `pending`.
import type { Address } from '../lib/hex.ts'
import { upfrontCost } from '../primitives/gas.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'

/** A waiting transaction with the pool's data about it. */
export type PoolEntry = {
  readonly transaction: Transaction
  readonly sidecar: BlobSidecar | undefined
  /** Order of arrival: a counter over the pool's life. */
  readonly arrival: number
  /** Bytes held, blobs included. */
  readonly size: number
}

/** Limits that a transaction must meet to be mined sooner or later. */
export type EntryLimits = {
  /** The sender's balance. */
  readonly balance: bigint
  /** The maximum gas limit of a transaction. */
  readonly gasCap: bigint
  /** Floor of the base fee; 0: none. */
  readonly minBaseFee: bigint
}

export class NonceQueue {
  readonly sender: Address
  readonly pending: PoolEntry[] = []
  readonly queued = new Map<bigint, PoolEntry>()
  /** The sender's nonce in the state: that of `pending[0]`. */
  #nonce: bigint
  // Bounds over all entries: as long as balance and gas limit are above and the base fee floor is below, no entry is checked.
  #maxCost = 0n
  #maxGas = 0n
  #minFeeCap: bigint | undefined

  constructor(sender: Address, nonce: bigint) {
    this.sender = sender
    this.#nonce = nonce
  }

  get size(): number {
    return this.pending.length + this.queued.size
  }

  /** The first nonce after the executable entries. */
  get next(): bigint {
    return this.#nonce + BigInt(this.pending.length)
  }

  /** The executable entry with this nonce. */
  pendingAt(nonce: bigint): PoolEntry | undefined {
    return this.pending[this.#indexOf(nonce)]
  }

  at(nonce: bigint): PoolEntry | undefined {
    return this.pendingAt(nonce) ?? this.queued.get(nonce)
  }

  /** Adds or replaces the entry of this nonce; returns the entries that this makes executable. */
  put(entry: PoolEntry): PoolEntry[] {
    const { nonce } = entry.transaction
    this.#bound(entry)
    const index = this.#indexOf(nonce)
    if (index < 0 || index > this.pending.length) {
      this.queued.set(nonce, entry)
      return []
    }
    const isNext = index === this.pending.length
    this.pending[index] = entry
    return isNext ? [entry, ...this.#promote()] : [entry]
  }

  /** Removes the entry; executable entries after it are queued. */
  remove(nonce: bigint): void {
    if (this.pendingAt(nonce)) this.#cut(this.#indexOf(nonce))
    this.queued.delete(nonce)
  }

  /**
   * Follows the state: drops entries whose nonce is used and those that exceed `limits`; then queues entries after a gap and
   * promotes those without one.
   */
  advance(nonce: bigint, limits: EntryLimits): { dropped: PoolEntry[]; promoted: PoolEntry[] } {
    const dropped: PoolEntry[] = []
    if (nonce < this.#nonce) this.#cut(0)
    else dropped.push(...this.pending.splice(0, Number(nonce - this.#nonce)))
    this.#nonce = nonce
    for (const [old, entry] of this.queued) {
      if (old >= nonce) continue
      this.queued.delete(old)
      dropped.push(entry)
    }
    const { balance, gasCap, minBaseFee } = limits
    if (balance < this.#maxCost || gasCap < this.#maxGas || minBaseFee > (this.#minFeeCap ?? minBaseFee))
      dropped.push(...this.#dropOutside(limits))
    return { dropped, promoted: this.#promote() }
  }

  #dropOutside({ balance, gasCap, minBaseFee }: EntryLimits): PoolEntry[] {
    this.#maxCost = 0n
    this.#maxGas = 0n
    this.#minFeeCap = undefined
    const dropped: PoolEntry[] = []
    for (const entry of [...this.pending, ...this.queued.values()]) {
      const { gasLimit, maxFeePerGas, nonce } = entry.transaction
      if (upfrontCost(entry.transaction) > balance || gasLimit > gasCap || maxFeePerGas < minBaseFee) {
        this.remove(nonce)
        dropped.push(entry)
      } else this.#bound(entry)
    }
    return dropped
  }

  #bound({ transaction }: PoolEntry): void {
    const { gasLimit, maxFeePerGas } = transaction
    const cost = upfrontCost(transaction)
    if (cost > this.#maxCost) this.#maxCost = cost
    if (gasLimit > this.#maxGas) this.#maxGas = gasLimit
    if (this.#minFeeCap === undefined || maxFeePerGas < this.#minFeeCap) this.#minFeeCap = maxFeePerGas
  }

  /** Queues the executable entries from this index on. */
  #cut(index: number): void {
    for (const entry of this.pending.splice(index)) this.queued.set(entry.transaction.nonce, entry)
  }

  /** The index in `pending` of the nonce, or where it would be inserted. */
  #indexOf(nonce: bigint): number {
    return Number(nonce - this.#nonce)
  }

  #promote(): PoolEntry[] {
    const promoted: PoolEntry[] = []
    if (this.queued.size === 0) return promoted
    for (let entry = this.queued.get(this.next); entry; entry = this.queued.get(this.next)) {
      this.queued.delete(this.next)
      this.pending.push(entry)
      promoted.push(entry)
    }
    return promoted
  }
}
