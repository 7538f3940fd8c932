// Sends transactions to the other nodes. With the `app` mempool CometBFT requests them (ReapTxs) and floods them; with `flood`
// they are sent to CometBFT's mempool. CometBFT sends a transaction once, to the peers connected at that moment.
import type { Chain } from '../../chain/types.ts'
import type { Hash } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import { type GossipMessage, messagesOf } from './transaction-batch.ts'

/**
 * Blocks after which a transaction that is still pending is announced again: one of a client of this node, and one that a peer has
 * announced, whose own node does it too. Each node announces to all of its peers, so a full pool would otherwise come from each.
 */
const PATIENCE = 3n
const PATIENCE_WITH_RECEIVED = 30n

/** Bytes that CometBFT adds to a transaction in a list: a tag and a length. */
export const FRAME_BYTES = 6

/** Milliseconds during which transactions for CometBFT's mempool are collected into one request. */
const GATHERING = 5
/** Transactions of one such request. */
const BATCH = 100

/** Finds the transactions that were last announced some blocks ago. */
class Patience {
  /** Head at which each pending transaction was last announced, and the blocks until it is announced again. */
  #announced = new Map<Hash, { readonly at: bigint; readonly patience: bigint }>()

  /** Call it for a transaction that a peer has announced. */
  received({ hash }: Transaction, { head }: Pick<Chain, 'head'>): void {
    this.#announced.set(hash, { at: head.number, patience: PATIENCE_WITH_RECEIVED })
  }

  /** Call it once a block. The returned transactions count as announced. */
  due({ pool, head }: Pick<Chain, 'pool' | 'head'>): Transaction[] {
    const announced = new Map<Hash, { readonly at: bigint; readonly patience: bigint }>()
    const due: Transaction[] = []
    for (const transaction of pool.ready()) {
      const { at, patience } = this.#announced.get(transaction.hash) ?? { at: head.number, patience: PATIENCE }
      const isDue = head.number - at >= patience
      if (isDue) due.push(transaction)
      announced.set(transaction.hash, { at: isDue ? head.number : at, patience })
    }
    this.#announced = announced
    return due
  }
}

/** A message of a peer while its transactions enter the pool, and those of them that became executable. */
type Arrival = { readonly executable: Transaction[] }

/** Queue of transactions to announce: new ones, those restored from the journal, and those that are due again. */
export class Announcements {
  readonly #chain: Chain
  readonly #patience = new Patience()
  #fresh: Transaction[] = []
  #messages: GossipMessage[] = []
  readonly #arriving = new Map<Hash, Arrival>()

  constructor(chain: Chain) {
    this.#chain = chain
    this.#fresh.push(...chain.pool.ready())
    chain.events.on('pending', (transaction) => {
      const arrival = this.#arriving.get(transaction.hash)
      if (arrival !== undefined) this.#patience.received(transaction, chain)
      const queue = arrival === undefined ? this.#fresh : arrival.executable
      queue.push(transaction)
    })
    chain.events.on('block', () => this.#fresh.push(...this.#patience.due(chain)))
  }

  /** Takes queued messages up to a size; the rest follows with the next call. */
  take(maxBytes: number): readonly GossipMessage[] {
    // A transaction may have left the pool since it was queued.
    const waiting = this.#fresh.filter(({ hash }) => this.#chain.pool.get(hash) !== undefined)
    this.#fresh = []
    this.#messages.push(...messagesOf(waiting.map(({ raw }) => raw)))
    let size = 0
    const found = this.#messages.findIndex(({ bytes }, index) => {
      size += bytes.length + FRAME_BYTES
      return size > maxBytes && index > 0
    })
    return this.#messages.splice(0, found < 0 ? this.#messages.length : found)
  }

  /**
   * Submits the transactions of a peer's message. The message is sent on as it is if they are all new and executable, so that
   * CometBFT recognizes it and drops it at the nodes that have it. Otherwise its executable transactions are announced in new
   * messages.
   */
  async receiving<T>(message: Uint8Array, hashes: readonly Hash[], submit: () => Promise<T>): Promise<T> {
    const arrival: Arrival = { executable: [] }
    for (const hash of hashes) this.#arriving.set(hash, arrival)
    try {
      return await submit()
    } finally {
      for (const hash of hashes) if (this.#arriving.get(hash) === arrival) this.#arriving.delete(hash)
      if (arrival.executable.length < hashes.length) this.#fresh.push(...arrival.executable)
      else this.#messages.push({ bytes: message, size: hashes.length })
    }
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
