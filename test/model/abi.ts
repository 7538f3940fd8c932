// The native contracts as the model calls them: addresses and ABIs of docs/precompiles.md and solidity/.
import { parseAbi } from 'viem'
import type { Address } from './state.ts'

const contract = (tail: string): Address => `0x${tail.padStart(40, '0')}`
export const CONTRACT = {
  staking: contract('800'),
  distribution: contract('801'),
  vesting: contract('803'),
  bank: contract('804'),
  gov: contract('805'),
  slashing: contract('806'),
  authorization: contract('a00'),
} as const

export const PAGE = { key: '0x', offset: 0n, limit: 1000n, countTotal: false, reverse: false } as const

const page = [
  'struct Coin { string denom; uint256 amount; }',
  'struct DecCoin { string denom; uint256 amount; uint8 precision; }',
  'struct Dec { uint256 value; uint8 precision; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
] as const

export const ABI = {
  staking: parseAbi([
    ...page,
    'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; string description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
    'struct Entry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 balance; }',
    'struct RedelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 sharesDst; }',
    'struct Redelegation { string delegatorAddress; string validatorSrcAddress; string validatorDstAddress; RedelegationEntry[] entries; }',
    'struct RedelegationEntryResponse { RedelegationEntry redelegationEntry; uint256 balance; }',
    'struct RedelegationResponse { Redelegation redelegation; RedelegationEntryResponse[] entries; }',
    'struct Description { string moniker; string identity; string website; string securityContact; string details; }',
    'struct CommissionRates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
    'function delegate(address delegator, string validator, uint256 amount) returns (bool)',
    'function undelegate(address delegator, string validator, uint256 amount) returns (int64)',
    'function redelegate(address delegator, string source, string target, uint256 amount) returns (int64)',
    'function cancelUnbondingDelegation(address delegator, string validator, uint256 amount, uint256 height) returns (bool)',
    'function createValidator(Description description, CommissionRates commissionRates, uint256 minSelfDelegation, address validatorAddress, string pubkey, uint256 value) returns (bool)',
    'function editValidator(Description description, address validatorAddress, int256 commissionRate, int256 minSelfDelegation) returns (bool)',
    'function delegation(address delegator, string validator) view returns (uint256 shares, Coin balance)',
    'function unbondingDelegation(address delegator, string validator) view returns (Entry[])',
    'function validators(string status, PageRequest page) view returns (Validator[] validators, PageResponse)',
    'function redelegations(address delegator, string source, string target, PageRequest page) view returns (RedelegationResponse[], PageResponse)',
  ]),
  distribution: parseAbi([
    ...page,
    'struct SlashEvent { uint64 validatorPeriod; Dec fraction; }',
    'struct DelegationReward { string validatorAddress; DecCoin[] reward; }',
    'function setWithdrawAddress(address delegator, string to) returns (bool)',
    'function withdrawDelegatorRewards(address delegator, string validator) returns (Coin[])',
    'function withdrawValidatorCommission(string validator) returns (Coin[])',
    'function claimRewards(address delegator, uint32 maxRetrieve) returns (bool)',
    'function fundCommunityPool(address depositor, uint256 amount) returns (bool)',
    'function validatorOutstandingRewards(string validator) view returns (DecCoin[])',
    'function validatorCommission(string validator) view returns (DecCoin[])',
    'function validatorSlashes(string validator, uint64 from, uint64 to, PageRequest page) view returns (SlashEvent[], PageResponse)',
    'function delegationTotalRewards(address delegator) view returns (DelegationReward[] rewards, DecCoin[] total)',
    'function delegatorWithdrawAddress(address delegator) view returns (string)',
  ]),
  vesting: parseAbi([
    ...page,
    'struct Period { int64 length; Coin[] amount; }',
    'function createClawbackVestingAccount(address funder, address account, bool enableGovClawback) returns (bool)',
    'function fundVestingAccount(address funder, address account, uint64 start, Period[] lockup, Period[] vesting) returns (bool)',
    'function clawback(address funder, address account, address to) returns (Coin[])',
    'function convertVestingAccount(address account) returns (bool)',
    'function balances(address account) view returns (Coin[] locked, Coin[] unvested, Coin[] vested)',
  ]),
  bank: parseAbi([
    'struct Balance { address contractAddress; uint256 amount; }',
    'function totalSupply() view returns (Balance[])',
  ]),
  gov: parseAbi([
    ...page,
    'struct WeightedVoteOption { uint8 option; string weight; }',
    'struct WeightedVote { uint64 proposalId; address voter; WeightedVoteOption[] options; string metadata; }',
    'struct DepositData { uint64 proposalId; address depositor; Coin[] amount; }',
    'struct TallyResultData { string yes; string abstain; string no; string noWithVeto; }',
    'struct ProposalData { uint64 id; string[] messages; uint32 status; TallyResultData finalTallyResult; uint64 submitTime; uint64 depositEndTime; Coin[] totalDeposit; uint64 votingStartTime; uint64 votingEndTime; string metadata; string title; string summary; address proposer; }',
    'function submitProposal(address proposer, bytes jsonProposal, Coin[] deposit) returns (uint64)',
    'function cancelProposal(address proposer, uint64 id) returns (bool)',
    'function deposit(address depositor, uint64 id, Coin[] amount) returns (bool)',
    'function voteWeighted(address voter, uint64 id, WeightedVoteOption[] options, string metadata) returns (bool)',
    'function getVotes(uint64 id, PageRequest page) view returns (WeightedVote[], PageResponse)',
    'function getDeposits(uint64 id, PageRequest page) view returns (DepositData[], PageResponse)',
    'function getProposals(uint32 status, address voter, address depositor, PageRequest page) view returns (ProposalData[], PageResponse)',
  ]),
  slashing: parseAbi([
    ...page,
    'struct SigningInfo { address validatorAddress; int64 startHeight; int64 indexOffset; int64 jailedUntil; bool tombstoned; int64 missedBlocksCounter; }',
    'function unjail(address validator) returns (bool)',
    'function getSigningInfos(PageRequest page) view returns (SigningInfo[], PageResponse)',
  ]),
  authorization: parseAbi([
    'function approve(address spender, uint256 amount, string[] methods) returns (bool)',
    'function revoke(address spender, string[] methods) returns (bool)',
    'function increaseAllowance(address spender, uint256 amount, string[] methods) returns (bool)',
    'function decreaseAllowance(address spender, uint256 amount, string[] methods) returns (bool)',
    'function allowance(address owner, address spender, string method) view returns (uint256)',
  ]),
} as const

/** A contract that acts for others: test/model/actor.sol. */
export const ACTOR_ABI = parseAbi([
  'struct Step { uint8 mode; address target; bytes data; }',
  'function run(Step[] steps)',
  'event Ran(uint256 succeeded)',
])
