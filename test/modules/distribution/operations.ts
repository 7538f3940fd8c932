// Random operations of the staking and distribution modules.
import fc from 'fast-check'
import { type Address, hexToAddress } from '../../../src/lib/hex.ts'
import { type Chain, delegator, operator, P } from './support.ts'

export const VALIDATORS = [10n, 20n, 15n, 12n]
export const TAX = 2n
export const accounts = [...Array(4).keys()].flatMap((i) => [delegator(i), operator(i)])
/** The withdraw address of an account; it receives nothing but rewards. */
export const withdrawAddress = (of: Address) => hexToAddress(`0x${of.startsWith('0xaa') ? 'ea' : 'ed'}${of.slice(4)}`)

const person = fc.nat(3)
const place = fc.nat(3)
const amount = fc.oneof(fc.bigInt(1n, 30n * P), fc.bigInt(1n, 10n), fc.constantFrom(P, 7n * P))
const fees = fc.oneof(fc.constant(0n), fc.bigInt(1n, 1_000n), fc.bigInt(1n, P))
/** Places of the validators that do not vote, one bit each, on a network. */
const absent = fc.oneof(fc.constant(0), fc.nat(15))
export const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('delegate' as const), person, place, amount }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('undelegate' as const), person, place, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undelegateAll' as const), place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('redelegate' as const), person, place, to: place, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), person, place, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), person, place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commission' as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deposit' as const), person, place, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('jail' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unjail' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rate' as const), place, rate: fc.bigInt(0n, 100n) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('slash' as const), place, back: fc.nat(3), parts: fc.bigInt(1n, 100n) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('next' as const), days: fc.constantFrom(0n, 0n, 1n, 21n), fees, absent }),
  },
)
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const kept = '[do-not-modify]'
const UNCHANGED = { moniker: kept, identity: kept, website: kept, securityContact: kept, details: kept }

export function perform(
  { staking, distribution }: Chain['modules'],
  chain: Chain,
  of: Exclude<Operation, { kind: 'next' }>,
) {
  const at = operator(of.place)
  if (of.kind === 'delegate') return staking.delegate(delegator(of.person), at, of.amount)
  if (of.kind === 'undelegate') return staking.undelegate(delegator(of.person), at, of.amount)
  if (of.kind === 'undelegateAll') return staking.undelegate(at, at, staking.validator(at)?.tokens ?? 0n)
  if (of.kind === 'redelegate') return staking.redelegate(delegator(of.person), at, operator(of.to), of.amount)
  if (of.kind === 'cancel') {
    const entry = staking.unbonding(delegator(of.person), at)[0]
    return staking.cancelUnbonding(delegator(of.person), at, of.amount, entry?.creationHeight ?? 1n)
  }
  if (of.kind === 'withdraw') return distribution.withdrawDelegationRewards(delegator(of.person), at)
  if (of.kind === 'commission') return distribution.withdrawValidatorCommission(at)
  if (of.kind === 'deposit') return distribution.depositRewards(delegator(of.person), at, of.amount)
  if (of.kind === 'jail') return staking.jail(at)
  if (of.kind === 'unjail') return staking.unjail(at)
  if (of.kind === 'rate') {
    const change = { description: UNCHANGED, commissionRate: of.rate * 10n ** 16n, minSelfDelegation: undefined }
    return staking.editValidator(at, change)
  }
  const height = chain.number > BigInt(of.back) ? chain.number - BigInt(of.back) : chain.number
  const power = (staking.validator(at)?.tokens ?? 0n) / P
  return staking.slash(at, { height, power, fraction: of.parts * 10n ** 16n })
}
