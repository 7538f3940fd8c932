// Everything that the modules' state says of one validator, for its operator: stake, power, votes, jail, what it has earned.
import { type Dec, truncateInt } from '../lib/dec.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { Modules } from '../modules/index.ts'
import type { BondStatus, CommissionRates, Validator } from '../modules/staking/layout.ts'
import type { Header } from '../primitives/types.ts'
import { consensusAddress } from '../spec/addresses.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/** Amounts are base units, rates Decs, times Unix seconds. */
export type ValidatorRecord = {
  readonly operator: Address
  readonly consensusKey: Hash
  readonly consensusAddress: Address
  readonly moniker: string
  readonly status: BondStatus
  readonly jailed: boolean
  /** Jailed for ever, after a double sign. */
  readonly tombstoned: boolean
  /** Before this time it cannot be unjailed; 0: it was never jailed. */
  readonly jailedUntil: bigint
  readonly tokens: bigint
  /** Voting power in the next block, and that of all validators. */
  readonly power: bigint
  readonly totalPower: bigint
  readonly selfDelegation: bigint
  readonly minSelfDelegation: bigint
  readonly commission: CommissionRates
  /** What the operator has earned and not withdrawn, by commission and by its own delegation. */
  readonly earned: { readonly commission: bigint; readonly rewards: bigint }
  /** Votes of the present window; undefined on a chain without slashing, and for one that was never bonded. */
  readonly votes: Votes | undefined
}

/** `missed` of the last `counted` votes; more than `window` times (1 - `minSigned`) of a whole window are downtime. */
export type Votes = {
  readonly missed: bigint
  readonly counted: bigint
  readonly window: bigint
  readonly minSigned: Dec
}

/**
 * The validator of an operator, or with a consensus address, in the state after a block. undefined: there is none, or the chain
 * has no modules.
 */
export function validatorRecord(
  runtime: Runtime,
  header: Header,
  view: StateView,
  of: Address,
): ValidatorRecord | undefined {
  const modules = runtime.modules(view, runtime.env(header), 'read')
  const found = modules && named(modules, of)
  if (modules === undefined || found === undefined) return undefined
  const { staking, slashing, distribution } = modules
  const { operator, consensusKey, description, status, jailed, tokens, minSelfDelegation, commission } = found
  const signer = consensusAddress(consensusKey)
  const info = slashing?.signingInfo(signer)
  const bonded = staking.bondedValidators()
  const own = staking.delegation(operator, operator)?.shares ?? 0n
  const { rate, maxRate, maxChangeRate } = commission
  const untils = [found.jailedUntil, info?.jailedUntil ?? 0n]
  return {
    operator,
    consensusKey,
    consensusAddress: signer,
    moniker: description.moniker,
    status,
    jailed,
    tombstoned: info?.tombstoned ?? false,
    jailedUntil: untils.reduce((latest, until) => (until > latest ? until : latest)),
    tokens,
    power: bonded.find((validator) => validator.operator === operator)?.power ?? 0n,
    totalPower: bonded.reduce((sum, { power }) => sum + power, 0n),
    selfDelegation: own === 0n ? 0n : truncateInt(staking.tokensFromShares(operator, own)),
    minSelfDelegation,
    commission: { rate, maxRate, maxChangeRate },
    earned: {
      commission: truncateInt(distribution.accumulatedCommission(operator)),
      rewards: truncateInt(distribution.delegationRewards(operator, operator) ?? 0n),
    },
    votes: votesOf(modules, signer),
  }
}

const named = ({ staking }: Modules, of: Address): Validator | undefined =>
  staking.validator(of) ?? staking.validators().find(({ consensusKey }) => consensusAddress(consensusKey) === of)

function votesOf({ slashing }: Modules, signer: Address): Votes | undefined {
  const info = slashing?.signingInfo(signer)
  if (slashing === undefined || info === undefined) return undefined
  const { signedBlocksWindow: window, minSignedPerWindow: minSigned } = slashing.params()
  const counted = info.indexOffset < window ? info.indexOffset : window
  return { missed: info.missedBlocksCounter, counted, window, minSigned }
}
