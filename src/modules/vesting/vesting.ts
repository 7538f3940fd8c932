// The vesting module (Evmos x/vesting): clawback accounts. A funder grants coins that are released by schedules and may claw
// back unvested ones. Only the base coin vests. The holder's account has all coins from the start; the bank and the EVM read
// `locked-balance.ts` to know how many are locked. Errors have Evmos' wording.

import { toBech32 } from '../../lib/bech32.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { Bank, DelegationRule } from '../bank.ts'
import { isBlocked } from '../bank.ts'
import type { ModuleContext } from '../module.ts'
import { reverted } from '../module.ts'
import { type VestingAccount, type VestingState, vestingLayout } from './layout.ts'
import { lockedBalance, progressOf, vestingAccount } from './locked-balance.ts'
import { checkGrant, merge, type Schedule, scheduleOf, type VestingGrant, type VestingProgress } from './schedule.ts'

/** Balances of a clawback account, in base units. Locked coins may be vested or not. */
export type VestingBalances = { readonly locked: bigint; readonly unvested: bigint; readonly vested: bigint }

export type VestingRecord = {
  readonly funder: Address
  /** Unix seconds. */
  readonly start: bigint
  readonly lockup: Schedule
  readonly vesting: Schedule
  /** Base units that are delegated and not returned yet. */
  readonly delegated: bigint
  /** Whether governance may claw back, too. */
  readonly allowsGovernance: boolean
  readonly progress: VestingProgress
}

/** Maximum steps of one schedule: one per day over five years. A grant that needs more is refused. */
const MAX_STEPS = 2_000

export class Vesting {
  readonly #context: ModuleContext
  readonly #bank: Bank
  readonly #state: VestingState
  readonly #isContested: (account: Address) => boolean

  /** `isContested`: whether a governance vote on clawback from an account is open. */
  constructor(context: ModuleContext, bank: Bank, isContested: (account: Address) => boolean) {
    this.#context = context
    this.#isContested = isContested
    this.#bank = bank
    this.#state = vestingLayout.open(context.view.slots(NATIVE_CONTRACT.vesting, context.access))
  }

  /** Makes an ordinary account a clawback account without coins. `governance`: whether governance may claw back, too. */
  create(funder: Address, account: Address, governance: boolean): void {
    const { view } = this.#context
    const name = this.#name(account)
    if (funder === ZERO_ADDRESS) throw reverted('funder address cannot be the zero address: invalid address')
    if (account === ZERO_ADDRESS) throw reverted('vesting address cannot be the zero address: invalid address')
    if (isBlocked(account)) {
      throw reverted(`${name} is a blocked address and cannot be converted in a clawback vesting account: unauthorized`)
    }
    if (view.account(account) === undefined) throw reverted(`account ${name} does not exist: invalid request`)
    if (this.#find(account)) throw reverted(`${name} is already a clawback vesting account: invalid request`)
    if (isContract(view.code(account))) {
      const why = 'is a contract account and cannot be converted in a clawback vesting account'
      throw reverted(`account ${name} ${why}: invalid request`)
    }
    this.#state.funders.set(account, funder)
    this.#state.accounts.at(account).governance.set(governance)
  }

  /** Moves coins from the funder to the account and merges the grant with older ones. */
  fund(funder: Address, account: Address, grant: VestingGrant): void {
    const total = checkGrant(grant)
    if (isBlocked(account)) throw reverted(`${this.#name(account)} is not allowed to receive funds`)
    const of = this.#require(account)
    if (this.funder(account) !== funder) {
      const grantee = this.#name(account)
      const granter = this.#name(this.funder(account))
      throw reverted(`account ${grantee} can only accept grants from account ${granter}: invalid request`)
    }
    this.#bank.transfer(funder, account, total)
    const { start, lockup, vesting } = grant
    of.start.set(of.vesting.length === 0 || start < of.start.get() ? start : of.start.get())
    for (const [list, periods] of [[of.lockup, lockup] as const, [of.vesting, vesting] as const]) {
      const merged = merge(list.get(), scheduleOf(start, periods, total))
      if (merged.length > MAX_STEPS) throw reverted(`more than ${MAX_STEPS} periods in one schedule: invalid request`)
      list.set(merged)
    }
  }

  /**
   * Moves the unvested coins to `to` and makes the account an ordinary one: its locked coins are released, its delegations
   * stay. Returns the base units moved.
   */
  clawback(funder: Address, account: Address, to: Address): bigint {
    if (this.#isContested(account)) {
      const why = 'clawback is disabled while there is an active clawback proposal for account'
      throw reverted(`${why} ${this.#name(account)}: unauthorized`)
    }
    if (isBlocked(to)) {
      throw reverted(`${this.#name(to)} is a blocked address and not allowed to receive funds: unauthorized`)
    }
    const of = this.#requireSchedule(account)
    const recorded = this.funder(account)
    if (recorded !== funder) {
      throw reverted(`clawback can only be requested by original funder: ${this.#name(recorded)}: unauthorized`)
    }
    const { unvested } = this.balances(account)
    this.#forget(account, of)
    this.#bank.transfer(account, to, unvested)
    return unvested
  }

  /** As `clawback`, by governance, if the account allows it; `take` moves the unvested coins. */
  clawbackByGovernance(account: Address, take: (from: Address, amount: bigint) => void): void {
    const of = this.#requireSchedule(account)
    if (!of.governance.get())
      throw reverted(`${this.#name(account)}: account does not have governance clawback enabled`)
    const { unvested } = this.balances(account)
    this.#forget(account, of)
    take(account, unvested)
  }

  /** Replaces the funder of a clawback account. */
  updateFunder(funder: Address, newFunder: Address, account: Address): void {
    if (newFunder === ZERO_ADDRESS) throw reverted('new funder address cannot be the zero address: invalid address')
    if (newFunder === funder) throw reverted('new funder address is equal to current funder address')
    if (isBlocked(newFunder)) {
      const name = this.#name(newFunder)
      throw reverted(`${name} is a blocked address and not allowed to fund vesting accounts: unauthorized`)
    }
    this.#require(account)
    if (this.#isContested(account)) {
      const why = 'cannot update funder while there is an active clawback proposal for account'
      throw reverted(`${why} ${this.#name(account)}: unauthorized`)
    }
    const recorded = this.funder(account)
    if (recorded !== funder) {
      const why = 'is not the current funder and cannot update the funder address'
      throw reverted(`${this.#name(recorded)} ${why}: unauthorized`)
    }
    this.#state.funders.set(account, newFunder)
  }

  /** Makes an account whose coins are all vested and unlocked an ordinary one. */
  convert(account: Address): void {
    const of = this.#require(account)
    const { unvested, locked } = this.balances(account)
    const name = this.#name(account)
    if (unvested > 0n) throw reverted(`vesting coins still left in account: ${name}: invalid request`)
    if (locked > 0n) throw reverted(`locked up coins still left in account: ${name}: invalid request`)
    this.#forget(account, of)
  }

  /** The funder of a clawback account; the zero address for an ordinary account. */
  funder(account: Address): Address {
    return this.#state.funders.get(account) ?? ZERO_ADDRESS
  }

  /** Throws ChainError if the account is not a clawback account. */
  balances(account: Address): VestingBalances {
    const of = this.#find(account)
    if (of === undefined) {
      throw reverted(`account at address '${this.#name(account)}' either does not exist or is not a vesting account`)
    }
    const { original, unlocked, vested } = progressOf(of, this.#now())
    return { locked: original - unlocked, unvested: original - vested, vested }
  }

  /** A clawback account with its schedules; undefined for an ordinary account. */
  account(account: Address): VestingRecord | undefined {
    const of = this.#find(account)
    if (of === undefined) return undefined
    return {
      funder: this.funder(account),
      start: of.start.get(),
      lockup: of.lockup.get(),
      vesting: of.vesting.get(),
      delegated: of.delegated.get(),
      allowsGovernance: of.governance.get(),
      progress: progressOf(of, this.#now()),
    }
  }

  /** Number of stored steps of an account's two schedules; 0 for ordinary accounts. */
  steps(account: Address): number {
    const of = this.#find(account)
    return of === undefined ? 0 : of.lockup.length + of.vesting.length
  }

  /** Base units that an account may spend. */
  spendable(of: Address): bigint {
    const free = this.#bank.balance(of) - lockedBalance(this.#state, of, this.#now)
    return free > 0n ? free : 0n
  }

  /** For the bank: throws ChainError if a transfer would spend locked coins. */
  readonly requireSpendable = (from: Address, _to: Address, amount: bigint): void => {
    if (this.#find(from) === undefined || this.spendable(from) >= amount) return
    const { denom } = this.#context.spec
    throw reverted(
      `spendable balance ${this.spendable(from)}${denom} is smaller than ${amount}${denom}: insufficient funds`,
    )
  }

  /** For the bank: vested coins may be delegated while they are locked, unvested ones never. */
  readonly delegations: DelegationRule = {
    beforeDelegation: (from, amount) => {
      const of = this.#find(from)
      if (of === undefined) return
      const { original, vested } = progressOf(of, this.#now())
      const rest = this.#bank.balance(from) - (original - vested)
      const available = rest > 0n ? rest : 0n
      if (available < amount) {
        const why = 'cannot delegate unvested coins. coins available for delegation < delegation amount'
        throw reverted(`${why} (${available} < ${amount}): insufficient vested coins error`)
      }
      of.delegated.set(of.delegated.get() + amount)
    },
    afterReturn: (to, amount) => {
      const of = this.#find(to)
      if (of === undefined) return
      const delegated = of.delegated.get()
      of.delegated.set(delegated < amount ? 0n : delegated - amount)
    },
  }

  readonly #now = (): bigint => this.#context.block.timestamp

  #name(of: Address): string {
    return toBech32(this.#context.spec.bech32Prefix, of)
  }

  #find(of: Address): VestingAccount | undefined {
    return vestingAccount(this.#state, of)
  }

  #require(account: Address): VestingAccount {
    const found = this.#find(account)
    if (found !== undefined) return found
    const name = this.#name(account)
    if (this.#context.view.account(account) === undefined) {
      throw reverted(`account at address '${name}' does not exist: unknown address`)
    }
    throw reverted(`${name}: account is not subject to clawback vesting`)
  }

  #requireSchedule(account: Address): VestingAccount {
    const of = this.#require(account)
    if (of.vesting.length > 0) return of
    throw reverted(`account ${this.#name(account)} has no vesting or lockup periods: invalid request`)
  }

  #forget(account: Address, of: VestingAccount): void {
    const { start, lockup, vesting, delegated, governance } = of
    for (const cell of [start, lockup, vesting, delegated, governance]) cell.clear()
    this.#state.funders.delete(account)
  }
}

const DELEGATION = [0xef, 0x01, 0x00]

/** Code other than an EIP-7702 delegation, which an externally owned account may have. */
const isContract = (code: Uint8Array): boolean =>
  code.length > 0 && (code.length !== 23 || DELEGATION.some((byte, i) => code[i] !== byte))
