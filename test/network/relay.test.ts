// `kestrel relay` between two networks of real processes: clients, transfers there and back, timeouts, kills, and clients that are kept
// from expiring.
import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readClientState } from '../../src/ibc/comet/client-state.ts'
import { verifyHeader } from '../../src/ibc/comet/light-client.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { consensusStateOf, headerOf, newClient, nowNs, updatesTo } from '../../src/relay/headers.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import { account } from '../support/chain.ts'
import { abi, BANK, CLIENT, end, endAll, escrow, IBC, ICS20, kestrel, Relay, voucherOf } from './relay-support.ts'
import { editGenesis, NO_ENGINE, TestNetwork } from './support.ts'

const user = account(0)
/** The voucher of the other chain's coin. */
const VOUCHER = voucherOf('akest').denom
/** Seconds; the clients of network b trust a header for two thirds of it. */
const UNBONDING = 240
/** Milliseconds to wait for packets; the machine may be busy. */
const PATIENCE = { timeout: 150_000 }

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

describe.skipIf(NO_ENGINE !== undefined)(`a relay between two networks ${NO_ENGINE ?? ''}`, () => {
  let a: Chain
  let b: Chain
  let relay: Relay
  /** A relayer, until the test ends. */
  function start(): ChildProcess {
    const child = relay.start()
    onTestFinished(() => end(child, 'SIGKILL'))
    return child
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
    relay = new Relay(join(one.folder, 'relay.json'))
    await kestrel('relay', 'init', one.folder, other.folder, '--config', relay.config)
  })
  afterAll(endAll)

  it('is made once, however often init runs, and also without its file', async () => {
    const before = await Promise.all([a.relayed(), b.relayed()])
    // A client and its counterparty on each chain.
    expect(before.map(({ count }) => count)).toEqual([2, 2])
    await rm(relay.config)
    await kestrel('relay', 'init', a.network.folder, `${b.network.url(1)}/rpc`, '--config', relay.config)
    expect(await Promise.all([a.relayed(), b.relayed()])).toEqual(before)
    expect((await relay.status()).ends.map(({ status }) => status)).toEqual(['Active', 'Active'])
  })

  it('carries transfers there and back, and the coins in escrow are the vouchers', async () => {
    start()
    await a.transfer('akest', 100n, 3)
    await expect.poll(() => b.vouchers(), PATIENCE).toBe(300n)
    expect(await a.escrowed()).toBe(300n)
    await b.transfer(VOUCHER, 120n)
    await expect.poll(() => a.escrowed()).toBe(180n)
    await b.transfer(VOUCHER, 180n)
    await expect.poll(() => a.escrowed()).toBe(0n)
    expect(await b.vouchers()).toBe(0n)
    await expect.poll(() => relay.isIdle(), PATIENCE).toBe(true)
  })

  it('goes on after kills in the middle, without its cursor, and sends no packet twice', async () => {
    const first = start()
    await a.transfer('akest', 10n, 30)
    await expect.poll(() => b.vouchers(), { interval: 100 }).toBeGreaterThan(0n)
    await end(first, 'SIGKILL')
    expect(await relay.isIdle()).toBe(false)
    await rm(`${relay.config}.cursor`, { force: true })
    const second = start()
    await b.transfer('akest', 5n, 10)
    await end(second, 'SIGKILL')
    start()
    await expect.poll(() => relay.isIdle(), PATIENCE).toBe(true)
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
    const relayer = start()
    // Its clock is that of the blocks, so time passes for the packets when there are blocks again.
    const { timestamp } = await a.viem.getBlock()
    await expect.poll(async () => (await a.viem.getBlock()).timestamp).toBeGreaterThan(timestamp + 6n)
    for (const index of b.network.all) b.network.start(index)
    await expect.poll(() => relay.isIdle(), PATIENCE).toBe(true)
    expect(await a.escrowed()).toBe(escrowed)
    expect(await b.vouchers()).toBe(vouchers)
    await end(relayer, 'SIGTERM')
    for (const chain of [a, b]) expect(await chain.network.rpc(0, 'dev_invariants', 'latest')).toEqual([])
  })

  it('updates a client when a third of its trusting period is over, also without packets', async () => {
    const [before] = (await relay.status()).ends
    start()
    await expect
      .poll(async () => (await relay.status()).ends[0]?.knownHeight, { ...PATIENCE, interval: 1_000 })
      .toBeGreaterThan(before?.knownHeight ?? 0)
    const [after] = (await relay.status()).ends
    expect(after?.status).toBe('Active')
    // Two thirds of the unbonding time, after a header of a moment ago.
    expect(after?.expiresIn).toBeGreaterThan(((UNBONDING * 2) / 3) * 0.8)
  })

  it('reads headers that a light client verifies, and refuses with another app hash', async () => {
    const reader = new KestrelEnd('b', [new URL(`${b.network.url(0)}/rpc`)])
    onTestFinished(() => reader.close())
    const [traits, { height }, first] = [await reader.traits(), await reader.head(), await reader.lightBlock(2n)]
    expect(traits.chainId).toBe('kestrel_126-1')
    expect(traits.unbondingPeriod).toBe(BigInt(UNBONDING) * 10n ** 9n)
    const rules = readClientState(newClient({ ...traits, unbondingPeriod: 10n ** 15n }, first).clientState)
    const now = nowNs()
    const way = {
      rules,
      from: 2n,
      trusted: consensusStateOf(first),
      now,
      lightBlock: (of: bigint) => reader.lightBlock(of),
    }
    const { headers, state } = await updatesTo(height, way)
    expect(headers.length).toBe(1)
    const { proof } = (await b.network.rpc(0, 'kestrel_getCommit', `0x${(height - 1n).toString(16)}`)) as {
      proof: { signed_header: { header: { app_hash: string } } }
    }
    expect(state.root).toEqual(fromHex(`0x${proof.signed_header.header.app_hash.toLowerCase()}`))
    const block = await reader.lightBlock(height)
    const forged = { ...block, header: { ...block.header, appHash: new Uint8Array(32) } }
    const { validators } = await reader.lightBlock(3n)
    expect(() => verifyHeader(rules, 2n, way.trusted, headerOf(forged, 2n, validators), { now })).toThrow(
      'commit is of another header',
    )
  })
})
