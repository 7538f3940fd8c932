// The gas of one native call. The table of a precompile prices its functions for a state of ordinary size; work on the
// state that goes beyond what this price covers is charged slot by slot. So no state, however grown, makes a call cheap.
import type { Address } from '../lib/hex.ts'

/**
 * Gas of the table's price that covers reading one slot or account, and changing one. Measured on two busy cores: 4 us a
 * read, 23 us a change with its part of the state root. So 1,000,000 gas cover at most 10,000 reads (40 ms) or 2,000
 * changes (46 ms).
 */
const COVERED_GAS = { read: 100n, write: 500n }

/** Gas of a read that the table's price does not cover. */
const READ_GAS = 200n

/** How a slot changes: from zero, to another value, to zero. An account that changes counts as `changed`. */
export type SlotChange = 'fresh' | 'changed' | 'cleared'

/**
 * Gas of a change that the table's price does not cover. The first two are SSTORE's for a cold slot (EIP-2929 with
 * EIP-3529: 22,100 and 5,000); SSTORE gives 4,800 of its 5,000 back for a cleared slot, what is left here is the work.
 */
const WRITE_GAS: { readonly [C in SlotChange]: bigint } = { fresh: 22_100n, changed: 5_000n, cleared: 1_000n }

/** Thrown where a call's gas ends. */
export class OutOfGas extends Error {}

/** Counts what a call uses up, and throws OutOfGas when that is more than its limit. */
export class GasMeter {
  readonly #limit: bigint
  #used = 0n
  /** Gas of the table's price that has not yet covered any work. */
  #cover = 0n
  /** Slots and accounts that this call has changed already: changing them again is no new entry in the trie. */
  readonly #changed = new Map<Address, Set<bigint | 'account'>>()

  constructor(limit: bigint) {
    this.#limit = limit
  }

  get used(): bigint {
    return this.#used
  }

  get left(): bigint {
    return this.#limit - this.#used
  }

  /** Charges work that is none on the state: the input, what another contract has used. */
  spend(gas: bigint): void {
    this.#used += gas
    if (this.#used > this.#limit) throw new OutOfGas()
  }

  /** Charges a price of the table, which covers work on the state to come. */
  charge(price: bigint): void {
    this.spend(price)
    this.#cover += price
  }

  /** Counts the reading of a slot or an account. */
  read(): void {
    this.#work(COVERED_GAS.read, READ_GAS)
  }

  /** Counts a change of a slot, or of the account itself. */
  write(of: Address, what: bigint | 'account', change: SlotChange): void {
    const changed = this.#changed.get(of) ?? new Set()
    if (changed.size === 0) this.#changed.set(of, changed)
    if (changed.has(what)) {
      this.read()
      return
    }
    changed.add(what)
    this.#work(COVERED_GAS.write, WRITE_GAS[change])
  }

  #work(covered: bigint, charged: bigint): void {
    if (this.#cover >= covered) this.#cover -= covered
    else this.spend(charged)
  }
}
