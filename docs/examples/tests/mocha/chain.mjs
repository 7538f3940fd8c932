// A node for each file: in mocha's parallel mode, root hooks run once for each file. Without that mode they run once for all.
import { startNode } from 'kestrel-evm'
import { createTestClient, http, publicActions, walletActions } from 'viem'

let node
export let client
let id

export const mochaHooks = {
  async beforeAll() {
    node = await startNode()
    client = createTestClient({ mode: 'anvil', transport: http(node.rpcUrl), pollingInterval: 50 })
      .extend(publicActions)
      .extend(walletActions)
  },
  afterAll: () => node.stop(),
  // A snapshot around each test.
  async beforeEach() {
    id = await client.snapshot()
  },
  async afterEach() {
    await client.revert({ id })
  },
}
