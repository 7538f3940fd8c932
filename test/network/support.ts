// A network of real processes: `kestrel testnet`, one `kestrel start --home` for each node, and the CometBFT that COMETBFT
// names. All processes are ended and folders removed after the tests of a file.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createPublicClient, createWalletClient, http, parseAbi } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll } from 'vitest'
import { account, MNEMONIC, rawRequest } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'

const run = promisify(execFile)

/** Why tests of this folder are skipped; undefined if COMETBFT names a program. */
export const NO_ENGINE = process.env.COMETBFT === undefined ? 'skipped: COMETBFT names no consensus engine' : undefined

/** The precompiles and functions that the tests call. */
export const STAKING = '0x0000000000000000000000000000000000000800'
export const SLASHING = '0x0000000000000000000000000000000000000806'
export const abi = parseAbi([
  'struct Description { string moniker; string identity; string website; string securityContact; string details; }',
  'struct Rates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
  'function createValidator(Description description, Rates commissionRates, uint256 minSelfDelegation, address validatorAddress, string pubkey, uint256 value) returns (bool)',
  'function delegate(address delegator, string validator, uint256 amount) returns (bool)',
  'function undelegate(address delegator, string validator, uint256 amount) returns (int64)',
  'function unjail(address validator) returns (bool)',
])

/** Milliseconds that a test waits for a condition; the machine may be busy. */
const PATIENCE = 90_000

export type NetworkShape = {
  readonly validators?: number
  readonly readers?: number
  /** Further flags of `kestrel testnet`. */
  readonly flags?: readonly string[]
  readonly blockTime?: number
}

/** Below the ephemeral ports of outgoing connections. */
let nextPort = 10_000 + (process.pid % 200) * 100

/** Networks of the file, for one cleanup hook: a hook registered within a hook would not run. */
const networks: { readonly network: TestNetwork; readonly root: string }[] = []
afterAll(async () => {
  for (const { network, root } of networks) {
    await network.stopAll()
    await rm(root, { recursive: true, force: true })
  }
})

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class TestNetwork {
  readonly folder: string
  readonly size: number
  readonly #port: number
  readonly #portBase: number
  readonly #nodes: (ChildProcess | undefined)[] = []

  private constructor(folder: string, size: number, port: number, portBase: number) {
    this.folder = folder
    this.size = size
    this.#port = port
    this.#portBase = portBase
  }

  /** Creates the homes without starting a node. */
  static async prepare({
    validators = 4,
    readers = 0,
    flags = [],
    blockTime = 1,
  }: NetworkShape = {}): Promise<TestNetwork> {
    const root = await mkdtemp(join(tmpdir(), 'kestrel-net-'))
    const folder = join(root, 'net')
    const port = nextPort
    const portBase = nextPort + 20
    nextPort += 100
    const shape = ['--validators', String(validators), '--readers', String(readers), '--block-time', String(blockTime)]
    const places = ['--output', folder, '--port', String(port), '--port-base', String(portBase)]
    await run(process.execPath, [PROGRAM, 'testnet', ...shape, ...places, ...flags])
    const network = new TestNetwork(folder, validators + readers, port, portBase)
    networks.push({ network, root })
    return network
  }

  static async start(shape: NetworkShape = {}): Promise<TestNetwork> {
    const network = await TestNetwork.prepare(shape)
    for (let index = 0; index < network.size; index++) network.start(index)
    await network.reach(2n)
    return network
  }

  home(index: number): string {
    return join(this.folder, `node${index}`)
  }

  url(index: number): string {
    return `http://127.0.0.1:${this.#port + index}`
  }

  engineUrl(index: number): string {
    return `http://127.0.0.1:${this.#portBase + 10 * index + 1}`
  }

  p2p(index: number): string {
    return `127.0.0.1:${this.#portBase + 10 * index}`
  }

  /** Starts a node, with another version of the program if it is named. */
  start(index: number, flags: readonly string[] = [], program: string = PROGRAM): void {
    const child = spawn(process.execPath, [program, 'start', '--home', this.home(index), ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = createWriteStream(join(this.home(index), 'kestrel.log'), { flags: 'a' })
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    running.add(child)
    child.once('exit', () => {
      running.delete(child)
      if (this.#nodes[index] === child) this.#nodes[index] = undefined
    })
    this.#nodes[index] = child
  }

  /** Process id of kestrel, not of its CometBFT. */
  pid(index: number): number | undefined {
    return this.#nodes[index]?.pid
  }

  isRunning(index: number): boolean {
    return this.#nodes[index] !== undefined
  }

  /** Stops a node and its CometBFT in an orderly way. */
  async stop(index: number): Promise<void> {
    await this.#end(index, 'SIGTERM')
  }

  async killApplication(index: number): Promise<void> {
    await this.#end(index, 'SIGKILL')
  }

  async killEngine(index: number): Promise<void> {
    const pid = await this.enginePid(index)
    if (pid !== undefined) kill(pid, 'SIGKILL')
  }

  /** Suspends or resumes CometBFT's process, like a partition. */
  async freezeEngine(index: number, isFrozen: boolean): Promise<void> {
    const pid = await this.enginePid(index)
    if (pid !== undefined) kill(pid, isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  async enginePid(index: number): Promise<number | undefined> {
    const pids = [...(await this.log(index)).matchAll(/CometBFT runs as process (\d+)/g)]
    const pid = pids.at(-1)?.[1]
    return pid === undefined ? undefined : Number(pid)
  }

  log(index: number): Promise<string> {
    return readFile(join(this.home(index), 'kestrel.log'), 'utf8').catch(() => '')
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#nodes.map((_, index) => this.#end(index, 'SIGTERM')))
  }

  async rpc(index: number, method: string, ...params: unknown[]): Promise<unknown> {
    const answer = await rawRequest(this.url(index), method, params)
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result
  }

  raw(index: number, method: string, ...params: unknown[]) {
    return rawRequest(this.url(index), method, params)
  }

  /** The `result` of a path of CometBFT's RPC. */
  async engine(index: number, path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.engineUrl(index)}/${path}`, { signal: AbortSignal.timeout(5_000) })
    return ((await response.json()) as { result: Record<string, unknown> }).result
  }

  /** The head, or -1 while the node does not answer. */
  async head(index: number): Promise<bigint> {
    try {
      return BigInt((await this.rpc(index, 'eth_blockNumber')) as string)
    } catch {
      return -1n
    }
  }

  /** Waits until all of these nodes have a block. */
  async reach(number: bigint, nodes: readonly number[] = this.all): Promise<void> {
    await this.eventually(`block ${number}`, async () => {
      const heads = await Promise.all(nodes.map((index) => this.head(index)))
      return heads.every((head) => head >= number)
    })
  }

  get all(): readonly number[] {
    return Array.from({ length: this.size }, (_, index) => index)
  }

  async eventually(what: string, check: () => Promise<boolean>, patience = PATIENCE): Promise<void> {
    const until = Date.now() + patience
    while (Date.now() < until) {
      if (await check().catch(() => false)) return
      // Blocks come once a second.
      await sleep(200)
    }
    const logs = await Promise.all(
      this.all.map(async (index) => `node ${index}: ${(await this.log(index)).slice(-600)}`),
    )
    throw new Error(`${what} did not come in ${patience / 1000} s\n${logs.join('\n')}`)
  }

  /** Hashes and state roots of a height at nodes. */
  async blocksAt(number: bigint, nodes: readonly number[] = this.all): Promise<{ hash: string; stateRoot: string }[]> {
    const height = `0x${number.toString(16)}`
    const blocks = await Promise.all(nodes.map((index) => this.rpc(index, 'eth_getBlockByNumber', height, false)))
    return blocks.map((block) => {
      const { hash, stateRoot } = block as { hash: string; stateRoot: string }
      return { hash, stateRoot }
    })
  }

  /** Heights at which nodes differ, up to the lowest head. */
  async differences(nodes: readonly number[] = this.all): Promise<bigint[]> {
    const heads = await Promise.all(nodes.map((index) => this.head(index)))
    const lowest = heads.reduce((a, b) => (a < b ? a : b))
    const different: bigint[] = []
    for (let number = 0n; number <= lowest; number++) {
      const [first, ...others] = await this.blocksAt(number, nodes)
      if (others.some(({ hash, stateRoot }) => hash !== first?.hash || stateRoot !== first.stateRoot))
        different.push(number)
    }
    return different
  }

  viem(index: number) {
    return createPublicClient({ transport: http(`${this.url(index)}/rpc`), pollingInterval: 200, cacheTime: 0 })
  }

  /** A wallet of a development account at a node; accounts from 10 on are the validators' operators. */
  wallet(index: number, of = 0) {
    const chain = {
      id: 125,
      name: 'kestrel',
      nativeCurrency: { name: 'KEST', symbol: 'KEST', decimals: 18 },
      rpcUrls: { default: { http: [`${this.url(index)}/rpc`] } },
    }
    const key = of < 10 ? account(of) : mnemonicToAccount(MNEMONIC, { addressIndex: of })
    return createWalletClient({ chain, transport: http(), account: key })
  }

  async #end(index: number, signal: NodeJS.Signals): Promise<void> {
    const child = this.#nodes[index]
    if (child === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}

/** Changes the genesis of all homes. Call it before starting a node. */
export async function editGenesis(
  network: TestNetwork,
  change: (genesis: { alloc: Record<string, unknown>; kestrel: { modules: Record<string, unknown> } }) => void,
) {
  for (const node of network.all) {
    const ours = join(network.home(node), 'genesis.json')
    const engines = join(network.home(node), 'engine/config/genesis.json')
    const genesis = JSON.parse(await readFile(ours, 'utf8'))
    change(genesis)
    await writeFile(ours, JSON.stringify(genesis))
    const engine = JSON.parse(await readFile(engines, 'utf8'))
    await writeFile(engines, JSON.stringify({ ...engine, app_state: genesis }))
  }
}

/** Numbers between 0 and 1 that a seed determines (mulberry32). */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
