// Messages of governance proposals: how they are read, and that all of them are executed at the end of the vote, or none.
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { validator } from '../distribution/support.ts'
import {
  A,
  delegator,
  EVM_PARAMS,
  evmParams,
  GOV,
  type GovChain,
  govChain,
  MIN,
  message,
  operator,
  P,
} from './support.ts'

const alice = delegator(0)
const bob = delegator(1)
const bech32 = (of: typeof alice) => toBech32('kest', of)
const TOKEN = hexToAddress('0x00000000000000000000000000000000deadbeef')
const SPEND = '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend'
const REGISTER = '/evmos.erc20.v1.MsgRegisterERC20'
const TOGGLE = '/evmos.erc20.v1.MsgToggleConversion'
const GOV_PARAMS = '/cosmos.gov.v1.MsgUpdateParams'
const STAKING_PARAMS = '/cosmos.staking.v1beta1.MsgUpdateParams'
const CLAWBACK = '/evmos.vesting.v2.MsgClawback'

const spend = (recipient: string, amount: bigint) =>
  message(SPEND, { recipient, amount: [{ denom: 'akest', amount: amount.toString() }] })

/** The outcome of a proposal with these messages that all validators accept. */
function outcome(chain: GovChain, messages: readonly object[]) {
  const id = chain.submit(messages)
  chain.pass(id)
  return [chain.gov.proposal(id).status, chain.gov.texts(id).failure]
}

describe('a submission', () => {
  const refusal = async (json: unknown) => {
    const chain = await govChain()
    const text = typeof json === 'string' ? json : JSON.stringify(json)
    return chain.attempt(({ gov }) => gov.read(Buffer.from(text)))
  }
  const words = { title: 'T', summary: 'S' }

  it('is an object with a title and a summary of bounded length', async () => {
    expect(
      await refusal({ ...words, messages: [], metadata: '', expedited: false, deposit: '10akest' }),
    ).toBeUndefined()
    expect(await refusal(words)).toBeUndefined()
    expect(await refusal('{')).toBe('invalid proposal JSON: malformed')
    expect(await refusal('[]')).toBe('invalid proposal JSON: expected an object')
    expect(await refusal({ ...words, title: 7 })).toBe('invalid proposal JSON: invalid title')
    expect(await refusal({ ...words, mesages: [] })).toBe('invalid proposal JSON: unknown field mesages')
    expect(await refusal({ summary: 'S' })).toBe('proposal title cannot be empty: invalid request')
    expect(await refusal({ title: 'T' })).toBe('proposal summary cannot be empty: invalid request')
    expect(await refusal({ ...words, title: 'a'.repeat(256) })).toBe('got title with length 256: title too long')
    expect(await refusal({ ...words, summary: 'a'.repeat(10_200) })).toBeUndefined()
    expect(await refusal({ ...words, summary: 'a'.repeat(10_201) })).toBe(
      'got summary with length 10201: summary too long',
    )
    expect(await refusal({ ...words, metadata: 'a'.repeat(256) })).toBe(
      'got metadata with length 256: metadata too long',
    )
    expect(await refusal(' '.repeat(100_001))).toBe('proposal of 100001 bytes is longer than 100000: invalid request')
    const chain = await govChain()
    expect(chain.attempt(({ gov }) => gov.read(Uint8Array.of(0x22, 0xff, 0x22)))).toBe(
      'invalid proposal JSON: malformed',
    )
  })

  it('has messages that governance may execute and this chain knows', async () => {
    const one = (of: unknown) => refusal({ ...words, messages: [evmParams(), of] })
    expect(await one({ '@type': '/cosmos.bank.v1beta1.MsgSend', authority: GOV })).toBe(
      'message 1: unable to resolve type URL /cosmos.bank.v1beta1.MsgSend',
    )
    expect(await one({ authority: GOV })).toBe('message 1: unable to resolve type URL ')
    for (const of of ['text', 7, null, []]) expect(await one(of)).toBe('message 1: expected an object with "@type"')
    for (const [authority, got] of [
      [bech32(alice), bech32(alice)],
      [alice, alice],
      ['nonsense', 'nonsense'],
      [undefined, ''],
      [7, ''],
    ]) {
      // The text is from Evmos, with the gov account of this chain.
      expect(await one({ '@type': EVM_PARAMS, authority, params: { extra_eips: [] } })).toBe(
        `message 1: invalid authority, expected ${bech32(GOV)}, got ${got}: expected gov account as only signer for proposal message`,
      )
    }
    expect(await one({ '@type': EVM_PARAMS, authority: bech32(GOV), params: { extraEips: [] } })).toBeUndefined()
    expect(await refusal({ ...words, messages: Array.from({ length: 65 }, () => evmParams()) })).toBe(
      'more than 64 messages: invalid request',
    )
  })

  it('has messages with the fields of their type', async () => {
    const one = (of: object) => refusal({ ...words, messages: [of] })
    expect(await one(message(EVM_PARAMS, {}))).toBe('message 0: params: expected an object: invalid proposal message')
    expect(await one(message(EVM_PARAMS, { params: { extra_eips: [], evm_denom: 'a' } }))).toBe(
      'message 0: params.evmDenom: unknown field: invalid proposal message',
    )
    expect(await one(message(SPEND, { recipient: 'kest1', amount: [] }))).toMatch(
      /^message 0: recipient: decoding bech32 failed/,
    )
    expect(await one(spend(bech32(alice), 0n))).toBe(
      'message 0: amount: expected more than nothing: invalid proposal message',
    )
    expect(await one(message(SPEND, { recipient: alice, amount: [{ denom: 'ibc/1', amount: '1' }] }))).toBe(
      'message 0: amount.0.denom: expected "akest": invalid proposal message',
    )
    const amounts = [{ denom: 'akest', amount: '1.5' }]
    expect(await one(message(SPEND, { recipient: alice, amount: amounts }))).toBe(
      'message 0: amount.0.amount: expected a whole number of up to 30 digits: invalid proposal message',
    )
    expect(await one(message(REGISTER, { erc20addresses: ['0x12'] }))).toBe(
      'message 0: erc20addresses.0: expected the address of a contract, 20 bytes of hex: invalid proposal message',
    )
    let deep: unknown = []
    for (let i = 0; i < 20; i++) deep = [deep]
    expect(await one(message(EVM_PARAMS, { params: deep }))).toBe(
      'message 0: nested too deeply: invalid proposal message',
    )
  })

  it("is stored with this chain's message names", async () => {
    const chain = await govChain()
    const params = { extra_eips: ['kestrel_0'] }
    const id = chain.submit([{ authority: bech32(GOV), params, '@type': '/cosmos.evm.vm.v1.MsgUpdateParams' }])
    expect(chain.gov.messages(id).map((text) => JSON.parse(text))).toEqual([
      { '@type': EVM_PARAMS, authority: bech32(GOV), params },
    ])
    expect(chain.gov.texts(id)).toEqual({ title: 'A title', summary: 'A summary', metadata: '', failure: '' })
  })
})

describe('a proposal that passes', () => {
  it('sets the EVM’s parameters', async () => {
    const chain = await govChain()
    expect(outcome(chain, [evmParams('kestrel_0', 'kestrel_2')])).toEqual(['passed', ''])
    expect(chain.modules.params.activeProposals()).toEqual(['kestrel_0', 'kestrel_2'])
    expect(outcome(chain, [evmParams('kestrel_2')])).toEqual(['passed', ''])
    expect(chain.modules.params.activeProposals()).toEqual(['kestrel_2'])
  })

  it('is reverted completely when one of its messages fails', async () => {
    const chain = await govChain()
    chain.distribution.fundCommunityPool(alice, 10n * P)
    const messages = [spend(bob, 4n * P), evmParams('kestrel_0'), spend(bob, 7n * P)]
    const words = 'message 2: community pool does not have sufficient coins to distribute'
    expect(outcome(chain, messages)).toEqual(['failed', words])
    expect(chain.balance(bob)).toBe(1_000n * P)
    expect(chain.distribution.communityPool()).toBe(10n * P * P)
    expect(chain.modules.params.activeProposals()).toEqual([])
    // The deposit is refunded, because the vote passed.
    expect(chain.balance(alice)).toBe(990n * P)
  })

  it('spends the community pool', async () => {
    const chain = await govChain()
    chain.distribution.fundCommunityPool(alice, 10n * P)
    expect(outcome(chain, [spend(bech32(bob), 4n * P), spend(bob, 6n * P)])).toEqual(['passed', ''])
    expect(chain.balance(bob)).toBe(1_010n * P)
    expect([chain.distribution.communityPool(), chain.distribution.invariants()]).toEqual([0n, []])
    expect(outcome(chain, [spend(bob, 1n)])).toEqual([
      'failed',
      'message 0: community pool does not have sufficient coins to distribute',
    ])
    expect(outcome(chain, [spend(NATIVE_CONTRACT.gov, 1n)])).toEqual([
      'failed',
      'message 0: the recipient is not allowed to receive funds',
    ])
  })

  it('registers tokens with a name, a symbol and decimals, and switches pairs', async () => {
    const chain = await govChain()
    const { erc20 } = chain.modules
    const register = message(REGISTER, { erc20addresses: [TOKEN] })
    expect(outcome(chain, [register])[1]).toBe('message 0: the token cannot be registered')
    erc20.describe(TOKEN, { name: 'Beef', symbol: 'BEEF', decimals: 6n })
    // The contract must still exist.
    expect(outcome(chain, [register])[0]).toBe('failed')
    chain.view.setCode(TOKEN, Uint8Array.of(0))
    expect(outcome(chain, [register])).toEqual(['passed', ''])
    const denom = 'erc20/0x00000000000000000000000000000000DeaDBeef'
    const pair = { token: TOKEN, denom, isEnabled: true, owner: 'external', name: 'Beef', symbol: 'BEEF', decimals: 6n }
    expect(erc20.pair(TOKEN)).toEqual(pair)
    expect(outcome(chain, [register])).toEqual(['failed', 'message 0: token pair already exists'])
    // The message as cosmos/evm defines it.
    const { authority: signer, ...rest } = register
    expect(outcome(chain, [{ ...rest, signer }])).toEqual(['failed', 'message 0: token pair already exists'])

    const toggle = (token: string) => message(TOGGLE, { token })
    expect(outcome(chain, [toggle(TOKEN)])).toEqual(['passed', ''])
    expect(erc20.pair(TOKEN)).toEqual({ ...pair, isEnabled: false })
    expect(outcome(chain, [toggle(denom)])).toEqual(['passed', ''])
    expect(erc20.pair(TOKEN)).toEqual(pair)
    for (const token of ['akest', alice, ''])
      expect(outcome(chain, [toggle(token)])).toEqual(['failed', 'message 0: token pair not found'])
  })

  const coins = (amount: bigint) => [{ denom: 'akest', amount: amount.toString() }]
  /** The parameters as the SDK's tools write them. */
  const govParams = {
    min_deposit: coins(5n),
    max_deposit_period: '100s',
    voting_period: '20s',
    quorum: '0.400000000000000000',
    threshold: '0.6',
    veto_threshold: '1.000000000000000000',
    min_initial_deposit_ratio: '0',
    proposal_cancel_ratio: '1',
    proposal_cancel_dest: bech32(alice),
    expedited_voting_period: '10s',
    expedited_threshold: '0.7',
    expedited_min_deposit: coins(50n),
    burn_vote_quorum: true,
    burn_proposal_deposit_prevote: true,
    burn_vote_veto: false,
    min_deposit_ratio: '0',
  }

  it('sets governance’s own parameters', async () => {
    const chain = await govChain()
    expect(outcome(chain, [message(GOV_PARAMS, { params: govParams })])).toEqual(['passed', ''])
    expect(chain.gov.params()).toEqual({
      minDeposit: 5n,
      maxDepositPeriod: 100n,
      votingPeriod: 20n,
      quorum: (4n * P) / 10n,
      threshold: (6n * P) / 10n,
      vetoThreshold: P,
      minInitialDepositRatio: 0n,
      proposalCancelRatio: P,
      proposalCancelDest: alice,
      expeditedVotingPeriod: 10n,
      expeditedThreshold: (7n * P) / 10n,
      expeditedMinDeposit: 50n,
      burnVoteQuorum: true,
      burnProposalDepositPrevote: true,
      burnVoteVeto: false,
      minDepositRatio: 0n,
    })
    expect(chain.gov.proposal(chain.submit([], { deposit: 5n })).votingEndTime).toBe(chain.time + 20n)
  })

  it.each([
    [{ quorum: '1.1' }, 'params.quorum: expected a decimal string from "0" to "1"'],
    [{ threshold: '0' }, 'params.threshold: expected more than nothing'],
    [{ veto_threshold: '0' }, 'params.vetoThreshold: expected more than nothing'],
    [{ expedited_threshold: '0.5' }, 'params.expeditedThreshold: expected at least the threshold'],
    [{ expedited_min_deposit: coins(4n) }, 'params.expeditedMinDeposit: expected at least the minimum deposit'],
    [{ expedited_voting_period: '21s' }, 'params.expeditedVotingPeriod: expected at most the voting period'],
    [{ voting_period: '0s' }, 'params.votingPeriod: expected seconds from 1 to 864000000, as a number or as "30s"'],
    [{ min_deposit: coins(0n) }, 'params.minDeposit: expected more than nothing'],
    [{ min_deposit: [] }, 'params.minDeposit: expected base units, or a list of one coin of akest'],
    [{ proposal_cancel_dest: bech32(MODULE_ACCOUNT.gov) }, 'params.proposalCancelDest: not allowed to receive funds'],
    [{ proposal_cancel_dest: 'x' }, /^message 0: params.proposalCancelDest: decoding bech32 failed/],
    [{ quorum: undefined }, /^message 0: params.quorum: expected a decimal string/],
  ])('cannot set them to %j', async (change, words) => {
    const chain = await govChain()
    const refusal = chain.attempt(() => chain.submit([message(GOV_PARAMS, { params: { ...govParams, ...change } })]))
    if (typeof words === 'string') expect(refusal).toBe(`message 0: ${words}: invalid proposal message`)
    else expect(refusal).toMatch(words)
  })

  it('sets the parameters of staking, which apply to the validator set of the same block', async () => {
    const chain = await govChain(
      {},
      [1, 2, 3].map((i) => validator(i, BigInt(i) * 100n * P)),
    )
    const params = {
      unbonding_time: '86400s',
      max_validators: 2,
      max_entries: 3,
      historical_entries: 10_000,
      bond_denom: 'akest',
      min_commission_rate: '0.05',
    }
    const id = chain.submit([message(STAKING_PARAMS, { params })])
    for (const i of [1, 2, 3]) chain.vote(id, operator(i), 'yes')
    chain.next(0n, 30n)
    expect(chain.staking.bondedValidators()).toHaveLength(3)
    chain.next()
    expect(chain.gov.proposal(id).status).toBe('passed')
    expect(chain.staking.params()).toEqual({
      unbondingTime: 86_400n,
      maxValidators: 2n,
      maxEntries: 3n,
      minCommissionRate: P / 20n,
      powerReduction: P,
    })
    expect(chain.staking.bondedValidators().map((of) => of.operator)).toEqual([operator(3), operator(2)])
    expect(chain.staking.invariants()).toEqual([])
    const refusal = (change: object) =>
      chain.attempt(() => chain.submit([message(STAKING_PARAMS, { params: { ...params, ...change } })]))
    expect(refusal({ bond_denom: 'other' })).toMatch(/^message 0: params.bondDenom: /)
    expect(refusal({ max_validators: 0 })).toMatch(
      /^message 0: params.maxValidators: expected a whole number from 1 to/,
    )
  })

  describe('with a clawback of a vesting account', () => {
    const clawback = {
      '@type': CLAWBACK,
      funder_address: bech32(GOV),
      account_address: bech32(bob),
      dest_address: bech32(alice),
    }
    /** Alice funds a vesting account of Bob with 100 coins, which vest in an hour. */
    async function vesting(governance: boolean) {
      const chain = await govChain()
      const { modules } = chain
      modules.vesting.create(alice, bob, governance)
      const period = [{ length: 3_600n, amount: 100n * P }]
      modules.vesting.fund(alice, bob, { start: chain.time, lockup: [], vesting: period })
      return chain
    }

    it('gives unvested coins to the community pool', async () => {
      const chain = await vesting(true)
      expect(outcome(chain, [clawback])).toEqual(['passed', ''])
      expect(chain.distribution.communityPool()).toBe(100n * P * P)
      expect(chain.balance(bob)).toBe(1_000n * P)
      expect(chain.modules.vesting.steps(bob)).toBe(0)
    })

    it('fails when the account does not allow it or is not a vesting account', async () => {
      const chain = await vesting(false)
      expect(outcome(chain, [clawback])).toEqual([
        'failed',
        'message 0: the account has no vesting that governance may claw back',
      ])
      expect(outcome(chain, [{ ...clawback, account_address: A }])[0]).toBe('failed')
    })

    it('makes the funder wait for the end of the vote', async () => {
      const chain = await vesting(true)
      const id = chain.submit([clawback], { deposit: 0n })
      const refusals = () => [
        chain.attempt(({ vesting: of }) => of.updateFunder(alice, delegator(2), bob)),
        chain.attempt(({ vesting: of }) => of.updateFunder(delegator(2), alice, bob)),
      ]
      expect(refusals()).toEqual([undefined, undefined])
      chain.gov.deposit(id, alice, MIN)
      const words = `while there is an active clawback proposal for account ${bech32(bob)}: unauthorized`
      expect(refusals()).toEqual([`cannot update funder ${words}`, `cannot update funder ${words}`])
      expect(chain.attempt(({ vesting: of }) => of.clawback(alice, bob, alice))).toBe(`clawback is disabled ${words}`)
      chain.conclude(id)
      expect(chain.gov.proposal(id).status).toBe('rejected')
      const other = chain.submit([clawback])
      chain.gov.cancel(other, alice)
      expect(refusals()).toEqual([undefined, undefined])
      expect(chain.attempt(({ vesting: of }) => of.clawback(alice, bob, alice))).toBeUndefined()
    })
  })
})
