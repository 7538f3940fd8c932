// Turns a chain of one node into a network: its specification then has the first block that CometBFT decides and the
// validators' keys. The state changes in that first block (`modules/slashing`), so every node and every replay applies it.
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { bondedOperators } from '../runtime/module-queries.ts'
import { type ChainSpec, DEFAULT_NETWORK, type NativeSpec, type NetworkSpec } from '../spec/chain-spec.ts'
import { firstBlock } from '../spec/forks.ts'
import { openStore } from '../state/kv.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore } from '../state/types.ts'
import { readFork } from './fork-row.ts'
import { readHead, specRow, storedSpec } from './open.ts'

/**
 * Operators of the bonded validators of a chain that can become a network, strongest first. No other process may have the
 * folder open. Throws ChainError `not-allowed` for any other chain.
 */
export const operatorsToPromote = (folder: string): Promise<readonly Address[]> =>
  withStore(folder, async (store) => {
    await requirePromotable(store)
    const { version } = readHead(store)
    const operators = bondedOperators(new StateStore(store, version).at(version))
    if (operators.length === 0) throw refuse('no validator of it is bonded')
    return operators
  })

/**
 * Turns the chain of a folder into a network, beginning with the block after its head. `blockTimeMs`: time between blocks;
 * `keys`: the keys of its validators. Returns the new specification. Throws as `operatorsToPromote`.
 */
export const promote = (folder: string, keys: NetworkSpec['keys'], blockTimeMs: bigint): Promise<ChainSpec> =>
  withStore(folder, async (store) => {
    const { spec, native } = await requirePromotable(store)
    const initialHeight = readHead(store).number + 1n
    const consensus: NetworkSpec = { ...DEFAULT_NETWORK, blockTimeMs, initialHeight, keys }
    const network = { ...spec, native: { ...native, consensus } }
    await store.write([specRow(network)])
    return network
  })

async function requirePromotable(store: KvStore): Promise<{ spec: ChainSpec; native: NativeSpec }> {
  const spec = await storedSpec(store)
  if (spec === undefined) throw new ChainError('storage', 'the folder holds no chain')
  const { native } = spec
  if (native === undefined) throw refuse('it has no native modules')
  if (readFork(store) !== undefined) throw refuse('it is a fork, and only a part of its state is here')
  if (native.consensus !== undefined) throw refuse('it is one already')
  if (native.modules.slashing === undefined) throw refuse('its genesis has no kestrel.modules.slashing')
  const first = firstBlock(spec)
  if (first > 0n) throw refuse(`it begins with block ${first}, and a network with block 0`)
  // A network that begins at height 1 has its keys in the genesis.
  if (readHead(store).number === 0n) throw refuse('it has no block yet; begin one with --genesis')
  return { spec, native }
}

const refuse = (why: string): ChainError => new ChainError('not-allowed', `the chain cannot become a network: ${why}`)

async function withStore<T>(folder: string, use: (store: KvStore) => Promise<T>): Promise<T> {
  const store = await openStore(folder)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
