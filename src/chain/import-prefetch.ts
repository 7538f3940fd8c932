// Blocks whose import comes next, as the same bytes: their senders are recovered on threads while others are imported.
import { ChainError } from '../lib/errors.ts'
import { decodeBlock } from '../primitives/block.ts'
import type { SignedTransaction } from '../primitives/types.ts'

type Decoded = ReturnType<typeof decodeBlock>
type Preparing = { readonly decoded: Decoded; readonly foreseen: Promise<void> }
type Senders = { foresee(transactions: readonly SignedTransaction[]): Promise<void> }

export class ImportPrefetch {
  readonly #senders: Senders
  readonly #preparing = new WeakMap<Uint8Array, Preparing>()

  constructor(senders: Senders) {
    this.#senders = senders
  }

  /** Begins to prepare a block. What is wrong with it, its import will say. */
  expect(raw: Uint8Array): void {
    try {
      this.#preparing.set(raw, this.#prepare(raw))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }

  /** The block, when its senders are known as far as that pays. Throws ChainError `invalid-block`. */
  async take(raw: Uint8Array): Promise<Decoded> {
    const { decoded, foreseen } = this.#preparing.get(raw) ?? this.#prepare(raw)
    this.#preparing.delete(raw)
    await foreseen
    return decoded
  }

  #prepare(raw: Uint8Array): Preparing {
    const decoded = decodeBlock(raw)
    return { decoded, foreseen: this.#senders.foresee(decoded.transactions) }
  }
}
