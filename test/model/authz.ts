// Grants of the Authorization contract, and who may act for whom.
import { type Address, need, Refused, refuseIf, type State, triple } from './state.ts'

const staking = (name: string) => `/cosmos.staking.v1beta1.${name}`
const rewards = (name: string) => `/cosmos.distribution.v1beta1.${name}`
/** Messages with a limit of coins, by the names of the interfaces. */
export const STAKE_MESSAGES = {
  MSG_DELEGATE: staking('MsgDelegate'),
  MSG_UNDELEGATE: staking('MsgUndelegate'),
  MSG_REDELEGATE: staking('MsgBeginRedelegate'),
  MSG_CANCEL_UNDELEGATION: staking('MsgCancelUnbondingDelegation'),
}
export const GENERIC_MESSAGES = {
  MSG_SET_WITHDRAWER_ADDRESS: rewards('MsgSetWithdrawAddress'),
  MSG_WITHDRAW_DELEGATOR_REWARD: rewards('MsgWithdrawDelegatorReward'),
  MSG_WITHDRAW_VALIDATOR_COMMISSION: rewards('MsgWithdrawValidatorCommission'),
}
const MESSAGES = { ...STAKE_MESSAGES, ...GENERIC_MESSAGES }
export type MessageName = keyof typeof MESSAGES
export const MESSAGE_NAMES = Object.keys(MESSAGES) as MessageName[]

export const UNLIMITED = 2n ** 256n - 1n
/** Who calls a native contract, and who has signed the transaction. */
export type Sender = { readonly caller: Address; readonly origin: Address }

const keyOf = (granter: Address, grantee: Address, name: MessageName) => triple(granter, grantee, name)
const isStake = (name: MessageName): boolean => name in STAKE_MESSAGES

export function approve(
  state: State,
  granter: Address,
  grantee: Address,
  amount: bigint,
  names: readonly MessageName[],
): void {
  for (const name of names) {
    if (amount === 0n) {
      revoke(state, granter, grantee, [name])
      continue
    }
    const validators = [...state.validators].filter(([, { jailed }]) => !jailed).map(([operator]) => operator)
    refuseIf(isStake(name) && validators.length === 0, 'both allowed & deny list cannot be empty')
    state.grants.set(keyOf(granter, grantee, name), {
      limit: amount === UNLIMITED || !isStake(name) ? undefined : amount,
      validators: isStake(name) ? validators : undefined,
      expiration: state.time + state.params.grantLife,
    })
  }
}

export function revoke(state: State, granter: Address, grantee: Address, names: readonly MessageName[]): void {
  for (const name of names)
    if (!state.grants.delete(keyOf(granter, grantee, name))) throw new Refused('authorization does not exist')
}

/** Raises (or with a negative amount lowers) limits. */
export function changeAllowance(
  state: State,
  granter: Address,
  grantee: Address,
  change: bigint,
  names: readonly MessageName[],
): void {
  for (const name of names) {
    refuseIf(!isStake(name), 'invalid staking transaction type')
    const grant = need(state.grants, keyOf(granter, grantee, name), 'authorization does not exist')
    if (grant.limit === undefined) continue
    refuseIf(grant.limit + change < 0n || grant.limit + change > UNLIMITED, 'out of bounds')
    grant.limit += change
  }
}

export function allowance(state: State, granter: Address, grantee: Address, name: MessageName): bigint {
  const grant = state.grants.get(keyOf(granter, grantee, name))
  return grant === undefined ? 0n : (grant.limit ?? UNLIMITED)
}

/** Grants whose time is over: the beginning of a block. */
export function pruneGrants(state: State): void {
  for (const [key, { expiration }] of state.grants) if (expiration <= state.time) state.grants.delete(key)
}

/**
 * Runs a message for `subject`: its own, or, by a grant, that of the signer of the transaction.
 * `stake`: coins that count against the limit, and the validator that has to be on the list.
 */
export function actFor(
  state: State,
  { caller, origin }: Sender,
  subject: Address,
  name: MessageName | undefined,
  run: () => void,
  stake?: { readonly amount: bigint; readonly validator: Address },
): void {
  if (caller === subject) {
    run()
    return
  }
  if (origin !== subject || name === undefined) throw new Refused('not the account of the caller or the signer')
  const key = keyOf(subject, caller, name)
  const { limit, validators } = need(state.grants, key, 'authorization does not exist')
  refuseIf(limit !== undefined && stake !== undefined && stake.amount > limit, 'amount greater than allowed limit')
  run()
  if (stake === undefined) return
  refuseIf(validators?.includes(stake.validator) !== true, 'validator is not allowed')
  if (limit === undefined) return
  if (limit === stake.amount) state.grants.delete(key)
  else need(state.grants, key, 'authorization does not exist').limit = limit - stake.amount
}
