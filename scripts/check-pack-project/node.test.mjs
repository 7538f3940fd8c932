// A user's test file: two nodes in one process, called as a test would.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcError, startNode } from 'kestrel-evm'
import staking from 'kestrel-evm/abi/Staking.json' with { type: 'json' }
import { explorerClient } from 'kestrel-evm/explorer'

test('serves calls, transactions and refusals, and stops', async () => {
  const signals = process.listenerCount('SIGINT')
  const [one, other] = await Promise.all([startNode(), startNode({ chainId: 777, accounts: 2, balance: '1.5' })])
  assert.equal(one.chainId, 125)
  assert.equal(await other.request('eth_chainId'), '0x309')
  assert.equal(other.accounts.length, 2)
  const [{ address: from }, { address: to }] = other.accounts
  assert.equal(await other.request('eth_getBalance', [to, 'latest']), '0x14d1120d7b160000')
  await other.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
  assert.equal(await other.request('eth_getBalance', [to, 'latest']), '0x14d1120d7b160001')
  assert.equal(await one.request('eth_blockNumber'), '0x0')
  await assert.rejects(one.request('eth_nothing'), (error) => error instanceof RpcError && error.code === -32601)
  await assert.rejects(startNode({ port: 'x' }), /--port: expected a whole number/)
  await assert.rejects(startNode({ prot: 1 }), /prot: there is no such option/)
  const { data } = await explorerClient(other.url).GET('/transactions')
  assert.deepEqual(
    data?.items.map(({ to: receiver, value }) => [receiver?.hash, value]),
    [[to, '1']],
  )
  await one.stop()
  await other[Symbol.asyncDispose]()
  await assert.rejects(fetch(one.url))
  assert.equal(process.listenerCount('SIGINT'), signals)
  assert.ok(staking.some(({ name }) => name === 'delegate'))
})
