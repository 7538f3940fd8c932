// A running chain in one line: `const { rpc, alice, mine } = await testChain()`. It is in memory, on a free port, and closed
// after the test that opened it.

import { createPublicClient, createTestClient, createWalletClient, http } from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { defaultLimits } from '../../src/chain/limits.ts'
import { createLogger } from '../../src/lib/log.ts'
import { type Node, type NodeOptions, startNode } from '../../src/node.ts'
import { presets } from '../../src/spec/presets.ts'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
const accounts = new Map<number, HDAccount>()

/** The account with this index of the mnemonic; derived once, because that takes longer than most tests. */
export function account(index: number): HDAccount {
  const known = accounts.get(index) ?? mnemonicToAccount(MNEMONIC, { addressIndex: index })
  accounts.set(index, known)
  return known
}

export type RpcAnswer = {
  jsonrpc: string
  id: unknown
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** Options of a node for tests; any of them may be overridden. */
export function nodeOptions(overrides: Partial<NodeOptions> = {}): NodeOptions {
  return {
    datadir: undefined,
    spec: presets.kestrel(),
    limits: defaultLimits,
    pool: { minTip: 0n, allowUnprotected: true },
    log: createLogger({ level: 'error', json: false }),
    host: '127.0.0.1',
    port: 0,
    automine: true,
    blockTime: 0,
    gasLimit: undefined,
    wallet: walletOfMnemonic(MNEMONIC, 10),
    rpc: { development: true },
    namesModules: true,
    ...overrides,
  }
}

/** One JSON-RPC request over HTTP; throws on an error response. */
export async function request(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const answer = await rawRequest(url, method, params)
  if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error)
  return answer.result
}

export async function rawRequest(url: string, method: string, params: readonly unknown[] = []): Promise<RpcAnswer> {
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as RpcAnswer
}

/** A node that runs until the end of the test, with viem's clients for it. */
export async function testChain(overrides: Partial<NodeOptions> = {}) {
  const node = await startNode(nodeOptions(overrides))
  onTestFinished(() => node.close())
  return withClients(node)
}

export function withClients(node: Node) {
  const chain = {
    id: Number(node.chain.spec.chainId),
    name: 'kestrel',
    nativeCurrency: { name: 'KEST', symbol: 'KEST', decimals: 18 },
    rpcUrls: { default: { http: [`${node.url}/rpc`] } },
  }
  // The default of 10 seconds is short for thousands of requests at once on a busy machine.
  const transport = http(`${node.url}/rpc`, { retryCount: 0, timeout: 60_000 })
  return {
    node,
    url: node.url,
    rpc: (method: string, ...params: unknown[]) => request(node.url, method, params),
    raw: (method: string, ...params: unknown[]) => rawRequest(node.url, method, params),
    viem: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    dev: createTestClient({ chain, transport, mode: 'anvil' }),
    walletOf: (index: number) => createWalletClient({ chain, transport, account: account(index) }),
    alice: account(0),
    bob: account(1),
    mine: (blocks = 1) => request(node.url, 'anvil_mine', [`0x${blocks.toString(16)}`]),
  }
}
