// Receipts and traces of Amsterdam's transactions as go-ethereum answers them: transfer logs, deep stacks, state gas. The answers
// in amsterdam.json.gz were recorded by scripts/record-amsterdam.ts; the transactions run here in the same order.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { JsonRpcProvider } from 'ethers'
import { parseAbi, parseEventLogs } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ENGINES } from '../../src/evm/engine-selection.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { amsterdamSpec } from '../support/amsterdam.ts'
import { account, testChain } from '../support/chain.ts'

type Fields = Record<string, unknown>
type Recorded = {
  readonly genesis: object
  readonly transactions: readonly {
    readonly name: string
    readonly raw: string
    readonly receipt: Fields & { readonly transactionHash: string; readonly logs: readonly Fields[] }
    readonly traces: Readonly<Record<'calls' | 'flat' | 'structLogs' | 'selectors', unknown>>
  }[]
}
const recorded: Recorded = JSON.parse(
  gunzipSync(readFileSync(new URL('amsterdam.json.gz', import.meta.url))).toString(),
)
const TRACERS = {
  calls: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  flat: { tracer: 'flatCallTracer' },
  structLogs: {},
  selectors: { tracer: '4byteTracer' },
} as const

/** Without what depends on the block's other fields. */
const ofBlock = new Set(['blockHash', 'blockTimestamp', 'effectiveGasPrice'])
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, of) => (ofBlock.has(key) ? undefined : of)))

it.each(ENGINES)('receipts and traces of Amsterdam are those of go-ethereum on the engine %s', async (engine) => {
  const spec = parseGenesisText(JSON.stringify(recorded.genesis))
  const { rpc } = await testChain({ spec, engine })
  for (const { name, raw, receipt, traces } of recorded.transactions) {
    const hash = await rpc('eth_sendRawTransaction', raw)
    const own = await rpc('eth_getTransactionReceipt', hash)
    expect([name, comparable(own)]).toEqual([name, comparable(receipt)])
    for (const [key, options] of Object.entries(TRACERS)) {
      // The draft in the library charges state gas elsewhere within a call, and has other words for failures.
      if (engine === 'library' && key !== 'selectors') continue
      const trace = await rpc('debug_traceTransaction', hash, options)
      expect([name, key, comparable(trace)]).toEqual([name, key, comparable(traces[key as keyof typeof traces])])
    }
  }
})

describe('a transfer on a chain of Amsterdam', () => {
  const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
  const transferred = async () => {
    const chain = await testChain({ spec: amsterdamSpec(account(0).address) })
    const hash = await chain.walletOf(0).sendTransaction({ to: chain.bob.address, value: 5n })
    return { ...chain, hash }
  }

  it('has a log that viem and ethers read, in a block that they read', async () => {
    const { viem, url, hash, alice, bob } = await transferred()
    const receipt = await viem.getTransactionReceipt({ hash })
    const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
    const [log] = parseEventLogs({ abi, logs: receipt.logs })
    expect(log).toMatchObject({ address: SYSTEM, args: { from: alice.address, to: bob.address, value: 5n } })
    const block = await viem.getBlock({ includeTransactions: true })
    expect(block).toMatchObject({ hash: receipt.blockHash, number: 1n, slotNumber: expect.stringMatching(/^0x/) })
    expect(block.transactions).toMatchObject([{ hash, value: 5n }])

    const provider = new JsonRpcProvider(`${url}/rpc`)
    onTestFinished(() => provider.destroy())
    const own = await provider.getBlock('latest', true)
    expect([own?.hash, own?.prefetchedTransactions.map((transaction) => transaction.hash)]).toEqual([
      block.hash,
      [hash],
    ])
    const { logs, gasUsed } = (await provider.getTransactionReceipt(hash)) ?? {}
    // EIP-2780: sender, recipient and the transfer; EIP-8037: 120 bytes of a new account, 1,530 each.
    expect([gasUsed, logs?.map(({ address }) => address.toLowerCase())]).toEqual([21_000n + 120n * 1_530n, [SYSTEM]])
  })

  it('is no transfer of a token to the explorer', async () => {
    const { url, hash, bob } = await transferred()
    const get = async (path: string) => (await fetch(`${url}/api/v2${path}`)).json() as Promise<Record<string, unknown>>
    expect(await get(`/transactions/${hash}`)).toMatchObject({
      token_transfers: [],
      transaction_types: ['coin_transfer'],
    })
    expect(await get('/tokens')).toMatchObject({ items: [] })
    expect(await get(`/addresses/${bob.address}/counters`)).toMatchObject({ token_transfers_count: '0' })
    // The log itself is shown.
    const { items } = await get(`/transactions/${hash}/logs`)
    const call = 'Transfer(address indexed from, address indexed to, uint256 value)'
    expect(items).toMatchObject([
      { address: { hash: expect.stringMatching(/^0xf{39}e$/i) }, decoded: { method_call: call } },
    ])
  })
})
