// Storage of the staking module, at its contract's address, and its plain records. Tokens and amounts are base units;
// shares and fractions are Decs (10^-18); times are unix seconds.
import type { Dec } from '../../lib/dec.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, hash, oneOf, text, u64, u256 } from '../../state/storage-types.ts'

export type BondStatus = 'unbonded' | 'unbonding' | 'bonded'

export type Description = {
  readonly moniker: string
  readonly identity: string
  readonly website: string
  readonly securityContact: string
  readonly details: string
}

export type CommissionRates = { readonly rate: Dec; readonly maxRate: Dec; readonly maxChangeRate: Dec }

export type Validator = {
  /** Account of the operator, which identifies the validator. */
  readonly operator: Address
  /** Public ed25519 key. */
  readonly consensusKey: Hash
  readonly status: BondStatus
  readonly jailed: boolean
  readonly tokens: bigint
  /** Sum of all delegations' shares. */
  readonly shares: Dec
  readonly minSelfDelegation: bigint
  /** Block and completion of its latest unbonding; zero if it was never unbonding. */
  readonly unbondingHeight: bigint
  readonly unbondingTime: bigint
  readonly commission: CommissionRates & {
    /** When the rate was last set. */
    readonly updateTime: bigint
  }
  readonly description: Description
  /** Earliest time at which it may be unjailed. */
  readonly jailedUntil: bigint
}

/** Tokens that are unbonding. */
export type UnbondingEntry = {
  readonly id: bigint
  readonly creationHeight: bigint
  readonly completionTime: bigint
  readonly initialBalance: bigint
  readonly balance: bigint
}

/** Redelegated tokens that infractions of the source validator can slash until `completionTime`. */
export type RedelegationEntry = {
  readonly id: bigint
  readonly creationHeight: bigint
  readonly completionTime: bigint
  readonly initialBalance: bigint
  readonly sharesDst: Dec
}

export type Redelegation = {
  readonly delegator: Address
  readonly source: Address
  readonly destination: Address
  readonly entries: readonly RedelegationEntry[]
}

export type StakingParams = {
  /** Seconds. */
  readonly unbondingTime: bigint
  readonly maxValidators: bigint
  /** Open entries of one (delegator, validator) and of one (delegator, source, destination). */
  readonly maxEntries: bigint
  readonly minCommissionRate: Dec
  /** Tokens per unit of voting power. */
  readonly powerReduction: bigint
}

/** A slash that the block of its report has not finished. */
export type PendingSlash = {
  /** The validator that is slashed. */
  readonly operator: Address
  /** Entries that were created before this height are not liable. */
  readonly infractionHeight: bigint
  /** Time of the reporting block: entries that were complete at that time are not liable. */
  readonly time: bigint
  readonly fraction: Dec
  /** Tokens to burn at the validator itself, after what entries have covered so far. */
  readonly left: bigint
  /** Number of slashed `unbonders`, then of slashed `redelegationsFrom`. */
  readonly done: bigint
}

/** A bonded validator with its power at the end of the previous block. */
export type BondedValidator = { readonly operator: Address; readonly power: bigint }

const validator = struct<Omit<Validator, 'operator'>>({
  consensusKey: hash,
  status: oneOf('unbonded', 'unbonding', 'bonded'),
  jailed: bool,
  tokens: u256,
  shares: dec,
  minSelfDelegation: u256,
  unbondingHeight: u64,
  unbondingTime: u64,
  commission: struct<Validator['commission']>({ rate: dec, maxRate: dec, maxChangeRate: dec, updateTime: u64 }),
  description: struct<Description>({
    moniker: text,
    identity: text,
    website: text,
    securityContact: text,
    details: text,
  }),
  jailedUntil: u64,
})

const unbondingEntry = struct<UnbondingEntry>({
  id: u64,
  creationHeight: u64,
  completionTime: u64,
  initialBalance: u256,
  balance: u256,
})

const redelegation = struct<Redelegation>({
  delegator: address,
  source: address,
  destination: address,
  entries: list(
    struct<RedelegationEntry>({
      id: u64,
      creationHeight: u64,
      completionTime: u64,
      initialBalance: u256,
      sharesDst: dec,
    }),
  ),
})

export const stakingLayout = layout({
  params: struct<StakingParams>({
    unbondingTime: u64,
    maxValidators: u64,
    maxEntries: u64,
    minCommissionRate: dec,
    powerReduction: u256,
  }),
  /** Operators with their consensus keys. */
  operators: enumerable(address, hash),
  /** By operator. */
  validators: mapping(address, validator),
  operatorByKey: mapping(hash, address),
  /** In order of power, as of the end of the last block. */
  bonded: list(struct<BondedValidator>({ operator: address, power: u256 })),
  /** Whether a validator's tokens or jail status changed since then. */
  powersChanged: bool,
  /** Shares by delegator and operator. */
  delegations: mapping(address, enumerable(address, dec)),
  /** Operator to its delegators. */
  delegators: mapping(address, enumerable(address, bool)),
  /** By delegator and operator; pairs without entries are not stored. */
  unbondings: mapping(address, enumerable(address, list(unbondingEntry))),
  /** Operator to delegators with unbonding entries. */
  unbonders: mapping(address, enumerable(address, bool)),
  /** By keccak256(delegator . source . destination). */
  redelegations: mapping(hash, redelegation),
  redelegationsOf: mapping(address, enumerable(hash, bool)),
  redelegationsFrom: mapping(address, enumerable(hash, bool)),
  /** Number of redelegations by delegator and destination. */
  redelegationsTo: mapping(address, mapping(address, u64)),
  /** The last id given to an entry. */
  lastEntryId: u64,
  /** Calendars of completion times. */
  unbondingValidators: list(struct<{ time: bigint; operator: Address }>({ time: u64, operator: address })),
  endingUnbondings: list(
    struct<{ time: bigint; delegator: Address; operator: Address }>({
      time: u64,
      delegator: address,
      operator: address,
    }),
  ),
  endingRedelegations: list(struct<{ time: bigint; key: Hash }>({ time: u64, key: hash })),
  /** In order of their reports. */
  pendingSlashes: list(
    struct<PendingSlash>({
      operator: address,
      infractionHeight: u64,
      time: u64,
      fraction: dec,
      left: u256,
      done: u64,
    }),
  ),
})
