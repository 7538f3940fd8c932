// The block that would be made now (`pending`): built on the first request and cached until head, pool or settings change.
// All requests share it, so building goes on when the first one's connection closes. One is built at a time: requests on a
// busy pool, which changes with every transaction, share the next build instead of queueing one each.
import type { ExecutedBlock } from '../runtime/types.ts'

export class PendingBlock {
  readonly #build: () => Promise<ExecutedBlock>
  readonly #settings: () => string
  #kept: { readonly built: Promise<ExecutedBlock>; readonly settings: string } | undefined
  /** Settles when what is being built is done. */
  #busy: Promise<void> | undefined
  #next: Promise<ExecutedBlock> | undefined

  /** `settings`: the block's attributes as text; the cached block is outdated when they change. */
  constructor(build: () => Promise<ExecutedBlock>, settings: () => string) {
    this.#build = build
    this.#settings = settings
  }

  get(): Promise<ExecutedBlock> {
    if (this.#kept?.settings === this.#settings()) return this.#kept.built
    if (this.#busy === undefined) return this.#begin()
    // All requests that come while an outdated block is being built share the next one.
    this.#next ??= this.#busy.then(() => {
      this.#next = undefined
      return this.get()
    })
    return this.#next
  }

  #begin(): Promise<ExecutedBlock> {
    const kept = { settings: this.#settings(), built: this.#build() }
    this.#kept = kept
    const ended = () => {
      this.#busy = undefined
    }
    // A failed build must not stick.
    this.#busy = kept.built.then(ended, () => {
      ended()
      if (this.#kept === kept) this.forget()
    })
    return kept.built
  }

  /** To be called when the head or the pool has changed. */
  forget(): void {
    this.#kept = undefined
  }
}
