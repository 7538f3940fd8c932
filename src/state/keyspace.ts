// Every key of the database, one line each. No other file knows a prefix.
// A part of variable length is preceded by its length, so that no row's key is a prefix of another row's key.
import {
  ADDRESS_BYTES,
  type Address,
  bytesToBig,
  equalBytes,
  type Hash,
  type Hex,
  toAddress,
  toHash,
  toLatin1,
  writeHex,
} from '../lib/hex.ts'
import type { NodePath } from './trie.ts'

/** Big-endian, so that numeric order is key order. */
export function u64(value: bigint | number): Uint8Array {
  const out = new Uint8Array(8)
  const isBig = typeof value === 'bigint'
  writeU32(isBig ? Number(value >> 32n) : Math.floor(value / 2 ** 32), out, 0)
  writeU32(isBig ? Number(value & 0xffffffffn) : value, out, 4)
  return out
}

export function u32(value: number): Uint8Array {
  const out = new Uint8Array(4)
  writeU32(value, out, 0)
  return out
}

function writeU32(value: number, out: Uint8Array, at: number): void {
  out[at] = value >>> 24
  out[at + 1] = value >>> 16
  out[at + 2] = value >>> 8
  out[at + 3] = value
}

/** Bytes, hex to be written as bytes, or a single byte. */
type Part = Uint8Array | Hex | number

const sizeOf = (part: Part): number =>
  typeof part === 'number' ? 1 : typeof part === 'string' ? part.length / 2 - 1 : part.length

/** Concatenates the parts without intermediate arrays, because a block needs thousands of keys. */
function key(...parts: readonly Part[]): Uint8Array {
  let size = 0
  for (const part of parts) size += sizeOf(part)
  const out = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'number') out[at++] = part
    else if (typeof part === 'string') at = writeHex(part, out, at)
    else {
      out.set(part, at)
      at += part.length
    }
  }
  return out
}

/** A trie node's key: the number of nibbles of its path, then one byte for each. */
function nodeKey(kind: number, of: Hex, path: NodePath): Uint8Array {
  const out = new Uint8Array(1 + sizeOf(of) + 1 + path.length)
  out[0] = kind
  let at = writeHex(of, out, 1)
  out[at++] = path.length
  for (let i = 0; i < path.length; i++) out[at++] = path.charCodeAt(i)
  return out
}

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8')

export const KEY = {
  /** metadata: format, spec, head, pool settings */
  meta: (name: string) => key(0x00, text(name)),

  // --- the state: versioned rows (history.ts)
  /** address -> nonce, balance, code hash, storage root */
  account: (of: Address) => key(0x10, of),
  /** address, slot -> word without leading zeros */
  slot: (of: Address, slot: Hash) => key(0x11, of, slot),
  /** path -> node of the account trie */
  accountNode: (path: NodePath) => nodeKey(0x12, '0x', path),
  /** address, path -> node of the account's storage trie */
  storageNode: (of: Address, path: NodePath) => nodeKey(0x13, of, path),
  /** address -> one byte, if the storage that the account had on the forked chain was cleared here */
  cleared: (of: Address) => key(0x14, of),

  // --- history of the versioned rows
  /** row key, ordinal -> the row's value before its (ordinal + 1)-th change */
  history: (row: Uint8Array, ordinal: number) => key(0x18, row, u32(ordinal)),
  /** version -> keys of the rows it changed, and of the codes it added */
  changes: (version: number) => key(0x19, u64(version)),
  /** code hash -> code; never changed, deleted only with the version that added it */
  code: (hash: Hash) => key(0x1a, hash),

  // --- the chain
  /** number -> header with hash */
  header: (number: bigint) => key(0x20, u64(number)),
  /** hash -> number */
  blockNumber: (hash: Hash) => key(0x21, hash),
  /** number -> transactions with senders, uncles, withdrawals */
  body: (number: bigint) => key(0x22, u64(number)),
  /** number -> receipts */
  receipts: (number: bigint) => key(0x23, u64(number)),
  /** transaction hash -> number, index */
  transaction: (hash: Hash) => key(0x24, hash),
  /** number -> version of the state after the block */
  stateVersion: (number: bigint) => key(0x25, u64(number)),
  /** number -> total difficulty; only before the merge */
  totalDifficulty: (number: bigint) => key(0x26, u64(number)),
  /** address -> account of the genesis file, before the modules' initial state; never changed */
  genesisAccount: (of: Address) => key(0x27, of),
  /** address -> nothing; for addresses without an account that occurred before the first block, if that is not block 0 */
  knownAddress: (of: Address) => key(0x28, of),
  /** number -> block access list, if it is not empty */
  accessList: (number: bigint) => key(0x2a, u64(number)),
  /** number -> hash of a block of the forked chain, for BLOCKHASH; never changed */
  formerHash: (number: bigint) => key(0x29, u64(number)),

  // --- the index
  /** list, page -> its entries; a list shrinks only when a version is undone */
  listPage: (list: Hex, page: number) => key(0x40, sizeOf(list), list, u64(page)),
  /** list -> its length, and the entries after the last full page */
  listTail: (list: Hex) => key(0x41, list),
  /** ranking, member in order -> nothing; only for rankings that are too large for their root row */
  member: (ranking: Hex, order: Uint8Array) => key(0x42, sizeOf(ranking), ranking, order),
  /** ranking, prefix in nibbles -> number of members by next nibble; the root (no nibbles) has the members while they are few */
  memberCounts: (ranking: Hex, digits: Uint8Array) => key(0x43, sizeOf(ranking), ranking, digits.length, digits),
  /** table, owner -> record */
  record: (table: number, owner: Hex) => key(0x44, table, owner),
  /** word of a name, address -> nothing */
  nameWord: (word: string, of: Uint8Array) => key(0x45, text(word), 0, of),
  /** version of the state -> undo log of its index rows */
  indexUndo: (version: number) => key(0x46, u64(version)),

  // --- from users
  /** address -> verified sources of the contract */
  verified: (of: Address) => key(0x50, of),

  // --- the store's own, after all other rows
  /** format of the rows' values; itself stored without checksum */
  rowFormat: () => key(0xff, text('rows')),

  // --- caches
  /** generation (0 or 1), key of the cache -> the value, which was expensive to read */
  kept: (generation: number, of: Uint8Array) => key(0x58, generation, of),
} as const

/** Whether a key is that of a code row. */
export const isCode = (key: Uint8Array): boolean => key[0] === 0x1a

/** Whether the row cache holds a row: list tails, ranking nodes and records, which one block writes and the next one reads. */
export const isCachedRow = (key: Uint8Array): boolean => key[0] === 0x41 || key[0] === 0x43 || key[0] === 0x44

export const isAccount = (key: Uint8Array): boolean => key[0] === 0x10

/** The address of an account row; undefined for any other row. */
export const accountOfRow = (key: Uint8Array): Address | undefined => (isAccount(key) ? ownerOfRow(key) : undefined)

/** The account of an account row, slot row, row of a genesis account or of a known address. */
export const ownerOfRow = (key: Uint8Array): Address => toAddress(key.subarray(1, 1 + ADDRESS_BYTES))
/** The slot of a slot row. */
export const slotOfRow = (key: Uint8Array): Hash => toHash(key.subarray(1 + ADDRESS_BYTES))

/** The block of a row with the hash of one before a fork; undefined for any other row. */
export const blockOfFormerHash = (key: Uint8Array): bigint | undefined =>
  key[0] === 0x29 ? bytesToBig(key.subarray(1)) : undefined

/** The path of a trie node by its row's key. */
export const pathOfNode = (key: Uint8Array): NodePath => toLatin1(key.subarray(key[0] === 0x12 ? 2 : 2 + ADDRESS_BYTES))
/** The row of a history entry, and the entry's ordinal. */
export function rowOfHistory(key: Uint8Array): { row: Uint8Array; ordinal: number } {
  const end = key.length - 4
  return { row: key.subarray(1, end), ordinal: Number(bytesToBig(key.subarray(end))) }
}
/** Whether a row is a node of the account trie or of a storage trie. */
export const isTrieNode = (key: Uint8Array): boolean => key[0] === 0x12 || key[0] === 0x13
export const isSlot = (key: Uint8Array): boolean => key[0] === 0x11
/** Whether a row says that the storage which an account had on the forked chain was cleared. */
export const isClearing = (key: Uint8Array): boolean => key[0] === 0x14
/** Whether a row belongs to the index, including the row that marks it as complete. */
export const isIndexRow = (row: Uint8Array): boolean =>
  ((row[0] ?? 0) >= 0x40 && (row[0] ?? 0) < 0x50) || equalBytes(row, INDEX_KEY)
const INDEX_KEY = KEY.meta('index')

/**
 * Whether rows of this kind have a checksum in databases without checksums of all rows: headers, bodies, receipts, genesis,
 * sources, caches.
 */
export const hadChecksum = (key: Uint8Array): boolean => WITH_CHECKSUM.has(key[0] ?? 0)
const WITH_CHECKSUM: ReadonlySet<number> = new Set([0x20, 0x22, 0x23, 0x27, 0x50, 0x58])

/** The kind of a row, for an error message. */
export function nameOfRow(key: Uint8Array): string {
  const kind = key[0] ?? 0
  const number = () => bytesToBig(key.subarray(1, 9))
  if (kind === 0x20) return `the header of block ${number()}`
  if (kind === 0x22) return `block ${number()}`
  if (kind === 0x23) return `the row of receipts of block ${number()}`
  if (kind === 0x2a) return `the access list of block ${number()}`
  if (kind === 0x1a) return `the code ${toHash(key.subarray(1))}`
  if (kind >= 0x10 && kind < 0x20) return 'a row of the state'
  if (kind >= 0x40 && kind < 0x50) return 'a row of the index'
  return 'a row of the database'
}

/** Key ranges that are scanned. `lt` is exclusive. */
export const RANGE = {
  slots: (of: Address) => within(key(0x11, of)),
  storageNodes: (of: Address) => within(key(0x13, of)),
  allStorageNodes: () => within(key(0x13)),
  accounts: () => within(key(0x10)),
  listPages: (list: Hex, from: number, to: number) => ({
    gte: KEY.listPage(list, from),
    lt: KEY.listPage(list, to),
  }),
  members: (ranking: Hex, prefix: Uint8Array) => within(KEY.member(ranking, prefix)),
  /** Members with a prefix in nibbles. */
  membersUnder: (ranking: Hex, digits: Uint8Array) => {
    const whole = digits.length >> 1
    const order = Uint8Array.from({ length: whole }, (_, i) => ((digits[2 * i] ?? 0) << 4) | (digits[2 * i + 1] ?? 0))
    const all = within(KEY.member(ranking, order))
    const half = digits[2 * whole]
    if (half === undefined) return all
    const withHalf = (digit: number) => KEY.member(ranking, Uint8Array.of(...order, digit << 4))
    return { gte: withHalf(half), lt: half === 15 ? all.lt : withHalf(half + 1) }
  },
  nameWords: (prefix: string) => within(key(0x45, text(prefix))),
  verified: () => within(key(0x50)),
  kept: (generation: number) => within(key(0x58, generation)),
  /** Accounts, slots, trie nodes and cleared storage: all versioned rows. */
  state: () => ({ gte: key(0x10), lt: key(0x15) }),
  accountNodes: () => within(key(0x12)),
  history: () => within(key(0x18)),
  codes: () => within(key(0x1a)),
  headers: () => within(key(0x20)),
  blockNumbers: () => within(key(0x21)),
  bodies: () => within(key(0x22)),
  receipts: () => within(key(0x23)),
  transactions: () => within(key(0x24)),
  stateVersions: () => within(key(0x25)),
  accessLists: () => within(key(0x2a)),
  genesisAccounts: () => within(key(0x27)),
  knownAddresses: () => within(key(0x28)),
  /** All rows of the index. */
  index: () => ({ gte: key(0x40), lt: key(0x50) }),
} as const

/** All keys that begin with the bytes. */
export function within(prefix: Uint8Array): { gte: Uint8Array; lt: Uint8Array } {
  const lt = Uint8Array.from(prefix)
  for (let i = lt.length - 1; i >= 0; i--) {
    const byte = lt[i] ?? 0
    if (byte < 0xff) {
      lt[i] = byte + 1
      return { gte: prefix, lt: lt.subarray(0, i + 1) }
    }
  }
  throw new RangeError('a prefix of 0xff bytes has no end')
}
