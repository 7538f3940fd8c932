// Traces of mined transactions.
import type { Group, Row } from '../bench.ts'
import { callData, deploy, deployTokens, transact } from '../contracts.ts'
import { post } from '../load/http.ts'
import { recipient, senders, sign } from '../senders.ts'
import { summarize } from '../statistics.ts'
import type { Target } from '../target.ts'

export const traces: Group = {
  name: 'traces',
  title: 'Traces of one transaction',
  of: 'both',
  async rows(contender, bench) {
    // Without this flag anvil records no steps.
    const target = await contender.start({ flags: { anvil: ['--steps-tracing'] } })
    const compute = await deploy(target, 'Compute')
    const slots = await deploy(target, 'Slots')
    const many = BigInt(bench.size(300, 20))
    const called = await transact(target, { to: compute, data: callData('Compute', 'calls', [many]), gas: 8_000_000n })
    const filled = await transact(target, { to: slots, data: callData('Slots', 'fill', [0n, many]), gas: 8_000_000n })
    const times = bench.size(5, 1)
    const transfers = await tokenTransfers(target, bench.size(FULL_BLOCK, 10))
    const ofTransfers: Row[] = []
    for (const { name, hash } of transfers) {
      for (const [tracer, options, digest] of TRACERS) {
        ofTransfers.push(await row(target, `${tracer}, ${name}`, hash, options, bench.size(50, 3), digest))
      }
    }
    return [
      ...ofTransfers,
      await row(
        target,
        `callTracer, ${many} calls`,
        called.transactionHash,
        { tracer: 'callTracer' },
        times,
        countCalls,
      ),
      await row(target, `struct logger, ${many} new slots`, filled.transactionHash, {}, times, countSteps),
    ]
  },
}

/** Transactions in the block of which the last one is traced. */
const FULL_BLOCK = 100

type Digest = (trace: unknown) => string

const TRACERS: readonly (readonly [string, object, Digest])[] = [
  ['callTracer', { tracer: 'callTracer' }, (trace) => `${fieldOf(trace, 'type')}`],
  ['prestateTracer', { tracer: 'prestateTracer' }, (trace) => (trace === null ? 'none' : typeof trace)],
  ['struct logger', {}, (trace) => countSteps(trace)],
]

/** Hashes of token transfers: one alone in a block for each style of token, and the last of a full block. */
async function tokenTransfers(target: Target, full: number): Promise<{ name: string; hash: string }[]> {
  const found: { name: string; hash: string }[] = []
  const tokens = await deployTokens(target)
  for (const { style, at } of tokens) {
    const data = callData('Token', 'transfer', [recipient(1), 1n])
    const { transactionHash } = await transact(target, { to: at, data, gas: 200_000n })
    found.push({ name: `a transfer, token ${style}`, hash: transactionHash })
  }
  const [plain] = tokens
  await target.rpc('evm_setAutomine', false)
  let hash: unknown
  for (let index = 0; index < full; index++) {
    const data = callData('Token', 'transfer', [recipient(index), 1n])
    const from = senders[index % senders.length] ?? '0x'
    const raw = sign(from, Math.floor(index / senders.length), { to: plain?.at, data, gas: 100_000n })
    hash = await target.rpc('eth_sendRawTransaction', raw)
  }
  await target.rpc('evm_mine')
  await target.rpc('evm_setAutomine', true)
  return [...found, { name: `the last transfer of ${full} in a block`, hash: String(hash) }]
}

async function row(
  target: Target,
  name: string,
  transaction: string,
  options: object,
  times: number,
  digest: (trace: unknown) => string,
): Promise<Row> {
  const params = [transaction, options]
  const request = post(target.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params }))
  const answer = digest(await target.rpc('debug_traceTransaction', ...params))
  return {
    name,
    unit: 'ms',
    better: 'less',
    answer,
    async run() {
      const waits: number[] = []
      for (let count = 0; count < times; count++) {
        const began = performance.now()
        await target.ask(request)
        waits.push(performance.now() - began)
      }
      return summarize(waits).median
    },
  }
}

const fieldOf = (trace: unknown, field: string): unknown =>
  typeof trace === 'object' && trace !== null ? (trace as Record<string, unknown>)[field] : undefined
const lengthOf = (trace: unknown, field: string): number | undefined => {
  const list = typeof trace === 'object' && trace !== null ? (trace as Record<string, unknown>)[field] : undefined
  return Array.isArray(list) ? list.length : undefined
}
const countCalls = (trace: unknown): string => `${lengthOf(trace, 'calls')} calls`
const countSteps = (trace: unknown): string => `${lengthOf(trace, 'structLogs')} steps`
