// Storage of grants, at the Authorization contract's address. The message determines which members a grant uses; the expiration
// of a missing grant is zero. A transfer grant has either allocations, one per channel, or one limit for all channels.
import { layout, list, mapping, queue, struct } from '../../state/layout.ts'
import { address, bool, oneOf, text, u64, u256 } from '../../state/storage-types.ts'
import { reverted } from '../module.ts'
import type { Allocation } from './allocations.ts'
import { type GrantableMessage, MESSAGE } from './messages.ts'

/** In stored order: new messages go to the end. */
const message = oneOf<GrantableMessage>(
  MESSAGE.delegate,
  MESSAGE.undelegate,
  MESSAGE.redelegate,
  MESSAGE.cancelUnbonding,
  MESSAGE.setWithdrawAddress,
  MESSAGE.withdrawReward,
  MESSAGE.withdrawCommission,
  MESSAGE.fundVesting,
  MESSAGE.clawback,
  MESSAGE.updateVestingFunder,
  MESSAGE.transfer,
)

const allocation = struct<Allocation>({
  sourcePort: text,
  sourceChannel: text,
  spendLimit: list(struct({ denom: text, amount: u256 })),
  allowList: list(text),
  allowedPacketData: list(text),
})

const grant = layout({
  /** Unix seconds; from this second on the grant is expired. */
  expiration: u64,
  /** Remaining base units; for transfer grants only without allocations, for all channels together. */
  isUnlimited: bool,
  limit: u256,
  /** Of stake grants: the operators for whom. */
  validators: list(address),
  /** Of transfer grants. */
  allocations: list(allocation),
})
export type Grant = ReturnType<typeof grant.open>

export const authzLayout = layout({
  /** Lifetime of a grant in seconds. */
  lifetime: u64,
  /** By granter, grantee, message. */
  grants: mapping(address, mapping(address, mapping(message, grant))),
  /** All grants in order of expiration (all have the same lifetime), including revoked ones. */
  expirations: queue(struct({ granter: address, grantee: address, message, expiration: u64 })),
})

/** Clears the grant's storage. */
export function clear(of: Grant): void {
  for (const name in of) of[name as keyof Grant].clear()
}

/** Whether a transfer grant has one limit for all channels instead of allocations. */
export const coversAllChannels = (of: Grant): boolean => of.allocations.get().length === 0

/** The allocations of a grant that has them by channel. Throws ChainError when the grant has one limit for all channels. */
export function channelsOwn(of: Grant): readonly Allocation[] {
  if (!coversAllChannels(of)) return of.allocations.get()
  throw reverted('the authorization has one limit for all channels: use the functions of the Authorization contract')
}

/** Lowers the limit by an amount; deletes a used-up grant. */
export function spend(of: Grant, amount: bigint): void {
  if (of.isUnlimited.get()) return
  const rest = of.limit.get() - amount
  if (rest === 0n) clear(of)
  else of.limit.set(rest)
}

/** Stores the remaining allocations; deletes a grant without any. */
export function setAllocations(of: Grant, allocations: readonly Allocation[]): void {
  if (allocations.length === 0) clear(of)
  else of.allocations.set(allocations)
}
