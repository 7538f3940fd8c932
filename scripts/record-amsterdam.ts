// Records what go-ethereum answers about transactions of Amsterdam, for test/rpc/amsterdam.test.ts:
//   GETH=/path/to/geth tsx scripts/record-amsterdam.ts | gzip -9n > test/rpc/amsterdam.json.gz
// SLOTNUM is left out: the blocks of `geth --dev` all have slot 0.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { concatHex, type Hex, type TransactionSerializable, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { plainGenesis } from '../test/support/plain-spec.ts'

const PORT = 21_490
const geth = process.env['GETH'] ?? 'geth'
const sender = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const authority = privateKeyToAccount(`0x${'02'.repeat(32)}`)

const push = (value: number | Hex): Hex => {
  const bytes =
    typeof value === 'number' ? toHex(value, { size: Math.max(1, Math.ceil(value.toString(16).length / 2)) }) : value
  return concatHex([toHex(0x5f + (bytes.length - 2) / 2), bytes])
}
const code = (...parts: readonly (string | Hex)[]): Hex => `0x${parts.map((part) => part.replace(/^0x/, '')).join('')}`
const call = (to: Hex, value: number, gas = 0x30000, op = 'f1'): Hex =>
  code('5f5f5f5f', op === 'f1' || op === 'f2' ? push(value) : '', push(to), push(gas), op, '50')
/** Creates with the init code, which has at most 32 bytes. */
const create = (init: Hex, value: number): Hex => {
  const size = (init.length - 2) / 2
  return code(push(init), '5f', '52', push(size), push(32 - size), push(value), 'f0', '50')
}
const account = (n: number): Hex => toHex(0xdead0000 + n, { size: 20 })
const deep = ['e680', 'e6ff', 'e780', 'e75a', 'e800', 'e88f', 'e89d'].join('')

/** Codes of contracts; each is deployed and then called with 10 wei. */
const CODES: Readonly<Record<string, Hex>> = {
  'deep stacks': code(...Array.from({ length: 250 }, (_, n) => push(n % 256)), deep),
  'an immediate that is none': code('5f', 'e65b'),
  'too few items': code('5f', 'e680'),
  'calls that pay new and old accounts': code(
    call(account(1), 1),
    call(account(1), 1),
    call(sender.address, 2),
    call(account(2), 0),
  ),
  'a call that reverts what it paid': code('36', push(0x20), '57', call(account(3), 1), '5f5ffd'),
  'a call that fails what it paid': code(call(account(4), 1), 'fe'),
  'calls of all kinds': code(
    ...['f1', 'f2', 'f4', 'fa'].map((op) => call('0x0000000000000000000000000000000000000004', 1, 5_000, op)),
  ),
  'a call without gas for what it pays': code(call(account(5), 1, 0), '5f'),
  'more value than it has': code(call(account(6), 0xffff)),
  'itself until the gas ends': code('5f5f5f5f5f30', push(0x200000), 'f1'),
  'writes of storage': code('6001606455', '6002606455', '5f606455', '6005606555', '60646054', '5054'),
  'clears a slot that it has set before': code('606454', push(0x0c), '57', '6001606455', '00', '5b', '5f606455'),
  logs: code('5f5fa0', '60205fa0', '600160025f5fa2'),
  'creates with value': code(
    create('0x600160015560015ff3', 3),
    create('0x', 0),
    create('0x5f5ffd', 1),
    create('0xfe', 1),
  ),
  'creates what destroys itself': code(create(code('73', account(7), 'ff'), 4)),
  'creates by a salt, twice': code(...[0, 1].map(() => '60075f5f5ff550')),
  'destroys itself': code('73', account(8), 'ff'),
  'destroys itself for an old account': code('73', sender.address, 'ff'),
  'destroys itself for itself': code('30ff'),
  'reads accounts and codes': code(...['31', '3b', '3f'].map((op) => code(push(account(9)), op, '50', '30', op, '50'))),
  'more code than a page': `0x${'00'.repeat(2_000)}`,
}

/** Init code that leaves the code behind it. */
function init(runtime: Hex): Hex {
  const size = push((runtime.length - 2) / 2)
  return code(size, '80', push(size.length / 2 - 1 + 7), '5f', '39', '5f', 'f3', runtime)
}

async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${PORT}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Traces by name: those that depend neither on a block's hash nor on its base fee. */
const TRACES = {
  calls: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  flat: { tracer: 'flatCallTracer' },
  structLogs: {},
  selectors: { tracer: '4byteTracer' },
} as const

const recorded: object[] = []
let nonce = 0

async function record(name: string, fields: Partial<TransactionSerializable>): Promise<{ contractAddress: Hex }> {
  const base = { chainId: 1337, nonce: nonce++, gas: 3_000_000n, ...fields }
  const fees = fields.authorizationList
    ? { type: 'eip7702', maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 11n }
    : { type: 'legacy', gasPrice: 10n ** 11n }
  const raw = await sender.signTransaction({ ...base, ...fees } as TransactionSerializable)
  const hash = await rpc('eth_sendRawTransaction', raw)
  let receipt: unknown = null
  while (receipt === null) {
    await sleep(50)
    receipt = await rpc('eth_getTransactionReceipt', hash).catch(() => null)
  }
  const traces: Record<string, unknown> = {}
  for (const [key, options] of Object.entries(TRACES)) traces[key] = await rpc('debug_traceTransaction', hash, options)
  recorded.push({ name, raw, receipt, traces })
  return receipt as { contractAddress: Hex }
}

async function scenario(): Promise<void> {
  await record('pays a new account', { to: account(20), value: 5n })
  await record('pays an old account', { to: account(20), value: 5n })
  await record('pays itself', { to: sender.address, value: 5n })
  await record('pays nobody nothing', { to: account(21) })
  for (const [name, runtime] of Object.entries(CODES)) {
    const { contractAddress } = await record(`deploys: ${name}`, { data: init(runtime) })
    await record(`runs: ${name}`, { to: contractAddress, value: 10n })
    await record(`runs again: ${name}`, { to: contractAddress, value: 10n, data: '0x01' })
  }
  await record('a creation that reverts with value', { data: '0x5f5ffd', value: 7n })
  await record('a creation with more code than its gas pays', { data: code(push(0x5000), '5f', 'f3') })
  const delegate = await authority.signAuthorization({ chainId: 1337, address: account(20), nonce: 0 })
  await record('a delegation of a new account', { to: account(20), authorizationList: [delegate] })
  const { address } = authority
  const again = await authority.signAuthorization({ chainId: 1337, address: account(21), nonce: 1 })
  await record('a delegation that changes, and value', { to: address, value: 3n, authorizationList: [again] })
  await record('much data', { to: account(20), data: `0x${'01'.repeat(3_000)}` })
}

const folder = mkdtempSync(join(tmpdir(), 'geth-'))
/** With the contracts that blocks call, as `geth --dev` has them. */
const dev = JSON.parse(execFileSync(geth, ['--dev', 'dumpgenesis'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString())
const system = Object.entries<{ code?: Hex }>(dev.alloc).filter(([, { code }]) => code !== undefined)
const plain = plainGenesis(sender.address)
const genesis = {
  ...plain,
  config: { ...plain.config, osakaTime: 0, amsterdamTime: 0 },
  timestamp: '0x65000000',
  nonce: '0x0',
  mixHash: `0x${'00'.repeat(32)}`,
  coinbase: `0x${'00'.repeat(20)}`,
  alloc: { [sender.address]: { balance: '0xd3c21bcecceda1000000' }, ...Object.fromEntries(system) },
}
writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
execFileSync(geth, ['init', '--datadir', folder, join(folder, 'genesis.json')], { stdio: 'ignore' })
const network = ['--port', '0', '--nodiscover', '--ipcdisable', '--authrpc.port', `${PORT + 1}`]
const door = ['--http', '--http.port', `${PORT}`, '--http.api', 'eth,debug']
const node = spawn(geth, ['--dev', '--datadir', folder, ...door, ...network], { stdio: 'ignore' })
try {
  while ((await rpc('eth_chainId').catch(() => undefined)) === undefined) await sleep(200)
  await scenario()
  process.stdout.write(JSON.stringify({ genesis, transactions: recorded }))
} finally {
  node.kill()
  await new Promise((resolve) => node.once('exit', resolve))
  rmSync(folder, { recursive: true })
}
