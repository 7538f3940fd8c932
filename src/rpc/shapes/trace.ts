// The options of debug_trace… methods, as geth takes them. What a tracer's own settings mean only the tracer knows.
import { z } from 'zod'
import type { TraceOptions } from '../../chain/types.ts'
import type { WorkQueue } from '../../lib/work-queue.ts'
import { bool, index, string } from '../codec.ts'
import { blockOverrides, stateOverrides } from './call.ts'

/** Milliseconds of geth's default, five seconds. */
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

/** A duration as Go writes it (`1m30s`, `500ms`), in milliseconds; undefined when it is none. */
export function milliseconds(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  const parts = [...text.matchAll(/([\d.]+)(\D+)/g)]
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
}

const duration = string.refine((text) => milliseconds(text) !== undefined, { error: 'invalid duration' })
const flag = bool.nullish()
const count = z.int({ error: 'expected an integer' }).nonnegative({ error: 'negative number' })

/** Levels of objects and arrays: far more of them exhaust the stack of `JSON.stringify`. */
const DEEPEST_SETTINGS = 100

/** Whether a JSON value has more than so many levels. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

export const traceOptions = z.object(
  {
    tracer: string.nullish(),
    tracerConfig: z
      .unknown()
      .refine((settings) => !isDeeper(settings, DEEPEST_SETTINGS), { error: 'nested too deeply' })
      .optional(),
    timeout: duration.nullish(),
    disableStack: flag,
    disableStorage: flag,
    enableMemory: flag,
    enableReturnData: flag,
    limit: count.nullish(),
    // Older clients switch off what is off by default now; only a plain `false` asks for it.
    disableMemory: flag,
    disableReturnData: flag,
  },
  { error: 'expected trace options' },
)

/** debug_traceCall's: with what the call shall find different, and how many of the block's transactions run first. */
export const traceCallOptions = traceOptions.extend({
  stateOverrides: stateOverrides.nullish(),
  blockOverrides: blockOverrides.nullish(),
  txIndex: index.nullish(),
})

/** Options of a heavy method's request, which has a place in the queue. */
export function toTraceOptions(
  options: z.output<typeof traceOptions> | undefined,
  caller: AbortSignal,
  queue: Pick<WorkQueue, 'runOutside'>,
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
    },
    caller,
    elsewhere: (task) => queue.runOutside(task),
    timeout: timeout ? (milliseconds(timeout) ?? DEFAULT_TIMEOUT) : DEFAULT_TIMEOUT,
  }
}
