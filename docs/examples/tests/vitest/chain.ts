// A client of the node, and a snapshot around each file: every file begins with the chain that the node has started with.
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { afterAll, beforeAll, inject } from 'vitest'

export const client = createTestClient({ mode: 'anvil', transport: http(inject('rpcUrl')), pollingInterval: 50 })
  .extend(publicActions)
  .extend(walletActions)

let id: `0x${string}`
beforeAll(async () => {
  id = await client.snapshot()
})
afterAll(() => client.revert({ id }))
