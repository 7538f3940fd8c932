// `kestrel check` for the state: rebuilds all tries from accounts and slots and compares them, compares codes with their hashes,
// and follows the history of every row. Writes nothing.
import { BytePool } from '../lib/byte-pool.ts'
import { compareBytes, equalBytes, fromHex, fromLatin1, type Hash, toHash, toHex, toLatin1 } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { decodeAccount, EMPTY_CODE_HASH } from './accounts.ts'
import {
  decodeChanges,
  decodeRow,
  encodeChanges,
  type RowChange,
  type RowState,
  rowAsOf,
  storedFormer,
  storedRowAsOf,
  storesNodes,
} from './history.ts'
import { isCode, isSlot, isTrieNode, KEY, ownerOfRow, pathOfNode, RANGE, rowOfHistory, slotOfRow } from './keyspace.ts'
import { type ChangedRow, isSameValue, type RowChanges } from './state-rows.ts'
import { StateStore } from './state-store.ts'
import type { NodePath, TrieChange } from './trie.ts'
import { EMPTY_ROOT_BYTES, updateTrie } from './trie.ts'
import type { KeyRange, KvReader, KvStore } from './types.ts'
import type { UnstoredNodes } from './unstored-nodes.ts'
import type { View } from './view.ts'

/** Called for every fault: where it is, and what is wrong. */
export type CheckReport = (place: string, what: string) => void

/**
 * Checks the accounts, slots and tries of a version. Returns the state root that follows from the leaves, which on a fork are the
 * rows that have changed since version 0.
 */
export async function checkState(store: KvStore, version: number, report: CheckReport, isFork = false): Promise<Hash> {
  const first = isFork ? 1 : 0
  const unstored = new StateStore(store, version).unstoredNodes(version)
  const leaves: TrieChange[] = []
  const visited = { slots: 0, nodes: 0 }
  for await (const [key, value, since] of rowsOf(store, RANGE.accounts(), version)) {
    const address = ownerOfRow(key)
    if (since >= first) leaves.push({ key: keccak256(key.subarray(1)), value: Uint8Array.from(value) })
    const { storageRoot, codeHash } = decodeAccount(value)
    if (codeHash !== EMPTY_CODE_HASH && store.get(KEY.code(codeHash)) === undefined)
      report(`account ${address}`, `its code ${codeHash} is missing`)
    if (equalBytes(storageRoot, EMPTY_ROOT_BYTES)) continue
    const slots: TrieChange[] = []
    for await (const [slot, word, changed] of rowsOf(store, RANGE.slots(address), version))
      if (changed >= first)
        slots.push({ key: keccak256(fromHex(slotOfRow(slot))), value: encodeRlp(Uint8Array.from(word)) })
    const nodesOf = nodesIn(store, RANGE.storageNodes(address), unstored)
    const { root, nodes } = await checkTrie(nodesOf, slots, `storage of ${address}`, report)
    if (!equalBytes(root, storageRoot))
      report(
        `storage of ${address}`,
        `its slots make the root ${toHash(root)}, the account says ${toHash(storageRoot)}`,
      )
    visited.slots += slots.length
    visited.nodes += nodes
  }
  const { root } = await checkTrie(nodesIn(store, RANGE.accountNodes(), unstored), leaves, 'accounts', report)
  await checkStrays(store, { version, first }, unstored, visited, report)
  return toHash(root)
}

/** Compares every code with its hash. */
export async function checkCodes(store: KvReader, report: CheckReport): Promise<void> {
  for await (const [key, code] of store.scan(RANGE.codes())) {
    const hash = toHash(key.subarray(1))
    if (keccakHash(code) !== hash) report(`code ${hash}`, 'is another code')
  }
}

/** Compares stored nodes with those of a trie that is built from all leaves. */
async function checkTrie(
  stored: AsyncIterable<[Uint8Array, Uint8Array]>,
  leaves: readonly TrieChange[],
  place: string,
  report: CheckReport,
): Promise<{ root: Uint8Array; nodes: number }> {
  const { root, writes } = updateTrie(() => undefined, leaves)
  const expected = new Map<NodePath, Uint8Array | null>(writes.map(({ path, node }) => [path, node]))
  let nodes = 0
  for await (const [key, node] of stored) {
    nodes++
    const path = pathOfNode(key)
    const built = expected.get(path)
    if (!built) report(place, `a trie node at ${nibbles(path)} belongs to no leaf`)
    else if (!equalBytes(built, node)) report(place, `the trie node at ${nibbles(path)} is not what the leaves make`)
    expected.delete(path)
  }
  for (const path of expected.keys()) report(place, `the trie node at ${nibbles(path)} is missing`)
  return { root, nodes }
}

const nibbles = (path: NodePath): string =>
  path === '' ? 'the root' : [...path].map((nibble) => nibble.charCodeAt(0).toString(16)).join('')

/** Reports slots and nodes of accounts that have no storage. */
async function checkStrays(
  store: KvReader,
  { version, first }: { version: number; first: number },
  unstored: UnstoredNodes,
  visited: { slots: number; nodes: number },
  report: CheckReport,
): Promise<void> {
  const found = { slots: 0, nodes: 0 }
  for await (const [key, , since] of rowsOf(store, RANGE.state(), version))
    if (isSlot(key) && since >= first) found.slots++
  for await (const _ of nodesIn(store, RANGE.allStorageNodes(), unstored)) found.nodes++
  if (found.slots !== visited.slots)
    report('slots', `${found.slots} rows, of which accounts with storage have ${visited.slots}`)
  if (found.nodes !== visited.nodes)
    report('storage nodes', `${found.nodes} rows, of which accounts with storage have ${visited.nodes}`)
}

/** The rows of a range that exist in a version, with their values and the version since which they have them. */
async function* rowsOf(
  store: KvReader,
  range: KeyRange,
  version: number,
): AsyncIterable<[key: Uint8Array, value: Uint8Array, since: number]> {
  for await (const [key, row] of store.scan(range)) {
    const { value, since = 0 } = rowAsOf(store, key, decodeRow(row), version) ?? {}
    if (value !== undefined) yield [key, value, since]
  }
}

/** The trie nodes of a range that exist in a version, with its unstored nodes. */
async function* nodesIn(
  store: KvReader,
  range: KeyRange,
  { stored, nodes }: UnstoredNodes,
): AsyncIterable<[Uint8Array, Uint8Array]> {
  for await (const [key, value] of rowsOf(store, range, stored)) if (!nodes.has(toLatin1(key))) yield [key, value]
  for (const { key, value } of nodes.values())
    if (value !== null && compareBytes(key, range.gte) >= 0 && compareBytes(key, range.lt) < 0) yield [key, value]
}

/** The newest version, and the oldest readable one: 0 without pruning. */
export type Versions = { readonly newest: number; readonly oldest: number }

/**
 * Checks that every row has all its former values in the order of their versions, and that the change lists name exactly these.
 * The list of version 0 may leave out that version's values, which replace nothing; a fork has none. Values replaced up to the
 * oldest version were pruned together with their lists. On a fork a slot that was written and not read has no first value, until it
 * is fetched.
 */
export async function checkHistory(
  store: KvReader,
  { newest, oldest }: Versions,
  report: CheckReport,
  isFork = false,
): Promise<void> {
  const values = { former: 0, later: 0 }
  for await (const [key, row] of store.scan(RANGE.state())) {
    const { ordinal, since } = decodeRow(row)
    if (since > newest) report(`row ${toHex(key)}`, `is of version ${since}, after the newest one, ${newest}`)
    values.former += ordinal
    values.later += since === 0 ? ordinal : ordinal + 1
  }
  const { entries, ofGenesis } = await checkEntries(store, oldest, report, isFork)
  values.later -= ofGenesis
  let changes = 0
  let replaced = 0
  for (let of = oldest === 0 && !isFork ? 0 : oldest + 1; of <= newest; of++) {
    const list = store.get(KEY.changes(of))
    const listed = list && decodeChanges(list)
    if (list === undefined || listed === undefined) report(`version ${of}`, 'its list of changes is missing')
    else if (!equalBytes(encodeChanges(listed, storesNodes(list)), list))
      report(`version ${of}`, 'its list of changes is malformed')
    for (const change of listed ?? []) {
      if (!isValueOf(store, change, of, isFork))
        report(`version ${of}`, `its list of changes is wrong about row ${toHex(change.key)}`)
      if (isCode(change.key) || of === 0) continue
      changes++
      if (change.replaced !== undefined) replaced++
      else if (isFork && isSlot(change.key)) {
        if (store.get(KEY.history(change.key, 0)) !== undefined) replaced++
        else {
          values.former--
          values.later--
        }
      }
    }
  }
  // On a fork, first values that were pruned may have been fetched again.
  if (entries !== replaced && (oldest === 0 || !isFork))
    report('history', `has ${entries} values, and the lists of changes name ${replaced}`)
  if (oldest > 0) return
  if (entries !== values.former)
    report('history', `has ${entries} values, and the rows of the state say that there were ${values.former}`)
  if (changes !== values.later)
    report('lists of changes', `name ${changes} values, and since block 0 the rows of the state got ${values.later}`)
}

/** The ordinal of the value that a change made. The first value of a slot of a fork is that of the forked chain. */
const ordinalOf = ({ key, replaced = -1 }: RowChange, isFork: boolean): number =>
  isFork && isSlot(key) && replaced < 0 ? 1 : replaced + 1

/** Whether the value after the replaced one began with the version. Codes replace nothing. */
function isValueOf(store: KvReader, change: RowChange, version: number, isFork: boolean): boolean {
  const { key, replaced } = change
  if (isCode(key)) return replaced === undefined
  const ordinal = ordinalOf(change, isFork)
  const row = store.get(key)
  const latest = row && decodeRow(row)
  if (latest?.ordinal === ordinal) return latest.since === version
  const entry = store.get(KEY.history(key, ordinal))
  return entry !== undefined && decodeRow(entry).since === version
}

/** A value that a re-executed block wrote and that has not been compared with the stored one yet. */
type MadeRow = {
  readonly key: Uint8Array
  readonly value: Uint8Array | null
  readonly version: number
  readonly ordinal: number
}

/** Maximum values kept for comparison; beyond it the oldest are compared earlier, by a search. */
const MADE_ROWS = 100_000

/**
 * Checks that versions have exactly the changes of their blocks, which are executed again in order, and that their change lists
 * are complete; of trie nodes it checks those that the lists name. A value is compared when a later version replaces it: its
 * history entry then takes one read, in full or as the difference from the value that replaces it. Values that are never replaced
 * are compared at the end.
 */
export class ChangeCheck {
  readonly #store: KvReader
  readonly #report: CheckReport
  /** By key as latin-1, the oldest first. */
  readonly #made = new Map<string, MadeRow>()
  readonly #pool = new BytePool()

  constructor(store: KvReader, report: CheckReport) {
    this.#store = store
    this.#report = report
  }

  /** Adds the version that a block made from `view`. */
  async add(view: View, version: number): Promise<void> {
    const { rows, codes } = await view.changes()
    const list = this.#store.get(KEY.changes(version))
    const changes = list === undefined ? [] : decodeChanges(list)
    const named = new Map(changes.map(({ key, replaced }) => [toLatin1(key), replaced]))
    for (const [name, { key, value }] of storedRows(rows, changes, view)) {
      const replaced = named.get(name)
      const before = this.#made.get(name)
      if (before !== undefined) {
        const isKnown = before.ordinal === replaced && isReplaced(this.#store, before, value)
        if (!isKnown) this.#compare(before)
        this.#made.delete(name)
      }
      const kept = value && this.#pool.copy(value)
      this.#made.set(name, { key, value: kept, version, ordinal: replaced === undefined ? 0 : replaced + 1 })
      if (!named.delete(name)) this.#report(`version ${version}`, `its list of changes leaves out row ${toHex(key)}`)
    }
    // Codes that existed before are not in the list.
    for (const hash of codes.keys()) named.delete(toLatin1(KEY.code(hash)))
    for (const name of named.keys()) {
      const key = fromLatin1(name)
      // A slot of a fork that was written without being read, and had this value.
      if (
        view.missing !== undefined &&
        isSlot(key) &&
        isSameValue(storedRowAsOf(this.#store, key, version), view.storedRow(key, name))
      )
        continue
      this.#report(`version ${version}`, `its list of changes names row ${toHex(key)}`)
    }
    for (const [name, made] of this.#made) {
      if (this.#made.size <= MADE_ROWS) break
      this.#compare(made)
      this.#made.delete(name)
    }
  }

  /** Compares the values that no block has replaced. */
  end(): void {
    for (const made of this.#made.values()) this.#compare(made)
    this.#made.clear()
  }

  #compare({ key, value, version }: MadeRow): void {
    const stored = storedRowAsOf(this.#store, key, version)
    if (!isSameValue(stored, value)) this.#report(`row ${toHex(key)}`, `is not what version ${version} made of it`)
  }
}

/** The rows that a version stores. Its trie nodes, if it has any, are those that changed since an earlier version. */
function* storedRows(rows: RowChanges, changes: readonly RowChange[], view: View): Iterable<[string, ChangedRow]> {
  for (const [name, row] of rows) if (!isTrieNode(row.key)) yield [name, row]
  for (const { key } of changes) {
    const name = toLatin1(key)
    if (isTrieNode(key)) yield [name, rows.get(name) ?? { key, value: view.storedRow(key, name) ?? null }]
  }
}

/** Whether the history has the value that was replaced by `next`. */
function isReplaced(store: KvReader, { key, value, version, ordinal }: MadeRow, next: Uint8Array | null): boolean {
  let former: RowState | undefined
  try {
    former = storedFormer(store, key, ordinal, next)
  } catch {
    return false
  }
  if (former?.since !== version || former.ordinal !== ordinal) return false
  return isSameValue(former.value, value)
}

/** Checks the history row by row in key order. Returns the number of entries, and of those of version 0. `oldest`: as in `Versions`. */
async function checkEntries(
  store: KvReader,
  oldest: number,
  report: CheckReport,
  isFork: boolean,
): Promise<{ entries: number; ofGenesis: number }> {
  let entries = 0
  let ofGenesis = 0
  let row = new Uint8Array(0)
  let ordinal = -1
  let since = -1
  const ends = (): void => {
    if (ordinal < 0) return
    const last = store.get(row)
    const latest = last && decodeRow(last)
    if (latest?.ordinal !== ordinal + 1 || latest.since <= since)
      report(`row ${toHex(row)}`, `its history ends with value ${ordinal}, and the row does not go on from there`)
  }
  for await (const [key, value] of store.scan(RANGE.history())) {
    entries++
    const entry = rowOfHistory(key)
    const found = decodeRow(value)
    if (found.since === 0) ofGenesis++
    if (!equalBytes(entry.row, row)) {
      ends()
      row = Uint8Array.from(entry.row)
      // On a pruned chain the first remaining entry may have any ordinal, that of a slot of a fork too.
      const beginsAnywhere = oldest > 0 || (isFork && isSlot(row))
      ;[ordinal, since] = [beginsAnywhere ? entry.ordinal - 1 : -1, -1]
    }
    if (entry.ordinal !== ordinal + 1 || found.ordinal !== entry.ordinal || found.since <= since)
      report(`row ${toHex(row)}`, `value ${entry.ordinal} of its history does not follow value ${ordinal}`)
    ;[ordinal, since] = [entry.ordinal, found.since]
  }
  ends()
  return { entries, ofGenesis }
}
