// A worker thread that recovers public keys. Requests and results pass through a ring buffer in shared memory: each result
// overwrites its request. A request costs no message, and one message announces all results since the last one.
import { Worker } from 'node:worker_threads'
import { type CurveLibrary, curveLibrary } from '../primitives/signature.ts'
import type { RecoverableSignature } from '../primitives/transaction.ts'

/** Slots of the ring buffer: a power of two, because the counters wrap around at 32 bits. */
const SLOTS = 1024
/** Bytes of a request: parity (1), hash (32), r and s (64). */
const REQUEST_SIZE = 97
/** Bytes of a result: an uncompressed key; zeros for an invalid signature. */
const RESULT_SIZE = 65
/**
 * Indices of the control words: number of requests, number of results, and 1 while a message about new results is under way.
 */
const REQUESTED = 0
const DONE = 1
const ANNOUNCED = 2
const CONTROL_SIZE = 16
/** Results after which a message is sent while requests remain, so that both threads work in parallel. */
const MESSAGE_INTERVAL = 16

/**
 * The program of the thread, as text because a bundle has no file for it; it loads the curve from `library`. It implements the
 * other end of the ring buffer. It never returns to its event loop.
 */
const WORKER = `
const { parentPort, workerData: { library, shared } } = require('node:worker_threads')
const curve = require(library.path)
const none = new Uint8Array(${RESULT_SIZE})
// Both libraries throw for values out of range; tiny-secp256k1 may also return null.
const recover = library.isNative
  ? (hash, compact, parity) => curve.ecdsaRecover(compact, parity, hash, false)
  : (hash, compact, parity) => curve.recover(hash, compact, parity, false) ?? none
const control = new Int32Array(shared, 0, 3)
const slots = new Uint8Array(shared, ${CONTROL_SIZE})
let answered = 0
for (;;) {
  if (Atomics.load(control, ${REQUESTED}) === answered) {
    Atomics.wait(control, ${REQUESTED}, answered)
    continue
  }
  const at = (answered & ${SLOTS - 1}) * ${REQUEST_SIZE}
  const request = slots.slice(at, at + ${REQUEST_SIZE})
  let key = none
  try {
    key = recover(request.subarray(1, 33), request.subarray(33), request[0])
  } catch {}
  slots.set(key, at)
  answered = (answered + 1) | 0
  Atomics.store(control, ${DONE}, answered)
  const isDue = answered % ${MESSAGE_INTERVAL} === 0 || Atomics.load(control, ${REQUESTED}) === answered
  if (isDue && Atomics.exchange(control, ${ANNOUNCED}, 1) === 0) parentPort.postMessage(null)
}`

/** Byte offset of the slot of the n-th request and its result. */
const slotOffset = (count: number): number => (count & (SLOTS - 1)) * REQUEST_SIZE

type RecoveryRequest = {
  readonly signature: RecoverableSignature
  readonly settle: (key: Uint8Array | undefined) => void
}

/** Keeps the process alive only while requests wait. */
export class RecoveryThread {
  readonly #worker: Worker
  readonly #control: Int32Array<SharedArrayBuffer>
  readonly #slots: Uint8Array<SharedArrayBuffer>
  /** Pending requests, in order; the first ones are in the ring. */
  readonly #requests: RecoveryRequest[] = []
  #requested = 0
  #done = 0
  #isAlive = true

  constructor(library: CurveLibrary = curveLibrary) {
    const shared = new SharedArrayBuffer(CONTROL_SIZE + SLOTS * REQUEST_SIZE)
    this.#control = new Int32Array(shared, 0, 3)
    this.#slots = new Uint8Array(shared, CONTROL_SIZE)
    this.#worker = new Worker(WORKER, { eval: true, workerData: { library, shared } })
    this.#worker.unref()
    this.#worker.on('message', () => this.#collect())
    // If the thread cannot start or dies, callers recover on their own thread.
    this.#worker.on('error', () => this.#end())
    this.#worker.on('exit', () => this.#end())
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Number of pending requests. */
  get waiting(): number {
    return this.#requests.length
  }

  /**
   * The uncompressed public key (65 bytes) of a signature; undefined if the signature is invalid or the thread has ended. The
   * request waits for `flush`: waking the thread costs as much as a recovery, so several requests share one wake-up.
   */
  recover(signature: RecoverableSignature): Promise<Uint8Array | undefined> {
    if (!this.#isAlive) return Promise.resolve(undefined)
    return new Promise((settle) => {
      this.#requests.push({ signature, settle })
      if (this.#requests.length === 1) this.#worker.ref()
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Copies requests into the ring while it has free slots, and wakes the thread. */
  flush(): void {
    const before = this.#requested
    for (let inRing = (before - this.#done) | 0; inRing < SLOTS; inRing++) {
      const request = this.#requests[inRing]
      if (request === undefined) break
      const { hash, compact, yParity } = request.signature
      const at = slotOffset(this.#requested)
      this.#slots[at] = yParity
      this.#slots.set(hash, at + 1)
      this.#slots.set(compact, at + 33)
      this.#requested = (this.#requested + 1) | 0
    }
    if (this.#requested === before) return
    Atomics.store(this.#control, REQUESTED, this.#requested)
    Atomics.notify(this.#control, REQUESTED)
  }

  #collect(): void {
    // Reset before reading the count: a later result then sends a new message.
    Atomics.store(this.#control, ANNOUNCED, 0)
    const answered = Atomics.load(this.#control, DONE)
    const done = this.#requests.splice(0, (answered - this.#done) | 0)
    for (const { settle } of done) {
      const at = slotOffset(this.#done)
      const key = this.#slots.slice(at, at + RESULT_SIZE)
      this.#done = (this.#done + 1) | 0
      settle(key[0] === 0 ? undefined : key)
    }
    if (this.#requests.length > 0) this.flush()
    else this.#worker.unref()
  }

  #end(): void {
    this.#isAlive = false
    for (const { settle } of this.#requests.splice(0)) settle(undefined)
  }
}
