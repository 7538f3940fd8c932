// What cosmos/evm publishes of its contracts, as signatures: functions with the types of their results, events with `indexed`.
// Selectors and topics follow from them.
const PAGE = '(bytes,uint64,uint64,bool,bool)'
const NEXT = '(bytes,uint64)'
const COIN = '(string,uint256)'
const DEC_COIN = '(string,uint256,uint8)'
const DESCRIPTION = '(string,string,string,string,string)'
const VALIDATOR = `(string,string,bool,uint8,uint256,uint256,${DESCRIPTION},int64,int64,uint256,uint256)`
const REDELEGATIONS = '(int64,int64,uint256,uint256)'
const VOTE = '(uint64,address,(uint8,string)[],string)'
const TALLY = '(string,string,string,string)'
const PROPOSAL = `(uint64,string[],uint32,${TALLY},uint64,uint64,${COIN}[],uint64,uint64,string,string,string,address)`
const DENOM = '(string,(string,string)[])'

/** By contract. */
export const FACTS: Readonly<Record<string, readonly string[]>> = {
  bech32: ['bech32ToHex(string) => (address)', 'hexToBech32(address,string) => (string)'],
  staking: [
    'event CancelUnbondingDelegation(address indexed,address indexed,uint256,uint256)',
    'event CreateValidator(address indexed,uint256)',
    'event Delegate(address indexed,address indexed,uint256,uint256)',
    'event EditValidator(address indexed,int256,int256)',
    'event Redelegate(address indexed,address indexed,address indexed,uint256,uint256)',
    'event Unbond(address indexed,address indexed,uint256,uint256)',
    'cancelUnbondingDelegation(address,string,uint256,uint256) => (bool)',
    `createValidator(${DESCRIPTION},(uint256,uint256,uint256),uint256,address,string,uint256) => (bool)`,
    'delegate(address,string,uint256) => (bool)',
    `delegation(address,string) => (uint256,${COIN})`,
    `editValidator(${DESCRIPTION},address,int256,int256) => (bool)`,
    'redelegate(address,string,string,uint256) => (int64)',
    `redelegation(address,string,string) => ((string,string,string,${REDELEGATIONS}[]))`,
    `redelegations(address,string,string,${PAGE}) => (((string,string,string,${REDELEGATIONS}[]),(${REDELEGATIONS},uint256)[])[],${NEXT})`,
    'unbondingDelegation(address,string) => ((string,string,(int64,int64,uint256,uint256,uint64,int64)[]))',
    'undelegate(address,string,uint256) => (int64)',
    `validator(address) => (${VALIDATOR})`,
    `validators(string,${PAGE}) => (${VALIDATOR}[],${NEXT})`,
  ],
  ibc: [
    'getClientState(string) => (bytes)',
    'updateClient(string,bytes) => (uint8)',
    'verifyMembership(string,bytes,(uint64,uint64),bytes[],bytes) => (uint256)',
    'verifyNonMembership(string,bytes,(uint64,uint64),bytes[]) => (uint256)',
  ],
  distribution: [
    'event ClaimRewards(address indexed,uint256)',
    'event DepositValidatorRewardsPool(address indexed,address indexed,string,uint256)',
    'event FundCommunityPool(address indexed,string,uint256)',
    'event SetWithdrawerAddress(address indexed,string)',
    'event WithdrawDelegatorReward(address indexed,address indexed,uint256)',
    'event WithdrawValidatorCommission(string indexed,uint256)',
    'claimRewards(address,uint32) => (bool)',
    `communityPool() => (${DEC_COIN}[])`,
    `delegationRewards(address,string) => (${DEC_COIN}[])`,
    `delegationTotalRewards(address) => ((string,${DEC_COIN}[])[],${DEC_COIN}[])`,
    'delegatorValidators(address) => (string[])',
    'delegatorWithdrawAddress(address) => (string)',
    `depositValidatorRewardsPool(address,string,${COIN}[]) => (bool)`,
    `fundCommunityPool(address,${COIN}[]) => (bool)`,
    'setWithdrawAddress(address,string) => (bool)',
    `validatorCommission(string) => (${DEC_COIN}[])`,
    `validatorDistributionInfo(string) => ((string,${DEC_COIN}[],${DEC_COIN}[]))`,
    `validatorOutstandingRewards(string) => (${DEC_COIN}[])`,
    `validatorSlashes(string,uint64,uint64,${PAGE}) => ((uint64,(uint256,uint8))[],${NEXT})`,
    `withdrawDelegatorRewards(address,string) => (${COIN}[])`,
    `withdrawValidatorCommission(string) => (${COIN}[])`,
  ],
  ics20: [
    'event IBCTransfer(address indexed,string indexed,string,string,string,uint256,string)',
    `denom(string) => (${DENOM})`,
    'denomHash(string) => (string)',
    `denoms(${PAGE}) => (${DENOM}[],${NEXT})`,
    'transfer(string,string,string,uint256,address,string,(uint64,uint64),uint64,string) => (uint64)',
  ],
  bank: [
    'balances(address) => ((address,uint256)[])',
    'supplyOf(address) => (uint256)',
    'totalSupply() => ((address,uint256)[])',
  ],
  gov: [
    'event CancelProposal(address indexed,uint64)',
    `event Deposit(address indexed,uint64,${COIN}[])`,
    'event SubmitProposal(address indexed,uint64)',
    'event Vote(address indexed,uint64,uint8)',
    'event VoteWeighted(address indexed,uint64,(uint8,string)[])',
    'cancelProposal(address,uint64) => (bool)',
    `deposit(address,uint64,${COIN}[]) => (bool)`,
    'getConstitution() => (string)',
    `getDeposit(uint64,address) => ((uint64,address,${COIN}[]))`,
    `getDeposits(uint64,${PAGE}) => ((uint64,address,${COIN}[])[],${NEXT})`,
    `getParams() => ((int64,${COIN}[],int64,string,string,string,string,string,string,int64,string,${COIN}[],bool,bool,bool,string))`,
    `getProposal(uint64) => (${PROPOSAL})`,
    `getProposals(uint32,address,address,${PAGE}) => (${PROPOSAL}[],${NEXT})`,
    'getTallyResult(uint64) => ((string,string,string,string))',
    `getVote(uint64,address) => (${VOTE})`,
    `getVotes(uint64,${PAGE}) => (${VOTE}[],${NEXT})`,
    `submitProposal(address,bytes,${COIN}[]) => (uint64)`,
    'vote(address,uint64,uint8,string) => (bool)',
    'voteWeighted(address,uint64,(uint8,string)[],string) => (bool)',
  ],
  slashing: [
    'event ValidatorUnjailed(address indexed)',
    'getParams() => ((int64,(uint256,uint8),int64,(uint256,uint8),(uint256,uint8)))',
    'getSigningInfo(address) => ((address,int64,int64,int64,bool,int64))',
    `getSigningInfos(${PAGE}) => ((address,int64,int64,int64,bool,int64)[],${NEXT})`,
    'unjail(address) => (bool)',
  ],
  werc20: [
    'event Approval(address indexed,address indexed,uint256)',
    'event Deposit(address indexed,uint256)',
    'event Transfer(address indexed,address indexed,uint256)',
    'event Withdrawal(address indexed,uint256)',
    'allowance(address,address) => (uint256)',
    'approve(address,uint256) => (bool)',
    'balanceOf(address) => (uint256)',
    'decimals() => (uint8)',
    'deposit() => ()',
    'name() => (string)',
    'symbol() => (string)',
    'totalSupply() => (uint256)',
    'transfer(address,uint256) => (bool)',
    'transferFrom(address,address,uint256) => (bool)',
    'withdraw(uint256) => ()',
  ],
}
