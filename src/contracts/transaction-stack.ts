// The stack trace of a mined transaction.
import type { Chain, Traces } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import type { Explain, Recording } from '../runtime/tracing/step-recorder.ts'
import type { TracerChoice } from '../runtime/tracing/tracers.ts'
import type { KnownContracts } from './abi.ts'
import type { DebugContext } from './debug-info.ts'
import { type StackTrace, stackInWords, stackTraceOf } from './stack-trace.ts'
import { FULL, type Style } from './words.ts'

/** Where to look for debug info, but for the state. */
export type DebugSources = Omit<DebugContext, 'view' | 'wantedSources'>

/** What a node knows of the contracts of its chain. */
export function debugSources(
  { store, spec }: Pick<Chain, 'store' | 'spec'>,
  { verification, artifacts, forkSources }: KnownContracts = {},
): DebugSources {
  return { rows: store, spec, verification, artifacts, ...(forkSources && { forkSources }) }
}

/** Milliseconds of CPU time of the transaction. */
const TIMEOUT = 5_000
const NO_STRUCT_LOGS = {
  disableStack: true,
  disableStorage: true,
  enableMemory: false,
  enableReturnData: false,
  limit: 0,
}

/** The tracer that records steps and has them described. `keepsValues`: with the values of stacks and memory. */
export const recorderChoice = (explain: Explain, keepsValues = false): TracerChoice => ({
  name: 'solidityTracer',
  config: undefined,
  structLogs: NO_STRUCT_LOGS,
  explain: () => explain,
  keepsValues,
})

type StackOptions = { readonly style?: Style; readonly signal?: AbortSignal }

/** The stack trace as lines of text, innermost first. As `failureOfTransaction`. */
export async function stackOfTransaction(
  ...of: Parameters<typeof failureOfTransaction>
): Promise<readonly string[] | undefined> {
  const stack = await failureOfTransaction(...of)
  return stack && stackInWords(stack)
}

/**
 * The stack trace; undefined: the transaction has not failed. Runs the transaction again, on a fork until nothing is missing. Throws
 * ChainError `not-found`, `execution-failed` when the time is up, `state-not-available`.
 */
export async function failureOfTransaction(
  traces: Pick<Traces, 'transaction'>,
  known: DebugSources,
  hash: Hash,
  { style = FULL, signal }: StackOptions = {},
): Promise<StackTrace | undefined> {
  let stack: StackTrace | undefined
  const explain = async (recording: Recording): Promise<void> => {
    stack = await stackTraceOf({ ...known, view: recording.view }, recording, style)
  }
  await traces.transaction(hash, { choice: recorderChoice(explain), timeout: TIMEOUT, signal })
  return stack
}
