// The staking module (Cosmos SDK x/staking): its public functions, genesis and end of block. Validators are identified by their
// operator's address; amounts are base units; errors have the Cosmos SDK's wording.

import type { Dec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { isNetworkBlock, slashingVersion, stakingVersion } from '../../spec/block-rules.ts'
import type { Bank } from '../bank.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import { MAX_ENDED_PER_BLOCK, SLASH_WORK, type StakingContext, type StakingHooks } from './context.ts'
import { delegate, sharesOf } from './delegations.ts'
import { derivedConsensusKey, type StakingGenesis } from './genesis.ts'
import { stakingInvariants } from './invariants.ts'
import {
  type BondedValidator,
  type BondStatus,
  type PendingSlash,
  type Redelegation,
  type RedelegationEntry,
  type StakingParams,
  stakingLayout,
  type UnbondingEntry,
  type Validator,
} from './layout.ts'
import { createValidator, editValidator, type NewValidator, type ValidatorChange } from './operators.ts'
import { completeRedelegations, type Route, redelegate, redelegationEntries } from './redelegations.ts'
import {
  continuePendingSlashes,
  type Infraction,
  isSlashPending,
  jailValidator,
  requireNoSlashPending,
  slash,
  unjailValidator,
} from './slashing.ts'
import { cancelUnbonding, completeUnbondings, unbondingEntries, undelegate } from './unbonding.ts'
import {
  addValidator,
  compareAddresses,
  findStake,
  findValidator,
  replaceConsensusKey,
  requireValidator,
  type Stake,
  tokensFromShares,
  unbondAllMatureValidators,
  updateValidatorSet,
} from './validators.ts'

export class Staking implements NativeModule<StakingGenesis> {
  readonly name = 'staking'
  readonly #context: StakingContext

  constructor({ spec, block, view, access }: ModuleContext, bank: Bank, hooks: StakingHooks) {
    const state = stakingLayout.open(view.slots(NATIVE_CONTRACT.staking, access))
    const version = slashingVersion(spec)
    this.#context = {
      block,
      prefix: spec.bech32Prefix,
      bank,
      hooks,
      state,
      keepsLastValidator: isNetworkBlock(spec, block.number),
      slashingVersion: version,
      mostEnded: MAX_ENDED_PER_BLOCK[stakingVersion(spec)],
      slashWork: { left: version === 1 ? Number.POSITIVE_INFINITY : SLASH_WORK.ofBlock },
    }
  }

  /** Bonds the strongest validators; self-delegations are paid by the operators' accounts. */
  initGenesis({ validators, params, delegations }: StakingGenesis): void {
    const context = this.#context
    context.state.params.set(params)
    validators.forEach((of, index) => {
      const { operator, consensusKey = derivedConsensusKey(operator), moniker, minSelfDelegation, selfDelegation } = of
      const description = { moniker, identity: '', website: '', securityContact: '', details: '' }
      const commission = { ...of.commission, updateTime: context.block.timestamp }
      addValidator(context, { operator, consensusKey, minSelfDelegation, commission, description })
      fund(`kestrel.validators.${index}.selfDelegation`, () => this.delegate(operator, operator, selfDelegation))
    })
    delegations.forEach(({ delegator, validator, amount }, index) => {
      fund(`kestrel.modules.staking.delegations.${index}`, () => this.delegate(delegator, validator, amount))
    })
    updateValidatorSet(context)
  }

  endBlock(): void {
    updateValidatorSet(this.#context)
    if (isSlashPending(this.#context)) return
    unbondAllMatureValidators(this.#context)
    completeUnbondings(this.#context)
    completeRedelegations(this.#context)
  }

  /** Updates the bonded set, which signs the next block. Called at the end of a block, and after changes between blocks. */
  updateSet(): void {
    updateValidatorSet(this.#context)
  }

  params(): StakingParams {
    return this.#context.state.params.get()
  }

  /** Replaces the parameters. A new size of the set of validators takes effect at the end of the block. */
  updateParams(params: Omit<StakingParams, 'powerReduction'>): void {
    this.#context.state.params.update(params)
    this.#context.state.powersChanged.set(true)
  }

  /** undefined: no validator with this operator. */
  validator(operator: Address): Validator | undefined {
    return findValidator(this.#context, operator)
  }

  /** The members that delegations need; undefined: no validator with this operator. */
  stake(operator: Address): Stake | undefined {
    return findStake(this.#context, operator)
  }

  /** Whether there is a validator with this operator. */
  has(operator: Address): boolean {
    return this.#context.state.operators.has(operator)
  }

  /** undefined: no validator with this operator. */
  status(operator: Address): BondStatus | undefined {
    return this.has(operator) ? this.#context.state.validators.at(operator).member('status') : undefined
  }

  /** Operators of the validators that are not jailed, in order of their bytes. */
  openOperators(): readonly Address[] {
    return this.operators().filter((operator) => !this.#context.state.validators.at(operator).member('jailed'))
  }

  /** The operator's part of the rewards. Reads only this member, because every block needs it. */
  commissionRate(operator: Address): Dec {
    return this.#context.state.validators.at(operator).member('commission').rate
  }

  /** Operators of all validators, in order of their bytes. */
  operators(): readonly Address[] {
    return [...this.#context.state.operators.keys()].sort(compareAddresses)
  }

  /** All validators, in order of operator. */
  validators(): readonly Validator[] {
    return this.operators().map((operator) => requireValidator(this.#context, operator))
  }

  /** The validators that sign this block, the strongest first, with their power as of the end of the block before. */
  bondedValidators(): readonly BondedValidator[] {
    return this.#context.state.bonded.get()
  }

  /** Tokens of all bonded validators. */
  totalBonded(): bigint {
    return this.bondedValidators().reduce((sum, { operator }) => sum + (this.stake(operator)?.tokens ?? 0n), 0n)
  }

  delegation(delegator: Address, operator: Address): { readonly shares: Dec } | undefined {
    const shares = sharesOf(this.#context, delegator, operator)
    return shares === 0n ? undefined : { shares }
  }

  /** The number of validators that a delegator delegates to. */
  delegationCount(delegator: Address): number {
    return this.#context.state.delegations.at(delegator).size
  }

  /** In order of operator. */
  delegationsOf(delegator: Address): readonly { readonly operator: Address; readonly shares: Dec }[] {
    const all = [...this.#context.state.delegations.at(delegator).entries()]
    return all
      .map(([operator, shares]) => ({ operator, shares }))
      .sort((a, b) => compareAddresses(a.operator, b.operator))
  }

  /** In order of delegator. */
  delegationsTo(operator: Address): readonly { readonly delegator: Address; readonly shares: Dec }[] {
    return [...this.#context.state.delegators.at(operator).keys()]
      .sort(compareAddresses)
      .map((delegator) => ({ delegator, shares: sharesOf(this.#context, delegator, operator) }))
  }

  /** Number of delegators of a validator. */
  delegatorCount(operator: Address): number {
    return this.#context.state.delegators.at(operator).size
  }

  /** Accounts with tokens unbonding from a validator, in order of their bytes. */
  unbondersOf(operator: Address): readonly Address[] {
    return [...this.#context.state.unbonders.at(operator).keys()].sort(compareAddresses)
  }

  /** The tokens of shares of a validator, as a Dec, rounded. Zero for a validator without delegations. */
  tokensFromShares(operator: Address, shares: Dec): Dec {
    const validator = this.stake(operator)
    return validator === undefined || validator.shares === 0n ? 0n : tokensFromShares(validator, shares)
  }

  /** Open unbonding entries of a pair, in order of creation. */
  unbonding(delegator: Address, operator: Address): readonly UnbondingEntry[] {
    return unbondingEntries(this.#context, delegator, operator)
  }

  /** Validators from which a delegator is unbonding. */
  unbondingOf(delegator: Address): readonly Address[] {
    return [...this.#context.state.unbondings.at(delegator).keys()].sort(compareAddresses)
  }

  /** Open entries of a redelegation, in order of creation. */
  redelegation(delegator: Address, source: Address, destination: Address): readonly RedelegationEntry[] {
    return redelegationEntries(this.#context, { delegator, source, destination })
  }

  /** A delegator's redelegations without the first `skip`. */
  *redelegationsOf(delegator: Address, skip = 0): Iterable<Redelegation> {
    const { state } = this.#context
    for (const key of state.redelegationsOf.at(delegator).keys(skip)) yield state.redelegations.at(key).get()
  }

  /** Redelegations away from a validator, without the first `skip`. */
  *redelegationsFrom(source: Address, skip = 0): Iterable<Redelegation> {
    const { state } = this.#context
    for (const key of state.redelegationsFrom.at(source).keys(skip)) yield state.redelegations.at(key).get()
  }

  /** Bonds coins of the delegator's account. Returns the new shares. */
  delegate(delegator: Address, operator: Address, amount: bigint): Dec {
    if (amount <= 0n) throw reverted('invalid delegation amount: invalid request')
    requireNoSlashPending(this.#context, delegator, operator)
    return delegate(this.#context, delegator, operator, amount, 'account')
  }

  /** Begins the unbonding of tokens. Returns the completion time in unix seconds. */
  undelegate(delegator: Address, operator: Address, amount: bigint): bigint {
    if (amount <= 0n) throw reverted('invalid shares amount: invalid request')
    requireNoSlashPending(this.#context, delegator, operator)
    return undelegate(this.#context, delegator, operator, amount)
  }

  /** Moves tokens to another validator. Returns the completion time in unix seconds. */
  redelegate(delegator: Address, source: Address, destination: Address, amount: bigint): bigint {
    if (amount <= 0n) throw reverted('invalid shares amount: invalid request')
    for (const operator of [source, destination]) requireNoSlashPending(this.#context, delegator, operator)
    return redelegate(this.#context, { delegator, source, destination } satisfies Route, amount)
  }

  /** Cancels unbonding that began at `creationHeight`: delegates the tokens again. Returns the new shares. */
  cancelUnbonding(delegator: Address, operator: Address, amount: bigint, creationHeight: bigint): Dec {
    if (amount <= 0n) throw reverted('invalid amount: invalid request')
    if (creationHeight <= 0n || creationHeight >= 2n ** 63n) throw reverted('invalid height: invalid request')
    requireNoSlashPending(this.#context, delegator, operator)
    return cancelUnbonding(this.#context, delegator, operator, amount, creationHeight)
  }

  createValidator(validator: NewValidator): void {
    createValidator(this.#context, validator)
  }

  editValidator(operator: Address, change: ValidatorChange): void {
    editValidator(this.#context, operator, change)
  }

  /**
   * Burns a fraction of the tokens that a validator had at the infraction height. Returns the tokens burnt at the validator: 0 when
   * the slash stays pending.
   */
  slash(operator: Address, infraction: Infraction): bigint {
    return slash(this.#context, operator, infraction)
  }

  /** Continues unfinished slashes of earlier blocks. Called at the beginning of a block. */
  continuePendingSlashes(): void {
    continuePendingSlashes(this.#context)
  }

  /** Unfinished slashes, in the order in which they will be finished. */
  pendingSlashes(): readonly PendingSlash[] {
    return isSlashPending(this.#context) ? this.#context.state.pendingSlashes.get() : []
  }

  /** Jails a validator; `until` is the earliest time at which it can be unjailed. */
  jail(operator: Address, until = 0n): void {
    jailValidator(this.#context, operator, until)
  }

  unjail(operator: Address): void {
    unjailValidator(this.#context, operator)
  }

  /** Replaces a validator's consensus key. Throws ChainError `validator does not exist`. */
  replaceConsensusKey(operator: Address, key: Hash): void {
    replaceConsensusKey(this.#context, operator, key)
  }

  /** Describes the broken invariants. Call it between blocks. */
  invariants(): readonly string[] {
    return stakingInvariants(this.#context)
  }
}

/** Runs a delegation of the genesis; its error names the field of the genesis file. */
function fund(field: string, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError('invalid-genesis', `${field}: ${error.message}`)
  }
}
