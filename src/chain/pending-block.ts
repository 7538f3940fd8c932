// The block of the tag `pending`: built on the first request and cached until head, pool or settings change. All requests share
// it, so the build continues if the first requester disconnects. Only one build runs at a time: on a busy pool, which changes
// with every transaction, waiting requests share the next build.
import type { ExecutedBlock } from '../runtime/types.ts'

export class PendingBlock {
  readonly #build: () => Promise<ExecutedBlock>
  readonly #settings: () => string
  #kept: { readonly built: Promise<ExecutedBlock>; readonly settings: string } | undefined
  /** Settles when the current build ends. */
  #busy: Promise<void> | undefined
  #next: Promise<ExecutedBlock> | undefined

  /** `settings`: the block's attributes as text; a change invalidates the cached block. */
  constructor(build: () => Promise<ExecutedBlock>, settings: () => string) {
    this.#build = build
    this.#settings = settings
  }

  get(): Promise<ExecutedBlock> {
    if (this.#kept?.settings === this.#settings()) return this.#kept.built
    if (this.#busy === undefined) return this.#begin()
    // All requests during an outdated build share the next one.
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
    // Do not cache a failed build.
    this.#busy = kept.built.then(ended, () => {
      ended()
      if (this.#kept === kept) this.forget()
    })
    return kept.built
  }

  /** Call it when the head or the pool has changed. */
  forget(): void {
    this.#kept = undefined
  }
}
