// The block that would be made now, built when somebody asks and kept for all who ask until something changes.
// It is for all of them: building does not end when the connection of the first one is closed.
import type { ExecutedBlock } from '../runtime/types.ts'

export class PendingBlock {
  readonly #build: () => Promise<ExecutedBlock>
  readonly #settings: () => string
  #kept: { readonly built: Promise<ExecutedBlock>; readonly settings: string } | undefined

  /** `settings`: what the block is to be, as text; when that is another one, so is the block. */
  constructor(build: () => Promise<ExecutedBlock>, settings: () => string) {
    this.#build = build
    this.#settings = settings
  }

  get(): Promise<ExecutedBlock> {
    const settings = this.#settings()
    if (this.#kept?.settings === settings) return this.#kept.built
    const kept = { built: this.#build(), settings }
    this.#kept = kept
    // A failed build must not stick.
    kept.built.catch(() => {
      if (this.#kept === kept) this.forget()
    })
    return kept.built
  }

  /** To be called when the head or the pool has changed. */
  forget(): void {
    this.#kept = undefined
  }
}
