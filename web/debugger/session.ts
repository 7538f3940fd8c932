// A debugged execution as the page sees it: what the node said when it was opened, the position, and pages of steps. One request
// for a position is under way at a time, so positions arrive in the order in which they were asked for.
import { call, type Params, type Result, RpcError, rpc, rpcBatch } from '../rpc.ts'
export type Target = Params<'kestrel_openDebugger'>[0]
export type Opened = Result<'kestrel_openDebugger'>
export type Call = Opened['calls']
export type Position = Result<'kestrel_debuggerPosition'>
export type Place = NonNullable<Position['place']>
export type Step = Result<'kestrel_debuggerSteps'>[number]
export type Move = Params<'kestrel_debuggerPosition'>[1]

/** Steps that are read at once. */
const PAGE = 500
/** Pages of steps that are kept. */
const MOST_PAGES = 200
/** Moves that wait for their turn, as of somebody who types faster than the node answers. */
const MOST_WAITING = 16

export type State = {
  readonly opened?: Opened
  readonly position?: Position
  /** The position before, and the move that led from it. */
  readonly before?: Position | undefined
  readonly move?: Move
  readonly fault?: string | undefined
  /** Increases when steps have arrived. */
  readonly pages: number
}

export class Session {
  #target: Target
  readonly #onChange: (state: State) => void
  #state: State = { pages: 0 }
  #waiting: ((from: number) => Move)[] = []
  #isBusy = false
  /** By number of the page; undefined while it is read. */
  readonly #pages = new Map<number, readonly Step[] | undefined>()

  constructor(target: Target, onChange: (state: State) => void) {
    this.#target = target
    this.#onChange = onChange
  }

  /** Opens it at a step; without one at the failure, or else the start. */
  async open(step: number | 'start' | 'end' | 'failure' | undefined): Promise<void> {
    this.#isBusy = true
    try {
      const calls = [
        call('kestrel_openDebugger', this.#target),
        call('kestrel_debuggerPosition', this.#target, { to: step ?? 'start' }),
      ] as const
      const [opened, position] = await rpcBatch(calls)
      if (opened instanceof RpcError) throw opened
      // The newest block may become another one.
      if ('call' in this.#target && opened.block !== null) this.#target = { ...this.#target, block: opened.block }
      // A URL may name a step that there is not.
      if (position instanceof RpcError) this.goTo('start')
      else if (step === undefined && opened.failure !== null) this.goTo('failure')
      this.#change({ opened, ...(position instanceof RpcError ? {} : { position }) })
    } catch (error) {
      this.#change({ fault: wordsOf(error) })
    }
    await this.#next()
  }

  /** Moves to a step or a named place. This replaces the moves that wait. */
  goTo(step: number | 'start' | 'end' | 'failure'): void {
    this.#waiting = []
    this.go(() => ({ to: step }))
  }

  /** Moves from the step that is current when its turn comes. A key that is held down (`isRepeated`) does not queue moves. */
  go(move: (from: number) => Move, isRepeated = false): void {
    if (this.#isBusy && (isRepeated || this.#waiting.length >= MOST_WAITING)) return
    this.#waiting.push(move)
    if (!this.#isBusy) this.#next()
  }

  async #next(): Promise<void> {
    for (let ask = this.#waiting.shift(); ask !== undefined; ask = this.#waiting.shift()) {
      this.#isBusy = true
      const { position: before } = this.#state
      const move = ask(before?.step ?? 0)
      try {
        const position = await rpc('kestrel_debuggerPosition', this.#target, move)
        this.#change({ position, before, move, fault: undefined })
      } catch (error) {
        this.#change({ fault: wordsOf(error) })
      }
    }
    this.#isBusy = false
  }

  /** A step that has been read. */
  step(at: number): Step | undefined {
    const page = Math.floor(at / PAGE)
    return this.#pages.get(page)?.[at - this.#firstOf(page)]
  }

  #firstOf(page: number): number {
    return Math.max(page * PAGE, this.#state.opened?.first ?? 0)
  }

  /** Reads the pages with these steps, unless they are there or under way. */
  read(first: number, end: number): void {
    for (let page = Math.floor(first / PAGE); page * PAGE < end; page++)
      if (!this.#pages.has(page)) this.#readPage(page)
  }

  async #readPage(page: number): Promise<void> {
    this.#pages.set(page, undefined)
    const oldest = this.#pages.keys().next().value
    if (this.#pages.size > MOST_PAGES && oldest !== undefined) this.#pages.delete(oldest)
    try {
      this.#pages.set(page, await rpc('kestrel_debuggerSteps', this.#target, this.#firstOf(page), PAGE))
      this.#change({ pages: this.#state.pages + 1 })
    } catch (error) {
      this.#pages.delete(page)
      this.#change({ fault: wordsOf(error) })
    }
  }

  #change(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes }
    this.#onChange(this.#state)
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
