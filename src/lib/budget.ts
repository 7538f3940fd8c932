// An amount that all clients of the node share: bytes of memory, or places. Without it, many small connections could each hold the
// maximum of one. What one client may hold is a part of the total, so that no client takes all of it from the others.

export class Budget {
  readonly #total: number
  readonly #share: number
  /** What each client holds; clients that hold nothing are not listed. */
  readonly #held = new Map<string, number>()
  #taken = 0
  #refusals = 0

  /** `share`: what one client may hold. */
  constructor(total: number, share: number = total) {
    this.#total = total
    this.#share = share
  }

  /** What all clients hold together. */
  get taken(): number {
    return this.#taken
  }

  /** How often `take` has refused. */
  get refusals(): number {
    return this.#refusals
  }

  /**
   * Takes an amount; false, and nothing is taken, when too little is left. Return it with `give`, for the same client.
   * `client`: undefined for one without a share of its own, which only the total bounds.
   */
  take(amount: number, client?: string): boolean {
    const held = client === undefined ? 0 : (this.#held.get(client) ?? 0) + amount
    if (held > this.#share || this.#taken + amount > this.#total) {
      this.#refusals++
      return false
    }
    this.#taken += amount
    if (client !== undefined) this.#held.set(client, held)
    return true
  }

  give(amount: number, client?: string): void {
    this.#taken -= amount
    if (client === undefined) return
    const held = (this.#held.get(client) ?? 0) - amount
    if (held > 0) this.#held.set(client, held)
    else this.#held.delete(client)
  }
}
