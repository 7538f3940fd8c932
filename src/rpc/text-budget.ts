// Characters of JSON that all connections together may have in work: large requests while they wait or run, and answers of
// batches while they are gathered. Without a bound, many small connections could fill the memory with what each may hold.

export class TextBudget {
  readonly #most: number
  #held = 0

  /** `most`: characters at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether there is room for so many characters; if so they count until they are given back. */
  take(characters: number): boolean {
    if (this.#held + characters > this.#most) return false
    this.#held += characters
    return true
  }

  give(characters: number): void {
    this.#held -= characters
  }
}
