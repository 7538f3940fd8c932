// Queries of the governance contract: paging, filters, older blocks, and gas.
import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { withFixedPrices } from '../support/native.ts'
import {
  ABSTAIN,
  abi,
  COIN,
  coins,
  deposit,
  evmParams,
  GOV,
  GOV_ACCOUNT,
  govChain,
  governed,
  MIN,
  NO,
  owner,
  spend,
  submit,
  textOf,
  VETO,
  VOTING,
  vote,
  YES,
} from './gov-support.ts'

const addresses = [1, 2, 3, 4, 5].map((index) => account(index).address)
const [one, two, three] = addresses as [Address, Address, Address]
const first = account(10).address
const key = (place: number): Hex => `0x${place.toString(16).padStart(16, '0')}`
const voters = (page: readonly { readonly voter: Address }[]) => page.map(({ voter }) => voter)

describe('queries of votes and deposits', () => {
  it('are paged in order of their accounts', async () => {
    const { propose, send, votes } = await govChain()
    const id = await propose([])
    for (const [i, voter] of addresses.entries()) await send(vote(id, voter, NO), { from: i + 1 })
    await send(vote(id, two, YES), { from: 2 })
    const [all, whole] = await votes(id)
    expect([voters(all), whole]).toEqual([addresses, { nextKey: '0x', total: 5n }])
    expect(all[1]).toEqual({
      proposalId: id,
      voter: two,
      options: [{ option: YES, weight: '1.000000000000000000' }],
      metadata: '',
    })
    const [begin, next] = await votes(id, { limit: 2n, countTotal: true })
    expect([voters(begin), next]).toEqual([addresses.slice(0, 2), { nextKey: key(2), total: 5n }])
    const [middle, last] = await votes(id, { key: next.nextKey, limit: 2n })
    expect([voters(middle), last]).toEqual([addresses.slice(2, 4), { nextKey: key(4), total: 0n }])
    const [end, none] = await votes(id, { key: last.nextKey, limit: 2n })
    expect([voters(end), none]).toEqual([addresses.slice(4), { nextKey: '0x', total: 0n }])
    const [back] = await votes(id, { limit: 2n, offset: 1n, reverse: true })
    expect(voters(back)).toEqual([addresses[3], addresses[2]])
    expect(await votes(9n)).toEqual([[], { nextKey: '0x', total: 0n }])
    await expect(votes(id, { key: key(1), offset: 1n })).rejects.toThrow('either offset or key is expected, got both')
  })

  it('are found by account', async () => {
    const { propose, send, deposits, depositOf, voteOf } = await govChain()
    const id = await propose([])
    await send(deposit(id, 3n * MIN, one), { from: 1 })
    await send(deposit(id, MIN), {})
    expect(await depositOf(id, owner)).toEqual({ proposalId: id, depositor: owner, amount: coins(2n * MIN) })
    expect(await deposits(id)).toEqual([
      [
        { proposalId: id, depositor: owner, amount: coins(2n * MIN) },
        { proposalId: id, depositor: one, amount: coins(3n * MIN) },
      ],
      { nextKey: '0x', total: 2n },
    ])
    expect((await deposits(id, { limit: 1n }))[1]).toEqual({ nextKey: key(1), total: 0n })
    await expect(depositOf(id, two)).rejects.toThrow(`depositer: ${textOf(two)} not found for proposal: 1`)
    await expect(voteOf(id, two)).rejects.toThrow(`voter: ${textOf(two)} not found for proposal: 1`)
    await expect(voteOf(9n, two)).rejects.toThrow(`voter: ${textOf(two)} not found for proposal: 9`)
  })
})

describe('queries of proposals', () => {
  it('filter by status, voter and depositor, and page by number', async () => {
    const { send, propose, proposals, refusal } = await govChain()
    await send(submit([], { deposit: [] }))
    await propose([], { title: 'second' })
    await send(submit([], { proposer: one, deposit: coins(5n) }), { from: 1 })
    await propose([], { proposer: owner })
    await send(vote(2n, three, ABSTAIN), { from: 3 })
    await send(deposit(4n, MIN, one), { from: 1 })
    const ids = async (...args: Parameters<typeof proposals>) =>
      (await proposals(...args))[0].map(({ id }) => Number(id))
    expect(await ids(0, zeroAddress, zeroAddress)).toEqual([1, 2, 3, 4])
    expect(await ids(1, zeroAddress, zeroAddress)).toEqual([1, 3])
    expect(await ids(2, zeroAddress, zeroAddress)).toEqual([2, 4])
    expect(await ids(5, zeroAddress, zeroAddress)).toEqual([])
    expect(await ids(0, three, zeroAddress)).toEqual([2])
    expect(await ids(0, zeroAddress, one)).toEqual([3, 4])
    expect(await ids(2, zeroAddress, one)).toEqual([4])
    expect(await ids(1, three, zeroAddress)).toEqual([])

    const [page, response] = await proposals(0, zeroAddress, zeroAddress, { limit: 3n, countTotal: true })
    expect([page.map(({ id }) => id), response]).toEqual([[1n, 2n, 3n], { nextKey: key(4), total: 4n }])
    expect(await ids(0, zeroAddress, zeroAddress, { key: response.nextKey })).toEqual([4])
    expect(await ids(2, zeroAddress, zeroAddress, { limit: 1n, reverse: true })).toEqual([4])
    expect(page[1]).toMatchObject({ id: 2n, title: 'second', status: 2, proposer: owner, totalDeposit: coins(MIN) })
    const args = [
      6,
      zeroAddress,
      zeroAddress,
      { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false },
    ] as const
    expect(await refusal(encodeFunctionData({ abi, functionName: 'getProposals', args }))).toBe(
      'invalid proposal status 6',
    )
  })

  it('return all fields', async () => {
    const { propose, messages, failure, tally } = await govChain()
    const id = await propose([evmParams('kestrel_1'), spend(owner, 7n)])
    expect((await messages(id)).map((text) => JSON.parse(text))).toEqual([evmParams('kestrel_1'), spend(owner, 7n)])
    for (const ask of [messages, failure, tally]) await expect(ask(9n)).rejects.toThrow("proposal 9 doesn't exist")
  })

  it('return the state of an older block', async () => {
    const { propose, send, viem, tally, proposal, voteOf, conclude } = await govChain()
    const id = await propose([])
    await send(vote(id, first, YES), { from: 10 })
    const then = await viem.getBlockNumber()
    await send(vote(id, first, VETO), { from: 10 })
    await conclude(id)
    const thousand = (1_000n * COIN).toString()
    expect(await tally(id)).toEqual({ yes: '0', abstain: '0', no: '0', noWithVeto: thousand })
    expect(await tally(id, then)).toEqual({ yes: thousand, abstain: '0', no: '0', noWithVeto: '0' })
    expect([(await proposal(id)).status, (await proposal(id, then)).status]).toEqual([4, 2])
    expect((await voteOf(id, first, then)).options).toEqual([{ option: YES, weight: '1.000000000000000000' }])
  })
})

describe('queries of governance parameters', () => {
  it('return those of the genesis, with periods in nanoseconds', async () => {
    const gov = {
      params: { votingPeriod: 100, proposalCancelDest: textOf(one) },
      constitution: 'All power to the stake.',
    }
    const { params, constitution, authority } = await govChain({ spec: governed(gov) })
    expect(await params()).toEqual({
      votingPeriod: 100_000_000_000n,
      minDeposit: coins(10_000_000n),
      maxDepositPeriod: 172_800_000_000_000n,
      quorum: '0.334000000000000000',
      threshold: '0.500000000000000000',
      vetoThreshold: '0.334000000000000000',
      minInitialDepositRatio: '0.000000000000000000',
      proposalCancelRatio: '0.500000000000000000',
      proposalCancelDest: textOf(one),
      expeditedVotingPeriod: 50_000_000_000n,
      expeditedThreshold: '0.667000000000000000',
      expeditedMinDeposit: coins(50_000_000n),
      burnVoteQuorum: false,
      burnProposalDepositPrevote: false,
      burnVoteVeto: true,
      minDepositRatio: '0.010000000000000000',
    })
    expect(await constitution()).toBe('All power to the stake.')
    expect(await authority()).toEqual([textOf(GOV_ACCOUNT), getAddress(GOV_ACCOUNT)])
  })
})

it('charge 1000 gas for each validator, vote and delegation of a tally', async () => {
  const spec = withFixedPrices(governed({ params: { votingPeriod: Number(VOTING) } }))
  const { propose, send, rpc } = await govChain({ spec })
  const id = await propose([])
  const data = encodeFunctionData({ abi, functionName: 'getTallyResult', args: [id] })
  const gas = async () => {
    const call = { from: owner, to: GOV, data, gas: '0x4c4b40' }
    const { gasUsed } = (await rpc('debug_traceCall', call, 'latest', { tracer: 'callTracer' })) as { gasUsed: Hex }
    return BigInt(gasUsed)
  }
  const none = await gas()
  // A validator with its self-delegation, and an account without delegations.
  await send(vote(id, first, YES), { from: 10 })
  await send(vote(id, one, YES), { from: 1 })
  expect(await gas()).toBe(none + 3_000n)
  // The gas of the function, its input, three validators, and the intrinsic gas.
  const bytes = Buffer.from(data.slice(2), 'hex')
  const intrinsic = 21_000n + bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)
  expect(none - intrinsic).toBe(1_000n + 3n * 32n + 4_000n + 3_000n)
})
