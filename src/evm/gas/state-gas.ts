// State gas (EIP-8037): what a transaction pays for the growth of the state. It is taken from a reservoir, the part of the gas limit
// above the cap of execution gas, and spills into the gas when the reservoir is empty. A frame that fails gives all of it back.

/** The reservoir, the state gas used, and the part of it that has spilled. */
export type StateGasLevels = { readonly reservoir: bigint; readonly used: bigint; readonly spilled: bigint }

export const NO_STATE_GAS_USED: StateGasLevels = { reservoir: 0n, used: 0n, spilled: 0n }

/** The gas of a transaction outside of its frames. */
export class GasBudget {
  gas: bigint
  reservoir: bigint
  used = 0n
  #spilled = 0n

  constructor(gas: bigint, reservoir: bigint) {
    this.gas = gas
    this.reservoir = reservoir
  }

  /** Gas that the sender gets back, before refunds. */
  get left(): bigint {
    return this.gas + this.reservoir
  }

  /** Charges both, or nothing: returns whether there was enough. */
  charge(gas: bigint, state: bigint): boolean {
    const spilled = state > this.reservoir ? state - this.reservoir : 0n
    if (gas + spilled > this.gas) return false
    this.gas -= gas + spilled
    this.reservoir -= state - spilled
    this.used += state
    this.#spilled += spilled
    return true
  }

  /** Gives state gas back: first what the gas has paid, then to the reservoir. */
  refund(state: bigint): void {
    const repaid = state < this.#spilled ? state : this.#spilled
    this.gas += repaid
    this.#spilled -= repaid
    this.reservoir += state - repaid
    this.used -= state
  }

  /** Ends the transaction's frame before it began: the gas is lost, the state gas is given back. */
  halt(): void {
    this.reservoir += this.used - this.#spilled
    this.gas = this.used = this.#spilled = 0n
  }

  /** Takes the end of the transaction's frame, which has been given all: its gas left, and its state gas if it succeeded. */
  take(gas: bigint, state: StateGasLevels | undefined): void {
    this.gas = gas
    if (state === undefined) return
    this.used += state.used
    this.#spilled += state.spilled
    const repaid = state.reservoir < this.#spilled ? state.reservoir : this.#spilled
    this.gas += repaid
    this.#spilled -= repaid
    this.reservoir = state.reservoir - repaid
  }
}
