// Grants (Cosmos SDK x/authz): by granter, grantee and message, each with an expiration in unix seconds. From that second on
// every read treats the grant as absent; a later block clears its storage.

import { getAddress } from 'viem'
import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import type { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { NATIVE_CONTRACT, operatorPrefix } from '../../spec/addresses.ts'
import { readSection } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import {
  type Allocation,
  afterTransfer,
  type CoinsOfChannel,
  checkedAllocations,
  listedIn,
  onlyChannelOf,
  overChannels,
  spendLimitOf,
  type TransferUse,
  totalLimit,
  withLimit,
} from './allocations.ts'
import { authzLayout, channelsOwn, clear, coversAllChannels, type Grant, setAllocations, spend } from './layout.ts'
import {
  type GenericMessage,
  type GrantableMessage,
  isLimitedMessage,
  type LimitedMessage,
  MESSAGE,
  type StakingMessage,
} from './messages.ts'

const SECONDS_A_YEAR = 365 * Number(SECONDS_A_DAY)
/** Maximum work of clearing expired grants in a block: one for each grant, and one for each coin and text in its lists. */
const MAX_CLEARED_PER_BLOCK = 200

/** The genesis section `kestrel.modules.authz`. */
const authzGenesis = z
  .strictObject({
    /** Lifetime of a grant in seconds. */
    defaultExpiration: z.int().positive().default(SECONDS_A_YEAR),
  })
  .prefault({})

/** An allowance without limit, also in arguments and results. */
export const UNLIMITED = 2n ** 256n - 1n

const missing = (to: string, of: Address): ChainError =>
  reverted(`authorization to ${to} for address ${getAddress(of)} does not exist or is expired`)

/** A grant that has not expired. */
export type LiveGrant = {
  readonly message: GrantableMessage
  /** Unix seconds. */
  readonly expiration: bigint
  /** The remaining limit, 2^256 - 1: none. For transfer grants: of the base coin through all channels. */
  readonly limit: bigint
  /** Of stake grants: the allowed validators' operators. */
  readonly validators: readonly Address[]
  /** Of transfer grants: the allocations. */
  readonly allocations: readonly Allocation[]
}

/** Lists of other modules that new grants contain. */
export type Grantable = {
  /** Operators of all validators that are not jailed, in order. */
  openValidators(): readonly Address[]
  /** All channels of this chain. */
  channels(): readonly Pick<CoinsOfChannel, 'sourcePort' | 'sourceChannel'>[]
}

export class Authz implements NativeModule<unknown> {
  readonly name = 'authz'
  readonly #context: ModuleContext
  readonly #state: ReturnType<typeof authzLayout.open>
  readonly #grantable: Grantable

  constructor(context: ModuleContext, grantable: Grantable) {
    this.#context = context
    this.#state = authzLayout.open(context.view.slots(NATIVE_CONTRACT.authorization, context.access))
    this.#grantable = grantable
  }

  initGenesis(genesis: unknown): void {
    const { defaultExpiration } = readSection('authz', authzGenesis, genesis)
    this.#state.lifetime.set(BigInt(defaultExpiration))
  }

  /** Lifetime of a grant in seconds. */
  lifetime(): bigint {
    return this.#state.lifetime.get()
  }

  /** All live grants from one account to another, in the order of the message list. */
  grantsBetween(granter: Address, grantee: Address): readonly LiveGrant[] {
    return Object.values(MESSAGE).flatMap((message) => {
      const found = this.#live(granter, grantee, message)
      if (found === undefined) return []
      return {
        message,
        expiration: found.expiration.get(),
        limit: isLimitedMessage(message) ? this.allowance(granter, grantee, message) : UNLIMITED,
        validators: found.validators.get(),
        allocations: message === MESSAGE.transfer ? this.#allocationsOf(found) : [],
      }
    })
  }

  /** Clears expired grants. */
  beginBlock(): void {
    const { expirations } = this.#state
    for (let cleared = 0; cleared < MAX_CLEARED_PER_BLOCK; cleared++) {
      const next = expirations.at(0)
      if (next === undefined || this.#isAhead(next.expiration)) return
      expirations.shift()
      const found = this.#grant(next.granter, next.grantee, next.message)
      // It may have been granted again since then.
      if (this.#isAhead(found.expiration.get())) continue
      cleared += found.validators.length
      if (next.message === MESSAGE.transfer) cleared += listedIn(found.allocations.get())
      clear(found)
    }
  }

  /** The validators that a new stake grant lists. */
  openValidators(): readonly Address[] {
    return this.#grantable.openValidators()
  }

  /**
   * Grants a message and replaces an older grant; an amount of zero revokes instead. A stake grant covers `amount` base units
   * (2^256 - 1: no limit) with the given validators; a transfer grant covers that amount through all channels together; other
   * grants have no amount.
   */
  approve(
    granter: Address,
    grantee: Address,
    message: GrantableMessage,
    amount: bigint,
    validators: readonly Address[],
  ): void {
    if (amount === 0n) {
      this.revoke(granter, grantee, message)
      return
    }
    const opened = this.#open(granter, grantee, message)
    if (!isLimitedMessage(message)) return
    opened.isUnlimited.set(amount === UNLIMITED)
    opened.limit.set(amount)
    if (message === MESSAGE.transfer) {
      opened.allocations.clear()
      return
    }
    if (validators.length === 0) throw reverted('both allowed & deny list cannot be empty')
    opened.validators.set(validators)
  }

  /** Revokes a grant. Throws ChainError if there is none. */
  revoke(granter: Address, grantee: Address, message: GrantableMessage): void {
    clear(this.#live(granter, grantee, message) ?? throwing(missing(message, grantee)))
  }

  /** Raises a grant's limit and returns the new one. Throws ChainError if it would exceed the maximum. */
  increaseAllowance(granter: Address, grantee: Address, message: LimitedMessage, amount: bigint): bigint {
    const found = this.#limited(granter, grantee, message)
    const channel = this.#onlyChannel(found, message)
    if (channel !== undefined) return this.increaseTransfer(granter, grantee, channel, amount)
    if (found.isUnlimited.get()) return UNLIMITED
    const limit = found.limit.get() + amount
    if (amount === UNLIMITED || limit > UNLIMITED) throw reverted('integer overflow when increasing allowance')
    found.limit.set(limit)
    return limit
  }

  /** Lowers a grant's limit, at least to zero, without deleting the grant; returns the new one. Throws ChainError. */
  decreaseAllowance(granter: Address, grantee: Address, message: LimitedMessage, amount: bigint): bigint {
    const found = this.#limited(granter, grantee, message)
    const channel = this.#onlyChannel(found, message)
    if (channel !== undefined) return this.decreaseTransfer(granter, grantee, channel, amount)
    if (found.isUnlimited.get()) return UNLIMITED
    const limit = found.limit.get()
    if (amount > limit) {
      const why = 'amount by which the allowance should be decreased is greater than the authorization limit'
      throw reverted(`${why}: ${amount} > ${limit}`)
    }
    found.limit.set(limit - amount)
    return limit - amount
  }

  /**
   * The remaining limit of a grant: 2^256 - 1: no limit, 0: no grant. For transfer grants: of the base coin through all
   * channels together.
   */
  allowance(granter: Address, grantee: Address, message: GrantableMessage): bigint {
    const found = this.#live(granter, grantee, message)
    if (found === undefined) return 0n
    const allocations = message === MESSAGE.transfer ? found.allocations.get() : []
    if (allocations.length > 0) return totalLimit(allocations, this.#context.spec.denom)
    return isLimitedMessage(message) && !found.isUnlimited.get() ? found.limit.get() : UNLIMITED
  }

  /** Throws ChainError unless the grant exists. Using it does not change it. */
  requireGeneric(granter: Address, grantee: Address, message: GenericMessage): void {
    if (this.#live(granter, grantee, message) === undefined) throw missing(message, grantee)
  }

  /** Throws ChainError unless the grant covers the amount. Returns the number of validators that it lists. */
  requireStake(granter: Address, grantee: Address, message: StakingMessage, amount: bigint): number {
    const found = this.#limited(granter, grantee, message)
    const limit = found.limit.get()
    if (!found.isUnlimited.get() && amount > limit) {
      throw reverted(`amount ${amount} greater than allowed limit ${limit}`)
    }
    return found.validators.length
  }

  /**
   * Subtracts an amount that `requireStake` allowed and deletes a used-up grant. Throws ChainError for an unlisted validator.
   */
  spendStake(granter: Address, grantee: Address, message: StakingMessage, amount: bigint, validator: Address): void {
    const found = this.#limited(granter, grantee, message)
    if (!found.validators.get().includes(validator)) {
      const operator = toBech32(operatorPrefix(this.#context.spec.bech32Prefix), validator)
      throw reverted(`cannot delegate/undelegate to ${operator} validator: unauthorized`)
    }
    spend(found, amount)
  }

  /** Grants IBC transfers and replaces an older grant. Throws ChainError. Does not check that the channels exist. */
  grantTransfer(granter: Address, grantee: Address, allocations: readonly Allocation[]): void {
    const checked = checkedAllocations(allocations)
    const opened = this.#open(granter, grantee, MESSAGE.transfer)
    opened.isUnlimited.clear()
    opened.limit.clear()
    opened.allocations.set(checked)
  }

  /** Revokes a transfer grant. Throws ChainError if there is none. */
  revokeTransfer(granter: Address, grantee: Address): void {
    clear(this.#transfer(granter, grantee))
  }

  /** The remaining allocations of a transfer grant, in its order; empty if there is none. */
  transferAllocations(granter: Address, grantee: Address): readonly Allocation[] {
    const found = this.#live(granter, grantee, MESSAGE.transfer)
    return found === undefined ? [] : this.#allocationsOf(found)
  }

  /** Raises the limit of one coin and returns the new one; no limit stays no limit. Throws ChainError. */
  increaseTransfer(granter: Address, grantee: Address, of: CoinsOfChannel, amount: bigint): bigint {
    const found = this.#transfer(granter, grantee)
    const allocations = channelsOwn(found)
    const before = spendLimitOf(allocations, of)
    if (before === UNLIMITED) return UNLIMITED
    const limit = before + amount
    if (limit > UNLIMITED) throw reverted('integer overflow when increasing allowance')
    found.allocations.set(withLimit(allocations, of, limit))
    return limit
  }

  /** Lowers the limit of one coin and returns the new one. At zero the coin is removed. Throws ChainError. */
  decreaseTransfer(granter: Address, grantee: Address, of: CoinsOfChannel, amount: bigint): bigint {
    const found = this.#transfer(granter, grantee)
    const allocations = channelsOwn(found)
    const before = spendLimitOf(allocations, of)
    if (amount > before) throw reverted('negative amount when decreasing allowance')
    setAllocations(found, withLimit(allocations, of, before - amount))
    return before - amount
  }

  /** Uses a transfer grant. Throws ChainError if it does not cover the transfer. */
  useTransfer(granter: Address, grantee: Address, use: TransferUse): void {
    const found = this.#transfer(granter, grantee)
    const left = afterTransfer(this.#allocationsOf(found), use)
    if (coversAllChannels(found)) spend(found, use.amount)
    else setAllocations(found, left)
  }

  /** The allocations of a transfer grant; one with a single limit for all channels has it in each allocation. */
  #allocationsOf(found: Grant): readonly Allocation[] {
    if (!coversAllChannels(found)) return found.allocations.get()
    const amount = found.isUnlimited.get() ? UNLIMITED : found.limit.get()
    return overChannels(this.#grantable.channels(), { denom: this.#context.spec.denom, amount })
  }

  /** The only channel whose allocation limits the base coin; undefined: the grant has one limit for all channels. */
  #onlyChannel(found: Grant, message: LimitedMessage): CoinsOfChannel | undefined {
    if (message !== MESSAGE.transfer || coversAllChannels(found)) return undefined
    return onlyChannelOf(found.allocations.get(), this.#context.spec.denom)
  }

  #grant(granter: Address, grantee: Address, message: GrantableMessage): Grant {
    return this.#state.grants.at(granter).at(grantee).at(message)
  }

  #live(granter: Address, grantee: Address, message: GrantableMessage): Grant | undefined {
    const found = this.#grant(granter, grantee, message)
    return this.#isAhead(found.expiration.get()) ? found : undefined
  }

  #limited(granter: Address, grantee: Address, message: LimitedMessage): Grant {
    return this.#live(granter, grantee, message) ?? throwing(missing(message, grantee))
  }

  #transfer(granter: Address, grantee: Address): Grant {
    return this.#live(granter, grantee, MESSAGE.transfer) ?? throwing(missing(getAddress(grantee), granter))
  }

  /** Creates a grant or renews its expiration; the caller sets what it allows. */
  #open(granter: Address, grantee: Address, message: GrantableMessage): Grant {
    const expiration = this.#context.block.timestamp + this.#state.lifetime.get()
    const opened = this.#grant(granter, grantee, message)
    opened.expiration.set(expiration)
    this.#state.expirations.push({ granter, grantee, message, expiration })
    return opened
  }

  #isAhead(time: bigint): boolean {
    return time > this.#context.block.timestamp
  }
}

const throwing = (error: Error): never => {
  throw error
}
