// The memory that JSON text of all connections together may take: large requests while they wait or run, and the answers of
// a batch while they are collected. Without this limit, many small connections could each hold the maximum of one.

export class TextBudget {
  readonly #limit: number
  #taken = 0

  /** `limit`: characters. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes characters from the budget; false, and nothing is taken, when there are too few. Return them with `give`. */
  take(characters: number): boolean {
    if (this.#taken + characters > this.#limit) return false
    this.#taken += characters
    return true
  }

  give(characters: number): void {
    this.#taken -= characters
  }
}
