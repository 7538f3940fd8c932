// A thread that recovers public keys, and the memory that it shares with this one: questions lie in it as a ring, and each
// answer takes its question's place. Asking costs no message, and one message tells of all that has been answered since.
import { Worker } from 'node:worker_threads'
import { NATIVE_BINDINGS } from '../primitives/signature.ts'
import type { RecoverableSignature } from '../primitives/transaction.ts'

/** Places of the ring: a power of two, because counts go round. */
const PLACES = 1024
/** Parity, hash, r and s. */
const QUESTION = 97
/** An uncompressed key; zeros when there is none. */
const ANSWER = 65
/** Counts of questions and answers, and whether a message of new answers is on its way. */
const [ASKED, ANSWERED, TOLD] = [0, 1, 2]
const CONTROL_SIZE = 16
/** Of many answers in a row, each so many are told of while the next are being found. */
const TOLD_OF = 16

/**
 * The whole of the thread: this text, because a bundle has no file for it, and the native curve, which it is told where to
 * find. The rules of the ring are those of this file. It never returns to its event loop, and needs none.
 */
const WORKER = `
const { parentPort, workerData: { native, shared } } = require('node:worker_threads')
const { ecdsaRecover } = require(native)
const control = new Int32Array(shared, 0, 3)
const places = new Uint8Array(shared, ${CONTROL_SIZE})
let answered = 0
for (;;) {
  if (Atomics.load(control, ${ASKED}) === answered) {
    Atomics.wait(control, ${ASKED}, answered)
    continue
  }
  const at = (answered & ${PLACES - 1}) * ${QUESTION}
  const question = places.slice(at, at + ${QUESTION})
  let key = new Uint8Array(${ANSWER})
  try {
    ecdsaRecover(question.subarray(33), question[0], question.subarray(1, 33), false, key)
  } catch {
    key = new Uint8Array(${ANSWER})
  }
  places.set(key, at)
  answered = (answered + 1) | 0
  Atomics.store(control, ${ANSWERED}, answered)
  const isTime = answered % ${TOLD_OF} === 0 || Atomics.load(control, ${ASKED}) === answered
  if (isTime && Atomics.exchange(control, ${TOLD}, 1) === 0) parentPort.postMessage(null)
}`

/** Where the question of a count lies, and its answer. */
const placeOf = (count: number): number => (count & (PLACES - 1)) * QUESTION

type Asker = { readonly signature: RecoverableSignature; readonly told: (key: Uint8Array | undefined) => void }

/** It keeps the process alive only while it has work. */
export class RecoveryThread {
  readonly #worker: Worker
  readonly #control: Int32Array<SharedArrayBuffer>
  readonly #places: Uint8Array<SharedArrayBuffer>
  /** Who has asked and not been answered, in order: those whose questions are in the ring first. */
  readonly #askers: Asker[] = []
  #asked = 0
  #answered = 0
  #isAlive = true

  /** Only where there are native bindings: without them the thread ends at once. */
  constructor() {
    const shared = new SharedArrayBuffer(CONTROL_SIZE + PLACES * QUESTION)
    this.#control = new Int32Array(shared, 0, 3)
    this.#places = new Uint8Array(shared, CONTROL_SIZE)
    this.#worker = new Worker(WORKER, { eval: true, workerData: { native: NATIVE_BINDINGS, shared } })
    this.#worker.unref()
    this.#worker.on('message', () => this.#take())
    // A thread that cannot start or has died knows no answers; they are found without it.
    this.#worker.on('error', () => this.#end())
    this.#worker.on('exit', () => this.#end())
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** How many questions wait for their answers. */
  get waiting(): number {
    return this.#askers.length
  }

  /** The uncompressed key (65 bytes) that made a signature; undefined when there is none, or the thread has ended. */
  ask(signature: RecoverableSignature): Promise<Uint8Array | undefined> {
    if (!this.#isAlive) return Promise.resolve(undefined)
    return new Promise((told) => {
      this.#askers.push({ signature, told })
      if (this.#askers.length === 1) this.#worker.ref()
      this.#put()
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Questions into the ring, as long as it has places. */
  #put(): void {
    const before = this.#asked
    for (let inRing = (before - this.#answered) | 0; inRing < PLACES; inRing++) {
      const asker = this.#askers[inRing]
      if (asker === undefined) break
      const { hash, compact, yParity } = asker.signature
      const at = placeOf(this.#asked)
      this.#places[at] = yParity
      this.#places.set(hash, at + 1)
      this.#places.set(compact, at + 33)
      this.#asked = (this.#asked + 1) | 0
    }
    if (this.#asked === before) return
    Atomics.store(this.#control, ASKED, this.#asked)
    Atomics.notify(this.#control, ASKED)
  }

  #take(): void {
    // First: what is answered from now on is told of again.
    Atomics.store(this.#control, TOLD, 0)
    const answered = Atomics.load(this.#control, ANSWERED)
    const done = this.#askers.splice(0, (answered - this.#answered) | 0)
    for (const { told } of done) {
      const at = placeOf(this.#answered)
      const key = this.#places.slice(at, at + ANSWER)
      this.#answered = (this.#answered + 1) | 0
      told(key[0] === 0 ? undefined : key)
    }
    if (this.#askers.length > 0) this.#put()
    else this.#worker.unref()
  }

  #end(): void {
    this.#isAlive = false
    for (const { told } of this.#askers.splice(0)) told(undefined)
  }
}
