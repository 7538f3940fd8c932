// What runs under a tracer, and what comes of it; and who runs tracers that clients have written.
import type { Hash } from '../lib/hex.ts'
import type { Block } from '../primitives/types.ts'
import type { CallBundle, TraceOptions, TracePoint } from './types.ts'

/** What runs under a tracer: a mined transaction, all of a block, or calls. */
export type TraceTask =
  | { readonly kind: 'transaction'; readonly hash: Hash }
  | { readonly kind: 'block'; readonly of: Block }
  | { readonly kind: 'calls'; readonly bundles: readonly CallBundle[]; readonly at: TracePoint }

/** What a tracer answers, or how a client's own one has failed. */
export type Trace = { readonly result: unknown } | { readonly error: string }

/**
 * Runs tracers in clients' JavaScript, in another place than the thread that makes blocks; `js-tracers/` implements it.
 */
export type ScriptedTraces = {
  /** The task's traces in lists: of the transaction, of the block, of each bundle. `pending`: the block of that name. */
  run(task: TraceTask, options: TraceOptions, pending: () => Promise<Block | undefined>): Promise<Trace[][]>
}
