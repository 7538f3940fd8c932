// A chain of the Cosmos SDK: the program `simd` of ibc-go, unmodified, with one validator and blocks of a second. Its own commands make the
// chain and sign; transactions and questions are in its JSON.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { freePort } from '../support/process.ts'
import { CLIENT } from './relay-support.ts'

const run = promisify(execFile)
const CHAIN_ID = 'simd-1'
/** Milliseconds to wait for a block; the machine may be busy. */
const PATIENCE = { timeout: 60_000, interval: 300 }
/** What each account and so the whole chain has of a coin without inflation. */
export const ATOMS = 1_000_000_000_000n

export class Simd {
  readonly #program: string
  readonly #home: string
  readonly #port: number
  #node: ChildProcess | undefined

  private constructor(program: string, home: string, port: number) {
    this.#program = program
    this.#home = home
    this.#port = port
  }

  /** A new chain that runs. `relayerKey`: 64 hex digits, of an account with the staking coin. */
  static async start(program: string, relayerKey: string): Promise<Simd> {
    const chain = new Simd(program, await mkdtemp(join(tmpdir(), 'kestrel-simd-')), await freePort())
    await chain.#run('init', 'one', '--chain-id', CHAIN_ID, '--default-denom', 'stake')
    await chain.#run('keys', 'import-hex', 'relayer', relayerKey)
    for (const name of ['user', 'validator']) await chain.#run('keys', 'add', name)
    for (const [name, coins] of [
      ['relayer', '1000000000stake'],
      ['user', `1000000000stake,${ATOMS}atom`],
      ['validator', '1000000000000stake'],
    ] as const)
      await chain.#run('genesis', 'add-genesis-account', name, coins)
    await chain.#run('genesis', 'gentx', 'validator', '500000000000stake', '--chain-id', CHAIN_ID)
    await chain.#run('genesis', 'collect-gentxs')
    await chain.#startNode()
    return chain
  }

  async #startNode(): Promise<void> {
    const config = join(this.#home, 'config/config.toml')
    const text = await readFile(config, 'utf8')
    await writeFile(config, text.replace(/^timeout_commit = .*/m, 'timeout_commit = "1s"'))
    const ports = ['--rpc.laddr', this.node, '--p2p.laddr', `tcp://127.0.0.1:${await freePort()}`]
    const others = ['--rpc.pprof_laddr', '', '--grpc.enable=false', '--minimum-gas-prices', '0.001stake']
    this.#node = spawn(this.#program, ['start', '--home', this.#home, ...ports, ...others], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    process.on('exit', () => this.#node?.kill('SIGKILL'))
    const log = createWriteStream(join(this.#home, 'log'))
    for (const stream of [this.#node.stdout, this.#node.stderr]) stream?.pipe(log, { end: false })
    await vi.waitUntil(async () => (await this.height().catch(() => 0)) > 1, PATIENCE)
  }

  async stop(): Promise<void> {
    const node = this.#node
    if (node !== undefined && node.exitCode === null) {
      const ended = new Promise((resolve) => node.once('exit', resolve))
      node.kill('SIGTERM')
      await ended
    }
    await rm(this.#home, { recursive: true, force: true })
  }

  get node(): string {
    return `tcp://127.0.0.1:${this.#port}`
  }

  /** Its URL for `kestrel relay init`. */
  get url(): string {
    return `cosmos+http://127.0.0.1:${this.#port}`
  }

  async #run(...args: readonly string[]): Promise<string> {
    const local = args[0] === 'query' ? ['--node', this.node, '--output', 'json'] : []
    const keys = ['keys', 'genesis'].includes(args[0] ?? '') ? ['--keyring-backend', 'test'] : []
    const flags = ['--home', this.#home, ...local, ...(args[1] === 'collect-gentxs' ? [] : keys)]
    return (await run(this.#program, [...args, ...flags], { maxBuffer: 2 ** 26 })).stdout
  }

  async query(...args: readonly string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.#run('query', ...args))
  }

  async height(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/status`)
    const { result } = (await response.json()) as { result: { sync_info: { latest_block_height: string } } }
    return Number(result.sync_info.latest_block_height)
  }

  async address(name: string): Promise<string> {
    return (await this.#run('keys', 'show', name, '--address')).trim()
  }

  /** What an account has of a coin. */
  async balance(address: string, denom: string): Promise<bigint> {
    const { balance } = (await this.query('bank', 'balance', address, denom)) as { balance?: { amount?: string } }
    return BigInt(balance?.amount ?? 0)
  }

  /** What all accounts have of a coin. */
  async supply(denom: string): Promise<bigint> {
    const { amount } = (await this.query('bank', 'total-supply-of', denom)) as { amount?: { amount?: string } }
    return BigInt(amount?.amount ?? 0)
  }

  /** One transaction of the user with `count` transfers over the relay's client; `timeout` in seconds from now. */
  async transfer({ denom, amount, receiver, count = 1, timeout = 600 }: Transfer): Promise<void> {
    const sender = await this.address('user')
    const message = {
      '@type': '/ibc.applications.transfer.v1.MsgTransfer',
      ...{
        source_port: 'transfer',
        source_channel: CLIENT,
        token: { denom, amount: String(amount) },
        sender,
        receiver,
      },
      timeout_height: { revision_number: '0', revision_height: '0' },
      timeout_timestamp: String(Math.floor(Date.now() / 1000) + timeout),
      ...{ memo: '', encoding: 'application/json', use_aliasing: false },
    }
    const body = { messages: Array.from({ length: count }, () => message), memo: '', timeout_height: '0' }
    const gas = 300_000 * count + 200_000
    const fee = {
      amount: [{ denom: 'stake', amount: String(gas / 1000) }],
      gas_limit: String(gas),
      payer: '',
      granter: '',
    }
    const [unsigned, signed] = [join(this.#home, 'unsigned.json'), join(this.#home, 'signed.json')]
    await writeFile(unsigned, JSON.stringify({ body, auth_info: { signer_infos: [], fee }, signatures: [] }))
    const key = ['--from', 'user', '--keyring-backend', 'test', '--chain-id', CHAIN_ID, '--node', this.node]
    await this.#run('tx', 'sign', unsigned, '--output-document', signed, ...key)
    const sent = JSON.parse(await this.#run('tx', 'broadcast', signed, '--node', this.node, '--output', 'json'))
    expect(sent).toMatchObject({ code: 0 })
    const mined = () => this.query('tx', sent.txhash).catch(() => undefined)
    await expect.poll(mined).toMatchObject({ code: 0 })
  }
}

type Transfer = {
  readonly denom: string
  readonly amount: bigint
  readonly receiver: string
  readonly count?: number
  readonly timeout?: number
}
