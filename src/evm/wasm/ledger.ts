// What a transaction gathers until it is over: refunds, logs, destroyed and created accounts. A frame that fails takes
// back what was added since it began.
import type { Log } from '../../primitives/types.ts'
import type { Incoming } from './incoming.ts'

export const NONE_DESTROYED = new Map<`0x${string}`, `0x${string}`>()
export const NONE_CREATED = new Set<`0x${string}`>()

export type Mark = {
  readonly refund: number
  readonly logs: number
  readonly destroyed: number
  readonly created: number
}

export class Ledger {
  refund: number
  readonly logs: Log[] = []
  /** Made when there is something to hold: few messages destroy or create. */
  #destroyed: Map<`0x${string}`, `0x${string}`> | undefined
  #created: Set<`0x${string}`> | undefined
  readonly #destroyedHere: `0x${string}`[] = []
  readonly #createdHere: `0x${string}`[] = []

  /** What there is of a message's own lists is added to. */
  constructor(refund: number, destroyed: Incoming['destroyed'], created: Incoming['created']) {
    this.refund = refund
    this.#destroyed = destroyed
    this.#created = created
  }

  /** Destroyed accounts with their heirs. Not to be written on. */
  get destroyed(): Map<`0x${string}`, `0x${string}`> {
    return this.#destroyed ?? NONE_DESTROYED
  }

  /** Not to be written on. */
  get created(): Set<`0x${string}`> {
    return this.#created ?? NONE_CREATED
  }

  mark(): Mark {
    const { refund, logs } = this
    return { refund, logs: logs.length, destroyed: this.#destroyedHere.length, created: this.#createdHere.length }
  }

  undo({ refund, logs, destroyed, created }: Mark): void {
    this.refund = refund
    this.logs.length = logs
    for (const address of this.#destroyedHere.splice(destroyed)) this.#destroyed?.delete(address)
    for (const address of this.#createdHere.splice(created)) this.#created?.delete(address)
  }

  destroy(address: `0x${string}`, heir: `0x${string}`): void {
    this.#destroyed ??= new Map()
    if (!this.#destroyed.has(address)) this.#destroyedHere.push(address)
    this.#destroyed.set(address, heir)
  }

  create(address: `0x${string}`): void {
    this.#created ??= new Set()
    if (this.#created.has(address)) return
    this.#created.add(address)
    this.#createdHere.push(address)
  }
}
