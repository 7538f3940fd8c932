// Trie nodes follow from the accounts and slots, so most versions do not store the nodes that they change: a small block would
// write more rows for nodes than for all else, and those near the root again in each block. At the latest every 32nd version
// stores the nodes that have changed since the last one that did. In between they are in memory; for earlier versions, and
// after a restart, they are made again from the changes of the versions in between.
import { memo } from '../lib/caches.ts'
import { type Address, equalBytes, toLatin1 } from '../lib/hex.ts'
import { accountOf } from './accounts.ts'
import { decodeChanges, storesNodes } from './history.ts'
import { accountOfRow, isSlot, KEY, ownerOfRow, slotOfRow } from './keyspace.ts'
import { damagedRow } from './row-checksum.ts'
import type { ChangedRow, StateRows } from './state-rows.ts'
import { StateTrie } from './state-trie.ts'
import type { KvReader } from './types.ts'

/** Versions from one that stores nodes to the next, at most: to make nodes again reads the changes of those in between. */
const MOST_VERSIONS = 32
/**
 * Number of changed nodes from which on they are stored: the proof of an old version makes up to this number again, with a search
 * of the history for each, which takes a tenth of a second. Of blocks with 200 transfers, two share their nodes near the root:
 * the history of nodes takes 211 bytes of a transfer on disk; with 512, where no two share them, 272.
 */
const MOST_NODES = 1024

/** The nodes of a version that differ from the stored ones. */
export type UnstoredNodes = {
  /** The last version, up to this one, that stored nodes. */
  readonly stored: number
  /** The nodes that have changed since, by key as latin-1. */
  readonly nodes: ReadonlyMap<string, ChangedRow>
}

/** Whether a version must store the `count` nodes that have changed since the version `stored`. */
export const mustStore = (version: number, stored: number, count: number): boolean =>
  version - stored >= MOST_VERSIONS || count > MOST_NODES

/** The state that nodes are made from. */
type NodeSource = Pick<StateRows, 'account' | 'word'> & {
  readonly store: Pick<KvReader, 'get'>
  /** A node as of a version that stored nodes. */
  storedNode(key: Uint8Array, version: number, name?: string): Uint8Array | undefined
}

/**
 * Makes the unstored nodes of a version from the changes since the last version that stored nodes, or since an earlier one in
 * `known`. Throws ReadFailure if the storage roots do not come out as the accounts have them.
 */
export function makeNodes(
  state: NodeSource,
  version: number,
  known: (version: number) => UnstoredNodes | undefined,
): UnstoredNodes {
  const keys = new Map<string, Uint8Array>()
  let at = version
  let before: UnstoredNodes | undefined
  for (; at >= 0; at--) {
    before = known(at)
    if (before !== undefined) break
    const changes = state.store.get(KEY.changes(at))
    // Pruning deletes the lists of versions before one that stored nodes.
    if (changes === undefined || storesNodes(changes)) break
    for (const { key } of decodeChanges(changes)) keys.set(toLatin1(key), key)
  }
  const { stored, nodes } = before ?? { stored: at, nodes: NO_NODES }
  if (keys.size === 0) return { stored, nodes }
  const account = memo(keys.size, (of: Address) => state.account(of, version))
  const trie = new StateTrie({
    account(of) {
      const found = account(of)
      return found && accountOf(found.nonce, found.balance, found.codeHash)
    },
    word: (of, key) => state.word(of, key, version),
    isCleared: () => false,
    isUnchanged: () => false,
    stored: account,
    storedRow(key, name = toLatin1(key)) {
      const changed = nodes.get(name)
      return changed === undefined ? state.storedNode(key, stored, name) : (changed.value ?? undefined)
    },
  })
  const accounts: Address[] = []
  for (const key of keys.values()) {
    if (isSlot(key)) trie.touchSlot(ownerOfRow(key), slotOfRow(key))
    const of = accountOfRow(key)
    if (of === undefined) continue
    trie.touch(of)
    accounts.push(of)
  }
  trie.root()
  for (const of of accounts) {
    const { storageRoot } = account(of) ?? {}
    if (storageRoot !== undefined && !equalBytes(storageRoot, trie.storageRoot(of)))
      throw damagedRow('a row of the state')
  }
  const made = new Map(nodes)
  for (const [key, value] of trie.nodes()) made.set(toLatin1(key), { key, value })
  return { stored, nodes: made }
}

const NO_NODES: UnstoredNodes['nodes'] = new Map()
