// The ABI of the governance contract, in a file of its own because the CLI calls it too: that of cosmos/evm, and two more
// functions (`getMessages`, `getFailure`).

import { parseAbi } from 'viem'
import { COIN } from './coins.ts'
import { PAGE_REQUEST, PAGE_RESPONSE } from './paging.ts'

const VOTE_OPTION = 'struct WeightedVoteOption { uint8 option; string weight; }'

export const govTransactionsAbi = parseAbi([
  COIN,
  VOTE_OPTION,
  'function submitProposal(address proposer, bytes jsonProposal, Coin[] deposit) returns (uint64 proposalId)',
  'function cancelProposal(address proposer, uint64 proposalId) returns (bool success)',
  'function deposit(address depositor, uint64 proposalId, Coin[] amount) returns (bool success)',
  'function vote(address voter, uint64 proposalId, uint8 option, string metadata) returns (bool success)',
  'function voteWeighted(address voter, uint64 proposalId, WeightedVoteOption[] options, string metadata) returns (bool success)',
  'event SubmitProposal(address indexed proposer, uint64 proposalId)',
  'event CancelProposal(address indexed proposer, uint64 proposalId)',
  'event Deposit(address indexed depositor, uint64 proposalId, Coin[] amount)',
  'event Vote(address indexed voter, uint64 proposalId, uint8 option)',
  'event VoteWeighted(address indexed voter, uint64 proposalId, WeightedVoteOption[] options)',
])

export const govQueriesAbi = parseAbi([
  COIN,
  PAGE_REQUEST,
  PAGE_RESPONSE,
  VOTE_OPTION,
  'struct WeightedVote { uint64 proposalId; address voter; WeightedVoteOption[] options; string metadata; }',
  'struct DepositData { uint64 proposalId; address depositor; Coin[] amount; }',
  'struct TallyResultData { string yes; string abstain; string no; string noWithVeto; }',
  'struct ProposalData { uint64 id; string[] messages; uint32 status; TallyResultData finalTallyResult; uint64 submitTime; uint64 depositEndTime; Coin[] totalDeposit; uint64 votingStartTime; uint64 votingEndTime; string metadata; string title; string summary; address proposer; }',
  'struct Params { int64 votingPeriod; Coin[] minDeposit; int64 maxDepositPeriod; string quorum; string threshold; string vetoThreshold; string minInitialDepositRatio; string proposalCancelRatio; string proposalCancelDest; int64 expeditedVotingPeriod; string expeditedThreshold; Coin[] expeditedMinDeposit; bool burnVoteQuorum; bool burnProposalDepositPrevote; bool burnVoteVeto; string minDepositRatio; }',
  'function getVote(uint64 proposalId, address voter) view returns (WeightedVote vote)',
  'function getVotes(uint64 proposalId, PageRequest pagination) view returns (WeightedVote[] votes, PageResponse pageResponse)',
  'function getDeposit(uint64 proposalId, address depositor) view returns (DepositData deposit)',
  'function getDeposits(uint64 proposalId, PageRequest pagination) view returns (DepositData[] deposits, PageResponse pageResponse)',
  'function getTallyResult(uint64 proposalId) view returns (TallyResultData tallyResult)',
  'function getProposal(uint64 proposalId) view returns (ProposalData proposal)',
  'function getProposals(uint32 proposalStatus, address voter, address depositor, PageRequest pagination) view returns (ProposalData[] proposals, PageResponse pageResponse)',
  'function getParams() view returns (Params params)',
  'function getConstitution() view returns (string constitution)',
  'function getAuthority() view returns (string authorityBech32, address authorityHex)',
  'function getMessages(uint64 proposalId) view returns (string[] messages)',
  'function getFailure(uint64 proposalId) view returns (string reason)',
])

export const govAbi = [...govTransactionsAbi, ...govQueriesAbi] as const
