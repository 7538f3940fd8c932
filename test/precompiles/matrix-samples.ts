// One call of every function of every precompile, the world in which all of these calls succeed, and what happens to
// those who may not make them. `matrix.test.ts` runs each through every way of calling.
import { type Abi, type Address, encodeFunctionData, getAddress, type Hex, maxUint256, parseAbi, toHex } from 'viem'
import { operatorPrefix, toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { PRECOMPILES } from '../../src/precompiles/index.ts'
import { account, type withClients } from '../support/chain.ts'
import { forwarder, reverter } from '../support/forwarder.ts'

const COIN = 10n ** 18n
const DENOM = 'akest'
const CHANNEL = 'channel-0'

/** The account whose coins, stake and grants most samples are about. */
export const OWNER = 0
/** An account that has granted nothing and been granted nothing. */
export const STRANGER = 1
/** The network's first validator; the mnemonic's accounts 10 to 12 operate them. */
const OPERATOR = 10
const NEW_OPERATOR = 5
/** Not a vesting account; one without a schedule; one with; one that need never have become one. */
const [FUTURE, EMPTY, FUNDED, NEEDLESS] = [6, 7, 8, 9]

const owner = account(OWNER).address
/** Holds grants that samples take away and change. */
const SPENDER = getAddress('0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e')
const operator = (index: number): string =>
  toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
const [A, B, C] = [operator(OPERATOR), operator(11), operator(12)]
const PAGE = { key: '0x', offset: 0n, limit: 10n, countTotal: true, reverse: false }
const COINS = [{ denom: DENOM, amount: COIN }]
const ALLOCATION = { sourcePort: 'transfer', sourceChannel: CHANNEL, spendLimit: COINS, allowList: [] }
const DESCRIPTION = { moniker: 'm', identity: '', website: '', securityContact: '', details: 'd' }
const TRACE = 'transfer/channel-1/akest'
const TRACE_HASH = 'B4B61FA6C77E1B8ABE6AF6EB5B5D0C5D5F7A4B0E0000000000000000000000'

/**
 * Who may make a state-changing call, the caller not being its subject:
 * `grantee`: a contract with the subject's grant, in a transaction that the subject signed;
 * `holder`: whoever has something of its own to change; `nobody` else than the subject, and no contract;
 * `signer`: any contract in a transaction of the subject; `anyone` at all; `everyone`: for itself.
 */
export type Rule = 'grantee' | 'holder' | 'nobody' | 'signer' | 'anyone' | 'everyone'

export type Sample = {
  readonly args: readonly unknown[]
  /** The account that makes it; `OWNER` when left out. */
  readonly from?: number
  /** Of a state-changing function. */
  readonly rule?: Rule
  /** Nobody can make it here, for this reason. */
  readonly never?: RegExp
  /** Of a query: why its answer is the same in an older block. */
  readonly constant?: string
}

/** By function name, or by signature where a name is overloaded. */
type Samples = Readonly<Record<string, Sample>>

const grants = (method: string, changing: Pick<Sample, 'rule' | 'never'>): Samples => ({
  approve: { args: [SPENDER, COIN, [method]], rule: 'everyone' },
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
    // The creation height is put in by `openWorld`.
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
      rule: 'nobody',
    },
    editValidator: {
      args: [{ ...DESCRIPTION, details: 'changed' }, account(OPERATOR).address, -1n, -1n],
      from: OPERATOR,
      rule: 'nobody',
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
    fundCommunityPool: { args: [owner, COIN], rule: 'nobody' },
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
    'approve(address,(string,string,(string,uint256)[],string[])[])': { args: [SPENDER, [ALLOCATION]], rule: 'everyone' },
    'approve(address,(string,string,(string,uint256)[],string[],string[])[])': {
      args: [SPENDER, [{ ...ALLOCATION, allowedPacketData: ['*'] }]],
      rule: 'everyone',
    },
    revoke: { args: [SPENDER], rule: 'holder' },
    increaseAllowance: { args: [SPENDER, 'transfer', CHANNEL, DENOM, COIN], rule: 'holder' },
    decreaseAllowance: { args: [SPENDER, 'transfer', CHANNEL, DENOM, COIN / 2n], rule: 'holder' },
    transfer: {
      args: ['transfer', CHANNEL, DENOM, COIN, owner, owner, NO_HEIGHT(), 2n ** 63n, ''],
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
      rule: 'signer',
    },
    fundVestingAccount: {
      args: [owner, account(EMPTY).address, 1_767_225_600n, [], [{ length: 3600n, amount: COINS }]],
      rule: 'grantee',
    },
    clawback: { args: [owner, account(FUNDED).address, owner], rule: 'grantee' },
    updateVestingFunder: { args: [owner, account(STRANGER).address, account(FUNDED).address], rule: 'grantee' },
    convertVestingAccount: { args: [account(NEEDLESS).address], rule: 'anyone' },
    approve: { args: [SPENDER, 'MSG_CLAWBACK'], rule: 'everyone' },
    balances: { args: [account(FUNDED).address] },
  },
  bech32: {
    hexToBech32: { args: [owner, 'kest'], constant: 'it reads no state' },
    bech32ToHex: { args: [A], constant: 'it reads no state' },
  },
  bank: {
    balances: { args: [owner] },
    totalSupply: { args: [], constant: 'nothing mints or burns here' },
    supplyOf: { args: [`0x${'00'.repeat(20)}`], constant: 'nothing mints or burns here' },
  },
}
