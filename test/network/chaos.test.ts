// Nodes and CometBFTs are killed at random under load, or CometBFTs partitioned for a while: no acknowledged transaction is
// lost, no two nodes differ, and each catches up within `BACK` seconds. CHAOS_ROUNDS sets the number of rounds.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { NO_ENGINE, random, TestNetwork } from './support.ts'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 4)
/** Seconds within which a node must have caught up. */
const BACK = 15

describe.skipIf(NO_ENGINE !== undefined)(`a network under chaos ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  beforeAll(async () => {
    network = await TestNetwork.start()
  })

  it(
    'loses no acknowledged transaction, and its nodes have equal blocks',
    async () => {
      const dice = random(Number(process.env.CHAOS_SEED ?? 7))
      const pick = (count: number) => Math.floor(dice() * count)
      const load = sender(network)
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const node = pick(network.size)
        const what = (['application', 'engine', 'both', 'partition'] as const)[pick(4)] ?? 'both'
        if (what === 'partition') await network.freezeEngine(node, true)
        if (what === 'engine' || what === 'both') await network.killEngine(node)
        if (what === 'application' || what === 'both') await network.killApplication(node)
        await sleep(500 + pick(3500))
        if (what === 'partition') await network.freezeEngine(node, false)
        const began = Date.now()
        if (!network.isRunning(node)) network.start(node)
        await network.eventually(`node ${node} after ${what}`, async () => {
          const heads = await Promise.all(network.all.map((index) => network.head(index)))
          const highest = heads.reduce((a, b) => (a > b ? a : b))
          return (heads[node] ?? -1n) >= highest - 1n && highest >= 0n
        })
        times.push((Date.now() - began) / 1000)
      }
      const sent = await load.stop()
      expect(sent.length).toBeGreaterThan(ROUNDS)
      for (const hash of sent) {
        await network.eventually(
          `the receipt of ${hash}`,
          async () => (await network.rpc(0, 'eth_getTransactionReceipt', hash)) !== null,
        )
      }
      expect(await network.differences()).toEqual([])
      expect(Math.max(...times), `seconds: ${times.join(' ')}`).toBeLessThan(BACK)
      for (const node of network.all) expect(await network.rpc(node, 'dev_invariants', 'latest')).toEqual([])
      console.log(
        `${ROUNDS} rounds, ${sent.length} transactions, back after ${times.map((time) => time.toFixed(1)).join(' ')} s`,
      )
    },
    120_000 + ROUNDS * 30_000,
  )
})

/** Sends about five transfers a second to running nodes, until `stop`, which returns the hashes of the acknowledged ones. */
function sender(network: TestNetwork) {
  const acknowledged: string[] = []
  const to = account(9).address
  let isRunning = true
  const work = (async () => {
    // Each account sends to one node, so that nonces arrive in order; a transfer that no node accepted is sent again.
    const nonces = new Map<number, number>()
    for (let turn = 0; isRunning; turn++) {
      const from = turn % 4
      const nonce = nonces.get(from) ?? 0
      try {
        const signed = await account(from).signTransaction({
          chainId: 125,
          type: 'eip1559',
          nonce,
          to,
          value: 1n,
          gas: 21_000n,
          maxFeePerGas: 20_000_000_000n,
          maxPriorityFeePerGas: 1n,
        })
        acknowledged.push(String(await network.rpc(from, 'eth_sendRawTransaction', signed)))
        nonces.set(from, nonce + 1)
      } catch (error) {
        // A node that was killed may have accepted it without answering.
        if (String(error).includes('already known') || String(error).includes('nonce too low'))
          nonces.set(from, nonce + 1)
      }
      await sleep(200)
    }
  })()
  return {
    async stop(): Promise<readonly string[]> {
      isRunning = false
      await work
      return acknowledged
    },
  }
}
