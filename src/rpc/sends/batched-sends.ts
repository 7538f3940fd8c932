// Consecutive sends of a batch share a block, as if they had arrived at the same time on separate connections. Each is in the
// pool before the next one is decoded, and all are mined before any other request of the batch runs.
import { fromHex, type Hash, type Hex } from '../../lib/hex.ts'
import type { RpcContext } from '../define.ts'

/** Entries whose senders are recovered at once, and most characters of each: decoding them takes 2 ms at most. */
const AHEAD = 100
const LONGEST = 4096

/** The transaction of an entry that sends a raw one; the method itself checks all of it. */
function rawOf(entry: unknown): Uint8Array[] {
  const { method, params } = (entry ?? {}) as { readonly method?: unknown; readonly params?: unknown }
  const [raw] = Array.isArray(params) ? params : []
  if (method !== 'eth_sendRawTransaction' || typeof raw !== 'string' || raw.length > LONGEST) return []
  return /^0x(?:[0-9a-f]{2})+$/i.test(raw) ? [fromHex(raw as Hex)] : []
}

export class BatchedSends {
  /** The context for methods that send: it does not wait for a block after each. */
  readonly context: RpcContext
  readonly #producer: RpcContext['producer']
  readonly #sent: Hash[] = []
  #release: (() => void) | undefined
  /** Index of the first entry whose sender has not been recovered in advance. */
  #recovered = 0

  constructor(context: RpcContext) {
    this.#producer = context.producer
    this.context = {
      ...context,
      settled: async (hash) => {
        this.#sent.push(hash)
      },
    }
  }

  /**
   * Call before the send with this index. Delays automatic blocks until `settle`, for a second at most. The senders of raw
   * transactions are recovered some in advance: alone, each would wait for a turn of the event loop.
   */
  async begin(entries: readonly unknown[], index: number): Promise<void> {
    this.#release ??= this.#producer.gather()
    if (index < this.#recovered) return
    this.#recovered = index + AHEAD
    await this.context.chain.prefetchSenders(entries.slice(index, this.#recovered).flatMap(rawOf))
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
