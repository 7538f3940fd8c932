// Sends transactions to the other nodes. With the `app` mempool CometBFT requests them (ReapTxs) and floods them; with `flood`
// they are sent to CometBFT's mempool. CometBFT sends a transaction once, to the peers connected at that moment.
import type { Chain } from '../../chain/types.ts'
import type { Hash } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'

/** Blocks after which a transaction that is still pending is announced again. */
const PATIENCE = 3n

/** Bytes that CometBFT adds to a transaction in a list: a tag and a length. */
export const FRAME_BYTES = 6

/** Milliseconds during which transactions for CometBFT's mempool are collected into one request. */
const GATHERING = 5
/** Transactions of one such request. */
const BATCH = 100

/** Finds the transactions that were last announced `PATIENCE` blocks ago. */
class Patience {
  /** Head at which each pending transaction was last announced. */
  #since = new Map<Hash, bigint>()

  /** Call it once a block. The returned transactions count as announced. */
  due({ pool, head }: Pick<Chain, 'pool' | 'head'>): Transaction[] {
    const waiting = new Map<Hash, bigint>()
    const due: Transaction[] = []
    for (const transaction of pool.ready()) {
      const since = this.#since.get(transaction.hash) ?? head.number
      const isDue = head.number - since >= PATIENCE
      if (isDue) due.push(transaction)
      waiting.set(transaction.hash, isDue ? head.number : since)
    }
    this.#since = waiting
    return due
  }
}

/** Queue of transactions to announce: new ones, those restored from the journal, and those that are due again. */
export class Announcements {
  readonly #chain: Chain
  readonly #patience = new Patience()
  #fresh: Transaction[] = []

  constructor(chain: Chain) {
    this.#chain = chain
    this.#fresh.push(...chain.pool.ready())
    chain.events.on('pending', (transaction) => this.#fresh.push(transaction))
    chain.events.on('block', () => this.#fresh.push(...this.#patience.due(chain)))
  }

  /** Takes queued transactions up to a size; the rest follows with the next call. */
  take(maxBytes: number): readonly Uint8Array[] {
    const taken: Uint8Array[] = []
    let bytes = 0
    let looked = 0
    for (const { hash, raw } of this.#fresh) {
      if (bytes + raw.length + FRAME_BYTES > maxBytes && taken.length > 0) break
      looked++
      // It may have left the pool since it was queued.
      if (this.#chain.pool.get(hash) === undefined) continue
      taken.push(raw)
      bytes += raw.length + FRAME_BYTES
    }
    this.#fresh = this.#fresh.slice(looked)
    return taken
  }
}

/** Sends transactions to CometBFT's mempool, except those that came from it. */
export class Forwarding {
  readonly #broadcast: (transactions: readonly Uint8Array[]) => Promise<void>
  readonly #onError: (error: unknown) => void
  readonly #received = new Set<Hash>()
  #outgoing: Uint8Array[] = []
  #timer: NodeJS.Timeout | undefined
  readonly #patience = new Patience()

  constructor(
    chain: Chain,
    broadcast: (transactions: readonly Uint8Array[]) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#broadcast = broadcast
    this.#onError = onError
    chain.events.on('pending', (transaction) => this.#add(transaction))
    chain.events.on('block', () => {
      for (const transaction of this.#patience.due(chain)) this.#add(transaction)
    })
    for (const transaction of chain.pool.ready()) this.#add(transaction)
  }

  /** Submits a transaction that came from CometBFT, without sending it back. */
  async receiving<T>(hash: Hash, submit: () => Promise<T>): Promise<T> {
    this.#received.add(hash)
    try {
      return await submit()
    } finally {
      this.#received.delete(hash)
    }
  }

  #add({ hash, raw }: Transaction): void {
    if (this.#received.has(hash)) return
    this.#outgoing.push(raw)
    if (this.#timer === undefined) this.#timer = setTimeout(() => void this.#send(), GATHERING)
  }

  async #send(): Promise<void> {
    while (this.#outgoing.length > 0) {
      const batch = this.#outgoing.splice(0, BATCH)
      // A transaction that CometBFT refuses stays in the pool and is sent again after some blocks.
      await this.#broadcast(batch).catch(this.#onError)
    }
    this.#timer = undefined
  }
}
