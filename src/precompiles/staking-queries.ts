// View functions of the staking contract. A missing record reads as zero or empty.

import { getAddress } from 'viem'
import { toBech32 } from '../lib/bech32.ts'
import { type Dec, truncateInt } from '../lib/dec.ts'
import { type Address, fromHex, ZERO_ADDRESS } from '../lib/hex.ts'
import { reverted } from '../modules/module.ts'
import type { BondStatus, Description, Redelegation, RedelegationEntry, Validator } from '../modules/staking/layout.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { operatorName, operatorNamed } from './bech32.ts'
import { implement, type ReadCall } from './define.ts'
import { stakingAbi } from './generated/abi.ts'
import { stakingAbi as cosmosStakingAbi } from './generated/cosmos-evm.ts'
import { byKey, byPlace, type PaginationRequest, page } from './paging.ts'

/** Gas of each entry, of each visited item, and the additional gas if the item is listed. */
const ENTRY_GAS = 500n
const LOOK_GAS = 300n
const LIST_GAS = 2_200n

/** BondStatus as Solidity's enum numbers it; 0 is Unspecified. */
const STATUS_NUMBER: { readonly [S in BondStatus]: bigint } = { unbonded: 1n, unbonding: 2n, bonded: 3n }
const STATUS_NAMED: ReadonlyMap<string, BondStatus> = new Map([
  ['BOND_STATUS_UNBONDED', 'unbonded'],
  ['BOND_STATUS_UNBONDING', 'unbonding'],
  ['BOND_STATUS_BONDED', 'bonded'],
])

const NO_VALIDATOR = {
  operatorAddress: '',
  consensusPubkey: '',
  jailed: false,
  status: 0n,
  tokens: 0n,
  delegatorShares: 0n,
  unbondingHeight: 0n,
  unbondingTime: 0n,
  commission: 0n,
  minSelfDelegation: 0n,
}
const NO_DESCRIPTION: Description = { moniker: '', identity: '', website: '', securityContact: '', details: '' }

/** A validator in ABI form, without its description. `name`: the operator in the form that the called function uses. */
function shownRecord(validator: Validator | undefined, name: string): typeof NO_VALIDATOR {
  if (validator === undefined) return NO_VALIDATOR
  const { consensusKey, jailed, status, tokens, shares, commission } = validator
  return {
    operatorAddress: name,
    consensusPubkey: Buffer.from(fromHex(consensusKey)).toString('base64'),
    jailed,
    status: STATUS_NUMBER[status],
    tokens,
    delegatorShares: shares,
    unbondingHeight: validator.unbondingHeight,
    unbondingTime: validator.unbondingTime,
    commission: commission.rate,
    minSelfDelegation: validator.minSelfDelegation,
  }
}

const shownValidator = (validator: Validator | undefined, name: string) => ({
  ...shownRecord(validator, name),
  description: validator?.description.details ?? '',
})

/** As since cosmos/evm: with the whole description, and the operator in hexadecimal. */
const describedValidator = ({ modules }: ReadCall, operator: Address) => {
  const validator = modules.staking.validator(operator)
  return {
    ...shownRecord(validator, getAddress(operator)),
    description: validator?.description ?? NO_DESCRIPTION,
  }
}

const VALIDATOR_GAS = 4_000n

/** Validators of Evmos. */
export const validatorQueries = implement(stakingAbi, {
  gas: { 'validator(string)': VALIDATOR_GAS, 'validator(address)': VALIDATOR_GAS, validators: VALIDATOR_GAS },
  functions: {
    'validator(string)'({ modules: { staking }, spec }, validatorAddress) {
      const operator = operatorNamed(spec, validatorAddress)
      return [shownValidator(staking.validator(operator), operatorName(spec, operator))]
    },
    'validator(address)'({ modules: { staking } }, validatorAddress) {
      return [shownValidator(staking.validator(validatorAddress), getAddress(validatorAddress))]
    },
    validators(call, status, pageRequest) {
      const { modules, spec } = call
      const [listed, response] = operatorsWith(call, status, pageRequest)
      return [listed.map((of) => shownValidator(modules.staking.validator(of), operatorName(spec, of))), response]
    },
  },
})

/** Validators of cosmos/evm. */
export const describedValidatorQueries = implement(cosmosStakingAbi, {
  gas: { validator: VALIDATOR_GAS, validators: VALIDATOR_GAS },
  functions: {
    validator: (call, validatorAddress) => [describedValidator(call, validatorAddress)],
    validators(call, status, pageRequest) {
      const [listed, response] = operatorsWith(call, status, pageRequest)
      return [listed.map((of) => describedValidator(call, of)), response]
    },
  },
})

export const stakingQueries = implement(stakingAbi, {
  gas: { delegation: 6_000n, redelegations: 4_000n },
  functions: {
    delegation({ modules: { staking }, spec }, delegatorAddress, validatorAddress) {
      const operator = operatorNamed(spec, validatorAddress)
      requireDelegator(delegatorAddress)
      const shares = staking.delegation(delegatorAddress, operator)?.shares ?? 0n
      return [shares, { denom: spec.denom, amount: truncateInt(staking.tokensFromShares(operator, shares)) }]
    },
    redelegations(call, delegatorAddress, srcValidatorAddress, dstValidatorAddress, pageRequest) {
      const { spec } = call
      const optional = (text: string) => (text === '' ? undefined : operatorNamed(spec, text))
      const found = redelegationsOf(call, {
        delegator: delegatorAddress === ZERO_ADDRESS ? undefined : delegatorAddress,
        source: optional(srcValidatorAddress),
        destination: optional(dstValidatorAddress),
      })
      const { places, response } = page(pageRequest, byPlace(found.length))
      call.charge(LIST_GAS * BigInt(places.length))
      const listed = places.flatMap((place) => found[place] ?? [])
      return [listed.map((of) => shownRedelegation(call, of)), response]
    },
  },
})

/** A page of the operators of validators with a status. */
function operatorsWith(call: ReadCall, status: string, request: PaginationRequest) {
  const operators = withStatus(call, status)
  const { places, response } = page(request, byKey(operators, 20))
  call.charge(LIST_GAS * BigInt(places.length))
  return [places.flatMap((place) => operators[place] ?? []), response] as const
}

/** Operators of the validators with a status; of all validators for the empty text. */
function withStatus({ modules: { staking }, charge }: ReadCall, status: string): readonly Address[] {
  const wanted = STATUS_NAMED.get(status)
  if (wanted === undefined && status !== '') throw reverted(`invalid validator status ${status}`)
  const operators = staking.operators()
  charge(LOOK_GAS * BigInt(operators.length))
  return wanted === undefined ? operators : operators.filter((of) => staking.status(of) === wanted)
}

/** Redelegations that match all given arguments. */
function redelegationsOf(
  call: ReadCall,
  given: { readonly [N in 'delegator' | 'source' | 'destination']: Address | undefined },
): Redelegation[] {
  const { staking } = call.modules
  const { delegator, source, destination } = given
  if (delegator !== undefined && source !== undefined && destination !== undefined) {
    const entries = staking.redelegation(delegator, source, destination)
    return entries.length === 0 ? [] : [{ delegator, source, destination, entries }]
  }
  const found: Redelegation[] = []
  for (const redelegation of candidates(call, delegator, source)) {
    call.charge(LOOK_GAS)
    const matches =
      (source ?? redelegation.source) === redelegation.source &&
      (destination ?? redelegation.destination) === redelegation.destination
    if (matches) found.push(redelegation)
  }
  return found
}

function candidates({ modules: { staking } }: ReadCall, delegator?: Address, source?: Address): Iterable<Redelegation> {
  if (delegator !== undefined) return staking.redelegationsOf(delegator)
  if (source !== undefined) return staking.redelegationsFrom(source)
  throw reverted('invalid query. Need to specify at least a source validator address or delegator address')
}

function shownRedelegation({ modules: { staking }, spec }: ReadCall, of: Redelegation) {
  const balance = (shares: Dec) => truncateInt(staking.tokensFromShares(of.destination, shares))
  return {
    redelegation: {
      delegatorAddress: toBech32(spec.bech32Prefix, of.delegator),
      validatorSrcAddress: operatorName(spec, of.source),
      validatorDstAddress: operatorName(spec, of.destination),
      entries: of.entries,
    },
    entries: of.entries.map((entry) => ({ redelegationEntry: entry, balance: balance(entry.sharesDst) })),
  }
}

const ENTRIES_GAS = { unbondingDelegation: 4_000n, redelegation: 4_000n }

/** Unbonding and redelegation entries of one pair, as plain values as in Evmos v13. */
export const entryQueries = implement(stakingAbi, {
  gas: ENTRIES_GAS,
  functions: {
    unbondingDelegation(call, delegator, validator) {
      return [unbondingEntries(call, delegator, operatorNamed(call.spec, validator))]
    },
    redelegation(call, delegator, source, destination) {
      return [
        redelegationEntries(call, delegator, operatorNamed(call.spec, source), operatorNamed(call.spec, destination)),
      ]
    },
  },
})

/** The same in a structure with their names, as since Evmos v15, used with `compat.entriesAsStruct` and in cosmos/evm. */
export const wrappedEntryQueries = implement(cosmosStakingAbi, {
  gas: ENTRIES_GAS,
  functions: {
    unbondingDelegation(call, delegator, validator) {
      const operator = operatorNamed(call.spec, validator)
      const entries = unbondingEntries(call, delegator, operator)
      return [
        {
          delegatorAddress: nameOf(call.spec, delegator, entries),
          validatorAddress: entries.length === 0 ? '' : operatorName(call.spec, operator),
          entries: entries.map(({ id, ...entry }) => ({ ...entry, unbondingId: id, unbondingOnHoldRefCount: 0n })),
        },
      ]
    },
    redelegation(call, delegator, source, destination) {
      const from = operatorNamed(call.spec, source)
      const to = operatorNamed(call.spec, destination)
      const entries = redelegationEntries(call, delegator, from, to)
      return [
        {
          delegatorAddress: nameOf(call.spec, delegator, entries),
          validatorSrcAddress: entries.length === 0 ? '' : operatorName(call.spec, from),
          validatorDstAddress: entries.length === 0 ? '' : operatorName(call.spec, to),
          entries,
        },
      ]
    },
  },
})

function unbondingEntries(call: ReadCall, delegator: Address, operator: Address) {
  requireDelegator(delegator)
  const entries = call.modules.staking.unbonding(delegator, operator)
  call.charge(ENTRY_GAS * BigInt(entries.length))
  return entries
}

function redelegationEntries(
  call: ReadCall,
  delegator: Address,
  source: Address,
  destination: Address,
): readonly RedelegationEntry[] {
  requireDelegator(delegator)
  const entries = call.modules.staking.redelegation(delegator, source, destination)
  call.charge(ENTRY_GAS * BigInt(entries.length))
  return entries
}

/** Empty if there are no entries, like the other members of the result. */
const nameOf = ({ bech32Prefix }: NativeSpec, delegator: Address, entries: readonly unknown[]): string =>
  entries.length === 0 ? '' : toBech32(bech32Prefix, delegator)

function requireDelegator(delegator: Address): void {
  if (delegator === ZERO_ADDRESS) throw reverted(`invalid delegator address: ${delegator}`)
}
