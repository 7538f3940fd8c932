// What the model knows of a chain: plain data, so that a copy is a snapshot. Decimals are scaled by 10^18 (dec.ts), coins are base
// units, times are Unix seconds, accounts and validators are lower-case hex addresses.

export type Address = `0x${string}`

export type Validator = {
  jailed: boolean
  /** 1 unbonded, 2 unbonding, 3 bonded. */
  status: 1 | 2 | 3
  tokens: bigint
  /** Decimal. */
  shares: bigint
  unbondingHeight: bigint
  unbondingTime: bigint
  commission: { rate: bigint; maxRate: bigint; maxChangeRate: bigint; updated: bigint }
  minSelfDelegation: bigint
  /** Account of the consensus key. */
  consensus: Address
}
export type Entry = { height: bigint; completion: bigint; initial: bigint; balance: bigint }
export type RedelegationEntry = { height: bigint; completion: bigint; initial: bigint; sharesDst: bigint }

/** Records of x/distribution for a validator; all amounts are decimals. */
export type Rewards = {
  current: bigint
  period: number
  /** Cumulative rewards for each token at the end of each period. */
  ratios: bigint[]
  commission: bigint
  outstanding: bigint
  slashes: { height: bigint; period: number; fraction: bigint }[]
}
export type StartingInfo = { period: number; stake: bigint; height: bigint }
export type SigningInfo = { start: bigint; jailedUntil: bigint; tombstoned: boolean }

export type Vote = { option: number; weight: bigint }[]
export type Message =
  | { kind: 'spend'; to: Address; amount: bigint }
  | { kind: 'staking'; maxEntries: bigint; unbondingTime: bigint; maxValidators: bigint }
export type Proposal = {
  proposer: Address
  message: Message
  expedited: boolean
  /** 1 deposit period, 2 voting period, 3 passed, 4 rejected, 5 passed but failed. */
  status: number
  depositEnd: bigint
  votingStart: bigint
  votingEnd: bigint
  total: bigint
  deposits: Map<Address, bigint>
  votes: Map<Address, Vote>
  /** Decimals by option 1 to 4: yes, abstain, no, no with veto. */
  tally: bigint[]
}

export type Period = { length: bigint; amount: bigint }
export type VestingAccount = {
  funder: Address
  start: bigint
  end: bigint
  original: bigint
  delegatedFree: bigint
  lockup: Period[]
  vesting: Period[]
}
/** `limit` undefined: without limit. `validators` undefined: a generic grant. */
export type Grant = { limit: bigint | undefined; validators: Address[] | undefined; expiration: bigint }

export type Params = {
  unbondingTime: bigint
  maxValidators: bigint
  maxEntries: bigint
  jailDuration: bigint
  slashDoubleSign: bigint
  slashDowntime: bigint
  communityTax: bigint
  inflation: bigint
  inflationShare: bigint
  minDeposit: bigint
  expeditedMinDeposit: bigint
  votingPeriod: bigint
  expeditedVotingPeriod: bigint
  depositPeriod: bigint
  grantLife: bigint
}

export type State = {
  height: bigint
  time: bigint
  params: Params
  balances: Map<Address, bigint>
  supply: bigint
  validators: Map<Address, Validator>
  /** By `pair(delegator, validator)`: shares. */
  delegations: Map<string, bigint>
  unbondings: Map<string, Entry[]>
  /** By `triple(delegator, source, destination)`. */
  redelegations: Map<string, RedelegationEntry[]>
  rewards: Map<Address, Rewards>
  starting: Map<string, StartingInfo>
  withdrawAddresses: Map<Address, Address>
  /** Decimal. */
  communityPool: bigint
  /** By consensus address. */
  signing: Map<Address, SigningInfo>
  proposals: Map<bigint, Proposal>
  nextProposal: bigint
  vesting: Map<Address, VestingAccount>
  /** By `triple(granter, grantee, type URL)`. */
  grants: Map<string, Grant>
  /** Coins of the validators that sign a block, in whole units of power, for the newest heights. */
  powers: Map<bigint, Map<Address, bigint>>
}

export const pair = (delegator: Address, validator: Address): string => `${delegator}/${validator}`
export const triple = (one: Address, two: Address, three: string): string => `${one}/${two}/${three}`

/** The parts of a key of `pair` or `triple`. */
export const parts = (key: string): Address[] => key.split('/').map((part) => part as Address)

/** A message that the modules refuse: what it did is undone. */
export class Refused extends Error {}

export function refuseIf(condition: boolean, why: string): void {
  if (condition) throw new Refused(why)
}

/** What a map must have at this key; the message is refused without it. */
export function need<K, V>(map: ReadonlyMap<K, V>, key: K, why: string): V {
  const value = map.get(key)
  if (value === undefined) throw new Refused(why)
  return value
}

/**
 * Runs a change. A refusal, or the answer false, undoes it; the result says whether the change was refused.
 */
export function attempt(state: State, change: () => unknown): boolean {
  const before = structuredClone(state)
  try {
    if (change() !== false) return true
    Object.assign(state, before)
    return true
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    Object.assign(state, before)
    return false
  }
}
