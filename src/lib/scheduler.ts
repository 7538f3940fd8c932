// Turns on the one thread: long work stops after some milliseconds and waits for its next turn, so that requests are read
// and answered in between. Making a block comes first; of all other long work, one turn is given at a time.
import { ChainError } from './errors.ts'

/** How long a turn may hold the thread, in milliseconds. */
const TURN = 5
/** The same while a block is made: others send what the next of it is made of. */
const SHORT_TURN = 1
/**
 * An iteration of the event loop that took less had nothing to read or answer, in milliseconds. libuv accepts one connection
 * in an iteration, so that several pass between two turns while there is other work.
 */
const IDLE = 0.1
/** Milliseconds from one turn of heavy work to the next while a block is made: heavy work keeps a tenth of the thread. */
const BESIDE_BLOCKS = 50
/**
 * Milliseconds that heavy work waits after a transaction has come or a block was made. A sender that waits for each answer
 * has its next one on the way: each would wait for a turn of heavy work otherwise.
 */
const SENDERS_PAUSE = 2

/**
 * `block` makes a block, its index rows or its commit. `heavy` runs calls, traces, searches and dumps, which may be asked for
 * in any number. `light` is all other long work: it goes on while a block is made.
 */
export type WorkKind = 'block' | 'light' | 'heavy'

/**
 * To be awaited in a loop that waits for nothing else: undefined while the turn lasts, else a promise of the next turn. The
 * time (`performance.now()`) may be given where it is known. Throws ChainError `cancelled` when the caller is gone.
 */
export type Pause = (now?: number) => Promise<void> | undefined

type Waiter = { readonly isHeavy: boolean; readonly go: () => void }

/** The order of turns in one thread. All heavy work shares one turn, so that short calls run together in it. */
export class Scheduler {
  readonly #now: () => number
  readonly #waiting: Waiter[] = []
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  /** Since when other work goes on, undefined while a turn lasts; and when the present iteration of the event loop began. */
  #otherSince: number | undefined
  #iteration = 0
  #blocks = 0
  /** When the turn of heavy work ends, and what was left of it when the last heavy call ended. */
  #heavyEnds = 0
  #heavyLeft = TURN
  /** While a block is made or transactions come, no turn of heavy work begins before this time. */
  #nextHeavy = 0
  /** Until when the next transaction is waited for. */
  #sendersUntil = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Turns for one piece of work. Work whose caller's connection closes is stopped at its next turn. */
  yieldFor(kind: WorkKind, caller?: AbortSignal): Pause {
    if (kind === 'heavy') return this.#heavyTurns(caller)
    const turn = kind === 'block' ? SHORT_TURN : TURN
    let ends = this.#now() + turn
    let isGone = false
    return (now = this.#now()) => {
      if (isGone) throw cancelled()
      if (now < ends) return undefined
      const next = kind === 'block' ? secondImmediate() : this.#wait(false)
      return next.then(() => {
        ends = this.#now() + turn
        isGone = caller?.aborted === true
      })
    }
  }

  /** To be told of a transaction that has come: for 2 ms, heavy work has one turn in 50 ms. */
  transactionArrived(): void {
    this.#sendersUntil = this.#now() + SENDERS_PAUSE
  }

  /** Runs the making of a block: until it settles, and 2 ms more, heavy work has one turn in 50 ms. */
  async prioritize<T>(task: () => Promise<T>): Promise<T> {
    this.#blocks++
    try {
      return await task()
    } finally {
      this.#blocks--
      this.#sendersUntil = this.#now() + SENDERS_PAUSE
      this.#ask()
    }
  }

  /** Whether a heavy call may begin in the present turn; `isAlone` if no other heavy call runs or waits for its turn. */
  mayBeginHeavy(isAlone: boolean): boolean {
    const now = this.#now()
    if (isAlone) this.#heavyEnds = now + this.#heavyLeft
    return now < this.#heavyEnds
  }

  /** To be told when no heavy call runs any more: what it left of the turn is for the next one. */
  heavyWorkEnded(): void {
    this.#heavyLeft = this.#heavyEnds - this.#now()
  }

  /** Settles when the next turn of heavy work begins. */
  heavyTurn(): Promise<void> {
    return this.#wait(true)
  }

  #heavyTurns(caller: AbortSignal | undefined): Pause {
    let isGone = false
    return (now = this.#now()) => {
      if (isGone) throw cancelled()
      if (now < this.#heavyEnds) return undefined
      if (caller?.aborted) throw cancelled()
      return this.#wait(true).then(() => {
        isGone = caller?.aborted === true
      })
    }
  }

  #wait(isHeavy: boolean): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ isHeavy, go })
      this.#ask()
    })
  }

  /** Has a turn given in the next iteration of the event loop, or as soon as heavy work may go on beside a block. */
  #ask(): void {
    if (this.#waiting.length === 0 || this.#immediate !== undefined) return
    clearTimeout(this.#timer)
    const rest = this.#heavyMayGoAt() - this.#now()
    if (rest <= 0 || this.#waiting.some(({ isHeavy }) => !isHeavy)) {
      this.#otherSince = undefined
      this.#immediate = setImmediate(this.#look)
    } else this.#timer = setTimeout(() => this.#ask(), rest)
  }

  /** Gives a turn after an iteration without other work, or when other work has had as long as a turn. */
  readonly #look = (): void => {
    const now = this.#now()
    const since = this.#otherSince
    const isBusy = since === undefined || (now - this.#iteration > IDLE && now - since < TURN)
    this.#otherSince ??= now
    this.#iteration = now
    this.#immediate = isBusy ? setImmediate(this.#look) : undefined
    if (!isBusy) this.#give(now)
  }

  /** When the next turn of heavy work may begin, as far as is known now. */
  #heavyMayGoAt(): number {
    return this.#blocks === 0 ? Math.min(this.#sendersUntil, this.#nextHeavy) : this.#nextHeavy
  }

  #give(now: number): void {
    const mayBeHeavy = now >= this.#heavyMayGoAt()
    const position = this.#waiting.findIndex(({ isHeavy }) => mayBeHeavy || !isHeavy)
    const [next] = position < 0 ? [] : this.#waiting.splice(position, 1)
    if (next?.isHeavy) {
      this.#heavyEnds = now + TURN
      this.#nextHeavy = now + BESIDE_BLOCKS
    }
    next?.go()
    this.#ask()
  }
}

/** What stops work for which nobody waits any more. */
export const cancelled = (): ChainError => new ChainError('cancelled', 'the connection was closed')

/** The second immediate runs after callbacks of the present iteration that ask for the end of the same turn. */
const secondImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** The order of this thread. */
export const scheduler = new Scheduler()

/** Turns of this thread for one piece of work. */
export const yieldToEventLoop = (kind: WorkKind, caller?: AbortSignal): Pause => scheduler.yieldFor(kind, caller)

/** Takes a short step of a block for each of many items, in turns with other work: a promise for each would cost as much. */
export async function forEachYielding<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  const pause = yieldToEventLoop('block')
  for (const item of items) {
    step(item)
    const rest = pause()
    if (rest !== undefined) await rest
  }
}
