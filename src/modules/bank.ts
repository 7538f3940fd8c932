// The base coin. Balances have one home, the EVM's account balances; the bank adds the supply and the rules of sending.
// The supply moves with every coin made or destroyed: through mint and burn, or told by `adjustSupply`.
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { cell, layout } from '../state/layout.ts'
import type { StateView } from '../state/types.ts'
import { u256 } from '../state/words.ts'
import type { ModuleContext, NativeModule } from './module.ts'

/** Storage at the bank's address. */
export const bankLayout = layout({
  /** Base units in existence. */
  supply: cell(u256),
})

/** Throws ChainError if these coins must stay where they are. */
export type SendRestriction = (from: Address, to: Address, amount: bigint) => void

export type BankGenesis = { readonly supply: bigint }

export class Bank implements NativeModule<BankGenesis> {
  readonly name = 'bank'
  readonly #view: StateView
  readonly #denom: string
  readonly #state: ReturnType<typeof bankLayout.open>
  readonly #restrictions: SendRestriction[] = []

  constructor({ view, spec, access }: ModuleContext) {
    this.#view = view
    this.#denom = spec.denom
    this.#state = bankLayout.open(view.slots(NATIVE_CONTRACT.bank, access))
  }

  initGenesis({ supply }: BankGenesis): void {
    this.#state.supply.set(supply)
  }

  supply(): bigint {
    return this.#state.supply.get()
  }

  balance(of: Address): bigint {
    return this.#view.balance(of)
  }

  /** Has every later `transfer` asked first. For the modules that lock coins; tied in `openModules`. */
  restrictSends(restriction: SendRestriction): void {
    this.#restrictions.push(restriction)
  }

  /** Moves base units. Throws ChainError when the sender has too few or may not send them. */
  transfer(from: Address, to: Address, amount: bigint): void {
    for (const restriction of this.#restrictions) restriction(from, to, amount)
    this.#requireBalance(from, amount)
    this.#view.transfer(from, to, amount)
  }

  /** Makes new base units. */
  mint(to: Address, amount: bigint): void {
    if (amount < 0n) throw new RangeError('negative amount')
    this.adjustSupply(amount)
    this.#view.addBalance(to, amount)
  }

  /** Destroys base units. Throws ChainError when the account has too few. */
  burn(from: Address, amount: bigint): void {
    this.#requireBalance(from, amount)
    this.adjustSupply(-amount)
    this.#view.addBalance(from, -amount)
  }

  /** Notes that coins were made (or, negative, destroyed) outside the bank: withdrawals, a burnt base fee. */
  adjustSupply(change: bigint): void {
    this.#state.supply.set(this.supply() + change)
  }

  #requireBalance(of: Address, amount: bigint): void {
    if (amount < 0n) throw new RangeError('negative amount')
    const balance = this.balance(of)
    if (balance >= amount) return
    const denom = this.#denom
    throw new ChainError(
      'execution-reverted',
      `spendable balance ${balance}${denom} is smaller than ${amount}${denom}: insufficient funds`,
    )
  }
}
