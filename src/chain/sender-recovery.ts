// Recovers senders on worker threads. A recovery takes 50 µs in native code, 200 µs in WebAssembly; waking a thread takes about
// 50 µs, so the requests of one turn of the event loop are sent together. Threads only fill a cache: `of` reads it and recovers
// missing senders on the calling thread, so results and errors do not depend on threads.
import { availableParallelism } from 'node:os'
import type { Address, Hash } from '../lib/hex.ts'
import { rememberSenders, type SenderMemory } from '../pool/senders.ts'
import { publicKeyToAddress } from '../primitives/signature.ts'
import { signatureOf } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'
import { RecoveryThread } from './sender-recovery-thread.ts'

/** Smaller batches are recovered on the calling thread: waking a thread would cost as much. */
const MIN_BATCH = 4
/** Pending signatures per thread before another thread is started. */
const QUEUE_TARGET = 16

export class SenderRecovery {
  readonly #memory: SenderMemory
  readonly #most: number
  #threads: RecoveryThread[] = []
  /** Recoveries in progress, so that no transaction is requested twice. */
  readonly #inFlight = new Map<Hash, Promise<void>>()
  /** Single requests of the current turn of the event loop. */
  #gathered: SingleRequest[] = []

  /** `threads`: maximum number; threads are started on demand. */
  constructor(threads = Math.max(1, availableParallelism() - 1), remembered?: number) {
    this.#most = threads
    this.#memory = rememberSenders(remembered)
  }

  /** The sender, from the cache or recovered now. Throws ChainError `transaction-rejected` for an invalid signature. */
  of(transaction: SignedTransaction): Address {
    return this.#memory.of(transaction)
  }

  /**
   * The sender. A thread recovers it if at least MIN_BATCH requests come in the same turn of the event loop, or a thread is
   * already busy. Rejects as `of` throws.
   */
  async recover(transaction: SignedTransaction): Promise<Address> {
    if (this.#most > 0 && !this.#memory.has(transaction.hash)) await this.#gather(transaction)
    return this.of(transaction)
  }

  /** Recovers a large enough batch on threads; afterwards `of` finds these senders in the cache. Never rejects. */
  async prefetch(transactions: readonly SignedTransaction[]): Promise<void> {
    const unknown = transactions.filter(({ hash }) => !this.#memory.has(hash))
    if (this.#most === 0 || !this.#isWorthThread(unknown.length)) return
    const answered = unknown.map((transaction) => this.#request(transaction))
    this.#handOver()
    await Promise.all(answered)
  }

  /** Ends the threads; recoveries in progress are discarded. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()))
  }

  /** Whether `more` additional recoveries justify a thread. */
  #isWorthThread(more: number): boolean {
    return more >= MIN_BATCH || this.#inFlight.size > 0
  }

  #gather(transaction: SignedTransaction): Promise<void> {
    return new Promise((known) => {
      this.#gathered.push({ transaction, known })
      if (this.#gathered.length === 1) setImmediate(() => this.#dispatch())
    })
  }

  /** Sends the gathered requests to a thread; if they are few, each caller recovers its sender. */
  #dispatch(): void {
    const requests = this.#gathered
    this.#gathered = []
    const useThread = this.#isWorthThread(requests.length)
    for (const { transaction, known } of requests) {
      if (useThread) void this.#request(transaction).then(known)
      else known()
    }
    this.#handOver()
  }

  /** Wakes the threads that have new requests. */
  #handOver(): void {
    for (const thread of this.#threads) thread.flush()
  }

  /** Resolves when a thread has answered; a valid sender is then in the cache. Call `#handOver` afterwards. */
  #request(transaction: SignedTransaction): Promise<void> {
    const { hash } = transaction
    const inFlight = this.#inFlight.get(hash)
    if (inFlight !== undefined) return inFlight
    const signature = signatureOf(transaction)
    if (signature === undefined) return Promise.resolve()
    const answered = this.#thread()
      .recover(signature)
      .then((key) => {
        this.#inFlight.delete(hash)
        if (key !== undefined) this.#memory.remember(hash, publicKeyToAddress(key))
      })
    this.#inFlight.set(hash, answered)
    return answered
  }

  /** A thread with a short queue, else a new thread, else the thread with the shortest queue. */
  #thread(): RecoveryThread {
    this.#threads = this.#threads.filter(({ isAlive }) => isAlive)
    const least = this.#threads.reduce<RecoveryThread | undefined>(
      (best, thread) => (best === undefined || thread.waiting < best.waiting ? thread : best),
      undefined,
    )
    if (least !== undefined && (least.waiting < QUEUE_TARGET || this.#threads.length >= this.#most)) return least
    const started = new RecoveryThread()
    this.#threads.push(started)
    return started
  }
}

type SingleRequest = { readonly transaction: SignedTransaction; readonly known: () => void }
