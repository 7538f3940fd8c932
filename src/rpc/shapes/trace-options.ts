// The options of the debug_trace… methods, as in geth. `tracerConfig` is checked for its depth only.
import { z } from 'zod'
import type { TraceOptions, TracePoint } from '../../chain/types.ts'
import { solidityTrace } from '../../contracts/solidity-trace.ts'
import { debugSources } from '../../contracts/transaction-stack.ts'
import { AnswerElsewhere } from '../../lib/errors.ts'
import { blockRef, bool, index, string } from '../codec.ts'
import type { RpcContext } from '../define.ts'
import { blockOverrides, stateOverrides } from './call.ts'

/** geth's default, in milliseconds. */
const DEFAULT_TIMEOUT = 5000

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const DURATION = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/

/** A duration in Go's syntax (`1m30s`, `500ms`) in milliseconds; undefined for any other text. */
export function milliseconds(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  const parts = [...text.matchAll(/([\d.]+)(\D+)/g)]
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
}

const duration = string.refine((text) => milliseconds(text) !== undefined, { error: 'invalid duration' })
const flag = bool.nullish()
const count = z.int({ error: 'expected an integer' }).nonnegative({ error: 'negative number' })

/** Maximum levels of objects and arrays in `tracerConfig`: with far more, `JSON.stringify` exhausts the stack. */
const MAX_CONFIG_DEPTH = 100

/** Whether a JSON value has more than `levels` levels of objects and arrays. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

export const traceOptions = z.object(
  {
    tracer: string.nullish(),
    tracerConfig: z
      .unknown()
      .refine((settings) => !isDeeper(settings, MAX_CONFIG_DEPTH), { error: 'nested too deeply' })
      .optional(),
    timeout: duration.nullish(),
    disableStack: flag,
    disableStorage: flag,
    enableMemory: flag,
    enableReturnData: flag,
    limit: count.nullish(),
    // geth's former names of the two options above: off is the default now, so only `false` has an effect.
    disableMemory: flag,
    disableReturnData: flag,
  },
  { error: 'expected trace options' },
)

/** Options of debug_traceCall: also overrides, and how many of the block's transactions run before the call. */
export const traceCallOptions = traceOptions.extend({
  stateOverrides: stateOverrides.nullish(),
  blockOverrides: blockOverrides.nullish(),
  txIndex: index.nullish(),
})

/** Options of a request to a heavy method, which has a place of the work queue and gives it up while another thread traces. */
export function toTraceOptions(
  options: z.output<typeof traceOptions> | undefined,
  signal: AbortSignal,
  context: Pick<RpcContext, 'queue' | 'chain' | 'contracts' | 'committedOnly'>,
): TraceOptions {
  const { tracer, tracerConfig, timeout } = options ?? {}
  return {
    choice: {
      name: tracer ?? undefined,
      config: tracerConfig ?? undefined,
      structLogs: {
        disableStack: options?.disableStack ?? false,
        disableStorage: options?.disableStorage ?? false,
        enableMemory: options?.enableMemory ?? options?.disableMemory === false,
        enableReturnData: options?.enableReturnData ?? options?.disableReturnData === false,
        limit: options?.limit ?? 0,
      },
      explain(options) {
        if (context.committedOnly) throw new AnswerElsewhere('only the main thread knows contracts')
        const known = debugSources(context.chain, context.contracts)
        return (recording) => solidityTrace({ ...known, view: recording.view }, recording, options)
      },
    },
    signal,
    elsewhere: (task) => context.queue.runOutside(task),
    timeout: timeout ? (milliseconds(timeout) ?? DEFAULT_TIMEOUT) : DEFAULT_TIMEOUT,
  }
}

/** The number of transactions to run before; -1 or absent: all. */
const transactionIndex = z.int({ error: 'expected an integer' }).min(-1)
/** Where a list of bundles begins: after a block, or after some of its transactions. */
export const place = z.object(
  { blockNumber: blockRef.nullish(), transactionIndex: transactionIndex.nullish() },
  { error: 'expected a block and a transaction index' },
)

export function toTracePoint(at: z.output<typeof place> | undefined): TracePoint {
  const after = at?.transactionIndex ?? -1
  return { ref: at?.blockNumber ?? 'latest', index: after < 0 ? undefined : after }
}
