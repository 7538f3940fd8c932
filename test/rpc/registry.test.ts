// The registry has every file of methods/, and every export is a method with its wire name.
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RpcMethod } from '../../src/rpc/define.ts'
import { methods } from '../../src/rpc/methods/index.ts'

const folder = new URL('../../src/rpc/methods/', import.meta.url)
const files = readdirSync(folder).filter((name) => name !== 'index.ts')

it.each(files)('the registry has every export of %s', async (name) => {
  const family = (await import(new URL(name, folder).href)) as Record<string, RpcMethod>
  expect(Object.keys(family).length).toBeGreaterThan(0)
  for (const [wireName, method] of Object.entries(family)) {
    expect(wireName).toMatch(/^[a-z0-9]+_[A-Za-z0-9_]+$/)
    expect(methods.get(wireName), wireName).toBe(method)
    expect(method.summary, wireName).toMatch(/^[A-Z].*[.)]$/)
  }
})

it('the registry has the methods that wallets and libraries need', () => {
  const required = `web3_clientVersion web3_sha3 net_version net_listening net_peerCount eth_chainId eth_blockNumber
    eth_syncing eth_gasPrice eth_maxPriorityFeePerGas eth_feeHistory eth_accounts eth_getBalance
    eth_getTransactionCount eth_getCode eth_getStorageAt eth_call eth_estimateGas eth_sendRawTransaction
    eth_sendTransaction eth_getBlockByHash eth_getBlockByNumber eth_getBlockTransactionCountByHash
    eth_getBlockTransactionCountByNumber eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
    eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_getLogs eth_newFilter eth_newBlockFilter
    eth_newPendingTransactionFilter eth_getFilterChanges eth_getFilterLogs eth_uninstallFilter eth_subscribe
    eth_unsubscribe eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash
    eth_getUncleCountByBlockNumber`
  expect(required.split(/\s+/).filter((name) => !methods.has(name))).toEqual([])
})

it('`required` counts the parameters without a default', () => {
  expect(methods.get('eth_getBalance')?.required).toBe(1)
  expect(methods.get('eth_getStorageAt')?.required).toBe(2)
  expect(methods.get('eth_feeHistory')?.required).toBe(2)
  expect(methods.get('eth_call')?.required).toBe(1)
  expect(methods.get('eth_chainId')?.required).toBe(0)
})
