// Coins (Cosmos SDK x/bank). Balances of the base coin are the EVM's account balances; those of all other denominations are in
// the bank's storage. Every mint and burn, and `adjustSupply`, changes the supply.
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { NATIVE_ADDRESSES, NATIVE_CONTRACT } from '../spec/addresses.ts'
import { balanceNote } from '../state/balance-notes.ts'
import { cell, type Enumerable, enumerable, layout, mapping } from '../state/layout.ts'
import { address, text, u256 } from '../state/storage-types.ts'
import type { StateView } from '../state/types.ts'
import type { ModuleContext, NativeModule } from './module.ts'

/** Storage at the bank's address. */
export const bankLayout = layout({
  /** Supply of the base coin; on a fork only of what was created there. */
  supply: cell(u256),
  /** Supplies of the other denominations; zero supplies are not stored. */
  supplies: enumerable(text, u256),
  /** Balances of the other denominations; zero balances are not stored. */
  holdings: mapping(address, enumerable(text, u256)),
})

/** An amount in units of its denomination. */
export type Coin = { readonly denom: string; readonly amount: bigint }

const MOST = 2n ** 256n - 1n

/** Throws ChainError if the transfer is not allowed. */
export type SendRestriction = (from: Address, to: Address, amount: bigint) => void

/** The rule for delegating base coins of the module that locks them. Delegating is not a transfer. */
export type DelegationRule = {
  /** Called before coins are delegated. Throws ChainError if they may not be. */
  beforeDelegation(from: Address, amount: bigint): void
  /** Called after delegated coins were returned. */
  afterReturn(to: Address, amount: bigint): void
}

export type BankGenesis = { readonly supply: bigint }

export class Bank implements NativeModule<BankGenesis> {
  readonly name = 'bank'
  readonly #view: StateView
  readonly #denom: string
  readonly #state: ReturnType<typeof bankLayout.open>
  readonly #restrictions: SendRestriction[] = []
  #delegationRule: DelegationRule | undefined

  constructor({ view, spec, access }: ModuleContext) {
    this.#view = view
    this.#denom = spec.denom
    this.#state = bankLayout.open(view.slots(NATIVE_CONTRACT.bank, access))
  }

  initGenesis({ supply }: BankGenesis): void {
    this.#state.supply.set(supply)
  }

  supply(denom = this.#denom): bigint {
    return denom === this.#denom ? this.#state.supply.get() : (this.#state.supplies.get(denom) ?? 0n)
  }

  balance(of: Address, denom = this.#denom): bigint {
    return denom === this.#denom ? this.#view.balance(of) : (this.#state.holdings.at(of).get(denom) ?? 0n)
  }

  /** All supplies that are not zero: the base coin first, then by denomination. */
  supplies(): readonly Coin[] {
    return this.#listed(this.supply(), this.#state.supplies.entries())
  }

  /** All balances of an account that are not zero, in the same order. */
  balances(of: Address): readonly Coin[] {
    return this.#listed(this.balance(of), this.#state.holdings.at(of).entries())
  }

  /** Adds a check to all transfers of base coins, for modules that lock coins; `openModules` connects them. */
  addSendRestriction(restriction: SendRestriction): void {
    this.#restrictions.push(restriction)
  }

  /** Sets the rule of `delegate`, to which the send restrictions do not apply. */
  setDelegationRule(rule: DelegationRule): void {
    this.#delegationRule = rule
  }

  /** Moves base coins into a staking pool. Throws ChainError if the balance is too small or they may not be delegated. */
  delegate(from: Address, pool: Address, amount: bigint): void {
    this.#delegationRule?.beforeDelegation(from, amount)
    this.#requireBalance(from, amount, this.#denom)
    this.#view.transfer(from, pool, amount)
  }

  /** Moves delegated base coins back to their owner. */
  undelegate(pool: Address, to: Address, amount: bigint): void {
    this.transfer(pool, to, amount)
    this.#delegationRule?.afterReturn(to, amount)
  }

  /** Moves units of a denomination. Throws ChainError if the balance is too small or the sender may not send them. */
  transfer(from: Address, to: Address, amount: bigint, denom = this.#denom): void {
    if (denom === this.#denom) for (const restriction of this.#restrictions) restriction(from, to, amount)
    this.#requireBalance(from, amount, denom)
    if (denom === this.#denom) {
      this.#view.transfer(from, to, amount)
      return
    }
    this.#add(from, denom, -amount)
    this.#add(to, denom, amount)
  }

  /** Mints units. Throws ChainError if the supply would exceed 256 bits. */
  mint(to: Address, amount: bigint, denom = this.#denom): void {
    if (amount < 0n) throw new RangeError('negative amount')
    if (denom === this.#denom) {
      this.adjustSupply(amount)
      this.#view.addBalance(to, amount)
      return
    }
    const supply = this.supply(denom) + amount
    if (supply > MOST) throw new ChainError('execution-reverted', `supply of ${denom} overflows: invalid coins`)
    put(this.#state.supplies, denom, supply)
    this.#add(to, denom, amount)
  }

  /** Burns units. Throws ChainError if the balance is too small. */
  burn(from: Address, amount: bigint, denom = this.#denom): void {
    this.#requireBalance(from, amount, denom)
    if (denom === this.#denom) {
      this.adjustSupply(-amount)
      this.#view.addBalance(from, -amount)
      return
    }
    put(this.#state.supplies, denom, this.supply(denom) - amount)
    this.#add(from, denom, -amount)
  }

  /**
   * Changes the supply for base coins created or, if negative, destroyed. It stays within 0 and 2^256 - 1: a developer's edit may
   * create more, and on a fork coins of the forked chain, which the supply does not count, may be burnt.
   */
  adjustSupply(change: bigint): void {
    const supply = this.supply() + change
    this.#state.supply.set(supply < 0n ? 0n : supply > MOST ? MOST : supply)
  }

  #requireBalance(of: Address, amount: bigint, denom: string): void {
    if (amount < 0n) throw new RangeError('negative amount')
    const balance = this.balance(of, denom)
    if (balance >= amount) return
    throw new ChainError(
      'execution-reverted',
      `spendable balance ${balance}${denom} is smaller than ${amount}${denom}: insufficient funds`,
    )
  }

  /** Changes a balance of a denomination other than the base coin. */
  #add(to: Address, denom: string, amount: bigint): void {
    put(this.#state.holdings.at(to), denom, this.balance(to, denom) + amount)
    this.#view.balanceNotes.add(balanceNote(denom, to))
  }

  #listed(base: bigint, others: Iterable<[string, bigint]>): readonly Coin[] {
    const coins = [...others].map(([denom, amount]) => ({ denom, amount }))
    coins.sort((a, b) => (a.denom < b.denom ? -1 : 1))
    return base === 0n ? coins : [{ denom: this.#denom, amount: base }, ...coins]
  }
}

function put(amounts: Enumerable<string, bigint>, denom: string, amount: bigint): void {
  if (amount === 0n) amounts.delete(denom)
  else amounts.set(denom, amount)
}

/** Ethereum's precompiles: 0x01 to 0x11, and P256VERIFY (EIP-7951). */
const LAST_PRECOMPILE = 0x11n
const P256_VERIFY = 0x100n

/**
 * Whether an account may not receive transfers: module accounts, native contracts, precompiles. Not the contract of IBC, whose address
 * is any other account's on chains without it.
 */
export function isBlocked(of: Address): boolean {
  const number = BigInt(of)
  const isNative = NATIVE_ADDRESSES.has(of) && of !== NATIVE_CONTRACT.ibc
  return isNative || (number > 0n && number <= LAST_PRECOMPILE) || number === P256_VERIFY
}
