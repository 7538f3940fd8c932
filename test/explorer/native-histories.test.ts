// Random histories of the native modules: the explorer's endpoints always equal the precompiles' answers by eth_call, and are
// restored when a history is reverted.
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { formatDec } from '../../src/lib/dec.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { presets } from '../../src/spec/presets.ts'
import { DISTRIBUTION, abi as distributionAbi, withdraw } from '../precompiles/distribution-support.ts'
import { GOV, MIN, submit, vote } from '../precompiles/gov-support.ts'
import { ICS20, transfer } from '../precompiles/ics20-support.ts'
import { delegate, operator, STAKING, abi as stakingAbi, undelegate } from '../precompiles/staking-support.ts'
import { account, testChain } from '../support/chain.ts'
import { api } from './support.ts'

const COIN = 10n ** 18n
const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
const authorization = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function revoke(address spender, string[] methods) returns (bool revoked)',
  'function allowance(address owner, address spender, string method) view returns (uint256 remaining)',
])
const govAbi = parseAbi([
  'struct WeightedVoteOption { uint8 option; string weight; }',
  'struct WeightedVote { uint64 proposalId; address voter; WeightedVoteOption[] options; string metadata; }',
  'struct TallyResultData { string yes; string abstain; string no; string noWithVeto; }',
  'function getTallyResult(uint64 proposalId) view returns (TallyResultData tallyResult)',
  'function getVote(uint64 proposalId, address voter) view returns (WeightedVote vote)',
])
const METHODS = [
  '/cosmos.staking.v1beta1.MsgDelegate',
  '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
] as const
const OPTIONS = ['none', 'yes', 'abstain', 'no', 'no_with_veto']
const [PEOPLE, VALIDATORS] = [
  [0, 1, 2, 3],
  [10, 11, 12],
] as const

/** Pseudo-random numbers below `most` (linear congruential generator, Numerical Recipes). */
function numbersFrom(seed: number) {
  let state = seed
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

function historySpec() {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  const modules = {
    ...preset.native.modules,
    gov: { params: { votingPeriod: 400 } },
    staking: { params: { unbondingTime: 300 } },
  }
  return { ...preset, native: { ...preset.native, modules } }
}

async function historyChain() {
  const chain = await testChain({ spec: historySpec() })
  const { read, readAll } = api(chain.url)
  const call = (data: Hex, to: Hex, from: number) => chain.walletOf(from).sendTransaction({ to, data, gas: 3_000_000n })

  /** One random action, which may be refused. */
  async function act(below: (most: number) => number): Promise<void> {
    const from = below(PEOPLE.length)
    const other = below(PEOPLE.length)
    const me = account(from).address
    const at = operator(10 + below(3))
    const to = operator(10 + below(3))
    const amount = BigInt(1 + below(4_000)) * (COIN / 1_000n)
    const grant = { abi: authorization, functionName: 'approve' } as const
    const method = METHODS[below(METHODS.length)] ?? METHODS[0]
    const acts: readonly (() => Promise<unknown>)[] = [
      () => call(delegate(amount, me, at), STAKING, from),
      () => call(delegate(amount, me, at), STAKING, from),
      () => call(undelegate(amount / 2n, me, at), STAKING, from),
      () =>
        call(
          encodeFunctionData({ abi: stakingAbi, functionName: 'redelegate', args: [me, at, to, amount / 2n] }),
          STAKING,
          from,
        ),
      () => call(withdraw(me, at), DISTRIBUTION, from),
      () =>
        call(encodeFunctionData({ ...grant, args: [account(other).address, amount, [method]] }), AUTHORIZATION, from),
      () =>
        call(
          encodeFunctionData({ abi: authorization, functionName: 'revoke', args: [account(other).address, [method]] }),
          AUTHORIZATION,
          from,
        ),
      () => call(submit([], { proposer: me, deposit: [{ denom: 'akest', amount: MIN }] }), GOV, from),
      () => call(vote(1n, account(10 + below(3)).address, 1 + below(4)), GOV, 10 + below(3)),
      () => call(vote(BigInt(1 + below(2)), me, 1 + below(4)), GOV, from),
      () => call(transfer({ sender: me, amount: BigInt(1 + below(999)) }), ICS20, from),
      () => chain.rpc('dev_reportDoubleSign', operator(below(8) === 0 ? 12 : 13), '0x1').catch(() => undefined),
      () => chain.rpc('evm_increaseTime', `0x${(50 + below(200)).toString(16)}`).then(() => chain.mine()),
    ]
    await acts[below(acts.length)]?.()
  }

  /** All responses of the endpoints about the accounts and validators. */
  async function allResponses(): Promise<Record<string, unknown>> {
    const paths = [
      ...['/native/validators', '/native/proposals', '/native/transfers', '/native/modules', '/native/denominations'],
      ...PEOPLE.flatMap((index) =>
        ['delegations', 'unbondings', 'redelegations', 'rewards', 'grants', 'transfers', 'votes'].map(
          (list) => `/native/addresses/${account(index).address}/${list}`,
        ),
      ),
      ...VALIDATORS.map((index) => `/native/validators/${operator(index)}/delegations`),
    ]
    const lists = await Promise.all(paths.map(async (path) => [path, await readAll(path, 7)] as const))
    return { ...Object.fromEntries(lists), pool: await read('/native/pool') }
  }
  return { ...chain, read, readAll, act, allResponses }
}

type Chain = Awaited<ReturnType<typeof historyChain>>

async function expectStake({ viem, readAll, read }: Chain): Promise<void> {
  const staking = { address: STAKING, abi: stakingAbi } as const
  for (const index of VALIDATORS) {
    const is = await viem.readContract({ ...staking, functionName: 'validator', args: [operator(index)] })
    const shown = await read(`/native/validators/${operator(index)}`)
    expect(shown).toMatchObject({
      tokens: is.tokens.toString(),
      jailed: is.jailed,
      delegator_shares: formatDec(is.delegatorShares),
    })
    expect(shown.status).toBe(['', 'unbonded', 'unbonding', 'bonded'][is.status])
  }
  for (const of of PEOPLE.map((index) => account(index).address)) {
    const delegations = await readAll(`/native/addresses/${of}/delegations`)
    const unbondings = await readAll(`/native/addresses/${of}/unbondings`)
    for (const index of VALIDATORS) {
      const at = operator(index)
      const isAt = (item: { validator: { operator_address: string } }) => item.validator.operator_address === at
      const [shares, { amount }] = await viem.readContract({ ...staking, functionName: 'delegation', args: [of, at] })
      const found = delegations.find(isAt)
      expect([found?.shares ?? formatDec(0n), found?.balance ?? '0']).toEqual([formatDec(shares), amount.toString()])
      const entries = await viem.readContract({ ...staking, functionName: 'unbondingDelegation', args: [of, at] })
      expect(unbondings.filter(isAt).map((item: { balance: string }) => item.balance)).toEqual(
        entries.map(({ balance }) => balance.toString()),
      )
    }
    const [rewards] = await viem.readContract({
      address: DISTRIBUTION,
      abi: distributionAbi,
      functionName: 'delegationTotalRewards',
      args: [of],
    })
    const shown = await readAll(`/native/addresses/${of}/rewards`)
    expect(
      shown.map((item: { validator: { operator_address: string } }) => item.validator.operator_address).sort(),
    ).toEqual(rewards.map(({ validatorAddress }) => validatorAddress).sort())
    for (const { validatorAddress, reward } of rewards) {
      const item = shown.find((one) => one.validator.operator_address === validatorAddress)
      expect(item.rewards.split('.')[0]).toBe((reward[0]?.amount ?? 0n).toString())
    }
  }
}

async function expectGrants({ viem, readAll }: Chain): Promise<void> {
  for (const granter of PEOPLE.map((index) => account(index).address)) {
    const given = await readAll(`/native/addresses/${granter}/grants?filter=given`)
    for (const grantee of PEOPLE.map((index) => account(index).address)) {
      for (const method of METHODS) {
        const left = await viem.readContract({
          address: AUTHORIZATION,
          abi: authorization,
          functionName: 'allowance',
          args: [granter, grantee, method],
        })
        const shown = given.find(({ grantee: to, message }) => to.hash === grantee && message === method)
        const limit = shown === undefined ? 0n : shown.limit === null ? 2n ** 256n - 1n : BigInt(shown.limit)
        expect(limit).toBe(left)
      }
    }
  }
}

async function expectProposals({ viem, readAll }: Chain): Promise<void> {
  const gov = { address: GOV, abi: govAbi } as const
  for (const { id, tally } of await readAll('/native/proposals')) {
    const is = await viem.readContract({ ...gov, functionName: 'getTallyResult', args: [BigInt(id)] })
    expect([tally.yes, tally.abstain, tally.no, tally.no_with_veto]).toEqual([is.yes, is.abstain, is.no, is.noWithVeto])
  }
  for (const { id } of await readAll('/native/proposals?status=voting')) {
    for (const { voter, options } of await readAll(`/native/proposals/${id}/votes`)) {
      const cast = await viem.readContract({ ...gov, functionName: 'getVote', args: [BigInt(id), voter.hash] })
      expect(options).toEqual(cast.options.map(({ option, weight }) => ({ option: OPTIONS[option], weight })))
    }
  }
}

it.each([1, 2])(
  'history %i: the native endpoints equal the precompiles, and are restored by revert and reindex',
  async (seed) => {
    const chain = await historyChain()
    const below = numbersFrom(seed)
    for (let i = 0; i < 40; i++) await chain.act(below)
    await expectStake(chain)
    await expectGrants(chain)
    await expectProposals(chain)
    const before = await chain.allResponses()
    const snapshot = await chain.rpc('evm_snapshot')
    for (let i = 0; i < 30; i++) await chain.act(below)
    await expectStake(chain)
    await expectGrants(chain)
    await expectProposals(chain)
    expect(await chain.allResponses()).not.toEqual(before)
    await chain.rpc('evm_revert', snapshot)
    expect(await chain.allResponses()).toEqual(before)
    const { store, spec } = chain.node.chain
    await reindex(store, new Runtime(spec), indexer, () => undefined)
    expect(await chain.allResponses()).toEqual(before)
  },
  240_000,
)
