// `kestrel relay` between a network and an unmodified chain of the Cosmos SDK: many transfers each way and back, timeouts and refusals,
// coins in escrow that are the other chain's vouchers, and a deceived client that is frozen. SIMD names the program of that chain,
// TRANSFERS how many go each way.
import { join } from 'node:path'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Height } from '../../src/ibc/comet/light-client.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress, toHex } from '../../src/lib/hex.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import type { Payer } from '../../src/relay/account.ts'
import { CosmosEnd } from '../../src/relay/cosmos.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import { contradiction } from '../../src/relay/watch.ts'
import { account } from '../support/chain.ts'
import { forgedUpdate } from './forged-update.ts'
import { abi, BANK, CLIENT, end, endAll, escrow, ICS20, kestrel, Relay, voucherOf } from './relay-support.ts'
import { ATOMS, Simd } from './simd.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const { SIMD, TRANSFERS = '100' } = process.env
const SKIPPED = SIMD === undefined ? 'skipped: SIMD names no program' : NO_ENGINE
const COUNT = Number(TRANSFERS)
const MANY = BigInt(COUNT)
const PATIENCE = { timeout: 60_000 + COUNT * 4_000, interval: 1_000 }
const user = account(0)
/** The relayer's account. */
const PAYER = { key: account(9), perDay: 10n ** 30n, gasPrice: 0n }
/** Vouchers of both chains, and the account of the client on the Cosmos chain, whose address follows from the same hash. */
const AKEST = voucherOf('akest')
const ATOM = voucherOf('atom')
const escrowThere = toBech32('cosmos', hexToAddress(escrow))

describe.skipIf(SKIPPED !== undefined)(`a relay to a chain of the Cosmos SDK ${SKIPPED ?? ''}`, () => {
  let network: TestNetwork
  let cosmos: Simd
  let relay: Relay
  let there: string

  const viem = () =>
    createPublicClient({ transport: http(`${network.url(0)}/rpc`), pollingInterval: 200, cacheTime: 0 })
  const escrowed = () => viem().getBalance({ address: escrow })
  const vouchers = (address: Hex) =>
    viem().readContract({ address: BANK, abi, functionName: 'supplyOf', args: [address] })
  const endOf = (payer?: Payer) =>
    new CosmosEnd('simd', [new URL(cosmos.url.replace('cosmos+', ''))], payer, { gasPrice: 0.01, decimals: 6 })
  const isIdle = () => relay.isIdle().catch(() => false)

  /** `count` transfers from the network; `timeout` in seconds. */
  async function transfer(denom: string, amount: bigint, receiver: string, { count = 1, timeout = 600n } = {}) {
    const wallet = createWalletClient({ account: user, transport: http(`${network.url(0)}/rpc`) })
    const nonce = await viem().getTransactionCount({ address: user.address })
    const { timestamp } = await viem().getBlock()
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const args = ['', CLIENT, denom, amount, user.address, receiver, none, timestamp + timeout, ''] as const
    const of = { address: ICS20, abi, functionName: 'transfer', args, gas: 1_000_000n, chain: null } as const
    const hashes = await Promise.all(
      Array.from({ length: count }, (_, i) => wallet.writeContract({ ...of, nonce: nonce + i })),
    )
    for (const hash of hashes) expect((await viem().waitForTransactionReceipt({ hash })).status).toBe('success')
  }

  beforeAll(async () => {
    network = await TestNetwork.start({ validators: 1 })
    const { privateKey } = account(9).getHdKey()
    cosmos = await Simd.start(SIMD ?? '', toHex(privateKey ?? new Uint8Array(0)).slice(2))
    there = await cosmos.address('user')
    relay = new Relay(join(network.folder, 'relay.json'))
    await kestrel('relay', 'init', network.folder, `${cosmos.url}?gas-price=0.01`, '--config', relay.config)
  })
  afterAll(async () => {
    await endAll()
    await cosmos?.stop()
  })

  it('carries coins of each chain to the other one and back', { timeout: 6 * PATIENCE.timeout }, async () => {
    const relayer = relay.start('--watch')
    await Promise.all([
      transfer('akest', 1_000n, there, { count: COUNT }),
      cosmos.transfer({ denom: 'atom', amount: 7n, receiver: user.address, count: COUNT }),
    ])
    await expect.poll(() => cosmos.balance(there, AKEST.denom), PATIENCE).toBe(1_000n * MANY)
    await expect.poll(() => vouchers(ATOM.address), PATIENCE).toBe(7n * MANY)
    expect(await escrowed()).toBe(1_000n * MANY)
    expect(await cosmos.balance(escrowThere, 'atom')).toBe(7n * MANY)
    await expect.poll(isIdle, PATIENCE).toBe(true)
    await Promise.all([
      transfer(ATOM.denom, 3n, there, { count: COUNT }),
      cosmos.transfer({ denom: AKEST.denom, amount: 600n, receiver: user.address, count: COUNT }),
    ])
    await expect.poll(escrowed, PATIENCE).toBe(400n * MANY)
    await expect.poll(() => cosmos.balance(escrowThere, 'atom'), PATIENCE).toBe(4n * MANY)
    await expect.poll(isIdle, PATIENCE).toBe(true)
    await end(relayer, 'SIGTERM')
  })

  it('returns what has timed out while it was away, and what the other chain refuses', async () => {
    const atoms = await cosmos.balance(there, 'atom')
    await transfer('akest', 50n, there, { count: 3, timeout: 3n })
    await cosmos.transfer({ denom: 'atom', amount: 5n, receiver: user.address, count: 3, timeout: 5 })
    await transfer('akest', 11n, 'nobody')
    await cosmos.transfer({ denom: 'atom', amount: 2n, receiver: 'nobody' })
    expect(await escrowed()).toBe(400n * MANY + 161n)
    expect(await cosmos.balance(there, 'atom')).toBe(atoms - 17n)
    // Both chains make a block a second, and a packet has timed out once the other one has a block after that time.
    await expect.poll(() => cosmos.height(), PATIENCE).toBeGreaterThan((await cosmos.height()) + 8)
    const relayer = relay.start('--watch')
    await expect.poll(escrowed, PATIENCE).toBe(400n * MANY)
    await expect.poll(() => cosmos.balance(there, 'atom'), PATIENCE).toBe(atoms)
    await expect.poll(isIdle, PATIENCE).toBe(true)
    await end(relayer, 'SIGTERM')
  })

  it('shows a relayer that watches which headers its client has taken: the network has the same', async () => {
    const reader = endOf()
    const headers = new KestrelEnd('network', [new URL(`${network.url(0)}/rpc`)])
    const { events } = await reader.updates(CLIENT, 1n, (await reader.head()).height)
    expect(events.length).toBeGreaterThan(1)
    const { height: head } = await headers.head()
    for (const { taken } of events) {
      const known = taken && (await reader.consensusState(CLIENT, taken.height))
      expect(known).toBeDefined()
      const kept = (height: Height) => reader.consensusState(CLIENT, height)
      expect(taken && (await contradiction(taken, kept, headers, head))).toBeUndefined()
    }
    for (const one of [reader, headers]) one.close()
    expect((await relay.status()).ends.map(({ status }) => status)).toEqual(['Active', 'Active'])
  })

  it('leaves in escrow what the other chain has of vouchers, and no coin more or less', async () => {
    expect([await escrowed(), await cosmos.supply(AKEST.denom)]).toEqual([400n * MANY, 400n * MANY])
    expect([await cosmos.balance(escrowThere, 'atom'), await vouchers(ATOM.address)]).toEqual([4n * MANY, 4n * MANY])
    expect(await cosmos.supply('atom')).toBe(ATOMS)
    // Among them: the balances of each coin sum up to its supply, and a client's escrow holds what it has to.
    expect(await network.rpc(0, 'dev_invariants', 'latest')).toEqual([])
  })

  it('freezes the client of a network whose validators have signed another header', async () => {
    const statuses = async () => (await relay.status()).ends
    const forger = endOf(PAYER)
    const trusted = BigInt((await statuses())[1]?.knownHeight ?? 0)
    const { height, update } = await forgedUpdate(network, trusted, sha256('another state'))
    const [outcome] = await forger.submit([{ type: 'updateClient', clientId: CLIENT, update }])
    forger.close()
    expect(outcome).toMatchObject({ status: 'done' })
    expect((await statuses())[1]).toMatchObject({ status: 'Active', knownHeight: Number(height) })
    relay.start('--watch')
    await expect.poll(async () => (await statuses())[1]?.status, PATIENCE).toBe('Frozen')
  })
})
