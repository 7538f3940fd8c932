// Recovers the senders of blocks that will be imported next on worker threads, while earlier blocks are imported. A block is
// identified by its byte array object, so the import must pass the same one.
import { ChainError } from '../lib/errors.ts'
import { decodeBlock } from '../primitives/block.ts'
import type { SignedTransaction } from '../primitives/types.ts'

type Decoded = ReturnType<typeof decodeBlock>
type Preparing = { readonly decoded: Decoded; readonly recovered: Promise<void> }
type Senders = { prefetch(transactions: readonly SignedTransaction[]): Promise<void> }

export class ImportPrefetch {
  readonly #senders: Senders
  readonly #preparing = new WeakMap<Uint8Array, Preparing>()

  constructor(senders: Senders) {
    this.#senders = senders
  }

  /** Begins to prepare a block. An invalid block is ignored here; its import reports the error. */
  expect(raw: Uint8Array): void {
    try {
      this.#preparing.set(raw, this.#prepare(raw))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }

  /** The decoded block, after its sender recovery on threads has finished. Throws ChainError `invalid-block`. */
  async take(raw: Uint8Array): Promise<Decoded> {
    const { decoded, recovered } = this.#preparing.get(raw) ?? this.#prepare(raw)
    this.#preparing.delete(raw)
    await recovered
    return decoded
  }

  #prepare(raw: Uint8Array): Preparing {
    const decoded = decodeBlock(raw)
    return { decoded, recovered: this.#senders.prefetch(decoded.transactions) }
  }
}
