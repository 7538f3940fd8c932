// Receipts and traces of Amsterdam's transactions as go-ethereum answers them: transfer logs, deep stacks, state gas. The answers
// in amsterdam.json.gz were recorded by scripts/record-amsterdam.ts; the transactions run here in the same order.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ENGINES } from '../../src/evm/engine-selection.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { testChain } from '../support/chain.ts'

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
