// Checks a stored chain row by row: blocks, state, history, and the index against all of them. Each fault is reported
// separately; an unreadable part is one fault, and the next part is still checked. Then the native modules' invariants.
import { brokenInvariants } from '../runtime/module-queries.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { firstBlock } from '../spec/forks.ts'
import { type CheckReport, checkCodes, checkHistory, checkState } from '../state/check-state.ts'
import { KEY } from '../state/keyspace.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore } from '../state/types.ts'
import { readBase } from './base.ts'
import { decodeStoredHeader } from './blocks.ts'
import { checkBlocks } from './check-blocks.ts'
import { checkIndex } from './check-index.ts'
import { readFork } from './fork-row.ts'
import { type HeadRow, readHead, readStateVersion } from './open.ts'
import { readHorizon } from './pruning.ts'
import type { Indexer } from './types.ts'

export type Checking = {
  readonly runtime: Runtime
  readonly indexer: Indexer
  /**
   * An empty store for building the index again. Without it, or if states were pruned, the index is not checked and no block is
   * executed.
   */
  readonly scratch: KvStore | undefined
  readonly report: CheckReport
  /** Called with the name of each part when its check begins. */
  readonly onPart: (part: string) => void
  readonly onBlock: (number: bigint) => void
}

/** Writes nothing to the store. Throws ChainError `storage` if there is no head. */
export async function checkChain(store: KvStore, checking: Checking): Promise<void> {
  const { runtime, indexer, scratch, report, onBlock } = checking
  const head = readHead(store)
  const horizon = readHorizon(store)
  const genesis = firstBlock(runtime.spec)
  const part = async (name: string, check: () => Promise<void>): Promise<void> => {
    checking.onPart(name)
    try {
      await check()
    } catch (error) {
      report(name, error instanceof Error ? error.message : String(error))
    }
  }
  await part('blocks', () => checkBlocks(store, head, genesis, report, onBlock))
  await part('codes', () => checkCodes(store, report))
  const isFork = readFork(store) !== undefined
  await part('state', async () => {
    const root = await checkState(store, head.version, report, isFork)
    const said = rootOf(store, head, genesis)
    if (said !== undefined && said !== root) report('state', `has the root ${root}, the head says ${said}`)
  })
  // The base coins of all accounts are not summed up: SELFDESTRUCT and edits change them beside the bank.
  if (!isFork)
    await part('modules', async () => {
      const row = store.get(KEY.header(head.number))
      if (row === undefined) return
      const header = decodeStoredHeader(row)
      const view = new StateStore(store, head.version).at(head.version)
      for (const broken of brokenInvariants(runtime, header, view, undefined)) report('modules', broken)
    })
  // No block produces the first state, so executing blocks does not verify rows of it that later blocks replaced. That of a fork
  // has no trie here.
  const base = readBase(store)
  const first = base === genesis ? base : base - 1n
  if (horizon.version === 0 && head.version > 0 && !isFork)
    await part(`state of block ${first}`, async () => {
      const root = await checkState(store, 0, report)
      const said = rootOf(store, { ...head, number: first, version: 0 }, genesis)
      if (said !== undefined && said !== root)
        report(`state of block ${first}`, `has the root ${root}, the block says ${said}`)
    })
  const versions = { newest: head.version, oldest: horizon.version }
  await part('history', () => checkHistory(store, versions, report, isFork))
  // Blocks on pruned states cannot be executed.
  if (scratch !== undefined && horizon.version === 0)
    await part('index', () => checkIndex(store, scratch, runtime, indexer, report, onBlock))
}

/** The state root in a block's header; undefined after a change by a development method, and for the block of a fork. */
function rootOf(store: KvStore, { number, version }: HeadRow, genesis: bigint): string | undefined {
  if (number === readFork(store)?.number) return undefined
  const before = version === 0 || number === genesis ? -1 : readStateVersion(store, number - 1n)
  const row = store.get(KEY.header(number))
  return version - 1 === before && row !== undefined ? decodeStoredHeader(row).stateRoot : undefined
}
