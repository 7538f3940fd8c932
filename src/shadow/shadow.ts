// Every committed block is run again on a second engine, on a thread of its own, and has to come out as its header says.
// The thread gets the block as it is stored with the witness of its first run, and computes receipts, requests and the
// state root itself; rows beyond the witness it asks for, and they are read from the store as of the parent's version,
// past all caches. So a chain on disk and one in memory are checked alike, and taking blocks back cannot disturb a check.
// Committing does not wait for a check, except when the queue is full: then no block is committed until there is room.
import { decodeStoredHeader } from '../chain/blocks.ts'
import type { BlockVerifier } from '../chain/types.ts'
import type { EngineChoice } from '../evm/engine-selection.ts'
import { ChainError } from '../lib/errors.ts'
import { fromHex } from '../lib/hex.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { storedRowAsOf } from '../state/history.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import type { WitnessRecorder } from '../state/witness.ts'
import { describeDifference } from './difference.ts'
import type { Question, WitnessAnswer } from './messages.ts'
import { type OwnedJob, ShadowThread, type ThreadReport } from './thread.ts'

/** The queue is full with this many blocks, or when its blocks have this many transactions. */
const MOST_BLOCKS = 64
const MOST_TRANSACTIONS = 16_384
/** Blocks that the thread has at a time: the next one lies ready when one is done. */
const AHEAD = 3
/** Milliseconds that closing waits for the queue. */
const LAST_WAIT = 2_000

export type ShadowOptions = {
  /** What runs blocks again. */
  readonly engine: EngineChoice
  /** Modules with the users' opcode proposals, the same that the chain was opened with. */
  readonly proposalFiles: readonly string[]
}

type Waiting = {
  readonly id: number
  readonly executed: ExecutedBlock
  /** Of the state before the block. */
  readonly version: number
  readonly reads: WitnessRecorder | undefined
}

export class Shadow implements BlockVerifier {
  readonly engine: EngineChoice
  /** Settles with one line when a block has come out otherwise or a check could not be made; else never. */
  readonly failed: Promise<string>
  #fail: (line: string) => void = () => undefined
  #failure: string | undefined
  readonly #store: Pick<KvReader, 'get'>
  readonly #first: EngineChoice
  readonly #begin: () => ShadowThread
  #thread: ShadowThread | undefined
  /** Blocks that are not yet checked, oldest first; those at the front are with the thread. */
  #queue: Waiting[] = []
  readonly #given = new Set<number>()
  #transactions = 0
  #lastId = 0
  #checked = 0
  #isGiving = false
  #isClosing = false
  #changed: (() => void)[] = []

  /** `first`: the engine that blocks are made with, for the words of a difference. */
  constructor(store: Pick<KvReader, 'get'>, spec: ChainSpec, first: EngineChoice, options: ShadowOptions) {
    this.engine = options.engine
    this.#store = store
    this.#first = first
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
    const events = {
      reported: (report: ThreadReport) => this.#take(report),
      asked: (id: number, question: Question) => this.#answer(id, question),
      died: (message: string) => this.#stop(this.#failedWith(message)),
    }
    this.#begin = () => new ShadowThread({ spec, ...options }, events)
  }

  /**
   * Starts the thread, which takes a second or two of a core; blocks that have been committed already are checked first.
   * Throws ChainError `not-found` when the thread's program has not been built.
   */
  start(): void {
    this.#thread ??= this.#begin()
    void this.#give()
  }

  /** The line of `failed`, once it has settled. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** How many blocks have been checked, and how many wait for it. */
  get progress(): { readonly checked: number; readonly waiting: number } {
    return { checked: this.#checked, waiting: this.#queue.length }
  }

  async ready(): Promise<void> {
    while (this.#isFull() && this.#failure === undefined && !this.#isClosing) await this.#change()
    if (this.#failure !== undefined) throw new ChainError('not-allowed', `no more blocks are made: ${this.#failure}`)
  }

  committed(executed: ExecutedBlock, version: number, reads: WitnessRecorder | undefined): void {
    if (this.#failure !== undefined) return
    this.#queue.push({ id: ++this.#lastId, executed, version, reads })
    this.#transactions += executed.block.transactions.length
    void this.#give()
  }

  rewinding(version: number): void {
    this.#keep(({ version: before }) => before < version)
  }

  /** Settles when all that has been committed is checked, or a check has failed. */
  async settled(): Promise<void> {
    while (this.#queue.length > 0) await this.#change()
  }

  /** Waits up to two seconds for the queue, then ends the thread. Returns how many blocks have not been checked. */
  async close(): Promise<number> {
    this.#isClosing = true
    this.#tell()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WAIT)
    })
    await Promise.race([this.settled(), late])
    clearTimeout(timer)
    await this.#thread?.close()
    const left = this.#queue.length
    this.#keep(() => false)
    return left
  }

  #isFull(): boolean {
    return this.#queue.length >= MOST_BLOCKS || this.#transactions >= MOST_TRANSACTIONS
  }

  /** Gives the thread its next blocks. */
  async #give(): Promise<void> {
    const thread = this.#thread
    if (this.#isGiving || thread === undefined) return
    this.#isGiving = true
    try {
      for (;;) {
        const next = this.#queue.slice(0, AHEAD).find(({ id }) => !this.#given.has(id))
        if (next === undefined) return
        this.#given.add(next.id)
        const witness = (await next.reads?.encode()) ?? new Uint8Array(0)
        // It may have been taken back meanwhile.
        if (this.#queue.includes(next)) thread.run(this.#job(next, witness))
      }
    } catch (error) {
      this.#stop(this.#failedWith(error))
    } finally {
      this.#isGiving = false
    }
  }

  #job({ id, executed, version }: Waiting, witness: Uint8Array<ArrayBuffer>): OwnedJob {
    const { number } = executed.block.header
    const [header, body] = [KEY.header(number), KEY.body(number)].map((key) => this.#store.get(key))
    if (header === undefined || body === undefined) throw new ChainError('storage', `block ${number} is missing`)
    return { id, version, witness, header: Uint8Array.from(header), body: Uint8Array.from(body) }
  }

  #answer(id: number, question: Question): WitnessAnswer {
    const job = this.#queue.find((waiting) => waiting.id === id)
    if (job === undefined) return 'gone'
    try {
      const value = this.#read(question, job.version)
      // A copy: a row may lie in the midst of other memory, and all of that would be sent.
      return { value: value && Uint8Array.from(value) }
    } catch (error) {
      this.#stop(this.#failedWith(error))
      return 'gone'
    }
  }

  #read(question: Question, version: number): Uint8Array | undefined {
    if (question.kind === 'row') return storedRowAsOf(this.#store, question.key, version)
    if (question.kind === 'code') return this.#store.get(KEY.code(question.hash))
    const header = this.#store.get(KEY.header(question.number))
    return header && fromHex(decodeStoredHeader(header).hash)
  }

  #take(report: ThreadReport): void {
    const job = this.#queue.find(({ id }) => id === report.id)
    // Blocks that were taken back are of no interest.
    if (job === undefined) return
    const { number, hash } = job.executed.block.header
    if (report.kind === 'differs') {
      this.#stop(describeDifference(job.executed, report.run, this.#first, this.engine))
    } else if (report.kind === 'fault') {
      this.#stop(`block ${number} (${hash}): ${this.#failedWith(report.message)}`)
    } else {
      this.#checked++
      this.#keep(({ id }) => id !== report.id)
      void this.#give()
    }
  }

  #failedWith(error: unknown): string {
    return `the shadow (${this.engine}) has failed: ${error instanceof Error ? error.message : String(error)}`
  }

  /** After the first failure nothing is checked and nothing committed. */
  #stop(line: string): void {
    if (this.#failure !== undefined) return
    this.#failure = line
    this.#fail(line)
    this.#keep(() => false)
  }

  #keep(isKept: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#queue) {
      if (isKept(waiting)) continue
      this.#given.delete(waiting.id)
      this.#transactions -= waiting.executed.block.transactions.length
    }
    this.#queue = this.#queue.filter(isKept)
    this.#tell()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve))
  }

  #tell(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}
