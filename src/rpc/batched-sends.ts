// Sends that follow each other in a batch: they go into one block, as if they had come at the same time on connections
// of their own. Each is in the pool before the next one is read, and all are in their block before anything else is.
import type { Hash } from '../lib/hex.ts'
import type { RpcContext } from './define.ts'

export class BatchedSends {
  /** For methods that send: they do not wait for a block. */
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

  /** Before a send: no block begins for it until `settle`, or for a second. */
  begin(): void {
    this.#release ??= this.#producer.gather()
  }

  /** Ends what `begin` began. Settles when blocks have taken what was sent, as a send that is no part of a batch. */
  async settle(): Promise<void> {
    if (this.#release === undefined) return
    this.release()
    await this.#producer.settled(...this.#sent.splice(0))
  }

  /** As `settle`, without waiting for a block. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }
}
