// MetaMask handles eth_newFilter and eth_subscribe of dApps itself, with a middleware that calls eth_getLogs and pads block
// numbers to an even number of digits: 0x0137. Many heights therefore have a leading zero.
import { createRequire } from 'node:module'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deployToken, token } from '../support/contracts.ts'
import { processForFile } from '../support/process.ts'

const require = createRequire(new URL('metamask/package.json', import.meta.url))
const { JsonRpcEngine } = require('@metamask/json-rpc-engine')
const { PollingBlockTracker } = require('@metamask/eth-block-tracker')
const createFilters = require('@metamask/eth-json-rpc-filters')
const createSubscriptions = require('@metamask/eth-json-rpc-filters/subscriptionManager')

const clients = await processForFile()
const { rpc, viem, walletOf } = clients
const latest = async () => Number(await rpc('eth_blockNumber'))

type Request = { readonly method: string; readonly params?: readonly unknown[] }
type Callback = (error: unknown, answer?: { readonly result: unknown }) => void
/** A network provider like MetaMask's: promises, and callbacks for eth-query. */
const provider = {
  request: ({ method, params = [] }: Request) => rpc(method, ...params),
  sendAsync(request: Request, callback: Callback) {
    provider.request(request).then((result) => callback(null, { result }), callback)
  },
}
const tracker = new PollingBlockTracker({ provider, pollingInterval: 10, keepEventLoopActive: false })
const filters = createFilters({ blockTracker: tracker, provider })
const subscriptions = createSubscriptions({ blockTracker: tracker, provider })
const engine = new JsonRpcEngine()
engine.push(filters)
engine.push(subscriptions.middleware)

async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await engine.handle({ jsonrpc: '2.0', id: 1, method, params })
  if (error) throw new Error(error.message)
  return result
}

let address: Hex
beforeAll(async () => {
  address = (await deployToken(clients, 0)).address
})
afterAll(async () => {
  filters.destroy()
  subscriptions.middleware.destroy()
  await tracker.destroy()
})

const transfer = async () => {
  const hash = await walletOf(0).writeContract({
    address,
    abi: token.abi,
    functionName: 'transfer',
    args: [`0x${'ab'.repeat(20)}`, 1n],
    gas: 100_000n,
  })
  return { hash, number: Number((await viem.waitForTransactionReceipt({ hash })).blockNumber) }
}

/** 1 to 15 and 256 to 4095 have an odd number of digits. */
const HEIGHTS = Array.from({ length: 299 }, (_, i) => i + 2)

test('logs arrive through a filter and a subscription at every height', async () => {
  const pushed: string[] = []
  subscriptions.events.on('notification', ({ params }: { params: { result: { transactionHash: string } } }) =>
    pushed.push(params.result.transactionHash),
  )
  const id = await ask('eth_newFilter', { address })
  await ask('eth_subscribe', 'logs', { address })
  const sent: string[] = []
  const polled: string[] = []
  for (const height of HEIGHTS) {
    const before = height - 1 - (await latest())
    if (before > 0) await rpc('anvil_mine', `0x${before.toString(16)}`)
    const { hash, number } = await transfer()
    expect(number).toBe(height)
    sent.push(hash)
    await vi.waitFor(
      async () => {
        const changes = (await ask('eth_getFilterChanges', id)) as { transactionHash: string }[]
        polled.push(...changes.map(({ transactionHash }) => transactionHash))
        expect([polled.at(-1), pushed.at(-1)], `block ${height}`).toEqual([hash, hash])
      },
      { timeout: 20_000, interval: 10 },
    )
  }
  expect(polled).toEqual(sent)
  expect(pushed).toEqual(sent)
})

test('a filter from block 1 on finds the logs at every height', async () => {
  const all = (await viem.getLogs({ address, fromBlock: 1n })).length
  for (const fromBlock of ['0x01', '0x0001', '0x1']) {
    const id = await ask('eth_newFilter', { address, fromBlock })
    expect(await ask('eth_getFilterLogs', id), fromBlock).toHaveLength(all)
  }
})
