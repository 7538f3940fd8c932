// `kestrel call` and `kestrel send`: the real program against a node, with each native contract.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, request, testChain } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'
import { folder, ONE_LINE, run, runHere } from './support.ts'

/** The first validator's operator, whose key a development node holds: hex, operator bech32, account bech32. */
const VALIDATOR = '0xBcd4042DE499D14e55001CcbB24a551F3b954096'
const OPERATOR = 'kestvaloper1hn2qgt0yn8g5u4gqrn9myjj4ruae2syk6n6vew'
const OPERATOR_ACCOUNT = 'kest1hn2qgt0yn8g5u4gqrn9myjj4ruae2syk9p8ahj'
const [ME, BOB, CAROL] = [0, 1, 2].map((index) => account(index).address) as [string, string, string]
const KEST = 10n ** 18n

let node: Awaited<ReturnType<typeof startProcess>>
beforeAll(async () => {
  node = await startProcess(['--in-memory', '--silent'])
}, 60_000)
afterAll(() => node.stop())

const program = (...args: string[]) => runHere(...args, '--rpc-url', `${node.url}/rpc`)

async function lines(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await program(...args)
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  return stdout
}

const json = async (...args: string[]) => JSON.parse(await lines(...args, '--json'))

/** Sends a transaction; returns its events by name. */
async function sendCall(...args: string[]): Promise<Record<string, Record<string, unknown>>> {
  const { events, transaction, block, gasUsed } = await json('send', ...args, '--wait')
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(block).toBeGreaterThan(0)
  expect(Number(gasUsed)).toBeGreaterThan(21_000)
  return Object.fromEntries(events.map((of: { event: string; args: unknown }) => [of.event, of.args]))
}

describe('every native contract', () => {
  it('staking: delegate and undelegate, with a coin, a bech32 operator and named arguments', async () => {
    const { Delegate } = await sendCall('staking', 'delegate', 'me', OPERATOR, '1.5KEST')
    expect(Delegate).toMatchObject({ delegatorAddress: ME, amount: String((15n * KEST) / 10n) })
    expect(await lines('call', 'staking', 'delegation', 'me', VALIDATOR)).toBe(
      `shares   15${'0'.repeat(35)}\nbalance  1.5 KEST\n`,
    )
    const { Unbond } = await sendCall(
      'stak',
      'UNDEL',
      'amount=5akest',
      `validatorAddress=${VALIDATOR}`,
      'delegatorAddress=me',
    )
    expect(Unbond).toMatchObject({ amount: '5' })
    const { entries } = await json('call', 'staking', 'unbondingDelegation', ME, OPERATOR)
    expect(entries).toMatchObject([{ initialBalance: '5', balance: '5' }])
    const shown = await lines('call', '0x0000000000000000000000000000000000000800', 'validators', 'BOND_STATUS_BONDED')
    expect(shown).toMatch(/^validators 3$/m)
    expect(shown).toMatch(/^ {2}status +bonded$/m)
    expect(shown).toMatch(/^ {2}tokens +1,000 KEST$/m)
    // -1 leaves a value unchanged; in `name=-1` it is not parsed as a flag.
    const description = JSON.stringify(['one', '', '', '', 'first of three'])
    await sendCall(
      'staking',
      'editValidator',
      description,
      VALIDATOR,
      'commissionRate=-1',
      'minSelfDelegation=-1',
      '--from',
      VALIDATOR,
    )
    expect((await json('call', 'staking', 'validator', VALIDATOR)).validator.description).toBe('first of three')
  })

  it('distribution: withdraw rewards', async () => {
    await sendCall('staking', 'delegate', 'me', VALIDATOR, '100KEST', '--from', '3')
    const { WithdrawDelegatorRewards } = await sendCall(
      'distr',
      'withdrawDelegatorRewards',
      'me',
      OPERATOR,
      '--from',
      '3',
    )
    expect(WithdrawDelegatorRewards).toMatchObject({ delegatorAddress: account(3).address })
    await sendCall('distribution', 'setWithdrawAddress', 'me', BOB, '--from', '3')
    const { withdrawAddress } = await json('call', 'distribution', 'delegatorWithdrawAddress', account(3).address)
    expect(withdrawAddress).toMatch(/^kest1/)
    expect((await json('call', 'bech32', 'bech32ToHex', withdrawAddress)).addr).toBe(BOB)
    expect(await lines('call', 'distribution', 'delegationTotalRewards', account(3).address)).toMatch(/^total +/m)
  })

  it('gov: submit, deposit and vote', async () => {
    const proposal = JSON.stringify({ messages: [], title: 'Blue?', summary: 'Blue.' })
    const { SubmitProposal } = await sendCall(
      'gov',
      'submitProposal',
      'me',
      proposal,
      '[{"denom":"akest","amount":"1000000"}]',
    )
    const id = String(SubmitProposal?.proposalId)
    await sendCall('gov', 'deposit', BOB, id, '9000000akest', '--from', '1')
    expect((await sendCall('gov', 'vote', 'me', id, 'no-with-veto', '')).Vote).toMatchObject({ option: 4 })
    const split = JSON.stringify([
      { option: 'yes', weight: '0.7' },
      { option: 'abstain', weight: '0.3' },
    ])
    expect((await sendCall('gov', 'voteWeighted', 'me', id, split, '')).VoteWeighted).toMatchObject({
      options: [
        { option: 1, weight: '0.7' },
        { option: 2, weight: '0.3' },
      ],
    })
    const shown = await lines('call', 'gov', 'getProposals', 'voting', `0x${'0'.repeat(40)}`, `0x${'0'.repeat(40)}`)
    for (const words of [
      / title +Blue\?$/m,
      / status +voting$/m,
      / totalDeposit +10000000akest$/m,
      / votingEndTime +20\d\d-/m,
    ])
      expect(shown).toMatch(words)
  })

  it('authorization: approve; view functions of bank, slashing, bech32', async () => {
    const { Approval } = await sendCall('auth', 'approve', CAROL, '5KEST', 'MSG_DELEGATE,MSG_UNDELEGATE')
    expect(Approval).toMatchObject({ methods: ['MSG_DELEGATE', 'MSG_UNDELEGATE'], value: String(5n * KEST) })
    expect(await json('call', 'authorization', 'allowance', 'me', CAROL, 'MSG_DELEGATE')).toEqual({
      remaining: String(5n * KEST),
    })
    const { balances } = await json('call', 'bank', 'balances', account(9).address)
    expect(balances).toEqual([{ contractAddress: `0x${'0'.repeat(40)}`, amount: String(10_000n * KEST) }])
    expect(await lines('call', 'slashing', 'getParams')).toMatch(/ slashFractionDoubleSign +0\.05$/m)
    expect(await lines('call', 'bech32', 'bech32ToHex', OPERATOR)).toBe(`addr  ${VALIDATOR}\n`)
    expect(await lines('call', 'bank', 'balances', OPERATOR_ACCOUNT)).toContain('balances 1')
  })

  it('slashing: a jailed validator returns', async () => {
    await request(node.url, 'dev_reportDowntime', [VALIDATOR])
    const info = await json(
      'call',
      'slashing',
      'getSigningInfos',
      '{"key":"0x","offset":0,"limit":1,"countTotal":true,"reverse":false}',
    )
    expect(info.pageResponse.total).toBe('3')
    const early = await program('send', 'slashing', 'unjail', VALIDATOR, '--from', VALIDATOR)
    expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) })
    await request(node.url, 'evm_increaseTime', [601])
    await request(node.url, 'evm_mine')
    expect((await sendCall('slashing', 'unjail', OPERATOR_ACCOUNT, '--from', VALIDATOR)).ValidatorUnjailed).toEqual({
      validator: VALIDATOR,
    })
  })

  it('ics20: transfer over the loopback channel', async () => {
    const transfer = ['transfer', 'channel-0', 'akest', '1KEST', 'me', CAROL]
    const { IBCTransfer } = await sendCall(
      'ics20',
      'transfer',
      ...transfer,
      '{"revisionNumber":1,"revisionHeight":1000000}',
      '0',
      'a, b',
    )
    expect(IBCTransfer).toMatchObject({ denom: 'akest', amount: String(KEST), memo: 'a, b' })
    const allocation = { sourcePort: 'transfer', sourceChannel: 'channel-0', spendLimit: '3KEST', allowList: [] }
    const { IBCTransferAuthorization } = await sendCall('ics20', 'approve', CAROL, JSON.stringify([allocation]))
    expect(IBCTransferAuthorization).toMatchObject({ spendLimit: [{ denom: 'akest', amount: String(3n * KEST) }] })
    // The overload with one more field in its allocations.
    await sendCall('ics20', 'approve', CAROL, JSON.stringify([{ ...allocation, allowedPacketData: [] }]))
    expect(await lines('call', 'ics20', 'allowance', 'me', CAROL)).toMatch(/ spendLimit +3 KEST$/m)
  })

  it('vesting: fund and claw back an account', async () => {
    await sendCall('vesting', 'createClawbackVestingAccount', BOB, 'me', 'false', '--from', '5')
    const period = JSON.stringify([{ length: 1_000_000, amount: '7KEST' }])
    const { FundVestingAccount } = await sendCall(
      'vesting',
      'fundVestingAccount',
      'me',
      account(5).address,
      '1700000000',
      period,
      period,
      '--from',
      '1',
    )
    expect(FundVestingAccount).toMatchObject({ startTime: '1700000000' })
    expect(await lines('call', 'vesting', 'balances', account(5).address)).toMatch(/^vested +7 KEST$/m)
  })
})

describe('names', () => {
  it('of contracts and functions are listed, and a unique prefix suffices', async () => {
    const contracts = await lines('call')
    for (const name of [
      'bech32',
      'staking',
      'distribution',
      'ics20',
      'vesting',
      'bank',
      'gov',
      'slashing',
      'authorization',
    ])
      expect(contracts).toMatch(new RegExp(`^${name} +0x[0-9a-f]{40}$`, 'm'))
    const functions = await lines('send', 'VEST')
    expect(functions).toContain('send  clawback(address funderAddress, address accountAddress, address destAddress)\n')
    expect(functions).toContain('call  balances(address vestingAddress)\n')
    expect((await json('call', 'gov')).map(({ name }: { name: string }) => name)).toContain('getTallyResult')
  })

  it.each([
    [['call', 'nothing', 'x'], 'kestrel: <contract>: expected one of bech32, staking, distribution, ics20, '],
    [['call', 'b', 'x'], '<contract>: expected one of bech32, bank, not "b"'],
    [['call', 'gov', 'getV', '1'], '<function>: expected one of getVote, getVotes, not "getV"'],
    [['send', 'staking', 'mint'], '<function>: expected one of allowance, approve, cancelUnbondingDelegation, '],
    [['send', 'staking', 'delegate', 'me', VALIDATOR], '<args>: expected delegate(address delegatorAddress, '],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '1', '2'], '<args>: expected delegate('],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, 'x=1'], '<amount>: expected a whole number (uint256), not "x=1"'],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '1.5'], '<amount>: expected a whole number (uint256), not "1.5"'],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '1.5eth'], '<amount>: expected an amount such as 10, 1.5KEST'],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '0x1zz'], '<amount>: expected a whole number'],
    [
      ['send', 'staking', 'delegate', 'me', VALIDATOR, `${2n ** 256n}`],
      '<amount>: expected a number that uint256 can hold',
    ],
    [
      ['send', 'staking', 'delegate', '0x12', VALIDATOR, '1'],
      '<delegatorAddress>: expected an address in hex or bech32',
    ],
    [['send', 'staking', 'delegate', `${OPERATOR}x`, VALIDATOR, '1'], '<delegatorAddress>: decoding bech32 failed'],
    [
      ['send', 'vesting', 'createClawback', 'me', BOB, 'maybe'],
      '<enableGovClawback>: expected true or false, not "maybe"',
    ],
    [
      ['send', 'gov', 'vote', 'me', '1', 'perhaps', ''],
      '<option>: expected one of yes, abstain, no, veto, not "perhaps"',
    ],
    [
      ['send', 'gov', 'vote', 'me', '18446744073709551616', 'yes', ''],
      '<proposalId>: expected a number that uint64 can hold',
    ],
    [['send', 'gov', 'deposit', 'me', '1', '[{"denom":"akest"}]'], '<amount>: expected {denom, amount}'],
    [
      ['send', 'gov', 'deposit', 'me', '1', '[{"denom":"akest","amount":1e30}]'],
      '<amount>: expected large numbers and fractions',
    ],
    [['send', 'gov', 'deposit', 'me', '1', '[[[[['], '<amount>: expected JSON'],
    [['send', 'gov', 'deposit', 'me', '1', '[null]'], '<amount>: expected {denom, amount} as JSON'],
    [
      ['call', 'gov', 'getVotes', '1', '{"key":"0x1"}'],
      '<pagination>: expected {key, offset, limit, countTotal, reverse}',
    ],
  ])('wrong ones end with 2 after one line: %j', async (args, words) => {
    const { code, stdout, stderr } = await program(...args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
    expect(stderr).toMatch(ONE_LINE)
  })

  it.each([
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '1000000KEST'], /insufficient|exceed|smaller/],
    [['send', 'staking', 'delegate', BOB, VALIDATOR, '1'], /does not match|origin/],
    [['send', 'staking', 'delegate', 'me', 'kestvaloper1nobody', '1'], /invalid validator address/],
    [['call', 'gov', 'getProposal', '999'], /999/],
    [
      ['send', 'staking', 'delegate', 'me', VALIDATOR, '1', '--from', CAROL.replace('3C', '4C')],
      /insufficient funds|no key/,
    ],
    [['send', 'staking', 'delegate', 'me', VALIDATOR, '1', '--from', '77'], /the node holds accounts 0 to 9/],
  ])('what the chain refuses ends with 1 after one line: %j', async (args, words) => {
    const { code, stdout, stderr } = await program(...args)
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(words) })
    expect(stderr).toMatch(ONE_LINE)
  })
})

it('--private-key-file signs, and --block reads an old state', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'key.txt'), '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')
  const at = ['--rpc-url', `${node.url}/rpc`]
  const { stdout } = await run(
    cwd,
    'send',
    'staking',
    'delegate',
    'me',
    VALIDATOR,
    '2KEST',
    '--private-key-file',
    'key.txt',
    '--json',
    ...at,
  )
  expect(JSON.parse(stdout)).toEqual({
    contract: 'staking',
    function: 'delegate',
    transaction: expect.stringMatching(/^0x/),
  })
  const balance = async (...flags: string[]) =>
    (await json('call', 'staking', 'delegation', CAROL, VALIDATOR, ...flags)).balance
  expect(BigInt((await balance()).amount)).toBeGreaterThan(0n)
  expect(await balance('--block', '0')).toEqual({ denom: 'akest', amount: '0' })
})

it('call and send fail with one line on a plain Ethereum chain and without a node', async () => {
  const chain = await testChain({ spec: { ...presets.kestrel(), native: undefined } })
  const none = await runHere('call', 'staking', 'validator', VALIDATOR, '--rpc-url', chain.url)
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('this chain has no staking') })
  const gone = await runHere('call', 'staking', 'validator', VALIDATOR, '--rpc-url', 'http://127.0.0.1:1')
  expect(gone).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^kestrel: no node answers[^\n]+\n$/),
  })
})

describe('a chain with cosmos/evm’s interfaces', () => {
  it('has its own contracts, functions and events', async () => {
    const accounts = [0, 1].map((index) => hexToAddress(account(index).address))
    const preset = presets['cosmos-evm']({ accounts, baseFee: 0n })
    if (preset.native === undefined) throw new Error('the preset is a native chain')
    const { inflation: _, ...modules } = preset.native.modules
    const { url } = await testChain({ spec: { ...preset, native: { ...preset.native, modules } } })
    const here = async (...args: string[]) => (await runHere(...args, '--rpc-url', `${url}/rpc`)).stdout
    const names = (await here('call')).split('\n').map((line) => line.split(' ')[0])
    expect(names).toEqual([
      'bech32',
      'staking',
      'distribution',
      'ics20',
      'bank',
      'gov',
      'slashing',
      'ibc',
      'werc20',
      '',
    ])
    expect(await here('call', 'staking')).not.toContain('approve')

    const operator = '0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E'
    const { events } = JSON.parse(
      await here('send', 'staking', 'delegate', 'me', operator, '1TEST', '--wait', '--json'),
    )
    expect(events).toMatchObject([{ contract: 'staking', event: 'Delegate', args: { validatorAddress: operator } }])
    expect(await here('call', 'staking', 'validator', operator)).toMatch(/^ +moniker +localtestnet$/m)
    await here('send', 'distribution', 'fundCommunityPool', 'me', '3TEST', '--wait')
    // And its part of the fees.
    expect(await here('call', 'distribution', 'communityPool')).toMatch(/^coins {2}3\.0000\d+ TEST\n$/)
    const { stderr } = await runHere('call', 'authorization', '--rpc-url', `${url}/rpc`)
    expect(stderr).toMatch(/^kestrel: <contract>: expected one of bech32, .+, not "authorization"$/m)
  })
})
