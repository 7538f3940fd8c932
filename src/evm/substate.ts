// The accrued substate of a transaction (Yellow Paper, 6.1): refunds, logs, destroyed and created accounts. A failing frame
// reverts what was added since it began.
import type { Address } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'

const NONE_DESTROYED: ReadonlyMap<Address, Address> = new Map()
const NONE_CREATED: ReadonlySet<Address> = new Set()

export type SubstateMark = {
  readonly refund: number
  readonly logs: number
  readonly destroyed: number
  readonly created: number
}

export class Substate {
  refund: number
  readonly logs: Log[] = []
  /** Allocated on the first entry: few messages destroy or create an account. */
  #destroyed: Map<Address, Address> | undefined
  #created: Set<Address> | undefined
  readonly #destroyedHere: Address[] = []
  readonly #createdHere: Address[] = []

  constructor(refund = 0) {
    this.refund = refund
  }

  /** Destroyed accounts with their beneficiaries. */
  get destroyed(): ReadonlyMap<Address, Address> {
    return this.#destroyed ?? NONE_DESTROYED
  }

  get created(): ReadonlySet<Address> {
    return this.#created ?? NONE_CREATED
  }

  mark(): SubstateMark {
    const { refund, logs } = this
    return { refund, logs: logs.length, destroyed: this.#destroyedHere.length, created: this.#createdHere.length }
  }

  undo({ refund, logs, destroyed, created }: SubstateMark): void {
    this.refund = refund
    this.logs.length = logs
    for (const address of this.#destroyedHere.splice(destroyed)) this.#destroyed?.delete(address)
    for (const address of this.#createdHere.splice(created)) this.#created?.delete(address)
  }

  destroy(address: Address, beneficiary: Address): void {
    this.#destroyed ??= new Map()
    if (!this.#destroyed.has(address)) this.#destroyedHere.push(address)
    this.#destroyed.set(address, beneficiary)
  }

  create(address: Address): void {
    this.#created ??= new Set()
    if (this.#created.has(address)) return
    this.#created.add(address)
    this.#createdHere.push(address)
  }

  /** A copy for a message from a native contract: the same refund and accounts, without the logs. */
  child(): Substate {
    const child = new Substate(this.refund)
    if (this.#destroyed !== undefined) child.#destroyed = new Map(this.#destroyed)
    if (this.#created !== undefined) child.#created = new Set(this.#created)
    return child
  }

  /** Adds the refund and accounts of a successful child. The native contract passes on the child's logs itself. */
  adopt(child: Substate): void {
    this.refund = child.refund
    for (const [address, beneficiary] of child.destroyed) this.destroy(address, beneficiary)
    for (const address of child.created) this.create(address)
  }
}
