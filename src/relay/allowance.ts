// Limits what an account spends in a day. A node that names a false price or amount of gas cannot exceed the limit.
import { EndUnavailable } from './end.ts'

const DAY = 86_400_000

export class Allowance {
  readonly #name: string
  readonly #perDay: bigint
  /** What may still be spent, at a time in milliseconds; it grows by `perDay` a day up to `perDay`. */
  #left: { readonly amount: bigint; readonly at: number }

  /** `name`: of the end. `perDay`: base units. */
  constructor(name: string, perDay: bigint) {
    this.#name = name
    this.#perDay = perDay
    this.#left = { amount: perDay, at: Date.now() }
  }

  /**
   * Takes the most that transactions may cost, before they are sent. What they do not cost is not given back, because only a node says it.
   * Throws EndUnavailable if it is more than what is left.
   */
  spend(cost: bigint): void {
    const now = Date.now()
    const grown = this.#left.amount + (this.#perDay * BigInt(Math.max(0, now - this.#left.at))) / BigInt(DAY)
    const have = grown < this.#perDay ? grown : this.#perDay
    if (cost > have) {
      const reason = `the next transactions may cost ${cost}, but ${have} is left of the limit of a day`
      throw new EndUnavailable(this.#name, reason)
    }
    this.#left = { amount: have - cost, at: now }
  }
}
