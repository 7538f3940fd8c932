// `npm run pictures`: makes the pictures of README.md from a real node: `docs/pictures/explorer.png`, its home page in Chromium, and
// `docs/pictures/terminal.svg`, what the node and `cast` print. It needs dist/, Chromium, `script` (util-linux) and the port 8545,
// because the node prints its URLs.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import {
  createTestClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  parseAbi,
  parseEther,
  publicActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { explorerClient } from '../client/explorer.js'
import { launchChromium } from '../test/support/browser.ts'
import { compileSolidity } from '../test/support/solc.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'docs/pictures')
const URL = 'http://127.0.0.1:8545'
const MNEMONIC = 'test test test test test test test test test test test junk'
const STAKING = '0x0000000000000000000000000000000000000800'
/** Number of days of the chain's history; each begins with a block of its own. */
const DAYS = 30
const DAY = 86_400
const TOKENS = 'test/indexer/contracts'

const transport = http(URL)
const chain = defineChain({
  id: 125,
  name: 'kestrel',
  nativeCurrency: { name: 'KEST', symbol: 'KEST', decimals: 18 },
  rpcUrls: { default: { http: [URL] } },
})
const explorer = explorerClient(URL)
const node = createTestClient({ mode: 'anvil', chain, transport, pollingInterval: 20 }).extend(publicActions)
const walletOf = (addressIndex: number) =>
  createWalletClient({ transport, chain, account: mnemonicToAccount(MNEMONIC, { addressIndex }) })
const alice = walletOf(0)
const bob = walletOf(1)
const carol = walletOf(2)

const mined = async (hash: Promise<Hex>) => node.waitForTransactionReceipt({ hash: await hash })

async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; !(await is()); tries++) {
    if (tries === 300) throw new Error('waited for 30 seconds in vain')
    await setTimeout(100)
  }
}

/** Delegates by the staking precompile; returns the arguments of a call that queries it. */
async function stake(): Promise<readonly string[]> {
  const { data } = await explorer.GET('/native/validators')
  const validator = data?.items[0]?.operator_address ?? ''
  const abi = parseAbi(['function delegate(address, string, uint256) returns (bool)'])
  const { address } = alice.account
  const args = [address, validator, parseEther('25')] as const
  await mined(alice.writeContract({ address: STAKING, abi, functionName: 'delegate', args }))
  return ['call', STAKING, 'delegation(address,string)(uint256,(string,uint256))', address, validator]
}

/** Creates a token with verified sources, and a month of transfers of it and of coins. */
async function live(): Promise<void> {
  const { abi, bytecode } = compileSolidity(TOKENS).contracts.get('Coin') ?? { abi: [], bytecode: '0x' as const }
  const args = ['Falcon Dollar', 'FUSD', 18, parseEther('1000000')]
  const { contractAddress: address } = await mined(alice.deployContract({ abi, bytecode, args }))
  if (!address) throw new Error('the token was not created')
  await verify(address)
  for (let day = 0; day < DAYS; day++) {
    await node.increaseTime({ seconds: DAY })
    // Varies from 1 to 8 with the day.
    for (let i = 0; i < 1 + ((day * 5) % 8); i++) {
      await mined(bob.sendTransaction({ to: carol.account.address, value: parseEther(`${1 + day / 8}`) }))
    }
  }
  // The page shows the block time of the last hundred blocks.
  await node.mine({ blocks: 110, interval: 2 })
  const transfer = { address, abi, functionName: 'transfer', gas: 100_000n } as const
  await mined(alice.writeContract({ ...transfer, args: [bob.account.address, parseEther('250')] }))
  await stake()
  await mined(carol.sendTransaction({ to: alice.account.address, value: parseEther('12.5') }))
  await node.setAutomine(false)
  const sent = [
    await alice.writeContract({ ...transfer, args: [carol.account.address, parseEther('80')] }),
    await bob.sendTransaction({ to: alice.account.address, value: parseEther('0.42') }),
    await carol.writeContract({ ...transfer, args: [bob.account.address, parseEther('12')] }),
  ]
  await node.mine({ blocks: 1 })
  await node.setAutomine(true)
  await Promise.all(sent.map((hash) => node.waitForTransactionReceipt({ hash })))
}

async function verify(address: string): Promise<void> {
  const params = { path: { address_hash_param: address } }
  const { data } = await explorer.GET('/smart-contracts/verification/config')
  const body = {
    compiler_version: data?.solidity_compiler_versions[0] ?? '',
    contract_name: 'Coin',
    license_type: 'mit',
    source_code: readFileSync(join(ROOT, TOKENS, 'tokens.sol'), 'utf8'),
    evm_version: 'prague',
    is_optimization_enabled: true,
    optimization_runs: 200,
  }
  await explorer.POST('/smart-contracts/{address_hash_param}/verification/via/flattened-code', { params, body })
  const contract = () => explorer.GET('/smart-contracts/{address_hash_param}', { params })
  await until(async () => (await contract()).data?.is_verified === true)
}

/** Takes the picture of the home page, at the chain's time. */
async function explorerPicture(): Promise<void> {
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1280, height: 700 }, deviceScaleFactor: 1.1 })
  await page.clock.setFixedTime(Number((await node.getBlock()).timestamp + 9n) * 1000)
  await page.goto(URL)
  await page.getByRole('heading', { name: 'Latest transactions' }).waitFor()
  await page.locator('canvas').waitFor()
  await page.screenshot({ path: join(FOLDER, 'explorer.png'), animations: 'disabled' })
  await browser.close()
}

// --- the terminal

const BACKGROUND = '#161b22'
const TEXT = '#e6edf3'
const FAINT = '#8b949e'
/** Colours of SGR codes (ECMA-48). */
const COLOURS: Readonly<Record<string, string>> = { 32: '#56d364', 36: '#79c0ff', 39: TEXT }
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals begin each code with ESC
const SGR = /\u001b\[(\d+)m/
const CHARACTER = 7.8
const LINE = 19
const MARGIN = 22
const BAR = 34

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')

/** A line of a terminal as text of an SVG: each piece has its column, independent of the font's width. */
function lineOf(line: string, row: number): string {
  const y = BAR + MARGIN + row * LINE
  let column = 0
  let colour = line.startsWith('$ ') ? COLOURS[32] : TEXT
  const pieces = line.split(SGR).map((piece, i) => {
    if (i % 2 === 1) colour = COLOURS[piece] ?? TEXT
    if (i % 2 === 1 || piece === '') return ''
    const x = MARGIN + column * CHARACTER
    column += piece.length
    const length = (piece.length * CHARACTER).toFixed(1)
    return `<tspan x="${x.toFixed(1)}" textLength="${length}" fill="${colour}">${escaped(piece)}</tspan>`
  })
  return `<text y="${y}">${pieces.join('')}</text>`
}

function terminalPicture(lines: readonly string[]): void {
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length))
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN)
  const height = BAR + MARGIN + lines.length * LINE
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `<circle cx="${22 + i * 20}" cy="19" r="6" fill="${fill}"/>`,
  )
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    '<title>The start of a node, its first block, and a call of the staking precompile</title>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${BACKGROUND}" stroke="${FAINT}" stroke-opacity="0.4"/>`,
    ...lights,
    ...lines.map(lineOf),
    '</svg>',
  ]
  writeFileSync(join(FOLDER, 'terminal.svg'), `${svg.join('\n')}\n`)
}

/** The node's output at its start, without the keys, and for its first blocks; then a command of `cast` with its output. */
function terminalLines(printed: string, args: readonly string[]): string[] {
  const cast = join(ROOT, 'node_modules/.bin/cast')
  const output = execFileSync(cast, args, { encoding: 'utf8', env: { ...process.env, ETH_RPC_URL: URL } })
  const [banner = '', rest = ''] = printed.split(/\nPrivate keys\n/)
  const log = rest
    .split('\n')
    .filter((line) => (/^\[/.test(line) && line.includes('block 1')) || line.includes(' KEST '))
  const quoted = args.map((arg) => (/[()]/.test(arg) ? `'${arg}'` : arg))
  return [
    '$ npm start -- --in-memory --accounts 3',
    ...banner.trimEnd().split('\n'),
    '  …',
    ...log,
    '',
    `$ cast ${quoted.slice(0, 3).join(' ')} \\`,
    `    ${quoted.slice(3).join(' ')}`,
    ...output.trimEnd().split('\n'),
  ]
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const command = 'node dist/main.js start --in-memory --accounts 3'
  const program = spawn('script', ['-qefc', command, '/dev/null'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  program.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString('utf8').replaceAll('\r', '')
  })
  try {
    await until(() => printed.includes('Warning: '))
    await mined(bob.sendTransaction({ to: carol.account.address, value: parseEther('1') }))
    const call = await stake()
    await setTimeout(300)
    terminalPicture(terminalLines(printed, call))
    await live()
    await explorerPicture()
  } finally {
    program.kill('SIGINT')
    await once(program, 'exit')
  }
}

await main()
