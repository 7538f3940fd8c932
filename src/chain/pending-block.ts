// The block that would be made now, built when somebody asks and kept for all who ask until something changes.
// It is for all of them: building does not end when the connection of the first one is closed. One is built at a time, so
// that estimates of a busy pool, which changes with every transaction, do not pile up builds.
import type { ExecutedBlock } from '../runtime/types.ts'

export class PendingBlock {
  readonly #build: () => Promise<ExecutedBlock>
  readonly #settings: () => string
  #kept: { readonly built: Promise<ExecutedBlock>; readonly settings: string } | undefined
  /** Settles when what is being built is done. */
  #busy: Promise<void> | undefined
  #next: Promise<ExecutedBlock> | undefined

  /** `settings`: what the block is to be, as text; when that is another one, so is the block. */
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
