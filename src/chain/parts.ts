// The parts of a chain that depend on its specification and its rows. `BlockChain.restart` replaces them when a development chain
// becomes a fork of another chain. It keeps the store, the pool, the events and the writer's lock.
import type { ForkedChain } from '../fork/forked-chain.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { CallLimits } from '../runtime/call.ts'
import { type ProgramUpgrades, programUpgrades } from '../runtime/program-upgrades.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { KvStore } from '../state/types.ts'
import type { View } from '../state/view.ts'
import { ChainCalls } from './calls.ts'
import { CanonicalChain, type CanonicalChainOptions } from './canonical-chain.ts'
import { ChainFees } from './fees.ts'
import { ForkTraces } from './fork-traces.ts'
import { GovernedBlocks } from './governed.ts'
import type { PoolPolicy } from './pool-rules.ts'
import { ChainStateQueries } from './state-queries.ts'
import { ChainTraces } from './traces.ts'
import type { BlockRef, ChainReader, Indexer, ScriptedTraces } from './types.ts'

/** What a chain is: its rules, and the chain that it is a fork of. */
export type ChainIdentity = { readonly runtime: Runtime; readonly forked?: ForkedChain | undefined }

type PartOptions = Omit<CanonicalChainOptions, 'source'> & {
  readonly store: KvStore
  readonly indexer: Indexer
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  /** Left out: those that this program knows, and no height is skipped. */
  readonly upgrades?: ProgramUpgrades | undefined
  readonly scriptedTraces?: ScriptedTraces | undefined
}

/** What a chain is opened with. */
export type ChainOptions = ChainIdentity &
  PartOptions & {
    /** Builds the block of the tag `pending`; left out: it is built from the pool. */
    readonly pending?: (() => Promise<ExecutedBlock>) | undefined
    readonly onError: (error: unknown) => void
  }

/** The chain as its parts use it. */
export type PartReader = Pick<ChainReader, 'block'> & {
  at(ref: BlockRef): Promise<{ readonly header: SealedHeader; readonly view: View }>
}

export type ChainParts = ChainIdentity & {
  readonly canonical: CanonicalChain
  readonly calls: ChainCalls
  readonly fees: ChainFees
  readonly governed: GovernedBlocks
  readonly traces: ChainTraces
  readonly stateQueries: ChainStateQueries
}

/** Opens the chain that the store holds. `nextBaseFee`: what a development method has set. Throws as `CanonicalChain`. */
export function openParts(
  { runtime, forked }: ChainIdentity,
  { store, indexer, limits, pool, scriptedTraces, upgrades = programUpgrades(), ...options }: PartOptions,
  reader: PartReader,
  nextBaseFee: () => bigint | undefined,
): ChainParts {
  const canonical = new CanonicalChain(store, runtime, indexer, { ...options, source: forked })
  const head = () => canonical.head
  const fees = new ChainFees(runtime, canonical, head, nextBaseFee, pool, forked)
  const scripts = scriptedTraces && { elsewhere: scriptedTraces }
  const traces =
    forked === undefined
      ? new ChainTraces(runtime, canonical, limits, reader, scripts)
      : new ForkTraces(runtime, canonical, limits, reader, scripts, forked)
  const stateQueries = new ChainStateQueries(runtime, canonical, {
    at: reader.at.bind(reader),
    block: reader.block.bind(reader),
    traces,
  })
  const calls = new ChainCalls(runtime, canonical, limits, reader)
  const governed = new GovernedBlocks(runtime, canonical, upgrades)
  return { runtime, forked, canonical, calls, fees, governed, traces, stateQueries }
}
