// Recovers senders on worker threads. One recovery takes 50 µs of native curve arithmetic, 200 µs in WebAssembly; waking a
// thread takes about 50, so requests of one turn of the event loop are handed over together. Threads only fill a memory: `of`
// reads it and recovers missing senders on the calling thread, so that results and errors are the same with and without threads.
import { availableParallelism } from 'node:os'
import type { Address, Hash } from '../lib/hex.ts'
import { rememberSenders, type SenderMemory } from '../pool/senders.ts'
import { publicKeyToAddress } from '../primitives/signature.ts'
import { signatureOf } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'
import { RecoveryThread } from './sender-recovery-thread.ts'

/** A smaller batch is recovered on the calling thread: waking a thread would cost as much. */
const MIN_BATCH = 4
/** Signatures that wait for one thread before another thread is started. */
const QUEUE_TARGET = 16

export class SenderRecovery {
  readonly #memory: SenderMemory
  readonly #most: number
  #threads: RecoveryThread[] = []
  /** Recoveries in progress, so that none is requested twice. */
  readonly #inFlight = new Map<Hash, Promise<void>>()
  /** Single requests of this turn of the event loop. */
  #gathered: SingleRequest[] = []

  /** `threads`: at most; none is started before it is needed. */
  constructor(threads = Math.max(1, availableParallelism() - 1), remembered?: number) {
    this.#most = threads
    this.#memory = rememberSenders(remembered)
  }

  /** The sender, remembered or recovered now. Throws ChainError `transaction-rejected` for an invalid signature. */
  of(transaction: SignedTransaction): Address {
    return this.#memory.of(transaction)
  }

  /**
   * The sender. A thread recovers it when MIN_BATCH requests come in the same turn of the event loop, or a thread is at
   * work already. Rejects as `of` throws.
   */
  async recover(transaction: SignedTransaction): Promise<Address> {
    if (this.#most > 0 && !this.#memory.has(transaction.hash)) await this.#gather(transaction)
    return this.of(transaction)
  }

  /** Recovers a large enough batch on threads; when it settles, `of` finds these senders in memory. Never rejects. */
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

  /** Whether `more` further recoveries justify a thread. */
  #isWorthThread(more: number): boolean {
    return more >= MIN_BATCH || this.#inFlight.size > 0
  }

  #gather(transaction: SignedTransaction): Promise<void> {
    return new Promise((known) => {
      this.#gathered.push({ transaction, known })
      if (this.#gathered.length === 1) setImmediate(() => this.#dispatch())
    })
  }

  /** Gives the gathered requests to a thread, or, if they are few, lets each caller recover its own. */
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

  /** Wakes the threads that have got requests. */
  #handOver(): void {
    for (const thread of this.#threads) thread.flush()
  }

  /** Settles when a thread has answered: the sender is remembered then, if there is one. To be followed by `#handOver`. */
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

  /** A thread with a short queue, or a new thread, or the one with the shortest queue. */
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
