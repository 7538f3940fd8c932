// The native modules over the explorer API: a short scenario of stake, grants, votes, transfers and vesting. Expected amounts
// are those of the scenario; the rest are the precompiles' answers.
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { routes } from '../../src/explorer/routes/index.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { evmParams, govChain, governed, MIN, message, vote, voteWeighted } from '../precompiles/gov-support.ts'
import { ICS20, transfer } from '../precompiles/ics20-support.ts'
import { A, B, delegate, owner, redelegate, STAKING, undelegate } from '../precompiles/staking-support.ts'
import { create, fund, holder, VESTING } from '../precompiles/vesting-support.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { api } from './support.ts'

const COIN = 10n ** 18n
const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
const authorization = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function revoke(address spender, string[] methods) returns (bool revoked)',
])
const DELEGATE = '/cosmos.staking.v1beta1.MsgDelegate'
const bob = account(1).address
const approve = (amount: bigint): Hex =>
  encodeFunctionData({ abi: authorization, functionName: 'approve', args: [bob, amount, [DELEGATE]] })
const revoke = (): Hex => encodeFunctionData({ abi: authorization, functionName: 'revoke', args: [bob, [DELEGATE]] })

/** The preset with sinks and a voting period of 1,000 seconds. */
function scenarioSpec() {
  const spec = governed({ params: { votingPeriod: 1_000 } })
  const sinks = (['ack-success', 'ack-error', 'timeout', 'never'] as const).map((behaviour, i) => {
    return { channel: `channel-${i + 2}`, behaviour }
  })
  return { ...spec, native: { ...spec.native, modules: { ...spec.native.modules, transfer: { sinks } } } }
}

async function scenario() {
  const chain = await govChain({ spec: scenarioSpec() })
  return { ...chain, ...api(chain.url) }
}

describe('validators', () => {
  it('are listed with their stake, and found by all three forms of the address', async () => {
    const { send, read, get } = await scenario()
    await send(delegate(5n * COIN), { to: STAKING })
    const { items, total_count, next_page_params } = await read('/native/validators?items_count=2')
    expect(total_count).toBe(3)
    expect(next_page_params).toEqual({ page: 2, items_count: 2 })
    const operator = account(10).address
    expect(items[0]).toMatchObject({
      address: { hash: operator },
      operator_address: A,
      status: 'bonded',
      jailed: false,
      tokens: (1_005n * COIN).toString(),
      delegator_shares: `${1_005n * COIN}.${'0'.repeat(18)}`,
      self_delegation: (1_000n * COIN).toString(),
      delegators_count: 2,
      voting_power: '1005',
      // 1005 / 3005, rounded down.
      voting_power_share: '0.334442595673876871',
    })
    for (const name of [operator, operator.toLowerCase(), A, toBech32('kest', hexToAddress(operator))]) {
      expect((await read(`/native/validators/${name}`)).operator_address).toBe(A)
    }
    expect((await get(`/native/validators/${owner}`)).status).toBe(404)
    for (const name of ['nobody', `${A}x`, '0x12', 'cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a']) {
      expect((await get(`/native/validators/${name}`)).status, name).toBe(422)
    }
    expect((await read('/native/validators?status=unbonded')).items).toEqual([])
    expect((await get('/native/validators?status=strange')).status).toBe(422)
  })

  it('have delegations, unbondings and redelegations, listed by validator and by delegator', async () => {
    const { send, read, viem } = await scenario()
    await send(delegate(5n * COIN), { to: STAKING })
    const { blockNumber } = await send(undelegate(2n * COIN), { to: STAKING })
    await send(redelegate(COIN), { to: STAKING })
    const { timestamp } = await viem.getBlock({ blockNumber })
    const { timestamp: now } = await viem.getBlock()
    const left = await read(`/native/validators/${A}/unbondings`)
    expect(left.items).toMatchObject([
      { delegator: { hash: owner }, balance: (2n * COIN).toString(), initial_balance: (2n * COIN).toString() },
    ])
    // 21 days, the SDK's period.
    const completion = timestamp + 21n * 86_400n
    expect(left.items[0].completion_time).toBe(new Date(Number(completion) * 1000).toISOString().replace('Z', '000Z'))
    expect(left.items[0].seconds_left).toBe(Number(completion - now))
    expect(await read(`/native/addresses/${owner}/unbondings`)).toEqual(left)
    const moved = await read(`/native/validators/${A}/redelegations`)
    expect(moved.items).toMatchObject([
      { source: { operator_address: A }, destination: { operator_address: B }, balance: COIN.toString() },
    ])
    expect(await read(`/native/addresses/${owner}/redelegations`)).toEqual(moved)
    expect((await read(`/native/validators/${B}/redelegations`)).items).toEqual([])
    expect((await read(`/native/validators/${A}/delegations`)).items).toMatchObject([
      { delegator: { hash: account(10).address } },
      { delegator: { hash: owner }, balance: (2n * COIN).toString() },
    ])
    expect(await read(`/native/addresses/${owner}`)).toMatchObject({
      delegated: (3n * COIN).toString(),
      unbonding: (2n * COIN).toString(),
      delegations_count: 2,
      unbondings_count: 1,
      is_validator: false,
      vesting: null,
      locked: '0',
      spendable: (await viem.getBalance({ address: owner })).toString(),
    })
    expect(await read(`/native/pool`)).toMatchObject({
      bonded_tokens: (3_003n * COIN).toString(),
      not_bonded_tokens: (2n * COIN).toString(),
      validators_count: 3,
    })
  })

  it('are listed in the form of the Blockscout frontend', async () => {
    const { send, read } = await scenario()
    await send(delegate(5n * COIN, owner, B), { to: STAKING })
    const { items } = await read('/validators/blackfort')
    expect(items[0]).toMatchObject({
      address: { hash: account(11).address },
      self_bonded_amount: (1_000n * COIN).toString(),
      delegated_amount: (5n * COIN).toString(),
    })
    const { commission } = await read(`/native/validators/${B}`)
    expect(items[0].commission).toBe(Number(commission.rate) * 10_000)
    const byAddress = await read('/validators/blackfort?sort=address_hash&order=desc')
    const hashes: string[] = byAddress.items.map((item: { address: { hash: string } }) =>
      item.address.hash.toLowerCase(),
    )
    expect(hashes).toEqual(hashes.toSorted().reverse())
    expect(await read('/validators/blackfort/counters')).toEqual({
      validators_count: '3',
      new_validators_count_24h: '0',
      validators_counter: '3',
      new_validators_counter_24h: '0',
    })
  })
})

describe('grants', () => {
  it('are listed for granter and grantee until they are revoked', async () => {
    const { send, read } = await scenario()
    await send(approve(7n), { to: AUTHORIZATION })
    await send(approve(9n), { to: AUTHORIZATION })
    const given = await read(`/native/addresses/${owner}/grants?filter=given`)
    expect(given.items).toMatchObject([
      { granter: { hash: owner }, grantee: { hash: bob }, message: DELEGATE, limit: '9', allocations: [] },
    ])
    expect(given.items[0].validators.map((of: { operator_address: string }) => of.operator_address).sort()).toEqual(
      [
        ...(await read('/native/validators')).items.map((of: { operator_address: string }) => of.operator_address),
      ].sort(),
    )
    expect((await read(`/native/addresses/${bob}/grants?filter=received`)).items).toEqual(given.items)
    expect((await read(`/native/addresses/${bob}/grants?filter=given`)).items).toEqual([])
    await send(revoke(), { to: AUTHORIZATION })
    expect((await read(`/native/addresses/${owner}/grants`)).items).toEqual([])
  })
})

describe('proposals', () => {
  it('show the tally so far, then the result, and keep votes and deposits that the state deletes', async () => {
    const { send, read, propose, conclude, get } = await scenario()
    const id = await propose([evmParams('kestrel_0')], { title: 'Dearer creation' })
    await send(vote(id, account(10).address, 3), { from: 10 })
    await send(vote(id, account(10).address, 1, 'I think so'), { from: 10 })
    const split = [
      { option: 1, weight: '0.6' },
      { option: 2, weight: '0.4' },
    ]
    await send(voteWeighted(id, account(11).address, split), { from: 11 })
    expect(await read(`/native/proposals/${id}`)).toMatchObject({
      id: 1,
      status: 'voting',
      title: 'Dearer creation',
      failure: null,
      votes_count: 2,
      messages: [{ type: '/ethermint.evm.v1.MsgUpdateParams', content: { params: { extra_eips: ['kestrel_0'] } } }],
      tally: { yes: (1_600n * COIN).toString(), abstain: (400n * COIN).toString(), no: '0', is_final: false },
      // 2000 of 3000 coins.
      turnout: '0.666666666666666667',
    })
    const before = await read(`/native/proposals/${id}/votes`)
    expect(before.items).toMatchObject([
      {
        voter: { hash: account(11).address },
        options: [
          { option: 'yes', weight: '0.600000000000000000' },
          { option: 'abstain', weight: '0.400000000000000000' },
        ],
      },
      { voter: { hash: account(10).address }, options: [{ option: 'yes' }], metadata: 'I think so' },
    ])
    await conclude(id)
    expect(await read(`/native/proposals/${id}`)).toMatchObject({
      status: 'passed',
      turnout: null,
      votes_count: 0,
      seconds_left: 0,
      tally: { yes: (1_600n * COIN).toString(), is_final: true },
    })
    const after = await read(`/native/proposals/${id}/votes`)
    expect(after.items.map((item: object) => ({ ...item, metadata: undefined }))).toEqual(
      before.items.map((item: object) => ({ ...item, metadata: undefined })),
    )
    expect((await read(`/native/proposals/${id}/deposits`)).items).toMatchObject([
      { depositor: { hash: owner }, amount: MIN.toString(), is_initial: true },
    ])
    expect((await read(`/native/addresses/${account(10).address}/votes`)).items).toMatchObject([
      { options: [{ option: 'yes' }], proposal: { id: 1, title: 'Dearer creation', status: 'passed' } },
      { options: [{ option: 'no' }] },
    ])
    expect((await read('/native/proposals?status=passed')).total_count).toBe(1)
    expect((await read('/native/proposals?status=voting')).items).toEqual([])
    expect((await get('/native/proposals/2')).status).toBe(404)
    expect((await get('/native/proposals/x')).status).toBe(422)
  })

  it('change the floor of the base fee', async () => {
    const { read, propose, voteAll, conclude } = await scenario()
    expect((await read('/native/parameters')).fee_market).toEqual({ burn_base_fee: false, min_base_fee: '0' })
    const params = { min_base_fee: '100000000' }
    const id = await propose([message('/cosmos.evm.feemarket.v1.MsgUpdateParams', { params })], { title: 'Floor' })
    await voteAll(id)
    await conclude(id)
    expect((await read('/native/parameters')).fee_market).toEqual({ burn_base_fee: false, ...params })
    expect((await read('/native/parameters/history')).items).toMatchObject([
      { module: 'fee_market', key: 'min_base_fee', before: '0', after: '100000000' },
    ])
  })

  it('change parameters, with block, values and cause in the history', async () => {
    const { read, propose, voteAll, conclude, viem, mine } = await scenario()
    const id = await propose([evmParams('kestrel_0')], { title: 'On' })
    await voteAll(id)
    await conclude(id)
    const on = Number(await viem.getBlockNumber({ cacheTime: 0 }))
    await mine(3)
    const second = await propose([evmParams()], { title: 'Off' })
    await voteAll(second)
    await conclude(second)
    const off = Number(await viem.getBlockNumber({ cacheTime: 0 }))
    const change = { module: 'evm', key: 'active_proposals' }
    expect((await read('/native/parameters/history')).items).toEqual([
      {
        ...change,
        block_number: off,
        before: ['kestrel_0'],
        after: [],
        cause: { type: 'proposal', proposal_id: 2, name: 'Off' },
      },
      {
        ...change,
        block_number: on,
        before: [],
        after: ['kestrel_0'],
        cause: { type: 'proposal', proposal_id: 1, name: 'On' },
      },
    ])
    expect((await read('/native/parameters')).evm.active_proposals).toEqual([])
    const { items } = await read('/native/opcode-proposals')
    expect(items.find(({ name }: { name: string }) => name === 'kestrel_0')).toEqual({
      name: 'kestrel_0',
      title: 'CREATE and CREATE2 cost ten times as much',
      is_active: false,
      changes: [
        { opcode: 'CREATE', code: 0xf0, what: ['constant gas 32000 to 320000'] },
        { opcode: 'CREATE2', code: 0xf5, what: ['constant gas 32000 to 320000'] },
      ],
      active_blocks: [{ from: on + 1, to: off }],
    })
  })
})

describe('transfers', () => {
  it('show the outcome of every packet', async () => {
    const { send, read, mine } = await scenario()
    for (const channel of ['channel-0', 'channel-2', 'channel-3', 'channel-4', 'channel-5']) {
      await send(transfer({ channel, amount: 1_000n, memo: channel }), { to: ICS20 })
    }
    await mine(3)
    const { items, total_count } = await read('/native/transfers')
    expect(total_count).toBe(5)
    expect(
      items.map((of: { source: { channel: string }; status: string; sequence: number }) => [
        of.source.channel,
        of.status,
        of.sequence,
      ]),
    ).toEqual([
      ['channel-5', 'pending', 1],
      ['channel-4', 'timeout', 1],
      ['channel-3', 'error', 1],
      ['channel-2', 'success', 1],
      ['channel-0', 'success', 1],
    ])
    expect(items[4]).toMatchObject({
      denom: 'akest',
      amount: '1000',
      memo: 'channel-0',
      timeout_height: null,
      sender: { hash: owner },
      receiver_address: { hash: bob },
      destination: { port: 'transfer', channel: 'channel-1' },
    })
    expect((await read(`/native/addresses/${owner}/transfers`)).total_count).toBe(5)
    expect((await read(`/native/addresses/${bob}/transfers`)).items).toEqual([items[4]])
    const { items: denominations } = await read('/native/denominations')
    expect(denominations).toMatchObject([
      { denom: 'akest', kind: 'base', trace: null },
      { kind: 'voucher', supply: '1000', trace: { path: 'transfer/channel-1', base_denom: 'akest' } },
    ])
    const { items: modules } = await read('/native/modules')
    const escrow = modules.find(({ name }: { name: string }) => name === 'escrow transfer/channel-0')
    expect(escrow.balances).toEqual([{ denom: 'akest', amount: '1000' }])
  })
})

describe('vesting', () => {
  it('is shown with both schedules, and is 404 for ordinary accounts', async () => {
    const { send, read, get, viem, mine } = await scenario()
    // The genesis timestamp is before the present time.
    await mine()
    const { timestamp } = await viem.getBlock()
    await send(create(), { to: VESTING, from: 1 })
    await send(
      fund(
        timestamp,
        [[10_000n, 100n]],
        [
          [5_000n, 50n],
          [5_000n, 50n],
        ],
      ),
      { to: VESTING },
    )
    const vesting = await read(`/native/addresses/${holder}/vesting`)
    expect(vesting).toMatchObject({
      original: '100',
      vested: '0',
      unvested: '100',
      unlocked: '0',
      locked: '100',
      funder: { hash: owner },
      vesting: [
        { amount: '50', total: '50', is_over: false },
        { amount: '50', total: '100', is_over: false },
      ],
    })
    expect(await read(`/native/addresses/${holder}`)).toMatchObject({ vesting, locked: '100' })
    expect((await get(`/native/addresses/${owner}/vesting`)).status).toBe(404)
  })
})

describe('a chain without native modules', () => {
  it('answers 404 with one message', async () => {
    const { url } = await testChain({ spec: plainSpec(owner) })
    const { get } = api(url)
    const native = routes.filter(({ path }) => path.startsWith('/native/') || path.startsWith('/validators/'))
    expect(native.length).toBeGreaterThan(25)
    for (const { path } of native) {
      const of = path
        .replace('{id}', '1')
        .replace('{client}', '07-tendermint-0')
        .replace('{direction}/{sequence}', 'sent/1')
        .replace('{transaction_hash_param}', `0x${'12'.repeat(32)}`)
        .replace('{address}', owner)
        .replace('{block_hash_or_number_param}', '0')
      const answer = await get(of)
      expect({ path, status: answer.status, body: answer.body }).toEqual({
        path,
        status: 404,
        body: { message: 'This chain has no native modules' },
      })
    }
  })
})
