// Transactions of the governance contract through a running node, from a proposal to its effect.
import { formatAbi } from 'abitype'
import { type Address, encodeFunctionData, getAddress, parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { gov } from '../../src/precompiles/gov.ts'
import { govAbi } from '../../src/precompiles/gov-abi.ts'
import { account } from '../support/chain.ts'
import { deployToken } from '../support/contracts.ts'
import { forwarder } from '../support/forwarder.ts'
import { withFixedPrices } from '../support/native.ts'
import { clientsOf } from '../support/process.ts'
import {
  ABSTAIN,
  abi,
  COIN,
  cancel,
  coins,
  deposit,
  evmParams,
  GOV,
  GOV_ACCOUNT,
  govChain,
  governed,
  MIN,
  message,
  NO,
  ownAbi,
  owner,
  spend,
  submit,
  submitText,
  textOf,
  VETO,
  VOTING,
  vote,
  voteWeighted,
  YES,
} from './gov-support.ts'

const ICS20 = '0x0000000000000000000000000000000000000802'
const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const [first, second, third] = [10, 11, 12].map((index) => account(index).address) as [Address, Address, Address]

/** Transfers ten units of a token, named by its address, over a channel. */
const icsTransfer = (token: Address) =>
  encodeFunctionData({
    abi: parseAbi([
      'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
      'function transfer(string port, string channel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo)',
    ]),
    functionName: 'transfer',
    args: [
      'transfer',
      'channel-0',
      token,
      10n,
      owner,
      owner,
      { revisionNumber: 0n, revisionHeight: 0n },
      2n ** 63n,
      '',
    ],
  })

describe('the interface', () => {
  it('has the published functions and events', () => {
    const ids = (of: typeof govAbi | typeof abi | typeof ownAbi) =>
      of.flatMap((entry) => [entry.type === 'function' ? toFunctionSelector(entry) : toEventSelector(entry)])
    expect(new Set(ids(govAbi))).toEqual(new Set([...ids(abi), ...ids(ownAbi)]))
    expect(formatAbi(gov.abi)).toEqual(expect.arrayContaining([...formatAbi([...abi, ...ownAbi])]))
    expect([gov.address, gov.since]).toEqual([GOV, 0n])
  })

  it('is at an account with code; the coins are held by the module account', async () => {
    const { viem, balance, propose } = await govChain()
    expect(await viem.getCode({ address: GOV })).toBe('0xfe')
    await propose([])
    expect([await balance(GOV), await balance(GOV_ACCOUNT)]).toEqual([0n, MIN])
  })
})

describe('a proposal', () => {
  it('is submitted, gets its deposit and votes, and is executed in the block in which the vote ends', async () => {
    const chain = await govChain()
    const { send, proposal, balance, mineAt, rpc } = chain
    const before = await balance()
    const submitted = await send(submit([evmParams('kestrel_0')], { deposit: coins(MIN - 1n), metadata: 'm' }))
    expect(submitted.events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['SubmitProposal', { proposer: owner, proposalId: 1n }],
    ])
    expect(await balance()).toBe(before - (MIN - 1n) - submitted.gasUsed * submitted.effectiveGasPrice)
    const { timestamp } = await chain.viem.getBlock({ blockNumber: submitted.blockNumber })
    const none = { yes: '0', abstain: '0', no: '0', noWithVeto: '0' }
    expect(await proposal(1n)).toEqual({
      id: 1n,
      messages: ['/ethermint.evm.v1.MsgUpdateParams'],
      status: 1,
      finalTallyResult: none,
      submitTime: timestamp,
      depositEndTime: timestamp + 172_800n,
      totalDeposit: coins(MIN - 1n),
      votingStartTime: 0n,
      votingEndTime: 0n,
      metadata: 'm',
      title: 'A title',
      summary: 'A summary',
      proposer: owner,
    })

    const paid = await send(deposit(1n, 100_000n, account(1).address), { from: 1 })
    expect(paid.events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Deposit', { depositor: account(1).address, proposalId: 1n, amount: coins(100_000n) }],
    ])
    const started = await chain.viem.getBlock({ blockNumber: paid.blockNumber })
    const { votingStartTime, votingEndTime, status } = await proposal(1n)
    expect([status, votingStartTime, votingEndTime]).toEqual([2, started.timestamp, started.timestamp + VOTING])

    const voted = await send(vote(1n, first, YES, 'why'), { from: 10 })
    expect(voted.events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Vote', { voter: first, proposalId: 1n, option: 1 }],
    ])
    const split = [
      { option: YES, weight: '0.25' },
      { option: NO, weight: '0.75' },
    ]
    const votedSplit = await send(voteWeighted(1n, second, split), { from: 11 })
    expect(votedSplit.events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['VoteWeighted', { voter: second, proposalId: 1n, options: split }],
    ])
    const tally = { ...none, yes: (1_250n * COIN).toString(), no: (750n * COIN).toString() }
    expect(await chain.tally(1n)).toEqual(tally)
    expect((await proposal(1n)).finalTallyResult).toEqual(none)

    const richer = await balance()
    expect(await rpc('kestrel_getEvmParams', 'latest')).toEqual({ extraEips: [] })
    await mineAt(votingEndTime)
    expect(await proposal(1n)).toMatchObject({ status: 3, finalTallyResult: tally, totalDeposit: coins(MIN + 99_999n) })
    expect(await chain.failure(1n)).toBe('')
    expect(await rpc('kestrel_getEvmParams', 'latest')).toEqual({ extraEips: ['kestrel_0'] })
    expect([await balance(), await balance(GOV_ACCOUNT)]).toEqual([richer + MIN - 1n, 0n])
    expect((await chain.votes(1n))[0]).toEqual([])
    expect((await chain.deposits(1n))[0]).toEqual([])
    expect(await chain.invariants()).toEqual([])
  })

  it('whose messages fail changes nothing and stores the reason', async () => {
    const { propose, voteAll, conclude, proposal, failure, balance, rpc, invariants } = await govChain()
    const before = await balance(CONTRACT)
    // The fees of the first blocks are in the pool: enough for the first spend, not for both.
    const id = await propose([evmParams('kestrel_0'), spend(CONTRACT, 1n), spend(CONTRACT, 1_000_000n * COIN)])
    await voteAll(id)
    await conclude(id)
    expect(await proposal(id)).toMatchObject({ status: 5, finalTallyResult: { yes: (3_000n * COIN).toString() } })
    expect(await failure(id)).toBe('message 2: community pool does not have sufficient coins to distribute')
    expect(await balance(CONTRACT)).toBe(before)
    expect(await balance(GOV_ACCOUNT)).toBe(0n)
    expect(await rpc('kestrel_getEvmParams', 'latest')).toEqual({ extraEips: [] })
    expect(await invariants()).toEqual([])
  })

  it('spends the community pool', async () => {
    const { propose, voteAll, conclude, proposal, balance, invariants } = await govChain()
    // The pool has 2 % of the fees of the first blocks.
    const id = await propose([spend(CONTRACT, 1_000n), spend(first, 500n)])
    await voteAll(id)
    const before = await balance(first)
    await conclude(id)
    expect((await proposal(id)).status).toBe(3)
    expect([await balance(CONTRACT), await balance(first)]).toEqual([1_000n, before + 500n])
    expect(await invariants()).toEqual([])
  })

  it('registers an ERC-20 token, and switches its conversion off', async () => {
    const chain = await govChain()
    const { propose, voteAll, conclude, proposal, failure, refusal } = chain
    const { address: token } = await deployToken(clientsOf(chain.url), 0, 1_000n)
    const register = message('/evmos.erc20.v1.MsgRegisterERC20', { erc20addresses: [token] })
    const id = await propose([register])
    // There are no pairs yet.
    expect(await refusal(icsTransfer(token), { to: ICS20 })).toBe('token pair not found')
    await voteAll(id)
    await conclude(id)
    expect([(await proposal(id)).status, await failure(id)]).toEqual([3, ''])
    const receipt = await chain.send(icsTransfer(token), { to: ICS20 })
    expect([receipt.status, receipt.logs.map(({ address }) => getAddress(address))]).toEqual([
      'success',
      [token, getAddress(ICS20)],
    ])

    const toggling = await propose([message('/evmos.erc20.v1.MsgToggleConversion', { token })])
    await voteAll(toggling)
    await conclude(toggling)
    expect(await refusal(icsTransfer(token), { to: ICS20 })).toBe('erc20 token pair is disabled')
    expect(await chain.invariants()).toEqual([])
  })

  it('cannot register a contract that is not an ERC-20 token', async () => {
    const { refusal, dev } = await govChain()
    const register = submit([message('/evmos.erc20.v1.MsgRegisterERC20', { erc20addresses: [CONTRACT] })])
    const words = `${CONTRACT} has no name that an ERC-20 token would have`
    expect(await refusal(register)).toBe(words)
    // Returns one word for every call, which is not a valid string.
    await dev.setCode({ address: CONTRACT, bytecode: '0x60015f5260205ff3' })
    expect(await refusal(register)).toBe(words)
    await dev.setCode({ address: CONTRACT, bytecode: '0x5f5ffd' })
    expect(await refusal(register)).toContain('execution reverted')
  })

  it('is refused with a reason when it is malformed', async () => {
    const { refusal } = await govChain()
    expect(await refusal(submitText('{"title": "x"'))).toBe('invalid proposal JSON: malformed')
    expect(await refusal(submitText('{"title": "x"}'))).toBe('proposal summary cannot be empty: invalid request')
    expect(await refusal(submit([{ '@type': '/foo' }]))).toBe('message 0: unable to resolve type URL /foo')
    const stolen = { ...evmParams(), authority: textOf(owner) }
    expect(await refusal(submit([stolen]))).toBe(
      `message 0: invalid authority, expected ${textOf(GOV_ACCOUNT)}, got ${textOf(owner)}: expected gov account as only signer for proposal message`,
    )
    const wrong = coins(1n, 'foo')
    expect(await refusal(submit([], { deposit: wrong }))).toBe(
      'deposited 1foo, but gov accepts only the following denom(s): [akest]: invalid deposit denom',
    )
    expect(await refusal(submit([], { deposit: [...coins(1n), ...wrong] }))).toBe(
      'deposited 1akest,1foo, but gov accepts only the following denom(s): [akest]: invalid deposit denom',
    )
    expect(await refusal(submit([], { deposit: [...coins(1n), ...coins(1n)] }))).toBe(
      'duplicate denomination akest: invalid coins',
    )
    expect(await refusal(submit([], { deposit: coins(0n) }))).toBe('coin 0akest amount is not positive: invalid coins')
    expect(await refusal(submit([], { deposit: coins(20_000n * COIN) }))).toMatch(
      /^spendable balance \d+akest is smaller than \d+akest: insufficient funds$/,
    )
    expect(await refusal(submit([], { deposit: [] }))).toBeUndefined()
  })
})

describe('the account that a governance call acts for', () => {
  it('is the caller, who must have signed', async () => {
    const { propose, refusal, dev } = await govChain()
    const id = await propose([])
    const stranger = account(1).address
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(GOV) })
    const acts = {
      proposer: [submit([]), cancel(id)],
      depositor: [deposit(id, MIN)],
      voter: [vote(id, owner, YES), voteWeighted(id, owner, [{ option: NO, weight: '1' }])],
    }
    for (const [role, calls] of Object.entries(acts)) {
      for (const data of calls) {
        expect(await refusal(data)).toBeUndefined()
        expect(await refusal(data, { from: 1 })).toBe(
          `tx origin address ${stranger} does not match the ${role} address ${owner}`,
        )
        expect(await refusal(data, { to: CONTRACT })).toBe(
          'this method can only be called directly to the precompile, not from a smart contract',
        )
      }
    }
  })

  it('may be a contract itself: it proposes, deposits, votes with its stake, and cancels', async () => {
    const { send, proposal, dev, balance, tally, voteOf } = await govChain()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(GOV) })
    await dev.setBalance({ address: CONTRACT, value: 10n * COIN })
    const through = { to: CONTRACT, from: 3 } as const
    const { events } = await send(submit([], { proposer: CONTRACT }), through)
    expect(events).toMatchObject([{ eventName: 'SubmitProposal', address: GOV, args: { proposer: CONTRACT } }])
    expect((await proposal(1n)).proposer).toBe(CONTRACT)
    expect(await balance(CONTRACT)).toBe(10n * COIN - MIN)
    await send(vote(1n, CONTRACT, VETO), through)
    expect(await voteOf(1n, CONTRACT)).toMatchObject({ options: [{ option: VETO, weight: '1.000000000000000000' }] })
    expect((await tally(1n)).noWithVeto).toBe('0')
    await send(deposit(1n, MIN, CONTRACT), through)
    await send(cancel(1n, CONTRACT), through)
    // Half of twenty million is burnt.
    expect([await balance(CONTRACT), await balance(GOV_ACCOUNT)]).toEqual([10n * COIN - MIN, 0n])
  })
})

describe('a vote', () => {
  it('replaces the voter’s previous one', async () => {
    const { propose, send, voteOf, votes, tally } = await govChain()
    const id = await propose([])
    await send(vote(id, first, YES, 'one'), { from: 10 })
    await send(vote(id, first, ABSTAIN, 'two'), { from: 10 })
    expect(await voteOf(id, first)).toEqual({
      proposalId: id,
      voter: first,
      options: [{ option: ABSTAIN, weight: '1.000000000000000000' }],
      metadata: 'two',
    })
    expect((await votes(id))[0]).toHaveLength(1)
    expect(await tally(id)).toEqual({ yes: '0', abstain: (1_000n * COIN).toString(), no: '0', noWithVeto: '0' })
  })

  it('is refused for unknown options, and after its period', async () => {
    const { propose, refusal, conclude } = await govChain()
    const id = await propose([])
    for (const option of [5, 200]) expect(await refusal(vote(id, owner, option))).toBe(`${option}: invalid vote option`)
    expect(await refusal(vote(id, owner, 0))).toBe('VOTE_OPTION_UNSPECIFIED: invalid vote option')
    const halves = [
      { option: YES, weight: '0.5' },
      { option: NO, weight: '0.4' },
    ]
    expect(await refusal(voteWeighted(id, owner, halves))).toBe('total weight lower than 1.00: invalid vote option')
    expect(await refusal(vote(2n, owner, YES))).toBe("proposal 2 doesn't exist")
    await conclude(id)
    expect(await refusal(vote(id, owner, YES))).toBe('1: inactive proposal')
    expect(await refusal(deposit(id, MIN))).toBe('1: inactive proposal')
    expect(await refusal(cancel(id))).toBe('proposal should be in the deposit or voting period: invalid proposal')
  })

  it('with a veto burns the deposits', async () => {
    const { propose, send, conclude, proposal, balance, rpc, invariants } = await govChain()
    const id = await propose([])
    await send(vote(id, first, VETO), { from: 10 })
    await send(vote(id, second, VETO), { from: 11 })
    await send(vote(id, third, YES), { from: 12 })
    const before = await balance()
    await conclude(id)
    expect((await proposal(id)).status).toBe(4)
    expect([await balance(), await balance(GOV_ACCOUNT)]).toEqual([before, 0n])
    expect(await rpc('kestrel_getEvmParams', 'latest')).toEqual({ extraEips: [] })
    expect(await invariants()).toEqual([])
  })

  it('does not begin when the deposits are below the minimum in time: they are returned, and the proposal is deleted', async () => {
    const { send, mineAt, proposal, refusal, balance, viem } = await govChain({
      spec: governed({ params: { maxDepositPeriod: 60 } }),
    })
    await send(submit([], { deposit: coins(MIN / 2n) }))
    await send(deposit(1n, MIN / 4n, account(1).address), { from: 1 })
    const before = await Promise.all([balance(), balance(account(1).address)])
    const { depositEndTime } = await proposal(1n)
    await mineAt(depositEndTime)
    const after = await Promise.all([balance(), balance(account(1).address)])
    expect(after).toEqual([(before[0] ?? 0n) + MIN / 2n, (before[1] ?? 0n) + MIN / 4n])
    expect(await refusal(deposit(1n, MIN))).toBe("proposal 1 doesn't exist")
    await expect(proposal(1n)).rejects.toThrow("proposal 1 doesn't exist")
    // The proposal existed one block earlier.
    expect(await proposal(1n, (await viem.getBlockNumber()) - 1n)).toMatchObject({ status: 1 })
  })
})

describe('gas of the governance contract', () => {
  it('is 2000 and 30 for each byte of input, that of the function, and 100 for each byte of the proposal, beside the work', async () => {
    const spec = governed({ params: { votingPeriod: Number(VOTING) } })
    const { rpc } = await govChain({ spec: withFixedPrices(spec) })
    const gasOf = async (data: `0x${string}`) => {
      const tracer = { tracer: 'callTracer' }
      const { gasUsed } = (await rpc(
        'debug_traceCall',
        { from: owner, to: GOV, data, gas: '0x4c4b40' },
        'latest',
        tracer,
      )) as {
        gasUsed: `0x${string}`
      }
      const bytes = Buffer.from(data.slice(2), 'hex')
      const intrinsic = 21_000n + bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)
      return BigInt(gasUsed) - intrinsic
    }
    const plain = submit([])
    const length = (data: string) => BigInt(data.length - 2) / 2n - 4n
    const json = BigInt(JSON.stringify({ messages: [], title: 'A title', summary: 'A summary' }).length)
    expect(await gasOf(plain)).toBe(2_000n + 30n * length(plain) + 60_000n + 100n * json)
  })

  it('is at most the estimate', async () => {
    const { viem, send } = await govChain()
    const data = submit([evmParams('kestrel_0')], { summary: 'long '.repeat(500) })
    const gas = await viem.estimateGas({ account: owner, to: GOV, data })
    expect((await send(data, { gas })).status).toBe('success')
  })
})
