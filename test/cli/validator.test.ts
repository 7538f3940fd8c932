// `kestrel validator` against a running node: the operator's transactions, and what `status` says after each.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { duration } from '../../src/cli/network/validator-status.ts'
import { makeKeys } from '../../src/consensus/cometbft/home.ts'
import { keyToBase64 } from '../../src/consensus/cometbft/keys.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress, toHex } from '../../src/lib/hex.ts'
import { importKey, LIGHT_SCRYPT } from '../../src/wallet/keystore.ts'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'
import { account, MNEMONIC, testChain } from '../support/chain.ts'
import { folder, ONE_LINE, runHere } from './support.ts'

const KEST = 10n ** 18n
/** Three validators of 1,000 coins each. */
const OTHERS = 3_000
/** 21 days, of the presets. */
const UNBONDING = 1_814_400

const operatorOf = (index: number) => hexToAddress(account(index).address)

/** A chain whose node holds accounts 0 to 9, a home with keys, and functions that run `kestrel validator`. */
async function operated() {
  const chain = await testChain({ wallet: walletOfMnemonic(MNEMONIC, 10) })
  const home = join(await folder(), 'engine')
  const { consensusKey } = await makeKeys(home)
  const url = ['--rpc-url', chain.url]
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere('validator', ...args, ...url)
    if (code !== 0) throw new Error(`${code}: ${stderr}`)
    return stdout
  }
  return {
    ...chain,
    home,
    key: keyToBase64(consensusKey),
    run,
    json: async (...args: string[]) => JSON.parse(await run(...args, '--json')),
    /** The line and the exit code of a refused command. */
    async refusal(...args: string[]) {
      const { code, stderr } = await runHere('validator', ...args, ...url)
      expect(stderr).toMatch(ONE_LINE)
      return `${code}: ${stderr.trim()}`
    },
  }
}

test('create, bond, edit, unbond: the whole life of a validator', async () => {
  const { run, json, refusal, home, key, viem } = await operated()
  const operator = operatorOf(5)
  const valoper = toBech32('kestvaloper', operator)
  const from = ['--from', '5']
  expect(await refusal('status', '--engine-home', home)).toMatch(/^1: .* has no validator 0x/)
  expect(await refusal('bond', '1', ...from)).toContain(`has no validator ${operator}`)

  const created = await run('create', '700KEST', '--moniker', 'carol', '--engine-home', home, ...from)
  expect(created).toContain('bonded, power 700')
  const status = await json('status', '--engine-home', home)
  expect(status).toMatchObject({
    operator,
    operatorAddress: valoper,
    moniker: 'carol',
    status: 'bonded',
    jailed: false,
    isThisNode: true,
    tokens: String(700n * KEST),
    selfDelegation: String(700n * KEST),
    minSelfDelegation: '1',
    power: '700',
    totalPower: String(OTHERS + 700),
    commission: { rate: '100000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
  })
  // 700 / 3,700
  expect(await run('status', valoper)).toContain('700 of 3700 (18.92 %)')
  expect(await refusal('create', '1', '--moniker', 'again', '--engine-home', home, ...from)).toMatch(
    /^1: kestrel: validator already exist for this operator address/,
  )
  expect(await refusal('create', '1', '--moniker', 'b', '--key', key, '--from', '6')).toContain('for this pubkey')

  // Every form of the address, from another account, in coins and in base units.
  for (const form of [operator, valoper, toBech32('kest', operator)]) await run('bond', '1', form, '--from', '7')
  await run('bond', `${2n * KEST}akest`, ...from)
  expect(await json('status', operator)).toMatchObject({ power: '705', selfDelegation: String(702n * KEST) })

  // A commission changes once a day, and the day of the creation counts.
  expect(await refusal('edit', '--commission', '11%', ...from)).toContain('more than once in 24h')
  await run('edit', '--moniker', 'dora', '--details', '', '--min-self-delegation', '2', ...from)
  expect(await json('status', operator)).toMatchObject({ moniker: 'dora', minSelfDelegation: String(2n * KEST) })

  const part = await json('unbond', '2.5', operator, '--from', '7')
  const { timestamp } = await viem.getBlock({ blockNumber: BigInt(part.block) })
  expect(part.completionTime).toBe(String(timestamp + BigInt(UNBONDING)))
  const rest = await run('unbond', 'all', ...from)
  expect(rest).toContain('702 KEST taken back')
  expect(rest).toContain('in 21 d')
  // Its own delegation is below the minimum: jailed, and without power.
  expect(await json('status', operator)).toMatchObject({ jailed: true, power: '0', tokens: String(KEST / 2n) })
})

test('unjail says how long it still takes, and that a double sign is for ever', async () => {
  const { run, json, refusal, rpc, home, mine } = await operated()
  const from = ['--from', '5']
  await run('create', '700', '--moniker', 'carol', '--engine-home', home, ...from)
  expect(await refusal('unjail', ...from)).toBe('1: kestrel: validator not jailed; cannot be unjailed')
  await mine()
  await rpc('dev_reportDowntime', operatorOf(5))
  expect(await refusal('unjail', ...from)).toMatch(/^1: .*jailed until .* UTC \(in (10 min|9 min \d+ s)\)$/)
  // Slashed by 1 %.
  expect(await json('status', operatorOf(5))).toMatchObject({ jailed: true, tokens: String(693n * KEST), power: '0' })
  await rpc('evm_increaseTime', 601)
  expect(await run('unjail', ...from)).toContain('bonded, power 693')
  await mine()
  await rpc('dev_reportDoubleSign', operatorOf(5))
  expect(await refusal('unjail', ...from)).toContain('jailed for ever, because it signed twice')
})

test('the operator signs by a key file or a keystore', async () => {
  const { run, json } = await operated()
  const dir = await folder()
  const key = account(12).getHdKey().privateKey ?? new Uint8Array(0)
  await writeFile(join(dir, 'key'), toHex(key), { mode: 0o600 })
  await writeFile(join(dir, 'password'), 'secret', { mode: 0o600 })
  await importKey(join(dir, 'keys'), key, 'secret', LIGHT_SCRYPT)
  const [file = ''] = await readdir(join(dir, 'keys'))
  const byKeystore = ['--keystore', join(dir, 'keys', file), '--password-file', join(dir, 'password')]
  await run('edit', '--moniker', 'by keystore', ...byKeystore)
  expect(await json('status', operatorOf(12))).toMatchObject({ moniker: 'by keystore' })
  await run('edit', '--moniker', 'by key', '--private-key-file', join(dir, 'key'))
  expect(await json('status', operatorOf(12))).toMatchObject({ moniker: 'by key' })
})

test('what is wrong by itself ends with 2, a home without a key with 1', async () => {
  const { refusal } = await operated()
  expect(await refusal('edit', '--from', '5')).toContain('2: kestrel: nothing to change')
  expect(await refusal('status', '--engine-home', 'nowhere')).toMatch(/^2: .*<validator>: name one/)
  expect(await refusal('status', 'kest1qq')).toMatch(/^2: .*<validator>/)
  expect(await refusal('create', '1', '--moniker', 'x', '--engine-home', 'nowhere')).toMatch(/^1: .*has no key/)
  expect(await refusal('create', '1', '--moniker', 'x', '--commission', '101%')).toMatch(/^2: .*--commission: expected/)
})

test('durations have their two largest units', () => {
  expect([0, 59, 60, 598, 3_600, 90_061, 1_814_400].map(duration)).toEqual([
    ...['0 s', '59 s', '1 min', '9 min 58 s', '1 h', '1 d 1 h', '21 d'],
  ])
})
