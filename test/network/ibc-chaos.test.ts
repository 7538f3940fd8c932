// Random transfers between two networks, there and back, with receivers that cannot be and timeouts that come too early, while relayers, nodes
// and CometBFTs are killed: in the end no packet is in flight, and not a wei is lost or made. IBC_TRANSFERS and IBC_SEED choose the run.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  getContractAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  parseEther,
  parseEventLogs,
  type RpcLog,
  sha256,
  stringToBytes,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { abi, BANK, CLIENT, end, endAll, escrow, IBC, ICS20, kestrel, Relay, voucherOf } from './relay-support.ts'
import { editGenesis, NO_ENGINE, random, TestNetwork } from './support.ts'

const TRANSFERS = Number(process.env.IBC_TRANSFERS ?? 40)
const SEED = Number(process.env.IBC_SEED ?? 7)
/** Milliseconds for the packets that are left at the end: a refused one waits longer each time. */
const PATIENCE = 300_000
const USERS = [0, 1, 2, 3]
/** The account of a second relayer; the first one has its default. */
const SECOND = 8
const SUPPLY = parseEther('1000')
const TOKEN = getContractAddress({ from: account(0).address, nonce: 0n })
const COINS = { coin: 'akest', token: `erc20:${getAddress(TOKEN)}` }
/** The answer of a chain that has refused a packet (ICS-04 version 2). */
const REFUSED = sha256(stringToBytes('UNIVERSAL_ERROR_ACKNOWLEDGEMENT'))

type Receipt = {
  readonly from: Hex
  readonly to: Hex | null
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: RpcLog[]
}

/** A network whose users send transfers, whatever happens to its nodes. */
class Side {
  readonly network: TestNetwork
  readonly #chainId: number
  readonly #nonces = new Map<number, number>()

  constructor(network: TestNetwork, chainId: number) {
    this.network = network
    this.#chainId = chainId
  }

  /** Sends a transaction of an account until it is in a block. Returns whether it has succeeded. */
  async land(from: number, to: Address | undefined, data: Hex, gas = 700_000n): Promise<boolean> {
    const nonce = this.#nonces.get(from) ?? 0
    this.#nonces.set(from, nonce + 1)
    const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n }
    const call = { type: 'eip1559', chainId: this.#chainId, nonce, gas, data, ...(to && { to }), ...fees } as const
    const raw = await account(from).signTransaction(call)
    const hash = keccak256(raw)
    let receipt: Receipt | null = null
    for (let looks = 0; receipt === null; looks++) {
      if (looks === 400) throw new Error(`transaction ${nonce} of account ${from} is in no block`)
      const node = looks % this.network.size
      // A node may have been killed with its pool, so the transaction is sent again now and then.
      if (looks % 10 < this.network.size)
        await this.network.rpc(node, 'eth_sendRawTransaction', raw).catch(() => undefined)
      await sleep(400)
      receipt = (await this.network.rpc(node, 'eth_getTransactionReceipt', hash).catch(() => null)) as Receipt | null
    }
    return receipt.status === '0x1'
  }

  /** Deploys the token at `TOKEN`, and gives each user a part. */
  async deploy(): Promise<void> {
    expect(await this.land(0, undefined, encodeDeployData({ ...token, args: ['Token', SUPPLY] }), 3_000_000n)).toBe(
      true,
    )
    for (const user of USERS.slice(1)) {
      const args = [account(user).address, SUPPLY / 5n] as const
      expect(await this.land(0, TOKEN, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }))).toBe(
        true,
      )
    }
  }

  /** Starts what does not run. */
  revive(): void {
    for (const index of this.network.all) if (!this.network.isRunning(index)) this.network.start(index)
  }

  balance(of: Address): Promise<bigint> {
    return this.network.viem(0).getBalance({ address: of })
  }

  tokens(address: Address, of: Address): Promise<bigint> {
    return this.network.viem(0).readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [of] })
  }

  /** Coins of the bank that belong to a token. */
  async coins(address: Address, of: Address): Promise<bigint> {
    const read = { address: BANK, abi, functionName: 'balances', args: [of] } as const
    const found = await this.network.viem(0).readContract(read)
    return found.find((balance) => balance.contractAddress.toLowerCase() === address.toLowerCase())?.amount ?? 0n
  }

  supply(address: Address): Promise<bigint> {
    return this.network.viem(0).readContract({ address: BANK, abi, functionName: 'supplyOf', args: [address] })
  }

  /** All receipts of the chain. */
  async receipts(): Promise<readonly Receipt[]> {
    const head = await this.network.head(0)
    const blocks: Receipt[][] = []
    for (let number = 1n; number <= head; number++)
      blocks.push((await this.network.rpc(0, 'eth_getBlockReceipts', toHex(number))) as Receipt[])
    return blocks.flat()
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const ofUsers = async (amount: (address: Address) => Promise<bigint>): Promise<bigint> =>
  sum(await Promise.all(USERS.map((user) => amount(account(user).address))))
const isOf = (receipt: Receipt, index: number) => receipt.from.toLowerCase() === account(index).address.toLowerCase()
const costOf = ({ gasUsed, effectiveGasPrice }: Receipt) => hexToBigInt(gasUsed) * hexToBigInt(effectiveGasPrice)

/** What the relayers have done on a chain. */
function relayed(receipts: readonly Receipt[]) {
  const own = receipts.filter(({ to }) => to === IBC)
  const failed = own.filter(({ status }) => status !== '0x1').length
  return {
    count: own.length,
    failed,
    idle: own.filter(({ status, logs }) => status === '0x1' && logs.length === 0).length,
  }
}

/** The packets that a chain has sent: sequences, and how they ended. */
function packets(receipts: readonly Receipt[]) {
  const logs = parseEventLogs({ abi, logs: receipts.flatMap((receipt) => receipt.logs) })
  const of = (name: (typeof logs)[number]['eventName']) => logs.filter(({ eventName }) => eventName === name)
  const sequences = (found: typeof logs) => found.map(({ args }) => args.sequence)
  const [acknowledged, timedOut] = [of('AcknowledgePacket'), of('TimeoutPacket')]
  return {
    sent: sequences(of('SendPacket')),
    ended: [...sequences(acknowledged), ...sequences(timedOut)],
    timedOut: timedOut.length,
    refused: acknowledged.filter(({ args }) => 'acknowledgements' in args && args.acknowledgements[0] === REFUSED)
      .length,
  }
}

describe.skipIf(NO_ENGINE !== undefined)(`transfers between two networks under chaos ${NO_ENGINE ?? ''}`, () => {
  const dice = random(SEED)
  const pick = (count: number) => Math.floor(dice() * count)
  let a: Side
  let b: Side
  let relay: Relay
  let before: readonly bigint[]
  const relayers: ReturnType<Relay['start']>[] = []
  const pairs = () => [[a, b] as const, [b, a] as const]

  beforeAll(async () => {
    const networks = [
      await TestNetwork.prepare({ validators: 2 }),
      await TestNetwork.prepare({ validators: 2, flags: ['--chain-id', '126'] }),
    ] as const
    for (const network of networks) {
      await editGenesis(network, ({ kestrel: { modules } }) => {
        modules.erc20 = { pairs: [{ address: TOKEN }] }
      })
      for (const index of network.all) network.start(index)
    }
    await Promise.all(networks.map((network) => network.reach(3n)))
    const [one, other] = networks
    a = new Side(one, 125)
    b = new Side(other, 126)
    relay = new Relay(join(one.folder, 'relay.json'))
    before = await Promise.all([a, b].map((side) => ofUsers((user) => side.balance(user))))
    await Promise.all([a, b].map((side) => side.deploy()))
    await kestrel('relay', 'init', one.folder, other.folder, '--config', relay.config)
  })
  afterAll(endAll)

  /** Sends a random transfer. Returns whether there was a packet: the sender may lack vouchers, or the timeout be over. */
  function transfer(): Promise<boolean> {
    const [from] = pairs()[pick(2)] ?? [a]
    const [sender, receiver] = [pick(USERS.length), pick(USERS.length)]
    const denom = [COINS.coin, COINS.token, voucherOf(COINS.coin).denom, voucherOf(COINS.token).denom][pick(4)] ?? ''
    const to = pick(6) === 0 ? 'nobody' : account(receiver).address
    const timeout = BigInt(Math.floor(Date.now() / 1000) + (pick(6) === 0 ? 2 + pick(8) : 3_600))
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const address = account(sender).address
    const args = ['', CLIENT, denom, 1n + BigInt(pick(1_000)), address, to, none, timeout, ''] as const
    return from.land(sender, ICS20, encodeFunctionData({ abi, functionName: 'transfer', args }))
  }

  /** Kills something, and starts it again after a while. */
  async function disturb(start: () => void): Promise<string> {
    const what = (['relayers', 'relayers without cursor', 'node', 'engine', 'node and engine', 'nothing'] as const)[
      pick(6)
    ]
    const { network } = pick(2) === 0 ? a : b
    const node = pick(network.size)
    if (what === 'relayers' || what === 'relayers without cursor') {
      await Promise.all(relayers.splice(0).map((child) => end(child, 'SIGKILL')))
      if (what === 'relayers without cursor') await rm(`${relay.config}.cursor`, { force: true })
    }
    if (what === 'engine' || what === 'node and engine') await network.killEngine(node)
    if (what === 'node' || what === 'node and engine') await network.killApplication(node)
    // Time is the subject: a part is away for a while.
    await sleep(500 + pick(3_000))
    for (const side of [a, b]) side.revive()
    if (relayers.length === 0) start()
    return what ?? ''
  }

  /** Sends this many packets with a disturbance beside each batch, and waits until all have ended. Returns what was disturbed. */
  async function run(count: number, start: () => void): Promise<readonly string[]> {
    const disturbed: string[] = []
    start()
    for (let left = count; left > 0; ) {
      const batch = Array.from({ length: Math.min(left, 1 + pick(Math.max(20, TRANSFERS / 10))) }, transfer)
      await sleep(pick(1_500))
      disturbed.push(await disturb(start))
      left -= (await Promise.all(batch)).filter(Boolean).length
    }
    for (const side of [a, b]) side.revive()
    await expect.poll(() => relay.isIdle().catch(() => false), { timeout: PATIENCE, interval: 2_000 }).toBe(true)
    await Promise.all(relayers.splice(0).map((child) => end(child, 'SIGTERM')))
    return disturbed
  }

  it(
    'loses and makes no wei, ends each packet once, and pays for none twice',
    async () => {
      const begun = Date.now()
      const many = Math.ceil(TRANSFERS * 0.8)
      const disturbed = [...(await run(many, () => relayers.push(relay.start())))]
      // One relayer: no transaction without an effect, whatever was killed.
      for (const side of [a, b]) expect(relayed(await side.receipts())).toMatchObject({ failed: 0, idle: 0 })

      const key = `${relay.config}.key`
      await writeFile(key, toHex(account(SECOND).getHdKey().privateKey ?? new Uint8Array(0)))
      const both = () => relayers.push(relay.start(), relay.start('--private-key-file', key))
      disturbed.push(...(await run(TRANSFERS - many, both)))

      const lines: string[] = []
      for (const [place, [home, away]] of pairs().entries()) {
        const receipts = await home.receipts()
        const { sent, ended, timedOut, refused } = packets(receipts)
        expect(ended.toSorted()).toEqual(sent.toSorted())
        const { count, idle, failed } = relayed(receipts)
        const [coin, tokens] = [COINS.coin, COINS.token].map((denom) => voucherOf(denom).address) as [Hex, Hex]
        const fees = sum(receipts.filter((receipt) => USERS.some((user) => isOf(receipt, user))).map(costOf))

        const kept = await home.balance(escrow)
        expect((await ofUsers((user) => home.balance(user))) + kept + fees).toBe(before[place])
        expect([await away.supply(coin), await ofUsers((user) => away.tokens(coin, user))]).toEqual([kept, kept])

        const keptTokens = await home.coins(TOKEN, escrow)
        const held = await ofUsers(async (user) => (await home.tokens(TOKEN, user)) + (await home.coins(TOKEN, user)))
        expect(held + keptTokens).toBe(SUPPLY)
        expect([await away.supply(tokens), await ofUsers((user) => away.tokens(tokens, user))]).toEqual([
          keptTokens,
          keptTokens,
        ])
        lines.push(
          `${sent.length} packets, ${refused} refused, ${timedOut} timed out; escrow ${kept} wei and ${keptTokens} of the token; ` +
            `${count} transactions of relayers, ${failed} failed, ${idle} without effect`,
        )
        expect(sent.length).toBeGreaterThan(0)
      }
      for (const { network } of [a, b]) {
        expect(await network.differences()).toEqual([])
        expect(await network.rpc(0, 'dev_invariants', 'latest')).toEqual([])
        await network.stopAll()
        for (const index of network.all) {
          const check = kestrel('check', '--datadir', join(network.home(index), 'data'))
          const faults = await check.catch((error: { stdout: string; message: string }) => error.stdout + error.message)
          expect(faults).toBe('')
        }
      }
      const times = [...new Set(disturbed)].map((what) => `${disturbed.filter((of) => of === what).length} ${what}`)
      console.log(`seed ${SEED}, ${Math.round((Date.now() - begun) / 1000)} s; killed: ${times.join(', ')}`)
      console.log(lines.join('\n'))
    },
    PATIENCE * 2 + 120_000 + TRANSFERS * 5_000,
  )
})
