// An amount that all clients of the node share: bytes of memory, or places. Without it, many small connections could each hold
// the maximum of one. A client may hold only a part of the total, so that no client takes all of it.
import type { SharedCounter } from './shared-counters.ts'

/** Bytes that one piece of work may still take. */
export type ByteBudget = { left: number }

export class Budget {
  readonly #total: number
  readonly #share: number
  /** The amount held by each client; clients that hold nothing are not listed. */
  readonly #held = new Map<string, number>()
  readonly #counter: Pick<SharedCounter, 'add' | 'sum'>
  #refusals = 0

  /** `share`: the maximum of one client. `counter`: for a total that threads share. */
  constructor(total: number, share: number = total, counter: Pick<SharedCounter, 'add' | 'sum'> = ownCounter()) {
    this.#total = total
    this.#share = share
    this.#counter = counter
  }

  /** The amount held by all clients. */
  get taken(): number {
    return this.#counter.sum()
  }

  /** How often `take` has refused. */
  get refusals(): number {
    return this.#refusals
  }

  /**
   * Takes an amount; returns false and takes nothing when too little is left. Return it with `give`, for the same client.
   * `client`: undefined for one without a share, which only the total limits.
   */
  take(amount: number, client?: string): boolean {
    const held = client === undefined ? 0 : (this.#held.get(client) ?? 0) + amount
    if (held > this.#share || this.taken + amount > this.#total) {
      this.#refusals++
      return false
    }
    this.#counter.add(amount)
    if (client !== undefined) this.#held.set(client, held)
    return true
  }

  give(amount: number, client?: string): void {
    this.#counter.add(-amount)
    if (client === undefined) return
    const held = (this.#held.get(client) ?? 0) - amount
    if (held > 0) this.#held.set(client, held)
    else this.#held.delete(client)
  }
}

function ownCounter(): Pick<SharedCounter, 'add' | 'sum'> {
  let taken = 0
  return {
    add(amount) {
      taken += amount
    },
    sum: () => taken,
  }
}
