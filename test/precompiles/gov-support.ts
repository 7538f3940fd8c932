// The governance contract as its users see it: the interface as cosmos/evm publishes it, and a running chain with three
// validators, accounts 10 to 12 of the mnemonic, of 1000 bonded coins each.
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'

export const GOV = '0x0000000000000000000000000000000000000805'
export const COIN = 10n ** 18n
/** The minimum deposit, with which a vote begins. */
export const MIN = 10_000_000n
/** The default voting period in seconds: longer than any test takes. */
export const VOTING = 10_000n
/** The first 20 bytes of SHA-256("gov"). */
export const GOV_ACCOUNT = '0x7b5Fe22B5446f7C62Ea27B8BD71CeF94e03f3dF2'
export const VALIDATORS = [10, 11, 12] as const
export const owner = account(0).address
export const textOf = (of: Address): string => toBech32('kest', hexToAddress(of))

export const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct WeightedVoteOption { uint8 option; string weight; }',
  'struct WeightedVote { uint64 proposalId; address voter; WeightedVoteOption[] options; string metadata; }',
  'struct DepositData { uint64 proposalId; address depositor; Coin[] amount; }',
  'struct TallyResultData { string yes; string abstain; string no; string noWithVeto; }',
  'struct ProposalData { uint64 id; string[] messages; uint32 status; TallyResultData finalTallyResult; uint64 submitTime; uint64 depositEndTime; Coin[] totalDeposit; uint64 votingStartTime; uint64 votingEndTime; string metadata; string title; string summary; address proposer; }',
  'struct Params { int64 votingPeriod; Coin[] minDeposit; int64 maxDepositPeriod; string quorum; string threshold; string vetoThreshold; string minInitialDepositRatio; string proposalCancelRatio; string proposalCancelDest; int64 expeditedVotingPeriod; string expeditedThreshold; Coin[] expeditedMinDeposit; bool burnVoteQuorum; bool burnProposalDepositPrevote; bool burnVoteVeto; string minDepositRatio; }',
  'event SubmitProposal(address indexed proposer, uint64 proposalId)',
  'event CancelProposal(address indexed proposer, uint64 proposalId)',
  'event Deposit(address indexed depositor, uint64 proposalId, Coin[] amount)',
  'event Vote(address indexed voter, uint64 proposalId, uint8 option)',
  'event VoteWeighted(address indexed voter, uint64 proposalId, WeightedVoteOption[] options)',
  'function submitProposal(address proposer, bytes jsonProposal, Coin[] deposit) returns (uint64 proposalId)',
  'function cancelProposal(address proposer, uint64 proposalId) returns (bool success)',
  'function deposit(address depositor, uint64 proposalId, Coin[] amount) returns (bool success)',
  'function vote(address voter, uint64 proposalId, uint8 option, string metadata) returns (bool success)',
  'function voteWeighted(address voter, uint64 proposalId, WeightedVoteOption[] options, string metadata) returns (bool success)',
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
])

/** Functions that only this chain has. */
export const ownAbi = parseAbi([
  'function getMessages(uint64 proposalId) view returns (string[] messages)',
  'function getFailure(uint64 proposalId) view returns (string reason)',
])

export const PAGE = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false } as const
export const YES = 1
export const ABSTAIN = 2
export const NO = 3
export const VETO = 4

export const coins = (amount: bigint, denom = 'akest') => [{ denom, amount }]
const bytes = (text: string): Hex => `0x${Buffer.from(text, 'utf8').toString('hex')}`

type Proposing = {
  readonly proposer?: Address
  readonly deposit?: readonly { readonly denom: string; readonly amount: bigint }[]
  readonly title?: string
  readonly summary?: string
  readonly metadata?: string
  readonly expedited?: boolean
}

export function submit(
  messages: readonly object[],
  { proposer = owner, deposit = coins(MIN), ...texts }: Proposing = {},
): Hex {
  const json = JSON.stringify({ messages, title: 'A title', summary: 'A summary', ...texts })
  return encodeFunctionData({ abi, functionName: 'submitProposal', args: [proposer, bytes(json), deposit] })
}
export const submitText = (text: string): Hex =>
  encodeFunctionData({ abi, functionName: 'submitProposal', args: [owner, bytes(text), []] })
export const cancel = (id: bigint, proposer: Address = owner): Hex =>
  encodeFunctionData({ abi, functionName: 'cancelProposal', args: [proposer, id] })
export const deposit = (id: bigint, amount: bigint, depositor: Address = owner, denom = 'akest'): Hex =>
  encodeFunctionData({ abi, functionName: 'deposit', args: [depositor, id, amount === 0n ? [] : coins(amount, denom)] })
export const vote = (id: bigint, voter: Address, option: number, metadata = ''): Hex =>
  encodeFunctionData({ abi, functionName: 'vote', args: [voter, id, option, metadata] })
export const voteWeighted = (id: bigint, voter: Address, options: readonly { option: number; weight: string }[]): Hex =>
  encodeFunctionData({ abi, functionName: 'voteWeighted', args: [voter, id, options, ''] })

/** A message that governance executes. */
export const message = (type: string, fields: object) => ({ '@type': type, authority: GOV_ACCOUNT, ...fields })
export const evmParams = (...extraEips: string[]) =>
  message('/ethermint.evm.v1.MsgUpdateParams', { params: { extra_eips: extraEips } })
export const spend = (recipient: Address, amount: bigint) =>
  message('/cosmos.distribution.v1beta1.MsgCommunityPoolSpend', {
    recipient: textOf(recipient),
    amount: [{ denom: 'akest', amount: amount.toString() }],
  })

/** The preset with this genesis section of governance. */
export function governed(gov: object) {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  return { ...preset, native: { ...preset.native, modules: { gov } } }
}

type Sending = { readonly to?: Address; readonly from?: number; readonly value?: bigint; readonly gas?: bigint }

export async function govChain(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain({ spec: governed({ params: { votingPeriod: Number(VOTING) } }), ...overrides })
  const { viem, raw, dev, walletOf } = chain
  const read = { address: GOV, abi } as const
  const own = { address: GOV, abi: ownAbi } as const
  const at = (blockNumber: bigint | undefined) => (blockNumber === undefined ? {} : { blockNumber })
  const send = async (data: Hex, { to = GOV, from = 0, value = 0n, gas = 3_000_000n }: Sending = {}) => {
    const hash = await walletOf(from).sendTransaction({ to, data, value, gas })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    return { ...receipt, events: parseEventLogs({ abi, logs: receipt.logs }) }
  }
  const proposal = (id: bigint, block?: bigint) =>
    viem.readContract({ ...read, functionName: 'getProposal', args: [id], ...at(block) })
  /** Mines a block at this time. */
  const mineAt = async (timestamp: bigint) => {
    await dev.setNextBlockTimestamp({ timestamp })
    await dev.mine({ blocks: 1 })
  }
  return {
    ...chain,
    send,
    proposal,
    mineAt,
    /** The reason of a call's refusal; undefined if it succeeds. */
    async refusal(data: Hex, { to = GOV, from = 0, value = 0n }: Sending = {}) {
      const request = { from: account(from).address, to, data, value: numberToHex(value) }
      const { error } = await raw('eth_call', request, 'latest')
      if (error === undefined) return undefined
      if (error.data === undefined || error.data === '0x') return error.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    /** Submits messages with the minimum deposit; returns the proposal's number. */
    async propose(messages: readonly object[], how: Proposing = {}) {
      const { events } = await send(submit(messages, how))
      const [event] = events
      if (event?.eventName !== 'SubmitProposal') throw new Error('not submitted')
      return event.args.proposalId
    },
    async voteAll(id: bigint, option = YES) {
      for (const from of VALIDATORS) await send(vote(id, account(from).address, option), { from })
    },
    /** Mines the block in which the vote ends. */
    async conclude(id: bigint) {
      await mineAt((await proposal(id)).votingEndTime)
    },
    tally: (id: bigint, block?: bigint) =>
      viem.readContract({ ...read, functionName: 'getTallyResult', args: [id], ...at(block) }),
    failure: (id: bigint) => viem.readContract({ ...own, functionName: 'getFailure', args: [id] }),
    messages: (id: bigint) => viem.readContract({ ...own, functionName: 'getMessages', args: [id] }),
    voteOf: (id: bigint, voter: Address, block?: bigint) =>
      viem.readContract({ ...read, functionName: 'getVote', args: [id, voter], ...at(block) }),
    votes: (id: bigint, page: object = {}) =>
      viem.readContract({ ...read, functionName: 'getVotes', args: [id, { ...PAGE, ...page }] }),
    depositOf: (id: bigint, depositor: Address) =>
      viem.readContract({ ...read, functionName: 'getDeposit', args: [id, depositor] }),
    deposits: (id: bigint, page: object = {}) =>
      viem.readContract({ ...read, functionName: 'getDeposits', args: [id, { ...PAGE, ...page }] }),
    proposals: (status: number, voter: Address, depositor: Address, page: object = {}) =>
      viem.readContract({
        ...read,
        functionName: 'getProposals',
        args: [status, voter, depositor, { ...PAGE, ...page }],
      }),
    params: () => viem.readContract({ ...read, functionName: 'getParams' }),
    constitution: () => viem.readContract({ ...read, functionName: 'getConstitution' }),
    authority: () => viem.readContract({ ...read, functionName: 'getAuthority' }),
    balance: (address: Address = owner) => viem.getBalance({ address }),
    invariants: () => chain.rpc('dev_invariants'),
  }
}
