// One sample call for every function of every precompile, a chain state in which all of them succeed, and the callers that may
// not make them. `matrix.test.ts` makes each call in every way.
import { createHash } from 'node:crypto'
import { type Address, encodeFunctionData, getAddress, type Hex, maxUint256, parseAbi, toHex } from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { derivedConsensusKey } from '../../src/modules/staking/genesis.ts'
import { PRECOMPILES } from '../../src/precompiles/index.ts'
import { consensusAddress, operatorPrefix } from '../../src/spec/addresses.ts'
import { account } from '../support/chain.ts'
import { attempter, forwarder, reverter } from '../support/forwarder.ts'
import type { Clients } from '../support/process.ts'
import { IBC_SAMPLES, IBC_STEPS } from './ibc-samples.ts'

const COIN = 10n ** 18n
const DENOM = 'akest'
const CHANNEL = 'channel-0'

/** Most samples are about the coins, stake and grants of this account. */
export const OWNER = 0
/** An account that has neither granted nor been granted anything. */
export const STRANGER = 1
/** Operator of the network's first validator; accounts 10 to 12 of the mnemonic operate them. */
export const OPERATOR = 10
const NEW_OPERATOR = 5
/** Becomes a clawback account. */
const FUTURE = 6
/** A clawback account without a schedule. */
const EMPTY = 7
/** A clawback account with a schedule. */
const FUNDED = 8
/** A clawback account that can be converted back. */
const CONVERTIBLE = 9

const owner = account(OWNER).address
/** Has grants that samples revoke and change. */
const SPENDER = getAddress('0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e')
const operator = (index: number): string => toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
const A = operator(OPERATOR)
const B = operator(11)
const C = operator(12)
const PAGE = { key: '0x', offset: 0n, limit: 10n, countTotal: true, reverse: false }
const COINS = [{ denom: DENOM, amount: COIN }]
const ALLOCATION = { sourcePort: 'transfer', sourceChannel: CHANNEL, spendLimit: COINS, allowList: [] }
const DESCRIPTION = { moniker: 'm', identity: '', website: '', securityContact: '', details: 'd' }
const ZERO = `0x${'00'.repeat(20)}`
/** A proposal of the owner that still needs a deposit. */
const UNPAID = 1n
/** A proposal of the owner whose vote lasts longer than the tests. */
const VOTED = 2n
const PROPOSAL = toHex(JSON.stringify({ title: 'A title', summary: 'A summary' }))
const DEPOSIT = [{ denom: DENOM, amount: 10_000_000n }]
export const FIXTURE_MODULES = { slashing: {}, ibc: {}, gov: { params: { votingPeriod: 100_000 } } }
const TRACE = 'transfer/channel-1/akest'
const TRACE_HASH = createHash('sha256').update(TRACE).digest('hex').toUpperCase()

/**
 * Which caller other than the subject may make a state-changing call:
 * `grantee`: a contract with the subject's grant, in a transaction that the subject signed;
 * `holder`: any account, on grants that it has itself;
 * `subject`: no caller but the subject, and no contract;
 * `creator`: no caller but the one that has created what the call changes;
 * `anyone`: any caller;
 * `self`: any caller, which then acts for itself.
 */
export type Rule = 'grantee' | 'holder' | 'subject' | 'creator' | 'anyone' | 'self'

export type Sample = {
  readonly args: readonly unknown[]
  /** The account that makes the call; `OWNER` by default. */
  readonly from?: number
  /** State-changing functions only. */
  readonly rule?: Rule
  /** The error with which the call always fails on this chain. */
  readonly never?: RegExp
  /** For a query: why its result is the same at an older block. */
  readonly constant?: string
}

/** By function name, or by signature when the name is overloaded. */
type Samples = Readonly<Record<string, Sample>>

const grants = (method: string, changing: Pick<Sample, 'rule' | 'never'>): Samples => ({
  approve: { args: [SPENDER, COIN, [method]], rule: 'self' },
  revoke: { args: [SPENDER, [method]], rule: 'holder' },
  increaseAllowance: { args: [SPENDER, COIN, [method]], ...changing },
  decreaseAllowance: { args: [SPENDER, COIN, [method]], ...changing },
  allowance: { args: [owner, SPENDER, method] },
})

const SAMPLES: Readonly<Record<string, Samples>> = {
  authorization: grants('MSG_DELEGATE', { rule: 'holder' }),
  staking: {
    ...grants('MSG_DELEGATE', { rule: 'holder' }),
    delegate: { args: [owner, A, COIN], rule: 'grantee' },
    undelegate: { args: [owner, A, COIN], rule: 'grantee' },
    redelegate: { args: [owner, A, C, COIN], rule: 'grantee' },
    // `openFixture` sets the creation height.
    cancelUnbondingDelegation: { args: [owner, A, COIN / 2n, 0n], rule: 'grantee' },
    createValidator: {
      args: [
        DESCRIPTION,
        { rate: COIN / 10n, maxRate: COIN / 5n, maxChangeRate: COIN / 100n },
        1n,
        account(NEW_OPERATOR).address,
        Buffer.alloc(32, 7).toString('base64'),
        COIN,
      ],
      from: NEW_OPERATOR,
      rule: 'subject',
    },
    editValidator: {
      args: [{ ...DESCRIPTION, details: 'changed' }, account(OPERATOR).address, -1n, -1n],
      from: OPERATOR,
      rule: 'subject',
    },
    delegation: { args: [owner, A] },
    unbondingDelegation: { args: [owner, A] },
    'validator(string)': { args: [A] },
    'validator(address)': { args: [account(OPERATOR).address] },
    validators: { args: ['', PAGE] },
    redelegation: { args: [owner, A, B] },
    redelegations: { args: [owner, '', '', PAGE] },
  },
  distribution: {
    ...grants('MSG_WITHDRAW_DELEGATOR_REWARD', { never: /^invalid staking transaction type: MSG_WITHDRAW/ }),
    setWithdrawAddress: { args: [owner, '0x00000000000000000000000000000000000c0ffe'], rule: 'grantee' },
    withdrawDelegatorRewards: { args: [owner, A], rule: 'grantee' },
    withdrawValidatorCommission: { args: [A], from: OPERATOR, rule: 'grantee' },
    claimRewards: { args: [owner, 2], rule: 'grantee' },
    fundCommunityPool: { args: [owner, COIN], rule: 'subject' },
    validatorDistributionInfo: { args: [A] },
    validatorOutstandingRewards: { args: [A] },
    validatorCommission: { args: [A] },
    'validatorSlashes(string,uint64,uint64)': { args: [A, 0n, 0n], constant: 'nobody was slashed' },
    'validatorSlashes(string,uint64,uint64,(bytes,uint64,uint64,bool,bool))': {
      args: [A, 0n, 0n, PAGE],
      constant: 'nobody was slashed',
    },
    delegationRewards: { args: [owner, A] },
    delegationTotalRewards: { args: [owner] },
    delegatorValidators: { args: [owner] },
    delegatorWithdrawAddress: { args: [account(STRANGER).address] },
  },
  ics20: {
    'approve(address,(string,string,(string,uint256)[],string[])[])': {
      args: [SPENDER, [ALLOCATION]],
      rule: 'self',
    },
    'approve(address,(string,string,(string,uint256)[],string[],string[])[])': {
      args: [SPENDER, [{ ...ALLOCATION, allowedPacketData: ['*'] }]],
      rule: 'self',
    },
    revoke: { args: [SPENDER], rule: 'holder' },
    increaseAllowance: { args: [SPENDER, 'transfer', CHANNEL, DENOM, COIN], rule: 'holder' },
    decreaseAllowance: { args: [SPENDER, 'transfer', CHANNEL, DENOM, COIN / 2n], rule: 'holder' },
    transfer: {
      args: ['transfer', CHANNEL, DENOM, COIN, owner, owner, { revisionNumber: 0n, revisionHeight: 0n }, 2n ** 63n, ''],
      rule: 'grantee',
    },
    denomTrace: { args: [TRACE_HASH] },
    denomTraces: { args: [PAGE] },
    denomHash: { args: [TRACE] },
    allowance: { args: [owner, SPENDER] },
  },
  vesting: {
    createClawbackVestingAccount: {
      args: [owner, account(FUTURE).address, false],
      from: FUTURE,
      rule: 'subject',
    },
    fundVestingAccount: {
      args: [owner, account(EMPTY).address, 1_767_225_600n, [], [{ length: 3600n, amount: COINS }]],
      rule: 'grantee',
    },
    clawback: { args: [owner, account(FUNDED).address, owner], rule: 'grantee' },
    updateVestingFunder: { args: [owner, account(STRANGER).address, account(FUNDED).address], rule: 'grantee' },
    convertVestingAccount: { args: [account(CONVERTIBLE).address], rule: 'anyone' },
    approve: { args: [SPENDER, 'MSG_CLAWBACK'], rule: 'self' },
    balances: { args: [account(FUNDED).address] },
  },
  gov: {
    submitProposal: { args: [owner, PROPOSAL, DEPOSIT], rule: 'subject' },
    cancelProposal: { args: [owner, VOTED], rule: 'subject' },
    deposit: { args: [owner, UNPAID, DEPOSIT], rule: 'subject' },
    vote: { args: [owner, VOTED, 1, 'why'], rule: 'subject' },
    voteWeighted: { args: [owner, VOTED, [{ option: 2, weight: '1' }], ''], rule: 'subject' },
    getVote: { args: [VOTED, owner] },
    getVotes: { args: [VOTED, PAGE] },
    getDeposit: { args: [UNPAID, owner] },
    getDeposits: { args: [UNPAID, PAGE] },
    getTallyResult: { args: [VOTED] },
    getProposal: { args: [UNPAID] },
    getProposals: { args: [0, ZERO, ZERO, PAGE] },
    getParams: { args: [], constant: 'nobody has changed them' },
    getConstitution: { args: [], constant: 'there is none' },
    getAuthority: { args: [], constant: 'it is always the same' },
    getMessages: { args: [VOTED], constant: 'they are what was submitted' },
    getFailure: { args: [VOTED], constant: 'it is still voted on' },
  },
  slashing: {
    getSigningInfo: {
      args: [consensusAddress(derivedConsensusKey(hexToAddress(account(OPERATOR).address)))],
      constant: 'it was bonded at genesis, and nobody votes',
    },
    getSigningInfos: { args: [PAGE], constant: 'all were bonded at genesis, and nobody votes' },
    getParams: { args: [], constant: 'nobody has changed them' },
    unjail: {
      args: [account(OPERATOR).address],
      from: OPERATOR,
      never: /^validator not jailed; cannot be unjailed$|origin address|can only be called directly/,
    },
  },
  ibc: IBC_SAMPLES,
  bech32: {
    hexToBech32: { args: [owner, 'kest'], constant: 'it reads no state' },
    bech32ToHex: { args: [A], constant: 'it reads no state' },
  },
  bank: {
    balances: { args: [owner] },
    totalSupply: { args: [] },
    supplyOf: { args: [ZERO], constant: 'nothing mints or burns the base coin' },
  },
}

/** Throws for a function without a sample, so that every new function gets one. */
export function sampleOf(precompile: string, name: string, signature: string): Sample {
  const samples = SAMPLES[precompile]
  const sample = samples?.[signature] ?? samples?.[name]
  if (sample === undefined) throw new Error(`matrix-samples.ts has no sample of ${precompile}.${signature}`)
  return sample
}

/** Contracts between the account and the precompile. */
export type Role = 'grantee' | 'bare' | 'static' | 'nestedStatic' | 'delegate' | 'callcode' | 'reverting' | 'attempting'

const PLACE: Readonly<Record<Role, string>> = {
  grantee: 'c1',
  bare: 'c2',
  static: 'c3',
  nestedStatic: 'c4',
  delegate: 'c5',
  callcode: 'c6',
  reverting: 'c7',
  attempting: 'c8',
}

/** `grantee` and `reverting` hold the grants of OWNER and OPERATOR; `attempting` calls `reverting`. */
export const contractOf = (precompile: Address, role: Role): Address =>
  getAddress(`0x${PLACE[role]}${precompile.slice(-4).padStart(38, '0')}`)

const codeOf = (precompile: Address): Readonly<Record<Role, Hex>> => ({
  grantee: forwarder(precompile),
  bare: forwarder(precompile),
  static: forwarder(precompile, 'staticcall'),
  nestedStatic: forwarder(contractOf(precompile, 'grantee'), 'staticcall'),
  delegate: forwarder(precompile, 'delegatecall'),
  callcode: forwarder(precompile, 'callcode'),
  reverting: reverter(precompile),
  attempting: attempter(contractOf(precompile, 'reverting')),
})

const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct Allocation { string sourcePort; string sourceChannel; Coin[] spendLimit; string[] allowList; }',
  'struct Period { int64 length; Coin[] amount; }',
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'function approve(address spender, uint256 amount, string[] methods)',
  'function approve(address spender, Allocation[] allocations)',
  'function delegate(address delegator, string validator, uint256 amount)',
  'function undelegate(address delegator, string validator, uint256 amount)',
  'function redelegate(address delegator, string source, string destination, uint256 amount)',
  'function setWithdrawAddress(address delegator, string withdrawer)',
  'function createClawbackVestingAccount(address funder, address vesting, bool enableGovClawback)',
  'function fundVestingAccount(address funder, address vesting, uint64 startTime, Period[] lockup, Period[] vestings)',
  'function submitProposal(address proposer, bytes jsonProposal, Coin[] deposit)',
  'function deposit(address depositor, uint64 proposalId, Coin[] amount)',
  'function vote(address voter, uint64 proposalId, uint8 option, string metadata)',
  'function transfer(string port, string channel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo)',
])

const STAKING = ['MSG_DELEGATE', 'MSG_UNDELEGATE', 'MSG_REDELEGATE', 'MSG_CANCEL_UNDELEGATION']
const REWARDS = ['MSG_SET_WITHDRAWER_ADDRESS', 'MSG_WITHDRAW_DELEGATOR_REWARD', 'MSG_WITHDRAW_VALIDATOR_COMMISSION']
const VESTING = ['MSG_FUND_VESTING_ACCOUNT', 'MSG_CLAWBACK', 'MSG_UPDATE_VESTING_FUNDER']

type Step = (from: Address | number, to: string, data: Hex) => Promise<bigint>

/** The block after the first half of the set-up, and the block of the undelegation. */
export type Fixture = { readonly past: bigint; readonly undelegated: bigint }

/**
 * Brings a new chain to the state in which every sample succeeds. `halfway` runs at block `past`; later blocks change every
 * query's result.
 */
export async function openFixture(
  { dev, viem, rpc, walletOf }: Clients,
  halfway: () => Promise<void>,
): Promise<Fixture> {
  /** Sends a transaction in a block of its own and returns its number; skips precompiles that the chain does not have. */
  const step: Step = async (from, name, data) => {
    const to = PRECOMPILES.find((of) => of.name === name)?.address
    if (to === undefined) return 0n
    const hash =
      typeof from === 'number'
        ? await walletOf(from).sendTransaction({ to, data, gas: 3_000_000n })
        : ((await rpc('eth_sendTransaction', { from, to, data, gas: '0x2dc6c0' })) as Hex)
    const { status, blockNumber } = await viem.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`a step of the world failed: ${name} ${data.slice(0, 10)}`)
    return blockNumber
  }

  await dev.setBalance({ address: account(OPERATOR).address, value: 100n * COIN })
  const contracts = PRECOMPILES.flatMap(({ address }) => [
    contractOf(address, 'grantee'),
    contractOf(address, 'reverting'),
  ])
  for (const contract of contracts) {
    // The contract's own grants, sent before it has code, because an account with code cannot send transactions.
    await dev.setBalance({ address: contract, value: 100n * COIN })
    await rpc('anvil_impersonateAccount', contract)
    await step(contract, 'authorization', granting(SPENDER, 5n * COIN, [...STAKING, ...REWARDS]))
    await step(contract, 'ics20', allocating(SPENDER))
    for (const from of [OWNER, OPERATOR]) {
      await step(from, 'authorization', granting(contract, maxUint256, [...STAKING, ...REWARDS, ...VESTING]))
    }
    await step(OWNER, 'ics20', allocating(contract))
  }
  for (const { address } of PRECOMPILES) {
    for (const [role, code] of Object.entries(codeOf(address))) {
      await dev.setCode({ address: contractOf(address, role as Role), bytecode: code })
    }
  }

  await step(OWNER, 'staking', encodeFunctionData({ abi, functionName: 'delegate', args: [owner, A, 20n * COIN] }))
  for (const index of [EMPTY, FUNDED, CONVERTIBLE]) {
    const args = [owner, account(index).address, false] as const
    await step(index, 'vesting', encodeFunctionData({ abi, functionName: 'createClawbackVestingAccount', args }))
  }

  for (const amount of [100_000n, 10_000_000n]) {
    const args = [owner, PROPOSAL, [{ denom: DENOM, amount }]] as const
    await step(OWNER, 'gov', encodeFunctionData({ abi, functionName: 'submitProposal', args }))
  }
  const voting = (option: number) => encodeFunctionData({ abi, functionName: 'vote', args: [owner, VOTED, option, ''] })
  await step(OWNER, 'gov', voting(1))
  for (const { to, data } of IBC_STEPS.first) await step(OWNER, to, data)

  const past = await viem.getBlockNumber()
  await halfway()

  const undelegate = encodeFunctionData({ abi, functionName: 'undelegate', args: [owner, A, COIN] })
  const undelegated = await step(OWNER, 'staking', undelegate)
  const redelegate = encodeFunctionData({ abi, functionName: 'redelegate', args: [owner, A, B, COIN] })
  await step(OWNER, 'staking', redelegate)
  await step(OWNER, 'authorization', granting(SPENDER, 5n * COIN, [...STAKING, ...REWARDS, ...VESTING]))
  await step(OWNER, 'ics20', allocating(SPENDER))
  const stranger = account(STRANGER).address
  const setWithdrawAddress = { abi, functionName: 'setWithdrawAddress', args: [stranger, owner] } as const
  await step(STRANGER, 'distribution', encodeFunctionData(setWithdrawAddress))
  const schedule = [{ length: 10n ** 9n, amount: [{ denom: DENOM, amount: 4n * COIN }] }]
  const fund = [owner, account(FUNDED).address, 1_767_225_600n, schedule, schedule] as const
  await step(OWNER, 'vesting', encodeFunctionData({ abi, functionName: 'fundVestingAccount', args: fund }))
  const none = { revisionNumber: 0n, revisionHeight: 0n }
  const transfer = ['transfer', CHANNEL, DENOM, COIN, owner, owner, none, 2n ** 63n, ''] as const
  await step(OWNER, 'ics20', encodeFunctionData({ abi, functionName: 'transfer', args: transfer }))
  for (const { to, data } of IBC_STEPS.second) await step(OWNER, to, data)
  await step(OWNER, 'gov', voting(3))
  const more = [owner, UNPAID, [{ denom: DENOM, amount: 100_000n }]] as const
  await step(OWNER, 'gov', encodeFunctionData({ abi, functionName: 'deposit', args: more }))
  // The fees of these blocks become rewards, and the packet arrives.
  await dev.mine({ blocks: 3 })
  return { past, undelegated }
}

const granting = (spender: Address, amount: bigint, methods: readonly string[]): Hex =>
  encodeFunctionData({ abi, functionName: 'approve', args: [spender, amount, methods] })

const allocating = (spender: Address): Hex => {
  const allocation = { ...ALLOCATION, spendLimit: [{ denom: DENOM, amount: 5n * COIN }] }
  return encodeFunctionData({ abi, functionName: 'approve', args: [spender, [allocation]] })
}
