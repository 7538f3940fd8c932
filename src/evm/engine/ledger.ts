// What a transaction gathers until it is over: refunds, logs, destroyed and created accounts. A frame that fails takes
// back what was added since it began.
import type { Log } from '../../primitives/types.ts'

export type Mark = {
  readonly refund: number
  readonly logs: number
  readonly destroyed: number
  readonly created: number
}

export class Ledger {
  refund: number
  readonly logs: Log[] = []
  /** Destroyed accounts with their heirs. */
  readonly destroyed: Map<`0x${string}`, `0x${string}`>
  readonly created: Set<`0x${string}`>
  readonly #destroyed: `0x${string}`[] = []
  readonly #created: `0x${string}`[] = []

  /** What there is of a message's own lists is added to. */
  constructor(refund: number, destroyed: Ledger['destroyed'], created: Ledger['created']) {
    this.refund = refund
    this.destroyed = destroyed
    this.created = created
  }

  mark(): Mark {
    const { refund, logs } = this
    return { refund, logs: logs.length, destroyed: this.#destroyed.length, created: this.#created.length }
  }

  undo({ refund, logs, destroyed, created }: Mark): void {
    this.refund = refund
    this.logs.length = logs
    for (const address of this.#destroyed.splice(destroyed)) this.destroyed.delete(address)
    for (const address of this.#created.splice(created)) this.created.delete(address)
  }

  destroy(address: `0x${string}`, heir: `0x${string}`): void {
    if (!this.destroyed.has(address)) this.#destroyed.push(address)
    this.destroyed.set(address, heir)
  }

  create(address: `0x${string}`): void {
    if (this.created.has(address)) return
    this.created.add(address)
    this.#created.push(address)
  }
}
