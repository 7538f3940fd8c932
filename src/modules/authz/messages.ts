// The message types that may be granted, by their Cosmos type URLs, and the other names that users may give for them.
// (`MSG_*` are constants in Evmos' Solidity files, which hold the URLs.)

/** Type URLs by what the message does. */
export const MESSAGE = {
  delegate: '/cosmos.staking.v1beta1.MsgDelegate',
  undelegate: '/cosmos.staking.v1beta1.MsgUndelegate',
  redelegate: '/cosmos.staking.v1beta1.MsgBeginRedelegate',
  cancelUnbonding: '/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation',
  setWithdrawAddress: '/cosmos.distribution.v1beta1.MsgSetWithdrawAddress',
  withdrawReward: '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
  withdrawCommission: '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
  fundVesting: '/evmos.vesting.v2.MsgFundVestingAccount',
  clawback: '/evmos.vesting.v2.MsgClawback',
  updateVestingFunder: '/evmos.vesting.v2.MsgUpdateVestingFunder',
  transfer: '/ibc.applications.transfer.v1.MsgTransfer',
} as const

export type GrantableMessage = (typeof MESSAGE)[keyof typeof MESSAGE]

type StakingAct = 'delegate' | 'undelegate' | 'redelegate' | 'cancelUnbonding'
/** Messages whose grant has a limit and a list of validators. */
export type StakingMessage = (typeof MESSAGE)[StakingAct]
/** Messages whose grant is a permission without an amount. */
export type GenericMessage = Exclude<GrantableMessage, StakingMessage | TransferMessage>
export type TransferMessage = typeof MESSAGE.transfer
/** Messages whose grant has an amount that its uses reduce. */
export type LimitedMessage = StakingMessage | TransferMessage

/** Each message's other names. */
const NAMES: ReadonlyMap<string, GrantableMessage> = new Map([
  ['MSG_DELEGATE', MESSAGE.delegate],
  ['MSG_UNDELEGATE', MESSAGE.undelegate],
  ['MSG_REDELEGATE', MESSAGE.redelegate],
  ['MSG_CANCEL_UNDELEGATION', MESSAGE.cancelUnbonding],
  ['MSG_CANCEL_UNBONDING_DELEGATION', MESSAGE.cancelUnbonding],
  ['MSG_SET_WITHDRAWER_ADDRESS', MESSAGE.setWithdrawAddress],
  ['MSG_WITHDRAW_DELEGATOR_REWARD', MESSAGE.withdrawReward],
  ['MSG_WITHDRAW_VALIDATOR_COMMISSION', MESSAGE.withdrawCommission],
  ['MSG_FUND_VESTING_ACCOUNT', MESSAGE.fundVesting],
  ['MSG_CLAWBACK', MESSAGE.clawback],
  ['MSG_UPDATE_VESTING_FUNDER', MESSAGE.updateVestingFunder],
  ['MSG_TRANSFER', MESSAGE.transfer],
  ...Object.values(MESSAGE).map((url) => [url, url] as const),
])

/** The message for a `MSG_` name or type URL (case-sensitive), or undefined if there is none. */
export const messageNamed = (name: string): GrantableMessage | undefined => NAMES.get(name)

const STAKE: readonly string[] = [MESSAGE.delegate, MESSAGE.undelegate, MESSAGE.redelegate, MESSAGE.cancelUnbonding]

const DISTRIBUTION: readonly string[] = [MESSAGE.setWithdrawAddress, MESSAGE.withdrawReward, MESSAGE.withdrawCommission]

export const isDistributionMessage = (message: GrantableMessage): boolean => DISTRIBUTION.includes(message)

export const isLimitedMessage = (message: GrantableMessage): message is LimitedMessage =>
  isStakingMessage(message) || message === MESSAGE.transfer

export const isStakingMessage = (message: GrantableMessage): message is StakingMessage => STAKE.includes(message)
