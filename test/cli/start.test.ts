import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rawRequest, request } from '../support/chain.ts'
import { postRaw } from '../support/wire.ts'
import { folder, launch, ONE_LINE, run, start } from './support.ts'

// Accounts 0 and 9 of the mnemonic "test test … junk" with their keys, as printed by Hardhat and Anvil.
const FIRST = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
] as const
const LAST = [
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
  '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
] as const
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const send = (url: string) =>
  request(url, 'eth_sendTransaction', [{ from: FIRST[0].toLowerCase(), to: BOB, value: '0x1' }])

test('start serves, prints accounts and keys last, and ends with Ctrl-C', async () => {
  const node = await start(await folder(), '--in-memory')
  expect(await request(node.url, 'eth_chainId')).toBe('0x7d')
  await send(node.url)
  const { code, stdout, stderr } = await node.stop('SIGINT')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^kestrel \d+\.\d+\.\d+\n/)
  expect(stdout).toContain('kestrel, id 125 (0x7d)')
  expect(stdout).toContain(`${node.url.replace('http', 'ws')}/rpc`)
  const places = [FIRST[0], LAST[0], FIRST[1], LAST[1], 'Warning: these keys are public'].map((text) =>
    stdout.indexOf(text),
  )
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
  expect(stderr).toMatch(
    /INFO: 1 wei to 0x7099…79C8 \(account 1\) from 0xf39F…2266 \(account 0\) {2}block 1 {2}21,000 gas {2}[\d.]+ ms {2}0x[0-9a-f]{64}\n/,
  )
})

test('kestrel alone, or with flags only, is start', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'kestrel-data'), '')
  expect(await run(cwd)).toMatchObject({ code: 1, stderr: expect.stringContaining('kestrel-data') })
  const { child, text, ended } = launch(cwd, ['--in-memory', '--port', '0', '--chain-id', '777'])
  await vi.waitUntil(() => text.stdout.includes('id 777'), { timeout: 60_000 })
  child.kill()
  expect((await ended).code).toBe(0)
  expect((await run(cwd, '--help')).stdout).toContain('`kestrel` alone')
  expect(await run(cwd, 'strat')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean start?') })
})

test('the first transaction of the README is mined', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const [, body = ''] = /^curl 127\.0\.0\.1:8545 --json '([^']*)'$/m.exec(readme) ?? []
  const node = await start(await folder(), '--in-memory')
  const { text } = await postRaw(node.url, body)
  const { result } = JSON.parse(text) as { result: string }
  expect(await request(node.url, 'eth_getTransactionReceipt', [result])).toMatchObject({ to: BOB, status: '0x1' })
})

test('start offers the builds of its folder, and reads those that are named', async () => {
  const cwd = await folder()
  await mkdir(join(cwd, 'out/Vault.sol'), { recursive: true })
  await mkdir(join(cwd, 'artifacts'))
  const offering = await start(cwd, '--in-memory')
  expect((await offering.stop()).stdout).toMatch(
    /^ {2}Builds {4}--artifacts out gives the contracts of your build names$/m,
  )

  await writeFile(join(cwd, 'out/broken.json'), '{')
  const reading = await start(cwd, '--in-memory', '--artifacts', 'out', '--artifacts', 'later')
  await vi.waitUntil(() => reading.text.stderr.includes('broken.json'), { timeout: 30_000 })
  const { code, stdout, stderr } = await reading.stop()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}Builds {4}out {3}later$/m)
  expect(stderr.match(/WARN: contracts: .*out\/broken\.json: not JSON/g)).toHaveLength(1)
})

test('npm start, npm run kestrel and the container pass the same flags to node', async () => {
  const fileOf = (name: string) => readFile(join(import.meta.dirname, '../..', name), 'utf8')
  const { scripts } = JSON.parse(await fileOf('package.json')) as { scripts: Record<string, string> }
  const entrypoint = /^ENTRYPOINT (.*)$/m.exec(await fileOf('docker/Dockerfile'))?.[1] ?? '[]'
  const flags = (words: readonly string[]) => words.filter((word) => word.startsWith('--'))
  const ofContainer = flags(JSON.parse(entrypoint) as string[])
  expect(ofContainer.length).toBeGreaterThan(0)
  for (const name of ['start', 'kestrel']) expect(flags((scripts[name] ?? '').split(' '))).toEqual(ofContainer)
})

test('start keeps its chain in kestrel-data and continues it, also after kill -9', async () => {
  const cwd = await folder()
  const first = await start(cwd, '--chain-id', '777', '--accounts', '2')
  await send(first.url)
  expect((await first.stop('SIGTERM')).code).toBe(0)

  const second = await start(cwd)
  expect(await request(second.url, 'eth_chainId')).toBe('0x309')
  expect(await request(second.url, 'eth_blockNumber')).toBe('0x1')
  await send(second.url)
  await second.stop('SIGKILL')

  const third = await start(cwd, '--datadir', 'kestrel-data', '--chain-id', '777')
  expect(await request(third.url, 'eth_blockNumber')).toBe('0x2')

  const locked = await run(cwd, 'start', '--port', '0')
  expect(locked).toMatchObject({ code: 1, stdout: '' })
  expect(locked.stderr).toMatch(ONE_LINE)
  expect(locked.stderr).toContain('in use by another process')
})

test('start refuses flags that contradict the chain on disk', async () => {
  const cwd = await folder()
  await (await start(cwd)).stop()
  const flags = [
    ['--preset', 'evmos'],
    ['--chain-id', '126'],
    ['--accounts', '20'],
    ['--balance', '5'],
    ['--no-preinstalls'],
  ]
  for (const given of flags) {
    const { code, stderr } = await run(cwd, 'start', ...given)
    expect(code).toBe(1)
    expect(stderr).toMatch(ONE_LINE)
    expect(stderr).toContain(`${given[0]}: kestrel-data holds the chain kestrel (id 125)`)
  }
})

test('start --production prints no keys and closes development methods', async () => {
  const node = await start(await folder(), '--in-memory', '--production', '--preset', 'kestrel')
  expect(await request(node.url, 'eth_accounts')).toEqual([])
  expect((await rawRequest(node.url, 'evm_mine')).error?.code).toBe(-32601)
  const { stdout } = await node.stop()
  expect(stdout).not.toContain('Private keys')
  expect(stdout).not.toContain(FIRST[1])
})

test('start --mnemonic and --accounts choose the accounts', async () => {
  const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  const node = await start(await folder(), '--in-memory', '--mnemonic', mnemonic, '--accounts', '1', '--balance', '2.5')
  // The first Ethereum account of BIP-39's example mnemonic.
  const account = '0x9858effd232b4033e47d90003d41ec34ecaeda94'
  expect(await request(node.url, 'eth_accounts')).toEqual([account])
  expect(await request(node.url, 'eth_getBalance', [account, 'latest'])).toBe(`0x${(25n * 10n ** 17n).toString(16)}`)
})

test('start --no-mining makes no block', async () => {
  const node = await start(await folder(), '--in-memory', '--no-mining')
  await send(node.url)
  expect(await request(node.url, 'eth_blockNumber')).toBe('0x0')
  expect(await request(node.url, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
})

test('start --production continues an existing chain of any origin', async () => {
  const cwd = await folder()
  await (await start(cwd)).stop()
  const node = await start(cwd, '--production')
  expect(await request(node.url, 'eth_chainId')).toBe('0x7d')
})

test('start --cors-origins and --hosts allow origins and hosts', async () => {
  const calls = ['--cors-origins', 'https://App.example:443,null', '--hosts', 'node.example,other_1']
  const node = await start(await folder(), '--in-memory', ...calls)
  const status = async (headers: Record<string, string>) =>
    (await postRaw(node.url, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', headers)).status
  expect(await status({ origin: 'https://app.example', host: 'node.example' })).toBe(200)
  expect(await status({ origin: 'null', host: 'other_1:8545' })).toBe(200)
  expect(await status({ origin: 'http://localhost:3000' })).toBe(403)
  expect(await status({ host: 'third.example' })).toBe(403)
  const { stdout } = await node.stop()
  expect(stdout).toMatch(/Pages +may call from https:\/\/app.example, null/)
})

/** Any account: these flags are refused before its key is read. */
const UNLOCK = ['--unlock', `0x${'12'.repeat(20)}`]

test('start prints one line for a wrong flag, with its name', async () => {
  const cwd = await folder()
  await mkdir(join(cwd, 'photos'))
  await writeFile(join(cwd, 'photos/cat.jpg'), '')
  await writeFile(
    join(cwd, 'bad.json'),
    '{"config":{"chainId":1},"gasLimit":"0x1","difficulty":"0x0","alloc":{"0x12":{}}}',
  )
  const cases = [
    [['--port', '70000'], '--port: expected a whole number from 0 to 65535, not "70000"', 2],
    [['--balance', '-1'], '--balance: ', 2],
    [['--prune', '127'], '--prune: expected a whole number from 128', 2],
    [['--mnemonic', 'hello world'], '--mnemonic: invalid mnemonic', 2],
    [['--unlock', '0x12'], '--unlock: expected an address', 2],
    [['--host', '0.0.0.0'], '--unsafe-expose', 2],
    [['--cors-origins', 'app.example'], '--cors-origins: expected origins such as https://app.example', 2],
    [['--cors-origins', 'https://app.example/'], '--cors-origins: expected origins', 2],
    [['--cors-origins', 'https://a.example,none'], '--cors-origins: expected origins', 2],
    [['--cors-origins', '*', ...UNLOCK], '--cors-origins: * would let pages use the unlocked accounts', 2],
    [['--cors-origins', 'local', ...UNLOCK], '--cors-origins: local would let pages', 2],
    [['--hosts', 'node:8545'], '--hosts: expected host names without ports', 2],
    [['--hosts', '*', ...UNLOCK], '--hosts: * would let pages use the unlocked accounts', 2],
    [['--production'], '--production: a new chain needs initial accounts and validators: give --genesis', 2],
    [['--production', '--in-memory', '--chain-id', '5'], '--production: a new chain', 2],
    [['--datadir', 'photos'], 'photos is not empty', 1],
    [['--genesis', 'none.json'], 'none.json: no such file', 1],
    [['--genesis', 'bad.json'], 'bad.json: alloc.0x12: ', 1],
  ] as const
  const ends = await Promise.all(cases.map(([flags]) => run(cwd, 'start', ...flags)))
  for (const [index, { code, stdout, stderr }] of ends.entries()) {
    expect({ code, stdout }).toEqual({ code: cases[index]?.[2], stdout: '' })
    expect(stderr).toMatch(ONE_LINE)
    expect(stderr).toContain(cases[index]?.[1])
  }
})

test('start prints one line when the port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, stderr } = await run(await folder(), 'start', '--in-memory', '--port', String(port))
  expect(code).toBe(1)
  expect(stderr).toBe(
    `kestrel: cannot listen on 127.0.0.1:${port}: the port is in use by another program; choose another with --port\n`,
  )
})

test('start ends with exit code 2 after a wrong command line', async () => {
  const cwd = await folder()
  const [unknown, contradictory, help] = await Promise.all([
    run(cwd, 'start', '--prot', '1'),
    run(cwd, 'start', '--block-time', '1', '--no-mining'),
    run(cwd, 'start', '--help'),
  ])
  expect(unknown).toMatchObject({ code: 2, stderr: "error: unknown option '--prot'\n(Did you mean --port?)\n" })
  expect(contradictory.code).toBe(2)
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('Examples:')
})

test.runIf(process.platform === 'linux')('start prints one line when it cannot create the data directory', async () => {
  const { code, stderr } = await run(await folder(), 'start', '--datadir', '/proc/kestrel')
  expect(stderr).toMatch(ONE_LINE)
  expect(stderr).toContain('/proc/kestrel')
  expect(code).toBe(1)
})

test
  .runIf(process.platform !== 'win32')
  .each([['--unlock', FIRST[0], '--password-file'], ['--genesis'], ['--prices'], ['--proposal']])(
  'ends at the first signal while it still starts, waiting for a file: %s',
  async (...flags) => {
    const cwd = await folder()
    // Nobody writes to this pipe, so reading from it never ends.
    execFileSync('mkfifo', ['pipe'], { cwd })
    const child = launch(cwd, ['start', '--port', '0', '--in-memory', ...flags, 'pipe'])
    // Opening it for writing waits for the reader: from here on the start hangs.
    const writer = await open(join(cwd, 'pipe'), 'w')
    child.child.kill('SIGTERM')
    expect(await child.ended).toMatchObject({ code: null, signal: 'SIGTERM' })
    await writer.close()
  },
)
