// The parts that a chain is constructed from, and the settings that its owner chooses.
import type { CallLimits } from '../runtime/call.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { KvStore } from '../state/types.ts'
import type { PoolPolicy } from './admission-rules.ts'
import type { CanonicalChainOptions } from './canonical-chain.ts'
import type { ScriptedTraces } from './trace-types.ts'
import type { Indexer } from './types.ts'

export type ChainOptions = CanonicalChainOptions & {
  readonly store: KvStore
  readonly runtime: Runtime
  readonly indexer: Indexer
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  /** Runs tracers in clients' JavaScript; left out: they are refused. */
  readonly scriptedTraces?: ScriptedTraces | undefined
  readonly onError: (error: unknown) => void
}
