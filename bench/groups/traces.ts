// Traces of mined transactions.
import type { Group, Row } from '../bench.ts'
import { callData, deploy, transact } from '../contracts.ts'
import { post } from '../load/http.ts'
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
    return [
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

const lengthOf = (trace: unknown, field: string): number | undefined => {
  const list = typeof trace === 'object' && trace !== null ? (trace as Record<string, unknown>)[field] : undefined
  return Array.isArray(list) ? list.length : undefined
}
const countCalls = (trace: unknown): string => `${lengthOf(trace, 'calls')} calls`
const countSteps = (trace: unknown): string => `${lengthOf(trace, 'structLogs')} steps`
