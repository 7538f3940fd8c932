// Completes a chain from a restored state: its index, the header of block 0 and those before the first block, and the first
// block, executed.
import { ChainError } from '../../lib/errors.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import { importBlock } from '../../runtime/import-block.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GenesisAllocation, GenesisSpec } from '../../spec/chain-spec.ts'
import { openMemoryStore } from '../../state/kv.ts'
import { StateStore } from '../../state/state-store.ts'
import type { KvStore } from '../../state/types.ts'
import { baseRow } from '../base.ts'
import { headerRow } from '../blocks.ts'
import { CanonicalChain } from '../canonical-chain.ts'
import { indexFirstState, writeAllocation, writeGenesis } from '../genesis.ts'
import { chainRows, headRow, indexRow, NO_INDEX, stateVersionRow } from '../open.ts'
import { horizonRow } from '../pruning.ts'
import type { Indexer } from '../types.ts'
import type { RestoredHead } from './head.ts'

export type FirstBlockOptions = {
  readonly store: KvStore
  /** The genesis of the chain; its accounts are stored as on a chain that began with them. */
  readonly spec: GenesisSpec<GenesisAllocation>
  readonly runtime: Runtime
  readonly indexer: Indexer
}

/**
 * `store` holds only the state before the block, as version 0. Throws ChainError `invalid-block` if executing the block does
 * not give what its header says.
 */
export async function beginWithBlock(
  { store, spec, runtime, indexer }: FirstBlockOptions,
  { block, parent, headers }: RestoredHead,
): Promise<void> {
  const { number } = block.header
  const genesis = await genesisHeader(spec, runtime)
  const oldest = headers[0]
  if (oldest?.number === 0n && oldest.hash !== genesis.hash)
    throw new ChainError('invalid-block', `its block 0 is ${oldest.hash}, the genesis makes ${genesis.hash}`)
  await writeAllocation(store, spec.genesis.alloc)
  await indexFirstState(store, runtime, indexer, { block, parent }, new StateStore(store, 0))
  await store.write([
    headerRow(genesis),
    ...headers.map((header) => headerRow(header)),
    stateVersionRow(parent.number, 0),
    headRow(parent.number, 0),
    indexRow('complete', indexer),
  ])
  const canonical = new CanonicalChain(store, runtime, indexer)
  const view = canonical.view()
  const ancestors = canonical.ancestors(canonical.head)
  await canonical.commit(await importBlock(runtime, view, block, canonical.ancestry(), ancestors))
  await store.write([baseRow(number), horizonRow({ number, version: 0 }), ...chainRows(spec)])
}

/**
 * The header of block 0, whose hash identifies the chain. A network's genesis fits in memory, because CometBFT distributes it.
 */
async function genesisHeader(spec: GenesisSpec<GenesisAllocation>, runtime: Runtime): Promise<SealedHeader> {
  const store = await openMemoryStore()
  try {
    return (await writeGenesis(store, spec.genesis.alloc, runtime, NO_INDEX)).block.header
  } finally {
    await store.close()
  }
}
