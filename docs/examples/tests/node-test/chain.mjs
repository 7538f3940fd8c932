// A node for the file that imports this: `node --test` runs each file in a process of its own, several at a time.
import { after, afterEach, beforeEach } from 'node:test'
import { startNode } from 'kestrel-evm'
import { createTestClient, http, publicActions, walletActions } from 'viem'

const node = await startNode()
after(() => node.stop())

export const client = createTestClient({ mode: 'anvil', transport: http(node.rpcUrl), pollingInterval: 50 })
  .extend(publicActions)
  .extend(walletActions)

// A snapshot around each test.
let id
beforeEach(async () => {
  id = await client.snapshot()
})
afterEach(() => client.revert({ id }))
