// Traces of mined transactions.
import type { Group, Row } from '../bench.ts'
import { callData, deploy, deployTokens, mineTransfers, transact } from '../contracts.ts'
import { median, oneByOne, type Repeat, request } from '../requests.ts'
import { recipient } from '../senders.ts'
import type { Target } from '../target.ts'

export const traces: Group = {
  name: 'traces',
  title: 'Traces of one transaction',
  of: 'both',
  async rows(contender, bench) {
    const rows: Row[] = []
    // Without this flag anvil has no struct logs; with it, its callTracer takes ten times as long for many calls.
    for (const [tracers, flags] of [
      [TREES, []],
      [STRUCT_LOGS, ['--steps-tracing']],
    ] as const) {
      const target = await contender.start({ flags: { anvil: flags } })
      const repeat = { times: bench.size(5, 1), time: bench.size(300, 0) }
      const many = BigInt(bench.size(300, 20))
      const transfers = await tokenTransfers(target, bench.size(FULL_BLOCK, 10))
      const large = await largeTransactions(target, many)
      for (const [tracer, options, digest] of tracers) {
        for (const { name, hash } of transfers)
          rows.push(await row(target, `${tracer}, ${name}`, hash, options, repeat, digest))
        const { name, hash } = large[tracer === 'struct logger' ? 'filled' : 'called']
        rows.push(await row(target, `${tracer}, ${name}`, hash, options, repeat, digest))
      }
    }
    return rows
  },
}

/** Transactions in the block of which the last one is traced. */
const FULL_BLOCK = 100

type Digest = (trace: unknown) => string

const TREES: readonly (readonly [string, object, Digest])[] = [
  ['callTracer', { tracer: 'callTracer' }, (trace) => `${fieldOf(trace, 'type')}, ${lengthOf(trace, 'calls')} calls`],
  ['prestateTracer', { tracer: 'prestateTracer' }, (trace) => (trace === null ? 'none' : typeof trace)],
]
const STRUCT_LOGS: typeof TREES = [['struct logger', {}, (trace) => `${lengthOf(trace, 'structLogs')} steps`]]

/** A transaction with many calls, and one that writes many slots. */
async function largeTransactions(target: Target, many: bigint): Promise<Record<'called' | 'filled', Traced>> {
  const compute = await deploy(target, 'Compute')
  const slots = await deploy(target, 'Slots')
  const called = await transact(target, { to: compute, data: callData('Compute', 'calls', [many]), gas: 8_000_000n })
  const filled = await transact(target, { to: slots, data: callData('Slots', 'fill', [0n, many]), gas: 8_000_000n })
  return {
    called: { name: `${many} calls`, hash: called.transactionHash },
    filled: { name: `${many} new slots`, hash: filled.transactionHash },
  }
}

type Traced = { readonly name: string; readonly hash: string }

/** Hashes of token transfers: one alone in a block for each style of token, and the last of a full block. */
async function tokenTransfers(target: Target, full: number): Promise<readonly Traced[]> {
  const found: Traced[] = []
  const tokens = await deployTokens(target)
  for (const { style, at } of tokens) {
    const data = callData('Token', 'transfer', [recipient(1), 1n])
    const { transactionHash } = await transact(target, { to: at, data, gas: 200_000n })
    found.push({ name: `a transfer, token ${style}`, hash: transactionHash })
  }
  const { last } = await mineTransfers(target, tokens[0]?.at ?? '0x', full)
  return [...found, { name: `the last transfer of ${full} in a block`, hash: last }]
}

async function row(
  target: Target,
  name: string,
  transaction: string,
  options: object,
  repeat: Repeat,
  digest: (trace: unknown) => string,
): Promise<Row> {
  const params = [transaction, options]
  const asked = request(target, 'debug_traceTransaction', params)
  const answer = digest(await target.rpc('debug_traceTransaction', ...params))
  return {
    name,
    unit: 'ms',
    better: 'less',
    answer,
    run: async () => median(await oneByOne(target, () => asked, repeat)),
  }
}

const fieldOf = (trace: unknown, field: string): unknown =>
  typeof trace === 'object' && trace !== null ? (trace as Record<string, unknown>)[field] : undefined
const lengthOf = (trace: unknown, field: string): number => {
  const list = fieldOf(trace, field)
  return Array.isArray(list) ? list.length : 0
}
