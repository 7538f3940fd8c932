// Storage of grants, at the Authorization contract's address, and how one grant is cleared or its limit lowered. The
// message says what a grant allows; a grant that does not exist has expiration zero. A transfer grant has either
// allocations, one per channel, or one limit for all channels.
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
  /** Unix seconds; from this second on the grant is dead. */
  expiration: u64,
  /** Base units that may still be used; of transfer grants only without allocations, through all channels together. */
  isUnlimited: bool,
  limit: u256,
  /** Of stake grants: the operators for whom. */
  validators: list(address),
  /** Of transfer grants. */
  allocations: list(allocation),
})
export type Grant = ReturnType<typeof grant.open>

export const authzLayout = layout({
  /** Seconds that a grant lives. */
  lifetime: u64,
  /** By granter, grantee, message. */
  grants: mapping(address, mapping(address, mapping(message, grant))),
  /** Every grant that has not expired, also revoked ones. In order of expiration, because all have the same lifetime. */
  dying: queue(struct({ granter: address, grantee: address, message, expiration: u64 })),
})

/** Empties the grant's storage. */
export function clear(of: Grant): void {
  for (const name in of) of[name as keyof Grant].clear()
}

/** Whether a transfer grant has one limit for all channels, and no allocations of its own. */
export const coversAllChannels = (of: Grant): boolean => of.allocations.get().length === 0

/** The allocations of a grant that has them by channel. Throws ChainError when the grant has one limit for all channels. */
export function channelsOwn(of: Grant): readonly Allocation[] {
  if (!coversAllChannels(of)) return of.allocations.get()
  throw reverted('the authorization has one limit for all channels: use the functions of the Authorization contract')
}

/** Lowers the limit by an amount; clears a grant that is used up. */
export function spend(of: Grant, amount: bigint): void {
  if (of.isUnlimited.get()) return
  const rest = of.limit.get() - amount
  if (rest === 0n) clear(of)
  else of.limit.set(rest)
}

/** Stores the remaining allocations; clears a grant that has none left. */
export function setAllocations(of: Grant, allocations: readonly Allocation[]): void {
  if (allocations.length === 0) clear(of)
  else of.allocations.set(allocations)
}
