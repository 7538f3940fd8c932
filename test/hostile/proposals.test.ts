// Hostile block proposals of a validator: blocks that are expensive to refuse, and blocks that are expensive to execute. The
// node refuses the former, decides the latter, and keeps running.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { editGenesis, NO_ENGINE, TestNetwork } from '../network/support.ts'
import { AbciClient } from '../support/abci-client.ts'
import { costlyContracts } from './costly-contracts.ts'
import { malformedProposals } from './malformed-proposals.ts'

const ACCEPTED = { case: 'processProposal', value: { status: 1 } }
const REJECTED = { case: 'processProposal', value: { status: 2 } }

/** Seconds of CPU time that a process and its threads have used. */
async function processorTime(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A validator with this test in place of CometBFT. */
async function startWithoutEngine() {
  const network = await TestNetwork.prepare({ validators: 1 })
  network.start(0, ['--external-engine'])
  const config = await readFile(join(network.home(0), 'engine/config/config.toml'), 'utf8')
  const socket = /proxy_app = "unix:\/\/(.*?)"/.exec(config)?.[1] ?? ''
  await network.eventually('the socket', async () => {
    ;(await AbciClient.connect(socket)).close()
    return true
  })
  const client = await AbciClient.connect(socket)
  onTestFinished(() => client.close())
  const genesis = JSON.parse(await readFile(join(network.home(0), 'engine/config/genesis.json'), 'utf8'))
  const appStateBytes = Buffer.from(JSON.stringify(genesis.app_state))
  await client.ask({
    case: 'initChain',
    value: { chainId: genesis.chain_id, initialHeight: BigInt(genesis.initial_height), appStateBytes },
  })
  const seconds = BigInt(Math.floor(Date.parse(genesis.genesis_time) / 1000)) + 1n
  return { network, client, seconds }
}

describe('a hostile proposer', () => {
  it('cannot end a node by any of fifty malformed proposals of 4 MB, which are all refused', async () => {
    const { network, client, seconds } = await startWithoutEngine()
    const pid = network.pid(0) ?? 0
    const proposals = malformedProposals(0n)
    expect(proposals.length).toBeGreaterThanOrEqual(50)
    const figures: [number, string][] = []
    const common = { height: 1n, time: { seconds, nanos: 0 }, proposerAddress: new Uint8Array(20) }
    for (const { name, txs, change } of proposals) {
      const before = await processorTime(pid)
      const value = { ...common, ...change, txs: [...txs] }
      expect(await client.ask({ case: 'processProposal', value }), name).toMatchObject(REJECTED)
      figures.push([(await processorTime(pid)) - before, name])
    }
    const empty = { ...common, txs: [] }
    expect(await client.ask({ case: 'processProposal', value: empty })).toMatchObject(ACCEPTED)
    expect(network.isRunning(0)).toBe(true)
    const slowest = figures.sort(([a], [b]) => b - a).slice(0, 8)
    console.log(
      `processor seconds of the slowest:\n${slowest.map(([s, name]) => `${s.toFixed(2)} ${name}`).join('\n')}`,
    )
  })
})

/** A quarter of a core: a process runs for this many milliseconds, and is stopped for three times as long. */
const SLICE = 25

/** Slows down the nodes of a network, not their CometBFTs, until the returned function is called. */
function throttle(network: TestNetwork): () => Promise<void> {
  let isOver = false
  const signal = (index: number, name: 'SIGSTOP' | 'SIGCONT') => {
    const pid = network.pid(index)
    if (pid !== undefined) process.kill(pid, name)
  }
  const loops = network.all.map(async (index) => {
    while (!isOver) {
      signal(index, 'SIGCONT')
      await sleep(SLICE)
      if (isOver) break
      signal(index, 'SIGSTOP')
      await sleep(3 * SLICE)
    }
    signal(index, 'SIGCONT')
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
  }
}

/** The round in which each block was decided, from 0. */
async function rounds(network: TestNetwork, from: bigint): Promise<number[]> {
  const head = await network.head(0)
  const all: number[] = []
  for (let height = from; height <= head; height++) {
    const { signed_header: signed } = await network.engine(0, `commit?height=${height}`)
    all.push((signed as { commit: { round: number } }).commit.round)
  }
  return all
}

/** Gas limits: of calls that fit into a proposal of a slow node, and of a call that takes most of a block. */
const LITTLE = 1_000_000n
const MUCH = 16_000_000n
/** Calls with little gas to each contract; KESTREL_LONG=1 fills a block with them. */
const CALLS = process.env.KESTREL_LONG === '1' ? 36 : 2

describe.skipIf(NO_ENGINE !== undefined)(`a network on a quarter of a core ${NO_ENGINE ?? ''}`, () => {
  it('decides blocks within three rounds whatever precompiles are called, and logs the transactions that it omits', async () => {
    const network = await TestNetwork.prepare({ flags: ['--accounts', '40'] })
    await editGenesis(network, ({ alloc }) => {
      for (const { address, code } of costlyContracts) alloc[address] = { balance: '0', code }
    })
    for (const index of network.all) network.start(index)
    await network.reach(2n)
    const first = (await network.head(0)) + 1n
    const stop = throttle(network)
    const little: Hash[] = []
    const much: Hash[] = []
    try {
      for (const [number, { address: to, input: data }] of costlyContracts.entries()) {
        const send = (of: number, gas: bigint, nonce: number) =>
          network.wallet(number % network.size, of).sendTransaction({ to, data, gas, nonce, ...FEES })
        // Each from a different sender: an omitted transaction delays its sender's later ones.
        much.push(await send(14 + number, MUCH, 0))
        for (let call = 0; call < CALLS; call++) little.push(await send(number % 10, LITTLE, nextNonce(number % 10)))
      }
      await network.eventually('the calls with little gas', () => areMined(network, little), PATIENCE)
      await network.eventually(
        'the end of the others',
        async () => (await unreported(network, much)).length === 0,
        PATIENCE,
      )
    } finally {
      await stop()
    }
    const decided = await rounds(network, first)
    const mined = (await Promise.all(much.map((hash) => receiptOf(network, hash)))).filter((found) => found !== null)
    console.log(
      `${decided.length} blocks, rounds ${decided.join(' ')}; ${mined.length} of ${much.length} large calls mined`,
    )
    expect(Math.max(...decided)).toBeLessThan(3)
    expect(network.all.filter((index) => !network.isRunning(index))).toEqual([])
    expect(await network.differences()).toEqual([])
    for (const hash of little) expect((await receiptOf(network, hash))?.status).toBe('0x1')
  })
})

type Hash = `0x${string}`
const FEES = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
/** Milliseconds for all calls, on four nodes that share one core. */
const PATIENCE = process.env.KESTREL_LONG === '1' ? 1_800_000 : 180_000

const nonces = new Map<number, number>()
function nextNonce(of: number): number {
  const nonce = nonces.get(of) ?? 0
  nonces.set(of, nonce + 1)
  return nonce
}

const receiptOf = (network: TestNetwork, hash: Hash) =>
  network.rpc(0, 'eth_getTransactionReceipt', hash) as Promise<{ status: string } | null>

async function areMined(network: TestNetwork, hashes: readonly Hash[]): Promise<boolean> {
  for (const hash of hashes) if ((await receiptOf(network, hash)) === null) return false
  return true
}

/** Transactions that are neither mined nor in the log of a node. */
async function unreported(network: TestNetwork, hashes: readonly Hash[]): Promise<Hash[]> {
  const log = (await Promise.all(network.all.map((index) => network.log(index)))).join('\n')
  const receipts = await Promise.all(hashes.map((hash) => receiptOf(network, hash)))
  return hashes.filter((hash, index) => receipts[index] === null && !log.includes(hash))
}
