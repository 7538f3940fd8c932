// Cooperative scheduling on the one JavaScript thread: long work stops after some milliseconds and waits for its next turn, so
// that requests are read and answered in between. Building a block has priority; other long work gets one turn at a time.
import { ChainError } from './errors.ts'

/** Maximum length of a turn in milliseconds. */
const TURN = 5
/** Maximum length for work on a block, during which clients send the next transactions. */
const SHORT_TURN = 1
/**
 * An iteration of the event loop that took less than this many milliseconds read and answered nothing. libuv accepts only one
 * connection in an iteration, so several iterations pass between two turns while there is other work.
 */
const IDLE = 0.1
/** Milliseconds from one turn of heavy work to the next while a block is built: heavy work keeps a tenth of the thread. */
const HEAVY_INTERVAL_DURING_BLOCKS = 50
/**
 * Milliseconds that heavy work waits after a transaction has arrived or a block was built. A client that sends transactions one
 * by one has its next one on the way, which would otherwise wait for a turn of heavy work each time.
 */
const SENDERS_PAUSE = 2
/**
 * Maximum milliseconds that heavy work waits for a turn while a block is executed for a network's consensus engine. CometBFT
 * allows three seconds for a block proposal (`timeout_propose`), and a validator that is late loses its vote.
 */
const LONGEST_HEAVY_WAIT = 2000

/**
 * `block`: building a block, its index rows or its commit. `heavy`: calls, traces, searches and dumps, of which clients may
 * request any number. `light`: all other long work, which continues while a block is built.
 */
export type WorkKind = 'block' | 'light' | 'heavy'

/**
 * Await it in a loop that awaits nothing else: undefined while the turn lasts, else a promise of the next turn. Callers that
 * know the time (`performance.now()`) pass it. Throws ChainError `cancelled` when the connection has been closed.
 */
export type Pause = (now?: number) => Promise<void> | undefined

type Waiter = { readonly isHeavy: boolean; readonly since: number; readonly go: () => void }

/** Assigns the turns of one thread. All heavy work shares one turn, so that several short calls run in it. */
export class Scheduler {
  readonly #now: () => number
  readonly #waiting: Waiter[] = []
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the last turn ended (undefined while a turn lasts), and when the current iteration of the event loop began. */
  #turnEnded: number | undefined
  #iteration = 0
  #blocks = 0
  /** Number of running tasks of the consensus engine. */
  #engineTasks = 0
  /** When the current turn of heavy work ends, and how much of it was left when the last heavy call ended. */
  #heavyEnds = 0
  #heavyLeft = TURN
  /** While a block is built or transactions arrive, no turn of heavy work begins before this time. */
  #nextHeavy = 0
  /** Until when the next transaction is expected. */
  #sendersUntil = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The turns of one piece of work. When its connection is closed, the work is stopped at its next turn. */
  yieldFor(kind: WorkKind, connection?: AbortSignal): Pause {
    if (kind === 'heavy') return this.#heavyTurns(connection)
    const turn = kind === 'block' ? SHORT_TURN : TURN
    let ends = this.#now() + turn
    let isClosed = false
    return (now = this.#now()) => {
      if (isClosed) throw cancelled()
      if (now < ends) return undefined
      const next = kind === 'block' ? secondImmediate() : this.#wait(false)
      return next.then(() => {
        ends = this.#now() + turn
        isClosed = connection?.aborted === true
      })
    }
  }

  /** Call this when a transaction arrives: for 2 ms, heavy work gets one turn in 50 ms. */
  transactionArrived(): void {
    this.#sendersUntil = this.#now() + SENDERS_PAUSE
  }

  /** Runs a task that builds a block: until it settles, and 2 ms longer, heavy work gets one turn in 50 ms. */
  async prioritize<T>(task: () => Promise<T>): Promise<T> {
    this.#blocks++
    try {
      return await task()
    } finally {
      this.#blocks--
      this.#sendersUntil = this.#now() + SENDERS_PAUSE
      this.#requestTurn()
    }
  }

  /**
   * Runs a task that the consensus engine waits for. Until it settles, heavy work gets a turn only after it has waited two
   * seconds for it, and at most one in 50 ms; a turn that has begun before lasts its 5 ms.
   */
  async prioritizeForEngine<T>(task: () => Promise<T>): Promise<T> {
    this.#engineTasks++
    try {
      return await this.prioritize(task)
    } finally {
      this.#engineTasks--
      this.#requestTurn()
    }
  }

  /** Whether a heavy call may start in the current turn. `isAlone`: no other heavy call runs or waits for its turn. */
  mayBeginHeavy(isAlone: boolean): boolean {
    const now = this.#now()
    if (isAlone && this.#engineTasks === 0) this.#heavyEnds = now + this.#heavyLeft
    return now < this.#heavyEnds
  }

  /** Call this when the last heavy call has ended: the next one gets the rest of the turn. */
  heavyWorkEnded(): void {
    this.#heavyLeft = this.#heavyEnds - this.#now()
  }

  /** Resolves when the next turn of heavy work begins. */
  heavyTurn(): Promise<void> {
    return this.#wait(true)
  }

  #heavyTurns(connection: AbortSignal | undefined): Pause {
    let isClosed = false
    return (now = this.#now()) => {
      if (isClosed) throw cancelled()
      if (now < this.#heavyEnds) return undefined
      if (connection?.aborted) throw cancelled()
      return this.#wait(true).then(() => {
        isClosed = connection?.aborted === true
      })
    }
  }

  #wait(isHeavy: boolean): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ isHeavy, since: this.#now(), go })
      this.#requestTurn()
    })
  }

  /** Requests a turn: in the next iteration of the event loop, or when heavy work may continue during a block. */
  #requestTurn(): void {
    if (this.#waiting.length === 0 || this.#immediate !== undefined) return
    clearTimeout(this.#timer)
    const rest = this.#heavyMayGoAt() - this.#now()
    if (rest <= 0 || this.#waiting.some(({ isHeavy }) => !isHeavy)) {
      this.#turnEnded = undefined
      this.#immediate = setImmediate(this.#check)
    } else this.#timer = setTimeout(() => this.#requestTurn(), rest)
  }

  /** Gives a turn after an iteration without other work, or when other work has had the length of a turn. */
  readonly #check = (): void => {
    const now = this.#now()
    const since = this.#turnEnded
    const isBusy = since === undefined || (now - this.#iteration > IDLE && now - since < TURN)
    this.#turnEnded ??= now
    this.#iteration = now
    this.#immediate = isBusy ? setImmediate(this.#check) : undefined
    if (!isBusy) this.#giveTurn(now)
  }

  /** The earliest time of the next turn of heavy work, as currently known. */
  #heavyMayGoAt(): number {
    if (this.#engineTasks > 0) {
      const since = this.#waiting.find(({ isHeavy }) => isHeavy)?.since ?? this.#now()
      return Math.max(since + LONGEST_HEAVY_WAIT, this.#nextHeavy)
    }
    return this.#blocks === 0 ? Math.min(this.#sendersUntil, this.#nextHeavy) : this.#nextHeavy
  }

  #giveTurn(now: number): void {
    const mayBeHeavy = now >= this.#heavyMayGoAt()
    const position = this.#waiting.findIndex(({ isHeavy }) => mayBeHeavy || !isHeavy)
    const [next] = position < 0 ? [] : this.#waiting.splice(position, 1)
    if (next?.isHeavy) {
      this.#heavyEnds = now + TURN
      this.#nextHeavy = now + HEAVY_INTERVAL_DURING_BLOCKS
    }
    next?.go()
    this.#requestTurn()
  }
}

/** Stops work for a client that has closed its connection. */
export const cancelled = (): ChainError => new ChainError('cancelled', 'the connection was closed')

/** The second immediate runs after those callbacks of the current iteration that request the end of the same turn. */
const secondImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** The scheduler of this thread. */
export const scheduler = new Scheduler()

/** Turns on this thread for one piece of work. */
export const yieldToEventLoop = (kind: WorkKind, connection?: AbortSignal): Pause =>
  scheduler.yieldFor(kind, connection)

/** Runs a short step of block work for each item and yields between turns only: a promise per item would cost as much as a step. */
export async function forEachYielding<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  const pause = yieldToEventLoop('block')
  for (const item of items) {
    step(item)
    const rest = pause()
    if (rest !== undefined) await rest
  }
}
