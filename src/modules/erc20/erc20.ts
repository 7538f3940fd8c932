// Token pairs (Evmos and cosmos/evm, x/erc20): ERC-20 contracts whose tokens are also coins `erc20/0x…` (`erc20:0x…`), and coins that have an
// ERC-20 contract of the module: IBC vouchers at their address, on chains with cosmos/evm's interfaces the base coin too. Coins of an
// external pair are backed by tokens that the module account holds. This module calls no contract; `precompiles/tokens.ts`
// transfers the tokens.

import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import { type Address, type Hash, hexToAddress, toHash, ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT, WERC20 } from '../../spec/addresses.ts'
import { hasIbc } from '../../spec/block-rules.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import type { StateView } from '../../state/types.ts'
import type { Bank } from '../bank.ts'
import { isBlocked } from '../bank.ts'
import { readSection } from '../genesis-section.ts'
import { createNativeAccount, type ModuleContext, type NativeModule, reverted } from '../module.ts'
import { allowanceLayout, type DueTokens, erc20Layout, type Pair, type TokenMetadata } from './layout.ts'

/** On chains with IBC as in cosmos/evm, because IBC version 2 carries no denominations with slashes; on others as in Evmos. */
const prefixOf = (spec: Pick<NativeSpec, 'modules'>): string => (hasIbc(spec) ? 'erc20:' : 'erc20/')
const UNLIMITED = 2n ** 256n - 1n

/** Most invalid entries that one `takeDueTokens` removes from the queue; further ones are removed in later blocks. */
const MAX_DROPPED_PER_TAKE = 100

/** The coin of an external pair. */
export const coinOf = (spec: Pick<NativeSpec, 'modules'>, token: Address): string =>
  `${prefixOf(spec)}${getAddress(token)}`

/** A pair's number in Evmos: SHA-256 of `0x…|denom`. */
export const pairId = ({ token, denom }: Pick<Pair, 'token' | 'denom'>): Hash =>
  toHash(
    createHash('sha256')
      .update(`${getAddress(token)}|${denom}`, 'utf8')
      .digest(),
  )

/** Whether an address is the module's ERC-20 contract of a coin. Reads a single pair. */
export function isCoinContract(view: StateView, address: Address): boolean {
  const { pairs } = erc20Layout.open(view.slots(MODULE_ACCOUNT.erc20, 'read'))
  return pairs.get(address)?.owner === 'module'
}

export class Erc20 implements NativeModule<Erc20Genesis> {
  readonly name = 'erc20'
  readonly #context: ModuleContext
  readonly #bank: Bank
  readonly #spendable: (of: Address) => bigint
  readonly #state: ReturnType<typeof erc20Layout.open>

  /** `spendable`: base units that an account may spend. */
  constructor(context: ModuleContext, bank: Bank, spendable: (of: Address) => bigint) {
    this.#context = context
    this.#bank = bank
    this.#spendable = spendable
    this.#state = erc20Layout.open(context.view.slots(MODULE_ACCOUNT.erc20, context.access))
  }

  initGenesis({ enabled, pairs }: Erc20Genesis): void {
    const { view, spec } = this.#context
    this.#state.isEnabled.set(enabled)
    if (this.#isCosmosEvm) {
      const { denom, symbol, coinName: name = symbol } = spec
      createNativeAccount(view, WERC20)
      this.#add({ token: WERC20, denom, owner: 'module', isEnabled: true, name, symbol, decimals: 18n })
    }
    for (const { address, enabled: isEnabled, name, symbol, decimals } of pairs) {
      this.register({
        token: address,
        denom: coinOf(spec, address),
        isEnabled,
        name,
        symbol,
        decimals: BigInt(decimals),
      })
    }
  }

  updateParams(isEnabled: boolean): void {
    this.#state.isEnabled.set(isEnabled)
  }

  /** Whether conversions of tokens and coins are enabled. */
  params(): { readonly isEnabled: boolean } {
    return { isEnabled: this.#state.isEnabled.get() }
  }

  /** Registers a pair with an external contract. Throws ChainError if the contract or the coin is in a pair already. */
  register(pair: Omit<Pair, 'owner'>): void {
    this.#add({ ...pair, owner: 'external' })
  }

  /** Stores a contract's name, symbol and decimals until governance has decided on its registration. */
  describe(token: Address, metadata: TokenMetadata): void {
    this.#state.described.at(token).set({ isDescribed: true, ...metadata })
  }

  /**
   * Registers a pair with a contract whose metadata is stored. Throws ChainError if it is not stored, or the contract no longer
   * exists.
   */
  registerDescribed(token: Address): void {
    if (!this.#state.isEnabled.get()) {
      throw reverted('registration is currently disabled by governance: erc20 module is disabled')
    }
    const { isDescribed, ...metadata } = this.#state.described.at(token).get()
    if (!isDescribed || this.#context.view.code(token).length === 0) {
      throw reverted(`token contract ${getAddress(token)} does not exist`)
    }
    this.register({ token, denom: coinOf(this.#context.spec, token), isEnabled: true, ...metadata })
  }

  /** Disables a pair or enables it again, by its contract or coin. Throws ChainError if there is no such pair. */
  toggleNamed(text: string): void {
    const pair = this.pairOf(text) ?? this.named(text)
    if (pair === undefined) throw reverted('token pair not found')
    this.toggle(pair.token)
  }

  /** Disables a pair or enables it again. Throws ChainError if there is no such pair. */
  toggle(token: Address): void {
    const pair = this.pair(token)
    if (pair === undefined) throw reverted('token pair not found')
    this.#state.pairs.set(token, { ...pair, isEnabled: !pair.isEnabled })
  }

  pair(token: Address): Pair | undefined {
    return this.#state.pairs.get(token)
  }

  pairOf(denom: string): Pair | undefined {
    const token = this.tokenOf(denom)
    return token === undefined ? undefined : this.pair(token)
  }

  /** The contract of a coin's pair; undefined: no pair. */
  tokenOf(denom: string): Address | undefined {
    const token = this.#state.tokens.at(denom).get()
    return token === ZERO_ADDRESS ? undefined : token
  }

  pairs(): readonly Pair[] {
    return [...this.#state.pairs.entries()].map(([, pair]) => pair)
  }

  /**
   * The pair that a user names by its contract, `0x…` or the coin's name, in upper or lower case; undefined for any other name.
   * Throws ChainError if the contract has no pair.
   */
  named(text: string): Pair | undefined {
    const prefix = prefixOf(this.#context.spec)
    const digits = text.startsWith(prefix) ? text.slice(prefix.length) : text
    if (!/^0x[0-9a-fA-F]{40}$/.test(digits)) return undefined
    const pair = this.pair(hexToAddress(digits))
    if (pair === undefined) throw reverted('token pair not found')
    return pair
  }

  /** Throws ChainError unless tokens and coins of the pair can be converted. */
  requireEnabled({ isEnabled }: Pair): void {
    if (!this.#state.isEnabled.get()) throw reverted('erc20 module is disabled')
    if (!isEnabled) throw reverted('erc20 token pair is disabled')
  }

  /** Mints coins for tokens that the module has received. */
  mintCoins({ denom }: Pair, to: Address, amount: bigint): void {
    this.#bank.mint(to, amount, denom)
  }

  /** Queues an account's coins of an external pair for conversion to tokens at the end of a block. Ignores other coins. */
  returnTokens(denom: string, holder: Address, amount: bigint): void {
    const pair = this.pairOf(denom)
    if (pair?.owner === 'external') this.#state.dueTokens.push({ holder, token: pair.token, amount })
  }

  /** Takes the oldest queue entry; the module holds its coins until `settle`. Removes entries that cannot be paid. */
  takeDueTokens(): (DueTokens & { readonly pair: Pair }) | undefined {
    for (let dropped = 0; dropped < MAX_DROPPED_PER_TAKE; dropped++) {
      const due = this.#state.dueTokens.shift()
      if (due === undefined) return undefined
      const pair = this.pair(due.token)
      if (pair === undefined || !pair.isEnabled || !this.#state.isEnabled.get()) continue
      if (this.#bank.balance(due.holder, pair.denom) < due.amount) continue
      this.#bank.transfer(due.holder, MODULE_ACCOUNT.erc20, due.amount, pair.denom)
      return { ...due, pair }
    }
    return undefined
  }

  /** Burns the coins after their tokens were paid out, or returns them to their holder if not. */
  settle({ holder, amount, pair }: DueTokens & { readonly pair: Pair }, isPaid: boolean): void {
    if (isPaid) this.#bank.burn(MODULE_ACCOUNT.erc20, amount, pair.denom)
    else this.#bank.transfer(MODULE_ACCOUNT.erc20, holder, amount, pair.denom)
  }

  /** Creates a voucher's ERC-20 contract, once. Does nothing if the address has code already (which cannot happen). */
  createVoucherContract(pair: Omit<Pair, 'owner' | 'isEnabled'>): void {
    const { view } = this.#context
    if (this.pair(pair.token) !== undefined || view.code(pair.token).length > 0) return
    createNativeAccount(view, pair.token)
    this.#add({ ...pair, owner: 'module', isEnabled: true })
  }

  /** Units of a coin that an account may spend: without what is locked (vesting). */
  spendable({ denom }: Pair, of: Address): bigint {
    return denom === this.#context.spec.denom ? this.#spendable(of) : this.#bank.balance(of, denom)
  }

  /** Moves coins, called by their ERC-20 contract. Throws ChainError if they may not be spent or the receiver is blocked. */
  transferCoins(pair: Pair, from: Address, to: Address, amount: bigint): void {
    const { spec } = this.#context
    const { denom } = pair
    if (this.#isCosmosEvm) {
      if (amount === 0n) throw reverted(`coin 0${denom} amount is not positive`)
    } else if (to === ZERO_ADDRESS) throw reverted('ERC20: transfer to the zero address')
    if (isBlocked(to))
      throw reverted(`${toBech32(spec.bech32Prefix, to)} is not allowed to receive funds: unauthorized`)
    if (this.spendable(pair, from) < amount) throw reverted('ERC20: transfer amount exceeds balance')
    this.#bank.transfer(from, to, amount, denom)
  }

  allowance({ token }: Pair, owner: Address, spender: Address): bigint {
    return this.#allowance(token, owner, spender).get()
  }

  /** Throws ChainError if the spender is the zero address; with cosmos/evm's interfaces also if the pair is disabled. */
  approve(pair: Pair, owner: Address, spender: Address, amount: bigint): void {
    const allowance = this.#allowance(pair.token, owner, spender)
    if (!this.#isCosmosEvm) {
      if (spender === ZERO_ADDRESS) throw reverted('ERC20: approve to the zero address')
    } else if (amount > 0n || allowance.get() > 0n) {
      requireAllowances(pair)
      if (spender === ZERO_ADDRESS) throw reverted('spender address is empty: invalid address')
    }
    allowance.set(amount)
  }

  /**
   * Lowers an allowance and returns the rest. Throws ChainError if it is too low. An allowance of 2^256 - 1 is unlimited, but not with
   * cosmos/evm's interfaces, where a disabled pair's cannot be spent.
   */
  spendAllowance(pair: Pair, owner: Address, spender: Address, amount: bigint): bigint {
    const allowance = this.#allowance(pair.token, owner, spender)
    const before = allowance.get()
    if (before === UNLIMITED && !this.#isCosmosEvm) return before
    if (before < amount) throw reverted('ERC20: insufficient allowance')
    if (this.#isCosmosEvm) requireAllowances(pair)
    allowance.set(before - amount)
    return before - amount
  }

  get #isCosmosEvm(): boolean {
    return this.#context.spec.interfaces === 'cosmos-evm'
  }

  #allowance(token: Address, owner: Address, spender: Address) {
    const { view, access } = this.#context
    return allowanceLayout.open(view.slots(token, access)).allowances.at(owner).at(spender)
  }

  #add(pair: Pair): void {
    const { pairs, tokens } = this.#state
    if (pairs.has(pair.token) || tokens.at(pair.denom).get() !== ZERO_ADDRESS)
      throw reverted('token pair already exists')
    pairs.set(pair.token, pair)
    tokens.at(pair.denom).set(pair.token)
  }
}

/** Throws ChainError if the allowances of a pair cannot change. */
function requireAllowances({ token, isEnabled }: Pair): void {
  if (isEnabled) return
  throw reverted(`token pair for address '${getAddress(token)}' is disabled: erc20 token pair is disabled`)
}

export type GenesisPair = {
  readonly address: Address
  readonly enabled: boolean
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

export type Erc20Genesis = { readonly enabled: boolean; readonly pairs: readonly GenesisPair[] }

const pair = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'expected an address of 20 bytes of hex' })
    .transform(hexToAddress),
  enabled: z.boolean().default(true),
  /** The token's own metadata, for its vouchers. */
  name: z.string().max(128).default(''),
  symbol: z.string().max(128).default(''),
  decimals: z.int().min(0).max(255).default(18),
})

const section = z
  .strictObject({
    enabled: z.boolean().default(true),
    pairs: z
      .array(pair)
      .refine((pairs) => new Set(pairs.map(({ address }) => address)).size === pairs.length, {
        error: 'expected each contract once',
      })
      .default([]),
  })
  .prefault({})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readErc20Genesis = (json: unknown): Erc20Genesis => readSection('erc20', section, json)
