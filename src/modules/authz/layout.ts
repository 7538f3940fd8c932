// Storage of grants, at the Authorization contract's address. What a grant allows follows from its message; a grant
// that was never made, or has been cleared, has expiration zero.
import { layout, list, mapping, queue, struct } from '../../state/layout.ts'
import { address, bool, oneOf, text, u64, u256 } from '../../state/storage-types.ts'
import type { Allocation } from './allocations.ts'
import { MESSAGE, type Message } from './messages.ts'

/** In stored order: new messages go to the end. */
const message = oneOf<Message>(
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
  /** Every grant made and not yet dead, also those taken back since. In order of death, as all live equally long. */
  dying: queue(struct({ granter: address, grantee: address, message, expiration: u64 })),
})
