// The tasks that run under a tracer, their results, and the interface for tracers that clients have written.
import type { Hash } from '../lib/hex.ts'
import type { Block } from '../primitives/types.ts'
import type { CallBundle, TraceOptions, TracePoint } from './types.ts'

/** A task for a tracer: a mined transaction, all of a block, or calls. */
export type TraceTask =
  | { readonly kind: 'transaction'; readonly hash: Hash }
  | { readonly kind: 'block'; readonly of: Block }
  | { readonly kind: 'calls'; readonly bundles: readonly CallBundle[]; readonly at: TracePoint }

/** The result of a tracer, or the error of a client's own one. */
export type Trace = { readonly result: unknown } | { readonly error: string }

/**
 * Runs tracers in clients' JavaScript, in another place than the thread that makes blocks; `js-tracers/` implements it.
 */
export type ScriptedTraces = {
  /** The task's traces in lists: of the transaction, of the block, of each bundle. `pending`: the block of that name. */
  run(task: TraceTask, options: TraceOptions, pending: () => Promise<Block | undefined>): Promise<Trace[][]>
}
