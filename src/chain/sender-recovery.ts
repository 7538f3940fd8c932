// Senders recovered on worker threads: 50 µs of native curve arithmetic for each, and to wake a thread costs about as
// much. What is recovered there is remembered only; who asks for a sender asks `of`, which recovers on its own thread what
// is not remembered, so results and errors are the same with and without threads.
import { availableParallelism } from 'node:os'
import type { Address, Hash } from '../lib/hex.ts'
import { rememberSenders, type SenderMemory } from '../pool/senders.ts'
import { NATIVE_BINDINGS, publicKeyToAddress } from '../primitives/signature.ts'
import { signatureOf } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'
import { RecoveryThread } from './sender-recovery-thread.ts'

/** Fewer than this many cost as much to ask a sleeping thread for as to recover. */
const WORTH_ASKING = 4
/** So many wait for one thread before another is asked. */
const HANDFUL = 16

export class SenderRecovery {
  readonly #memory: SenderMemory
  readonly #most: number
  #threads: RecoveryThread[] = []
  /** What a thread works on, so that it is not asked for twice. */
  readonly #asked = new Map<Hash, Promise<void>>()
  /** Who asks for one at a time, while no thread is at work. */
  #gathered: Asker[] = []

  /** `threads`: at most; none is started before it is needed. Without native curve there are none. */
  constructor(threads = Math.max(1, availableParallelism() - 1), remembered?: number) {
    this.#most = NATIVE_BINDINGS === undefined ? 0 : threads
    this.#memory = rememberSenders(remembered)
  }

  /** The sender, remembered or recovered now. Throws ChainError `transaction-rejected` when nobody signed. */
  of(transaction: SignedTransaction): Address {
    return this.#memory.of(transaction)
  }

  /**
   * The sender. A crowd is worth a thread: several who ask in the same turn of the event loop, and whoever asks while a
   * thread is at work. Rejects as `of` throws.
   */
  async soon(transaction: SignedTransaction): Promise<Address> {
    if (this.#most > 0 && !this.#memory.has(transaction.hash)) {
      if (this.#isCrowd(1)) await this.#ask(transaction)
      else await this.#gather(transaction)
    }
    return this.of(transaction)
  }

  /** Recovers on other threads what is worth it; when it settles, `of` knows these. Never rejects. */
  async foresee(transactions: readonly SignedTransaction[]): Promise<void> {
    const unknown = transactions.filter(({ hash }) => !this.#memory.has(hash))
    if (this.#most === 0 || !this.#isCrowd(unknown.length)) return
    await Promise.all(unknown.map((transaction) => this.#ask(transaction)))
  }

  /** Ends the threads; what they work on is not remembered. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()))
  }

  /** Whether so many more are worth a thread. */
  #isCrowd(more: number): boolean {
    return more >= WORTH_ASKING || this.#asked.size > 0
  }

  #gather(transaction: SignedTransaction): Promise<void> {
    return new Promise((known) => {
      this.#gathered.push({ transaction, known })
      if (this.#gathered.length === 1) setImmediate(() => this.#hand())
    })
  }

  /** Few go on at once: who asked recovers them. */
  #hand(): void {
    const askers = this.#gathered
    this.#gathered = []
    const isCrowd = this.#isCrowd(askers.length)
    for (const { transaction, known } of askers) {
      if (isCrowd) void this.#ask(transaction).then(known)
      else known()
    }
  }

  /** Settles when a thread has answered: the sender is remembered then, if there is one. */
  #ask(transaction: SignedTransaction): Promise<void> {
    const { hash } = transaction
    const asked = this.#asked.get(hash)
    if (asked !== undefined) return asked
    const signature = signatureOf(transaction)
    if (signature === undefined) return Promise.resolve()
    const answered = this.#thread()
      .ask(signature)
      .then((key) => {
        this.#asked.delete(hash)
        if (key !== undefined) this.#memory.remember(hash, publicKeyToAddress(key))
      })
    this.#asked.set(hash, answered)
    return answered
  }

  /** One that has little to do, or a new one, or the one that has least. */
  #thread(): RecoveryThread {
    this.#threads = this.#threads.filter(({ isAlive }) => isAlive)
    const least = this.#threads.reduce<RecoveryThread | undefined>(
      (best, thread) => (best === undefined || thread.waiting < best.waiting ? thread : best),
      undefined,
    )
    if (least !== undefined && (least.waiting < HANDFUL || this.#threads.length >= this.#most)) return least
    const started = new RecoveryThread()
    this.#threads.push(started)
    return started
  }
}

type Asker = { readonly transaction: SignedTransaction; readonly known: () => void }
