// Senders recovered on worker threads, in batches: 50 µs of native curve arithmetic for each, and a message to a thread
// costs about as much. What is recovered here is remembered only; who asks for a sender asks `of`, which recovers on
// its own thread what is not remembered, so results and errors are the same with and without threads.
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Address, Hash } from '../lib/hex.ts'
import { rememberSenders, type SenderMemory } from '../pool/senders.ts'
import { curve, nobleCurve, publicKeyToAddress } from '../primitives/signature.ts'
import { type RecoverableSignature, signatureOf } from '../primitives/transaction.ts'
import type { SignedTransaction } from '../primitives/types.ts'

/** Fewer than this many cost this thread as much to ask for as to recover (at 32, a quarter). */
const WORTH_ASKING = 4
/** So many of a crowd go to a thread at a time. */
const HANDFUL = 16

/** Parity, hash, r and s. */
const QUESTION = 97
/** An uncompressed key; zeros when there is none. */
const ANSWER = 65

/**
 * The whole of a worker: this text, because a bundle has no file for it, and the native curve, which it is told where to
 * find. The sizes are those above.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
const { ecdsaRecover } = require(workerData)
parentPort.on('message', (questions) => {
  const answers = new Uint8Array((questions.length / ${QUESTION}) * ${ANSWER})
  for (let from = 0, to = 0; from < questions.length; from += ${QUESTION}, to += ${ANSWER}) {
    const hash = questions.subarray(from + 1, from + 33)
    const signature = questions.subarray(from + 33, from + ${QUESTION})
    try {
      ecdsaRecover(signature, questions[from], hash, false, answers.subarray(to, to + ${ANSWER}))
    } catch {
      answers.fill(0, to, to + ${ANSWER})
    }
  }
  parentPort.postMessage(answers, [answers.buffer])
})`

export class Senders {
  readonly #memory: SenderMemory
  readonly #most: number
  readonly #threads: Thread[] = []
  /** What a thread works on, so that it is not asked for twice. */
  readonly #asked = new Map<Hash, Promise<void>>()
  /** Who asks for one at a time, before it has been handed to a thread; and how many hands full have been. */
  #gathered: Asker[] = []
  #handed = 0
  /** The thread whose turn it is. */
  #next = 0

  /** `threads`: at most; none is started before it is needed. Without native curve there are none. */
  constructor(threads = Math.max(1, availableParallelism() - 1), remembered?: number) {
    this.#most = curve === nobleCurve ? 0 : threads
    this.#memory = rememberSenders(remembered)
  }

  /** The sender, remembered or recovered now. Throws ChainError `transaction-rejected` when nobody signed. */
  of(transaction: SignedTransaction): Address {
    return this.#memory.of(transaction)
  }

  /**
   * The sender, known together with others that are asked for in the same turn of the event loop, or while threads are at
   * work: a crowd is worth a thread. Rejects as `of` throws.
   */
  async soon(transaction: SignedTransaction): Promise<Address> {
    if (this.#most > 0 && !this.#memory.has(transaction.hash)) {
      await new Promise<void>((known) => {
        this.#gathered.push({ transaction, known })
        if (this.#gathered.length === 1) setImmediate(() => this.#hand())
      })
    }
    return this.of(transaction)
  }

  /** Recovers on other threads what is worth it; when it settles, `of` knows these. Never rejects. */
  async foresee(transactions: readonly SignedTransaction[]): Promise<void> {
    const waiting: Promise<void>[] = []
    const questions: Question[] = []
    for (const transaction of transactions) {
      const { hash } = transaction
      const asked = this.#asked.get(hash)
      if (asked !== undefined) waiting.push(asked)
      else if (!this.#memory.has(hash)) questions.push({ hash, transaction })
    }
    if (questions.length >= WORTH_ASKING && this.#most > 0) waiting.push(...this.#ask(questions))
    await Promise.all(waiting)
  }

  /** Ends the threads; what they work on is not remembered. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()))
  }

  /** Hands on what has gathered, not much at a time: what is known early can go on while the rest is being recovered. */
  #hand(): void {
    while (this.#gathered.length > 0 && this.#handed < 2 * this.#most) {
      // Few are recovered here, unless they may become more while a thread is at work.
      if (this.#gathered.length < WORTH_ASKING && this.#handed > 0) return
      const askers = this.#gathered.splice(0, HANDFUL)
      this.#handed++
      void this.foresee(askers.map(({ transaction }) => transaction)).then(() => {
        this.#handed--
        for (const { known } of askers) known()
        this.#hand()
      })
    }
  }

  #ask(questions: readonly Question[]): Promise<void>[] {
    const parts = Math.min(this.#most, Math.ceil(questions.length / WORTH_ASKING))
    const size = Math.ceil(questions.length / parts)
    const asked = Array.from({ length: parts }, (_, part) => {
      const own = questions.slice(part * size, (part + 1) * size)
      const done = this.#askThread((this.#next + part) % this.#most, own)
      for (const { hash } of own) this.#asked.set(hash, done)
      return done
    })
    this.#next = (this.#next + parts) % this.#most
    return asked
  }

  async #askThread(index: number, questions: readonly Question[]): Promise<void> {
    const thread = this.#thread(index)
    const signatures = questions.map(({ transaction }) => signatureOf(transaction))
    const keys = await thread.ask(encode(signatures))
    for (const [at, { hash }] of questions.entries()) {
      this.#asked.delete(hash)
      const key = keys.subarray(at * ANSWER, (at + 1) * ANSWER)
      if (signatures[at] !== undefined && key[0] === 4) this.#memory.remember(hash, publicKeyToAddress(key))
    }
  }

  #thread(index: number): Thread {
    const running = this.#threads[index]
    if (running?.isAlive) return running
    const started = new Thread()
    this.#threads[index] = started
    return started
  }
}

type Asker = { readonly transaction: SignedTransaction; readonly known: () => void }
type Question = { readonly hash: Hash; readonly transaction: SignedTransaction }

function encode(signatures: readonly (RecoverableSignature | undefined)[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(signatures.length * QUESTION)
  for (const [index, signature] of signatures.entries()) {
    if (signature === undefined) continue
    const at = index * QUESTION
    out[at] = signature.yParity
    out.set(signature.hash, at + 1)
    out.set(signature.compact, at + 33)
  }
  return out
}

/** One worker. It keeps the process alive only while it has work. */
class Thread {
  isAlive = true
  readonly #worker: Worker
  readonly #waiting: ((answers: Uint8Array) => void)[] = []

  constructor() {
    const native = createRequire(import.meta.url).resolve('secp256k1/bindings.js')
    this.#worker = new Worker(WORKER, { eval: true, workerData: native })
    this.#worker.unref()
    this.#worker.on('message', (answers: Uint8Array) => {
      this.#waiting.shift()?.(answers)
      if (this.#waiting.length === 0) this.#worker.unref()
    })
    // A thread that cannot start or has died knows no answers; they are found without it.
    this.#worker.on('error', () => this.#end())
    this.#worker.on('exit', () => this.#end())
  }

  ask(questions: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#worker.ref()
      this.#worker.postMessage(questions, [questions.buffer])
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #end(): void {
    this.isAlive = false
    for (const resolve of this.#waiting.splice(0)) resolve(new Uint8Array(0))
  }
}
