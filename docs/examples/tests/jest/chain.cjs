// A client of the node, and a snapshot around each file: every file begins with the chain that the node has started with.
const { createTestClient, http, publicActions, walletActions } = require('viem')

const client = createTestClient({ mode: 'anvil', transport: http(process.env.RPC_URL), pollingInterval: 50 })
  .extend(publicActions)
  .extend(walletActions)

let id
beforeAll(async () => {
  id = await client.snapshot()
})
afterAll(() => client.revert({ id }))

module.exports = { client }
