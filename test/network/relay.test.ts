// `kestrel relay` between two networks of real processes: clients, transfers there and back, timeouts, kills, and clients that are kept
// from expiring.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, createWalletClient, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readClientState } from '../../src/ibc/comet/client-state.ts'
import { verifyHeader } from '../../src/ibc/comet/light-client.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { consensusStateOf, headerOf, newClient, updatesTo } from '../../src/relay/headers.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import { account } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'
import { editGenesis, NO_ENGINE, TestNetwork } from './support.ts'

const run = promisify(execFile)

const ICS20 = '0x0000000000000000000000000000000000000802'
const BANK = '0x0000000000000000000000000000000000000804'
const IBC = '0x0000000000000000000000000000000000000807'
const CLIENT = '07-tendermint-0'
const abi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Balance { address contractAddress; uint256 amount; }',
  'function transfer(string sourcePort, string sourceChannel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo) returns (uint64)',
  'function balances(address account) view returns (Balance[])',
  'function getPacketCommitment(string clientId, uint64 sequence) view returns (bytes)',
])
const user = account(0)
/** Its address: ibc-go's GetEscrowAddress. */
const escrow: Hex = `0x${createHash('sha256').update(`ics20-1\0transfer/${CLIENT}`).digest('hex').slice(0, 40)}`
/** The voucher of the other chain's coin: `ibc/` and the SHA-256 of its trace (ADR-001 of ibc-go). */
const VOUCHER = `ibc/${createHash('sha256').update(`transfer/${CLIENT}/akest`).digest('hex').toUpperCase()}`
/** Seconds; the clients of network b trust a header for two thirds of it. */
const UNBONDING = 240
/** Milliseconds to wait for packets; the machine may be busy. */
const PATIENCE = { timeout: 150_000 }

let portOfMetrics = 9_470 + (process.pid % 200)

/** A network, with the functions of transfers. */
class Chain {
  readonly network: TestNetwork
  readonly viem

  constructor(network: TestNetwork) {
    this.network = network
    this.viem = createPublicClient({
      transport: http(`${network.url(0)}/rpc`),
      pollingInterval: 200,
      cacheTime: 0,
    })
  }

  /** Sends `count` transfers of `amount` from the user to the same account of the other chain; `timeout` in seconds. */
  async transfer(denom: string, amount: bigint, count = 1, timeout = 600n): Promise<void> {
    const wallet = createWalletClient({ account: user, transport: http(`${this.network.url(0)}/rpc`) })
    const nonce = await this.viem.getTransactionCount({ address: user.address })
    const { timestamp } = await this.viem.getBlock()
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const args = ['', CLIENT, denom, amount, user.address, user.address, none, timestamp + timeout, ''] as const
    const hashes = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        wallet.writeContract({
          ...{ address: ICS20, abi, functionName: 'transfer', args, gas: 1_000_000n, nonce: nonce + i, chain: null },
        }),
      ),
    )
    for (const hash of hashes) {
      const { status } = await this.viem.waitForTransactionReceipt({ hash })
      expect(status, JSON.stringify(await this.network.rpc(0, 'kestrel_getFailure', hash))).toBe('success')
    }
  }

  /** Coins of the user other than the chain's own: vouchers. */
  async vouchers(): Promise<bigint> {
    const read = { address: BANK, abi, functionName: 'balances', args: [user.address] } as const
    const balances = await this.viem.readContract(read)
    return balances
      .filter(({ contractAddress }) => !/^0x0+$/.test(contractAddress))
      .reduce((sum, { amount }) => sum + amount, 0n)
  }

  escrowed(): Promise<bigint> {
    return this.viem.getBalance({ address: escrow })
  }

  /** Transactions of the relayer: how many, how many have failed, and how many have done nothing. */
  async relayed() {
    const found = { count: 0, failed: 0, idle: 0 }
    const head = await this.viem.getBlockNumber()
    for (let blockNumber = 1n; blockNumber <= head; blockNumber++) {
      const { transactions } = await this.viem.getBlock({ blockNumber, includeTransactions: true })
      for (const { to, hash } of transactions) {
        if (to?.toLowerCase() !== IBC) continue
        const { status, logs } = await this.viem.getTransactionReceipt({ hash })
        found.count++
        if (status !== 'success') found.failed++
        else if (logs.length === 0) found.idle++
      }
    }
    return found
  }
}

type Status = {
  readonly ends: readonly {
    readonly status: string
    readonly inFlight: number
    readonly expiresIn: number
    readonly knownHeight: number
  }[]
}

describe.skipIf(NO_ENGINE !== undefined)(`a relay between two networks ${NO_ENGINE ?? ''}`, () => {
  let a: Chain
  let b: Chain
  let config: string
  const running = new Set<ChildProcess>()

  const kestrel = async (...args: string[]) => (await run(process.execPath, [PROGRAM, ...args])).stdout
  const status = async (): Promise<Status> => JSON.parse(await kestrel('relay', 'status', '--config', config, '--json'))
  const idle = async () => (await status()).ends.every(({ inFlight }) => inFlight === 0)

  /** A relayer, until the test ends. */
  function relay(): ChildProcess {
    const args = ['relay', 'start', '--config', config, '--poll', '0.5', '--port', String(portOfMetrics++), '--json']
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' })
    running.add(child)
    onTestFinished(() => end(child, 'SIGKILL'))
    return child
  }
  async function end(child: ChildProcess, signal: NodeJS.Signals) {
    if (!running.delete(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  beforeAll(async () => {
    const one = await TestNetwork.prepare({ validators: 1 })
    const other = await TestNetwork.prepare({ validators: 2, flags: ['--chain-id', '126'] })
    await editGenesis(other, ({ kestrel }) => {
      kestrel.modules.staking = { ...Object(kestrel.modules.staking), params: { unbondingTime: UNBONDING } }
    })
    for (const network of [one, other]) for (const index of network.all) network.start(index)
    await Promise.all([one.reach(3n), other.reach(3n)])
    a = new Chain(one)
    b = new Chain(other)
    config = join(one.folder, 'relay.json')
    await kestrel('relay', 'init', one.folder, other.folder, '--config', config)
  })
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  it('is made once, however often init runs, and also without its file', async () => {
    const before = await Promise.all([a.relayed(), b.relayed()])
    // A client and its counterparty on each chain.
    expect(before.map(({ count }) => count)).toEqual([2, 2])
    await rm(config)
    await kestrel('relay', 'init', a.network.folder, `${b.network.url(1)}/rpc`, '--config', config)
    expect(await Promise.all([a.relayed(), b.relayed()])).toEqual(before)
    expect((await status()).ends.map(({ status }) => status)).toEqual(['Active', 'Active'])
  })

  it('carries transfers there and back, and the coins in escrow are the vouchers', async () => {
    relay()
    await a.transfer('akest', 100n, 3)
    await expect.poll(() => b.vouchers(), PATIENCE).toBe(300n)
    expect(await a.escrowed()).toBe(300n)
    await b.transfer(VOUCHER, 120n)
    await expect.poll(() => a.escrowed()).toBe(180n)
    await b.transfer(VOUCHER, 180n)
    await expect.poll(() => a.escrowed()).toBe(0n)
    expect(await b.vouchers()).toBe(0n)
    await expect.poll(idle, PATIENCE).toBe(true)
  })

  it('goes on after kills in the middle, without its cursor, and sends no packet twice', async () => {
    const first = relay()
    await a.transfer('akest', 10n, 30)
    await expect.poll(() => b.vouchers(), { interval: 100 }).toBeGreaterThan(0n)
    await end(first, 'SIGKILL')
    expect(await idle()).toBe(false)
    await rm(`${config}.cursor`, { force: true })
    const second = relay()
    await b.transfer('akest', 5n, 10)
    await end(second, 'SIGKILL')
    relay()
    await expect.poll(idle, PATIENCE).toBe(true)
    expect([await a.escrowed(), await b.vouchers()]).toEqual([300n, 300n])
    expect([await b.escrowed(), await a.vouchers()]).toEqual([50n, 50n])
    for (const chain of [a, b]) expect(await chain.relayed()).toMatchObject({ failed: 0, idle: 0 })
  })

  it('returns what has timed out while it was away, and what the other network was down for', async () => {
    const [escrowed, vouchers] = [await a.escrowed(), await b.vouchers()]
    await a.transfer('akest', 77n, 2, 4n)
    await b.transfer(VOUCHER, 7n, 1, 4n)
    expect(await a.escrowed()).toBe(escrowed + 154n)
    await b.network.stopAll()
    const relayer = relay()
    // Its clock is that of the blocks, so time passes for the packets when there are blocks again.
    const { timestamp } = await a.viem.getBlock()
    await expect.poll(async () => (await a.viem.getBlock()).timestamp).toBeGreaterThan(timestamp + 6n)
    for (const index of b.network.all) b.network.start(index)
    await expect.poll(idle, PATIENCE).toBe(true)
    expect(await a.escrowed()).toBe(escrowed)
    expect(await b.vouchers()).toBe(vouchers)
    await end(relayer, 'SIGTERM')
    for (const chain of [a, b]) expect(await chain.network.rpc(0, 'dev_invariants', 'latest')).toEqual([])
  })

  it('updates a client when a third of its trusting period is over, also without packets', async () => {
    const [before] = (await status()).ends
    relay()
    await expect
      .poll(async () => (await status()).ends[0]?.knownHeight, { ...PATIENCE, interval: 1_000 })
      .toBeGreaterThan(before?.knownHeight ?? 0)
    const [after] = (await status()).ends
    expect(after?.status).toBe('Active')
    // Two thirds of the unbonding time, after a header of a moment ago.
    expect(after?.expiresIn).toBeGreaterThan(((UNBONDING * 2) / 3) * 0.8)
  })

  it('reads headers that a light client verifies, and refuses with another app hash', async () => {
    const end = new KestrelEnd('b', [new URL(`${b.network.url(0)}/rpc`)])
    onTestFinished(() => end.close())
    const [traits, { height }, first] = [await end.traits(), await end.head(), await end.lightBlock(2n)]
    expect(traits.chainId).toBe('kestrel_126-1')
    expect(traits.unbondingPeriod).toBe(BigInt(UNBONDING) * 10n ** 9n)
    const rules = readClientState(newClient({ ...traits, unbondingPeriod: 10n ** 15n }, first).clientState)
    const now = BigInt(Date.now()) * 1_000_000n
    const way = {
      rules,
      from: 2n,
      trusted: consensusStateOf(first),
      now,
      lightBlock: (of: bigint) => end.lightBlock(of),
    }
    const { headers, state } = await updatesTo(height, way)
    expect(headers.length).toBe(1)
    const { proof } = (await b.network.rpc(0, 'kestrel_getCommit', `0x${(height - 1n).toString(16)}`)) as {
      proof: { signed_header: { header: { app_hash: string } } }
    }
    expect(state.root).toEqual(fromHex(`0x${proof.signed_header.header.app_hash.toLowerCase()}`))
    const block = await end.lightBlock(height)
    const forged = { ...block, header: { ...block.header, appHash: new Uint8Array(32) } }
    const { validators } = await end.lightBlock(3n)
    expect(() => verifyHeader(rules, 2n, way.trusted, headerOf(forged, 2n, validators), { now })).toThrow(
      'commit is of another header',
    )
  })
})
