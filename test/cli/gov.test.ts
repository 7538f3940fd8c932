// `kestrel gov` and `kestrel params` against a running node.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HDNodeWallet, Mnemonic } from 'ethers'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { holdValidatorKeys } from '../../src/cli/choose-chain.ts'
import { explain } from '../../src/cli/explain.ts'
import { describe as inWords } from '../../src/cli/gov/messages.ts'
import { parseBallot } from '../../src/cli/gov/vote.ts'
import { formatCoin, parseCoin } from '../../src/cli/native/amount.ts'
import { createProgram } from '../../src/cli/program.ts'
import type { NodeOptions } from '../../src/node.ts'
import { presets } from '../../src/spec/presets.ts'
import { importKey, LIGHT_SCRYPT } from '../../src/wallet/keystore.ts'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'
import { Wallet } from '../../src/wallet/wallet.ts'
import { account, MNEMONIC, request, testChain } from '../support/chain.ts'
import { captureOutput, folder, ONE_LINE, run as runProgram, start } from './support.ts'

const KEST = 10n ** 18n
const MIN_DEPOSIT = '10000000'
const EVE = '0x000000000000000000000000000000000000dEaD'

/** A node like that of `kestrel start`, and functions that run commands on it. */
async function governed(overrides: Partial<NodeOptions> = {}) {
  const wallet = walletOfMnemonic(MNEMONIC, 10)
  holdValidatorKeys(wallet, presets.kestrel())
  const chain = await testChain({ wallet, ...overrides })
  return {
    ...chain,
    /** Ends the voting period of 30 s as soon as the last validator has voted. */
    async passTime() {
      const votes = () => chain.viem.getTransactionCount({ address: account(12).address })
      await vi.waitFor(async () => expect(await votes()).toBe(1), { timeout: 20_000, interval: 50 })
      await chain.rpc('evm_increaseTime', 30)
    },
    /** Runs a command and returns its output; throws the errors that the program would print. */
    kestrel: (...args: string[]) => run(...args, '--rpc-url', chain.url),
    json: async (...args: string[]) => JSON.parse((await run(...args, '--json', '--rpc-url', chain.url)).stdout),
    /** The error line of a refused command. */
    refusal: (...args: string[]) =>
      run(...args, '--rpc-url', chain.url).then(
        ({ stdout }) => `not refused: ${stdout}`,
        (error) => explain(error),
      ),
  }
}

async function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const program = await createProgram((name) => args.includes(name))
  return captureOutput(() => program.parseAsync(args, { from: 'user' }))
}

const expectParts = (text: string, ...parts: string[]) => {
  for (const part of parts) expect(text).toContain(part)
}

test('three gov commands activate kestrel_0', async () => {
  const { kestrel, rpc, viem, walletOf, alice, passTime } = await governed()
  // An empty CREATE: 21,000 for the transaction, 9 for three pushes, 32,000 for the opcode; ten times that with kestrel_0.
  await rpc('anvil_setCode', EVE, '0x600060006000f000')
  const gasOfCreate = async () => {
    const hash = await walletOf(0).sendTransaction({ to: EVE, gas: 1_000_000n })
    return (await viem.getTransactionReceipt({ hash })).gasUsed
  }
  expect(await gasOfCreate()).toBe(53_009n)

  const proposed = await kestrel('params', 'propose', '--activate', 'kestrel_0')
  expectParts(
    proposed.stdout,
    'Proposal 1: Activate kestrel_0',
    'kestrel gov vote 1 yes --from validators',
    'count until 20',
  )
  const [voted] = await Promise.all([kestrel('gov', 'vote', '1', 'yes', '--from', 'validators', '--wait'), passTime()])
  for (const index of [10, 11, 12]) expectParts(voted.stdout, `${account(index).address} votes yes on proposal 1`)
  // 3 validators with 1,000 coins each are all of the bonded stake.
  expectParts(voted.stdout, 'Status     passed', '100 %  3,000 KEST', alice.address)
  expect(voted.stderr).toContain('asked for one (evm_mine)')
  const shown = await kestrel('params', 'show')
  expect(shown.stdout).toMatch(/Active +kestrel_0/)

  expect(await gasOfCreate()).toBe(341_009n)
  expect((await kestrel('params', 'show', '--block', '1')).stdout).toMatch(/Active +no improvement proposal/)
})

test('params propose moves the floor of the base fee', async () => {
  const { kestrel, rpc, passTime } = await governed()
  expect((await kestrel('params', 'show')).stdout).toMatch(/Base fee +no floor/)
  const proposed = await kestrel('params', 'propose', '--min-base-fee', '2000000000')
  expectParts(proposed.stdout, 'Proposal 1: Set the floor of the base fee to 2000000000 wei')
  expectParts(proposed.stdout, 'sets the floor of the base fee to 2000000000 wei per gas')
  await Promise.all([kestrel('gov', 'vote', '1', 'yes', '--from', 'validators', '--wait'), passTime()])
  expect((await kestrel('params', 'show')).stdout).toMatch(/Base fee +at least 2000000000 wei/)
  expect(await rpc('eth_baseFee')).toBe('0x77359400')
})

test('the gov commands of the built program activate kestrel_0 on a node that lists only its ten accounts', async () => {
  const cwd = await folder()
  const node = await start(cwd, '--in-memory')
  const program = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram(cwd, ...args, '--rpc-url', node.url)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  expect(await request(node.url, 'eth_accounts')).toHaveLength(10)
  expect(await program('params', 'propose', '--activate', 'kestrel_0')).toContain('Proposal 1: Activate kestrel_0')
  expect(await program('gov', 'vote', '1', 'yes', '--from', 'validators')).toContain(account(12).address)
  await request(node.url, 'evm_increaseTime', [30])
  await request(node.url, 'evm_mine')
  expect(await program('params', 'show')).toMatch(/Active +kestrel_0/)

  const { code, stdout, stderr } = await runProgram(cwd, 'gov', 'vote', '1', 'yes', '--rpc-url', node.url)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(ONE_LINE)
  expect(stderr).toContain('inactive proposal')
})

test('gov lists, shows and cancels proposals, also as JSON', async () => {
  const { kestrel, json, refusal } = await governed()
  const first = await json(
    'gov',
    'submit',
    '--title',
    'Blue or green?',
    '--summary',
    'Blue.',
    '--deposit',
    '1000000akest',
  )
  expect(first).toMatchObject({ id: 1, status: 'deposit', messages: [], summary: 'Blue.', block: 1 })
  expect(first.deposit).toEqual([{ denom: 'akest', amount: '1000000' }])
  expectParts((await kestrel('gov', 'show', '1')).stdout, 'waits for deposits', 'it states an opinion', '1000000akest')

  const deposited = await kestrel('gov', 'deposit', '1', '9000000akest', '--from', '1')
  expectParts(deposited.stdout, `${MIN_DEPOSIT}akest in all`, 'voting')
  await json('gov', 'submit', '--spend', `${EVE}:2.5`, '--from', account(2).address)
  const [one, two, ...others] = await json('gov', 'list')
  expect(others).toEqual([])
  expect(one).toMatchObject({ id: 1, status: 'voting', title: 'Blue or green?' })
  expect(one.votingEndTime - one.votingStartTime).toBe(30)
  expect(two).toMatchObject({ id: 2, proposer: account(2).address })
  expect(await json('gov', 'list', '--status', 'deposit')).toEqual([])
  expectParts((await kestrel('gov', 'list')).stdout, '1    voting', 'Blue or green?', 'Spend from the community pool')

  await kestrel('gov', 'vote', '1', '--weights', 'yes=0.7,no=0.3', '--from', account(10).address)
  await kestrel('gov', 'vote', '1', 'veto', '--from', account(11).address)
  const { tally } = await json('gov', 'show', '1')
  expect(tally).toEqual({
    yes: String(700n * KEST),
    no: String(300n * KEST),
    abstain: '0',
    veto: String(1000n * KEST),
  })
  expectParts(
    (await kestrel('gov', 'show', '1')).stdout,
    'veto         50 %  1,000 KEST',
    'yes          35 %  700 KEST',
  )

  expect(await refusal('gov', 'cancel', '1', '--from', '3')).toContain('proposer')
  expectParts((await kestrel('gov', 'cancel', '1')).stdout, 'Proposal 1 is cancelled')
  expect((await json('gov', 'list')).map(({ id }: { id: number }) => id)).toEqual([2])
  const rules = await kestrel('gov', 'params')
  expect(rules.stdout).toMatch(/^ {2}voting period +30 s$/m)
  expect(rules.stdout).toMatch(/^ {2}min deposit +10000000akest$/m)
  expect(rules.stdout).toMatch(/^ {2}quorum +0\.334$/m)
  expect(await json('gov', 'params')).toMatchObject({ votingPeriod: 30, burnVoteVeto: true })
})

test('gov submit takes a file, and gov show prints why a proposal failed', async () => {
  const { kestrel, json, passTime } = await governed()
  const file = join(await folder(), 'proposal.json')
  const gov = '0x7b5Fe22B5446f7C62Ea27B8BD71CeF94e03f3dF2'
  const spend = {
    '@type': '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend',
    authority: gov,
    recipient: EVE,
    amount: [{ denom: 'akest', amount: '900000000000000000000000' }],
  }
  const proposal = {
    messages: [spend],
    deposit: `${MIN_DEPOSIT}akest`,
    title: 'Too much',
    summary: 'More than is there',
  }
  await writeFile(file, JSON.stringify(proposal))
  expectParts(
    (await kestrel('gov', 'submit', file)).stdout,
    'Too much',
    `pays 900,000 KEST from the community pool to ${EVE}`,
  )
  const [outcome] = await Promise.all([json('gov', 'vote', '1', 'yes', '--from', 'validators', '--wait'), passTime()])
  expect(outcome).toMatchObject({ id: 1, status: 'failed' })
  expect(outcome.failure).toContain('community pool does not have sufficient coins')
  expectParts((await kestrel('gov', 'show', '1')).stdout, 'failed in execution', outcome.failure)
})

test('gov prints one line for a refusal, with the chain’s reason', async () => {
  const { refusal } = await governed()
  const cases = [
    [['gov', 'show', '7'], '7'],
    [['gov', 'vote', '7', 'yes'], '7'],
    [['gov', 'vote', '7', 'maybe'], 'expected one of yes, no, abstain, veto, not "maybe"'],
    [['gov', 'vote', 'x', 'yes'], '<number>: expected a whole number from 1'],
    [['gov', 'submit'], 'expected a file, or --title'],
    [['gov', 'submit', '--title', 'T', '--from', 'validators'], '--from: `validators` is only for votes'],
    [['gov', 'submit', '--title', 'T', '--from', '10'], '--from: the node holds accounts 0 to 9'],
    [['gov', 'submit', '--title', 'T', '--from', EVE], 'insufficient funds'],
    [['gov', 'submit', '--title', 'T', '--deposit', 'much'], '--deposit: expected an amount such as 10 or 1.5KEST'],
    [['gov', 'submit', 'none.json'], 'none.json: no such file'],
    [['params', 'propose', '--activate', 'kestrel_99'], 'the node knows no proposal kestrel_99; it knows '],
    [['params', 'propose', '--deactivate', 'kestrel_0'], 'kestrel_0 is not active'],
    [['params', 'propose'], '--activate: expected'],
  ] as const
  for (const [args, words] of cases) expect(await refusal(...args)).toContain(words)
  expect(await run('gov', 'list', '--rpc-url', 'http://127.0.0.1:1').catch(explain)).toContain(
    'no node answers at http://127.0.0.1:1',
  )
})

test('gov is refused with one line on a plain Ethereum chain', async () => {
  const { refusal } = await governed({ spec: { ...presets.kestrel(), native: undefined } })
  expect(await refusal('gov', 'list')).toContain('this chain has no governance')
})

describe('gov with a private key', () => {
  it('signs locally, for a node without keys', async () => {
    const { json, refusal } = await governed({ wallet: new Wallet(), rpc: { development: false } })
    const dir = await folder()
    const { address, privateKey } = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(MNEMONIC), "m/44'/60'/0'/0/10")
    await writeFile(join(dir, 'key.txt'), privateKey)
    await writeFile(join(dir, 'password.txt'), 'secret\n')
    await importKey(join(dir, 'keys'), Buffer.from(privateKey.slice(2), 'hex'), 'secret', LIGHT_SCRYPT)
    const [keyFile = ''] = await readdir(join(dir, 'keys'))

    const byKey = ['--private-key-file', join(dir, 'key.txt')]
    const byKeystore = ['--keystore', join(dir, 'keys', keyFile), '--password-file', join(dir, 'password.txt')]
    expect(await json('gov', 'submit', '--title', 'Mine', ...byKey)).toMatchObject({ id: 1, proposer: address })
    const { votes } = await json('gov', 'vote', '1', 'no', ...byKeystore)
    expect(votes).toMatchObject([{ voter: address, block: 2 }])
    expect((await json('gov', 'show', '1')).tally.no).toBe(String(1000n * KEST))

    expect(await refusal('gov', 'vote', '1', 'no')).toContain('--from: the node holds no accounts')
    expect(await refusal('gov', 'vote', '1', 'no', '--from', address)).toContain('the node has no key of')
    expect(await refusal('gov', 'vote', '1', 'no', '--from', EVE, ...byKey)).toBe(
      `--from: the key is that of ${address}`,
    )
    expect(await refusal('gov', 'vote', '1', 'no', '--from', 'validators')).toContain('no key of a bonded validator')
  })
})

test('gov vote --wait waits for the next block on a node that makes none on request', async () => {
  const { native, ...preset } = presets.kestrel()
  if (native === undefined) throw new Error('the preset has no native modules')
  // One validator, so that its vote decides.
  const validators = native.validators.slice(0, 1)
  const spec = { ...preset, native: { ...native, validators, modules: { gov: { params: { votingPeriod: 3 } } } } }
  const { kestrel, walletOf } = await governed({ spec, rpc: { development: false } })
  await kestrel('gov', 'submit', '--title', 'Patience')
  // Another account sends a transaction after the voting period, which the machine's clock measures, so a timer has to wait.
  const timer = setTimeout(() => walletOf(3).sendTransaction({ to: EVE, value: 1n, gas: 21_000n }), 5_000)
  onTestFinished(() => clearTimeout(timer))
  const { stdout, stderr } = await kestrel('gov', 'vote', '1', 'yes', '--from', 'validators', '--wait')
  expect(stdout).toContain('Status     passed')
  expect(stderr).toContain('makes one when a transaction comes')
})

describe('amounts on gov’s command line', () => {
  it.each([
    ['10', 10n * KEST],
    ['1.5KEST', 15n * 10n ** 17n],
    ['1.5 kest', 15n * 10n ** 17n],
    ['0.000000000000000001', 1n],
    ['10000000akest', 10_000_000n],
  ])('%s', (text, amount) => {
    expect(parseCoin(text, 'akest')).toEqual({ denom: 'akest', amount })
  })

  it('accept other denominations', () => {
    expect(parseCoin('7erc20/0x12', 'akest')).toEqual({ denom: 'erc20/0x12', amount: 7n })
  })

  it.each(['', '-1', '1.5akest', '0.0000000000000000001', '3eth', '1e18', '0x10', '1.'])('refuse %s', (text) => {
    expect(() => parseCoin(text, 'akest')).toThrow('expected an amount such as 10, 1.5KEST or 10000000akest')
  })

  it.each([
    [10_000_000n, '10000000akest'],
    [1_234n * KEST + KEST / 2n, '1,234.5 KEST'],
    [0n, '0 KEST'],
  ])('%s is shown as %s', (amount, text) => {
    expect(formatCoin({ denom: 'akest', amount }, 'akest')).toBe(text)
  })
})

describe('ballots on gov’s command line', () => {
  // The numbers of the interface: 1 yes, 2 abstain, 3 no, 4 no with veto.
  it.each([
    ['yes', 1],
    ['abstain', 2],
    ['no', 3],
    ['veto', 4],
  ])('%s', (name, option) => {
    expect(parseBallot(name, undefined)).toEqual([{ option, weight: '1' }])
  })

  it('can be split among options', () => {
    expect(parseBallot(undefined, 'yes=0.7, no=0.3')).toEqual([
      { option: 1, weight: '0.7' },
      { option: 3, weight: '0.3' },
    ])
  })

  it.each(['yes=0.7', 'yes=0.7,no=0.4', 'yes', 'maybe=1', 'yes=x', ''])('refuse %s', (weights) => {
    expect(() => parseBallot(undefined, weights)).toThrow()
  })
})

describe('messages as gov prints them', () => {
  it.each([
    [{ '@type': '/cosmos.evm.vm.v1.MsgUpdateParams', params: { extra_eips: ['kestrel_0', 'x_1'] } }, 'kestrel_0, x_1'],
    [
      { '@type': '/ethermint.evm.v1.MsgUpdateParams', params: { extraEips: [] } },
      'lets no improvement proposal be active',
    ],
    [{ '@type': '/evmos.erc20.v1.MsgToggleConversion', token: EVE }, `switches conversion of ${EVE}`],
    [{ '@type': '/cosmos.gov.v1.MsgUpdateParams', params: { quorum: '0.5' } }, '{"params":{"quorum":"0.5"}}'],
    ['nonsense', '"nonsense"'],
  ])('%j', (message, words) => {
    expect(inWords(message, 'akest')).toContain(words)
  })
})
