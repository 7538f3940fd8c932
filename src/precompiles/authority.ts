// Checks whether the caller may act for the owner named in a call. Every function that spends or votes calls it. An owner, user
// or contract, may act for itself. A contract may act for another account only if that account signed the transaction and has
// granted the contract this message. No other caller may, whatever grants exist. With cosmos/evm's interfaces there are no grants:
// only the owner may act.

import { getAddress } from 'viem'
import type { Address } from '../lib/hex.ts'
import type { TransferUse } from '../modules/authz/allocations.ts'
import {
  type GenericMessage,
  type GrantableMessage,
  isDistributionMessage,
  MESSAGE,
  type StakingMessage,
} from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import { delegationOf } from '../primitives/delegation.ts'
import type { ReadCall } from './define.ts'

/**
 * The action in the owner's name. For staking messages: base units, and the validator that a grant must list (`redelegate`: the
 * destination).
 */
export type Act =
  | { readonly message: StakingMessage; readonly amount: bigint; readonly validator: Address }
  | { readonly message: GenericMessage }

/** Gas for using a grant, and for each validator in its list. */
const USE_GAS = 6_000n
const LISTED_GAS = 30n

/**
 * Performs an act of `owner` if the caller may, and reduces the grant that allowed it. Throws ChainError otherwise. An unlisted
 * validator is refused last, after the errors of the act itself.
 *
 *     const { newShares } = authorize(call, delegator, { message: MESSAGE.delegate, amount, validator }, () =>
 *       call.modules.staking.delegate(delegator, validator, amount),
 *     )
 */
export function authorize<T>(call: ReadCall, owner: Address, act: Act, perform: () => T): T {
  const { caller, modules } = call
  if (isOwner(call, owner)) return perform()
  requireOrigin(call, owner, mismatch(act.message))
  if (!call.spec.compat.distributionGrants && isDistributionMessage(act.message)) return perform()
  call.charge(USE_GAS)
  if (!('amount' in act)) {
    modules.authz.requireGeneric(owner, caller, act.message)
    return perform()
  }
  const listed = modules.authz.requireStake(owner, caller, act.message, act.amount)
  call.charge(LISTED_GAS * BigInt(listed))
  const result = perform()
  modules.authz.spendStake(owner, caller, act.message, act.amount, act.validator)
  return result
}

/**
 * Authorizes an IBC transfer of `sender`'s coins. It reduces the grant at once, because a token contract may call back before
 * the transfer ends. Throws ChainError if the caller may not.
 */
export function authorizeTransfer(call: ReadCall, sender: Address, transfer: TransferUse): void {
  const { caller, modules } = call
  if (isOwner(call, sender)) return
  requireOrigin(call, sender, mismatch(MESSAGE.transfer))
  call.charge(USE_GAS)
  modules.authz.useTransfer(sender, caller, transfer)
}

/** For messages that cannot be granted: only the owner may act. Throws ChainError `… does not match the <role> address …`. */
export function requireOwner(call: ReadCall, owner: Address, role: string): void {
  if (isOwner(call, owner)) return
  requireOrigin(call, owner, foreign(role))
  requireDirect(call)
}

/** Whether the caller is the owner. Throws ChainError where nobody else may ever act. */
function isOwner({ caller, spec }: ReadCall, owner: Address): boolean {
  if (caller === owner) return true
  if (spec.interfaces !== 'cosmos-evm') return false
  throw reverted(`msg.sender address ${getAddress(caller)} does not match the requester address ${getAddress(owner)}`)
}

/** An operator calls directly, and acts only for itself. Throws ChainError for contracts and other accounts. */
export function requireOperator(call: ReadCall, operator: Address): void {
  if (call.spec.interfaces === 'cosmos-evm') {
    // An account with a delegation (EIP-7702) is not a contract.
    const code = call.codeOf(call.caller)
    if (code.length > 0 && delegationOf(code) === undefined) throw notDirect()
    if (isOwner(call, operator)) return
  }
  requireDirect(call)
  requireOrigin(call, operator, notSame('validator operator'))
}

/**
 * For an account's own settings: only the owner may act; on chains whose grants belong to the origin, also the signer, through
 * any contract. Throws as `requireOwner`.
 */
export function requireOwnerOrSigner(call: ReadCall, owner: Address, role: string): void {
  if (call.spec.authz.granter === 'origin') requireOrigin(call, owner, foreign(role))
  else requireOwner(call, owner, role)
}

/** For functions that contracts may not call. Throws ChainError unless the transaction calls the precompile directly. */
export function requireDirect(call: ReadCall): void {
  if (call.caller !== call.origin) throw notDirect()
}

const notDirect = () => reverted('this method can only be called directly to the precompile, not from a smart contract')

/** The granter of grants that this call makes or changes: the caller, or the origin if the chain's specification says so. */
export const granterOf = ({ caller, origin, spec }: ReadCall): Address =>
  spec.authz.granter === 'origin' ? origin : caller

type Mismatch = (origin: Address, owner: Address) => string

function requireOrigin({ origin }: ReadCall, owner: Address, text: Mismatch): void {
  if (origin !== owner) throw reverted(text(origin, owner))
}

const notSame =
  (role: string): Mismatch =>
  (origin, owner) =>
    `origin address ${getAddress(origin)} is not the same as ${role} address ${getAddress(owner)}`

const foreign =
  (role: string): Mismatch =>
  (origin, owner) =>
    `tx origin address ${getAddress(origin)} does not match the ${role} address ${getAddress(owner)}`

/** The error for an unauthorized caller; each module of Evmos has its own wording. */
function mismatch(message: GrantableMessage): Mismatch {
  switch (message) {
    case MESSAGE.transfer:
      return notSame('sender')
    case MESSAGE.setWithdrawAddress:
    case MESSAGE.withdrawReward:
    case MESSAGE.withdrawCommission:
      return foreign('delegator')
    case MESSAGE.fundVesting:
      return foreign('from')
    case MESSAGE.clawback:
    case MESSAGE.updateVestingFunder:
      return foreign('funder')
    default:
      return notSame('delegator')
  }
}
