// Consecutive sends of a batch share a block, as if they had arrived at the same time on separate connections. Each is in the
// pool before the next one is decoded, and all are mined before any other request of the batch runs.
import type { Hash } from '../../lib/hex.ts'
import type { RpcContext } from '../define.ts'

export class BatchedSends {
  /** The context for methods that send: it does not wait for a block after each. */
  readonly context: RpcContext
  readonly #producer: RpcContext['producer']
  readonly #sent: Hash[] = []
  #release: (() => void) | undefined

  constructor(context: RpcContext) {
    this.#producer = context.producer
    this.context = {
      ...context,
      settled: async (hash) => {
        this.#sent.push(hash)
      },
    }
  }

  /** Call before a send. Delays automatic blocks until `settle`, for a second at most. */
  begin(): void {
    this.#release ??= this.#producer.gather()
  }

  /** Call after the last of consecutive sends. Settles when the blocks that include them are committed. */
  async settle(): Promise<void> {
    if (this.#release === undefined) return
    this.release()
    await this.#producer.settled(...this.#sent.splice(0))
  }

  /** Like `settle`, without waiting for a block. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }
}
