// Blocks as rows, written once and read by number or hash. Rows never change until a rewind removes them. A block becomes
// visible when its writer calls `remember`, not when its rows are written.
import { LRUCache } from 'lru-cache'
import { bigToBytes, bytesToBig, EMPTY_BYTES, equalBytes, type Hash, toHash } from '../lib/hex.ts'
import { decodeWithdrawal, encodeWithdrawal } from '../primitives/block.ts'
import { NO_ACCESSES, NO_ACCESSES_HASH } from '../primitives/block-access-list.ts'
import { decodeCommitInfo, encodeCommitInfo } from '../primitives/commit-info.ts'
import { decodeHeader, encodeHeader } from '../primitives/header.ts'
import { type LogCriteria, matchesLog, storedLogMatch } from '../primitives/log-criteria.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import { asListOf, decodeRlp, encodeTyped, RlpReader, reading } from '../primitives/rlp.ts'
import {
  decodeBodyTransaction,
  decodeStoredReceipts,
  decodeStoredTransaction,
  encodeBodyTransaction,
  encodeStoredReceipts,
  isFormerRow,
  type LogTest,
  ROW_VERSION,
  storedLogs,
  storedReceipt,
} from '../primitives/stored-rows.ts'
import type { Block, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import { KEY, nameOfRow } from '../state/keyspace.ts'
import { damagedRow } from '../state/row-checksum.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { readBase } from './base.ts'
import { minedLogAt, minedLogs } from './mined-logs.ts'
import type { MinedLog, MinedReceipt, MinedTransaction } from './types.ts'

const CACHED_HEADERS = 4096
/** Number of newest blocks in the cache. */
const CACHED_BLOCKS = 128
const CACHED_ITEMS = 16_384
/** Bytes of rows of receipts, and of bodies, that are cached: to read a row takes as long as to search it. */
const CACHED_ROWS = 4 << 20
/**
 * A row of which single items were read. `decoded` is what that has cost, in bytes of the row as if they had been decoded; when it
 * is the whole row, the row is decoded and cached, so that all items of a block take at most twice as long as one decoding.
 */
type SearchedRow = { readonly row: Uint8Array; decoded: number }
/** Bytes that are passed in the time in which one is decoded. */
const PASSED_PER_DECODED = 8
const byLength = { maxSize: CACHED_ROWS, sizeCalculation: ({ row }: SearchedRow) => row.length }
/** Transactions, and logs, are what takes memory: a block may have 80,000 logs in one transaction. */
const byItems = <T>(countOf: (cached: T) => number) => ({
  max: CACHED_BLOCKS,
  maxSize: CACHED_ITEMS,
  sizeCalculation: (cached: T) => Math.min(1 + countOf(cached), CACHED_ITEMS / 4),
})
const itemsOf = (receipts: readonly Receipt[]): number => receipts.reduce((sum, { logs }) => sum + 1 + logs.length, 0)

export class BlockStore {
  readonly #store: KvReader
  readonly #headers = new LRUCache<bigint, SealedHeader>({ max: CACHED_HEADERS })
  readonly #numbers = new LRUCache<Hash, bigint>({ max: CACHED_HEADERS })
  readonly #blocks = new LRUCache<bigint, Block>(byItems(({ transactions }) => transactions.length))
  readonly #receipts = new LRUCache<bigint, readonly Receipt[]>(byItems(itemsOf))
  readonly #receiptRows = new LRUCache<bigint, SearchedRow>(byLength)
  readonly #bodyRows = new LRUCache<bigint, SearchedRow>(byLength)
  readonly #fork: Pick<SealedHeader, 'number' | 'hash'> | undefined
  #newest: bigint
  /** Index of each transaction of the newest block, built on the first look-up. */
  #indexed: { readonly block: Block; readonly indices: ReadonlyMap<Hash, number> } | undefined

  /** `fork`: the block of a fork, whose hash may be another chain's own. */
  constructor(store: KvReader, newest: bigint, fork?: Pick<SealedHeader, 'number' | 'hash'>) {
    this.#store = store
    this.#newest = newest
    this.#fork = fork
  }

  header(number: bigint): SealedHeader | undefined {
    const known = this.#headers.get(number)
    if (known !== undefined) return known
    const row = this.#rowOf(number, KEY.header)
    if (row === undefined) return undefined
    const decoded = decodeStoredHeader(row)
    const header = number === this.#fork?.number ? { ...decoded, hash: this.#fork.hash } : decoded
    this.#headers.set(number, header)
    return header
  }

  /** The hash of a block; of one before a fork only if it was fetched. */
  hash(number: bigint): Hash | undefined {
    if (this.#fork === undefined || number >= this.#fork.number) return this.header(number)?.hash
    const row = this.#store.get(KEY.formerHash(number))
    return row && toHash(row)
  }

  number(hash: Hash): bigint | undefined {
    const known = this.#numbers.get(hash)
    if (known !== undefined) return known
    const row = this.#store.get(KEY.blockNumber(hash))
    const number = row && bytesToBig(row)
    if (number === undefined || number > this.#newest) return undefined
    if (this.header(number)?.hash !== hash) throw damagedRow(`the number of block ${hash}`)
    this.#numbers.set(hash, number)
    return number
  }

  block(number: bigint): Block | undefined {
    const known = this.#blocks.get(number)
    if (known !== undefined) return known
    const header = this.header(number)
    const row = this.#rowOf(number, KEY.body)
    if (header === undefined || row === undefined) return undefined
    const block = { header, ...decodeBody(row) }
    this.#blocks.set(number, block)
    this.#numbers.set(header.hash, number)
    return block
  }

  receipts(number: bigint): readonly Receipt[] | undefined {
    const known = this.#receipts.get(number)
    if (known !== undefined) return known
    const row = this.#rowOf(number, KEY.receipts)
    if (row === undefined) return undefined
    const receipts = decodeStoredReceipts(row)
    this.#receipts.set(number, receipts)
    return receipts
  }

  receiptsOf(hash: Hash): readonly Receipt[] | undefined {
    const number = this.number(hash)
    return number === undefined ? undefined : this.receipts(number)
  }

  /** The block access list in RLP; undefined: unknown block, one before Amsterdam, or the block of a fork, whose list is not here. */
  accessList(number: bigint): Uint8Array | undefined {
    const hash = this.header(number)?.blockAccessListHash
    if (hash === undefined || number === this.#fork?.number) return undefined
    return hash === NO_ACCESSES_HASH ? NO_ACCESSES : this.#rowOf(number, KEY.accessList)
  }

  /** Matching logs of a block, in order; undefined: unknown block. */
  logs(number: bigint, criteria: LogCriteria): readonly MinedLog[] | undefined {
    const row = this.#isDecoded(number) ? undefined : this.#receiptRow(number)?.row
    if (row !== undefined) return this.#storedLogs(number, row, storedLogMatch(criteria))
    const block = this.block(number)
    const receipts = this.receipts(number)
    return block && receipts && minedLogs(block, receipts).filter(({ log }) => matchesLog(log, criteria))
  }

  /** A log by its index within the block. */
  logAt(number: bigint, index: number): MinedLog | undefined {
    const searched = this.#isDecoded(number) ? undefined : singly(this.#receiptRow(number))
    if (searched === undefined) {
      const block = this.block(number)
      const receipts = this.receipts(number)
      return block && receipts && minedLogAt(block, receipts, index)
    }
    pass(searched)
    return this.#storedLogs(
      number,
      searched.row,
      (_row, _emitter, _topics, _count, logIndex) => logIndex === index,
    )?.[0]
  }

  #isDecoded(number: bigint): boolean {
    return this.#receipts.has(number) && this.#blocks.has(number)
  }

  /** The row of a block's receipts, if single ones can be read from it. */
  #receiptRow(number: bigint): SearchedRow | undefined {
    const searched = this.#searchedRow(this.#receiptRows, number, KEY.receipts)
    return searched === undefined || isFormerRow(searched.row) ? undefined : searched
  }

  #storedLogs(number: bigint, row: Uint8Array, test: LogTest): readonly MinedLog[] | undefined {
    const header = this.header(number)
    // Field by field, because a spread takes longer than decoding the log.
    return (
      header &&
      storedLogs(row, test).map(({ log, transactionHash, transactionIndex, logIndex }) => {
        return { log, header, transactionHash, transactionIndex, logIndex }
      })
    )
  }

  transaction(hash: Hash): MinedTransaction | undefined {
    const found = this.#inNewest(hash)
    if (found !== undefined) return found
    const place = this.place(hash)
    if (place === undefined || this.header(place.number) === undefined) return undefined
    const mined = this.transactionAt(place.number, place.index)
    if (mined?.transaction.hash !== hash) throw damagedRow(`the place of transaction ${hash}`)
    return mined
  }

  /** A transaction by its position in a block. */
  transactionAt(number: bigint, index: number): MinedTransaction | undefined {
    const header = this.header(number)
    const searched = this.#blocks.has(number) ? undefined : singly(this.#searchedRow(this.#bodyRows, number, KEY.body))
    const transaction =
      searched === undefined ? this.block(number)?.transactions[index] : transactionIn(searched, index)
    return header && transaction && { transaction, header, index }
  }

  /** Finds a transaction of the newest block without reading a row: most look-ups are for one that was just mined. */
  #inNewest(hash: Hash): MinedTransaction | undefined {
    const block = this.#blocks.peek(this.#newest)
    if (block === undefined) return undefined
    if (this.#indexed?.block !== block) {
      this.#indexed = { block, indices: new Map(block.transactions.map((transaction, at) => [transaction.hash, at])) }
    }
    const index = this.#indexed.indices.get(hash)
    const transaction = index === undefined ? undefined : block.transactions[index]
    return index === undefined || transaction === undefined ? undefined : { transaction, header: block.header, index }
  }

  /** Where a transaction is. Its block may not be visible yet. */
  place(hash: Hash): { readonly number: bigint; readonly index: number } | undefined {
    const row = this.#store.get(KEY.transaction(hash))
    return row && { number: bytesToBig(row.subarray(0, 8)), index: Number(bytesToBig(row.subarray(8))) }
  }

  receipt(hash: Hash): MinedReceipt | undefined {
    const mined = this.transaction(hash)
    return mined && this.#withReceipt(mined)
  }

  /** A transaction with its receipt by its position in a block. */
  receiptAt(number: bigint, index: number): MinedReceipt | undefined {
    const mined = this.transactionAt(number, index)
    return mined && this.#withReceipt(mined)
  }

  #withReceipt(mined: MinedTransaction): MinedReceipt | undefined {
    const { header, index } = mined
    const searched = this.#receipts.has(header.number) ? undefined : singly(this.#receiptRow(header.number))
    if (searched !== undefined) {
      const stored = storedReceipt(searched.row, index)
      pass(searched, stored?.length)
      return stored && { ...mined, receipt: stored.receipt, firstLogIndex: stored.firstLogIndex }
    }
    const receipts = this.receipts(header.number)
    const receipt = receipts?.[index]
    if (receipts === undefined || receipt === undefined) return undefined
    const firstLogIndex = receipts.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0)
    return { ...mined, receipt, firstLogIndex }
  }

  /** Up to `count` blocks in descending order, starting at `from`. */
  newest(from: bigint, count: bigint): Block[] {
    const blocks: Block[] = []
    for (let number = from; number >= 0n && number > from - count; number--) {
      const block = this.block(number)
      if (block !== undefined) blocks.push(block)
    }
    return blocks
  }

  /** Caches a block that was just written, so that its first readers need not decode it. */
  remember(block: Block, receipts: readonly Receipt[]): void {
    this.#newest = block.header.number
    this.#headers.set(block.header.number, block.header)
    this.#numbers.set(block.header.hash, block.header.number)
    this.#blocks.set(block.header.number, block)
    this.#receipts.set(block.header.number, receipts)
  }

  /** Makes blocks visible up to a number that another thread has written. */
  follow(newest: bigint): void {
    this.#newest = newest
  }

  /** Forgets the blocks above a number after a rewind removed them. */
  forgetAbove(number: bigint): void {
    this.#newest = number
    for (const cache of [this.#headers, this.#blocks, this.#receipts, this.#receiptRows, this.#bodyRows]) {
      for (const key of [...cache.keys()]) if (key > number) cache.delete(key)
    }
    for (const [hash, of] of [...this.#numbers.entries()]) if (of > number) this.#numbers.delete(hash)
  }

  #searchedRow(
    cache: LRUCache<bigint, SearchedRow>,
    number: bigint,
    keyOf: (number: bigint) => Uint8Array,
  ): SearchedRow | undefined {
    const known = cache.get(number)
    if (known !== undefined) return known
    const row = this.#rowOf(number, keyOf)
    if (row === undefined) return undefined
    const searched = { row, decoded: 0 }
    cache.set(number, searched)
    return searched
  }

  /** Throws ReadFailure if a row that the chain must have is missing: a damaged table can also hide rows. */
  #rowOf(number: bigint, keyOf: (number: bigint) => Uint8Array): Uint8Array | undefined {
    if (number > this.#newest) return undefined
    const key = keyOf(number)
    const row = this.#store.get(key)
    if (row !== undefined) return row
    // Creating a chain writes the format row last.
    const isWhole = this.#store.get(KEY.meta('format')) !== undefined
    if (isWhole && number >= readBase(this.#store)) throw damagedRow(nameOfRow(key))
    return undefined
  }
}

/** The rows of a block. `accessList`: in RLP; undefined before Amsterdam. */
export function blockRows(block: Block, receipts: readonly Receipt[], accessList?: Uint8Array): WriteOp[] {
  const { header, transactions } = block
  const { number } = header
  const first = fixed8(number)
  const place = (index: number): Uint8Array => {
    const row = new Uint8Array(first.length + Math.ceil((32 - Math.clz32(index)) / 8))
    row.set(first)
    for (let at = row.length - 1, rest = index; at >= first.length; at--, rest >>>= 8) row[at] = rest & 0xff
    return row
  }
  const rows = transactions.map(({ hash }, index): WriteOp => {
    return { type: 'put', key: KEY.transaction(hash), value: place(index) }
  })
  rows.push(
    headerRow(header),
    { type: 'put', key: KEY.blockNumber(header.hash), value: bigToBytes(number) },
    { type: 'put', key: KEY.body(number), value: encodeBody(block) },
    { type: 'put', key: KEY.receipts(number), value: encodeStoredReceipts(transactions, receipts) },
  )
  if (accessList !== undefined && header.blockAccessListHash !== NO_ACCESSES_HASH)
    rows.push({ type: 'put', key: KEY.accessList(number), value: accessList })
  return rows
}

export const headerRow = (header: SealedHeader): WriteOp => ({
  type: 'put',
  key: KEY.header(header.number),
  value: withoutEmptyBloom(encodeHeader(header)),
})

/** The operations that delete a block's rows. */
export function blockRemoval(block: Block): WriteOp[] {
  const { number, hash } = block.header
  const keys = [
    KEY.header(number),
    KEY.blockNumber(hash),
    KEY.body(number),
    KEY.receipts(number),
    KEY.accessList(number),
    KEY.stateVersion(number),
    KEY.totalDifficulty(number),
  ]
  keys.push(...block.transactions.map((transaction) => KEY.transaction(transaction.hash)))
  return keys.map((key) => ({ type: 'del', key }))
}

const fixed8 = (value: bigint): Uint8Array => {
  const out = Buffer.alloc(8)
  out.writeBigUInt64BE(value)
  return out
}

/** 0x01, rlp(transactions, uncles, withdrawals or an empty string before Shanghai, in a network the commit info as a string) */
function encodeBody({ transactions, uncles, withdrawals, commit }: Block): Uint8Array {
  return encodeTyped(ROW_VERSION, [
    transactions.map(encodeBodyTransaction),
    uncles.map(encodeHeader),
    withdrawals === undefined ? EMPTY_BYTES : withdrawals.map(encodeWithdrawal),
    ...(commit === undefined ? [] : [encodeCommitInfo(commit)]),
  ])
}

function decodeBody(row: Uint8Array): Omit<Block, 'header'> {
  const isFormer = isFormerRow(row)
  const [transactions, uncles, withdrawals, commit] = asListOf(
    decodeRlp(isFormer ? row : row.subarray(1)),
    [3, 4],
    'body',
  )
  return {
    transactions: byteItems(transactions).map(isFormer ? decodeStoredTransaction : decodeBodyTransaction),
    uncles: byteItems(uncles).map(decodeHeader),
    withdrawals: Array.isArray(withdrawals) ? byteItems(withdrawals).map(decodeWithdrawal) : undefined,
    ...(commit instanceof Uint8Array && { commit: decodeCommitInfo(commit) }),
  }
}

/** A row from which another item is read; undefined: to decode all of it is better. A row that no cache takes is decoded at once. */
const singly = (searched: SearchedRow | undefined): SearchedRow | undefined =>
  searched === undefined || searched.decoded >= searched.row.length || searched.row.length > CACHED_ROWS
    ? undefined
    : searched

/** Counts the reading of an item of this length. */
function pass(searched: SearchedRow, length = 0): void {
  searched.decoded += searched.row.length / PASSED_PER_DECODED + length
}

/** A transaction of a body's row; undefined beyond the last one. Throws ChainError `storage`. */
function transactionIn(searched: SearchedRow, index: number): Transaction | undefined {
  const { row } = searched
  const isFormer = isFormerRow(row)
  const item = reading('storage', () => {
    const from = new RlpReader(row, isFormer ? 0 : 1)
    from.enter()
    const end = from.enter()
    for (let left = index; left > 0 && from.at < end; left--) from.skip()
    return from.at < end ? from.string() : undefined
  })
  pass(searched, item?.length)
  return item && (isFormer ? decodeStoredTransaction(item) : decodeBodyTransaction(item))
}

/** First byte of a header's row without the bloom. RLP of a header begins with 0xf9. */
const NO_BLOOM = 0x01
/**
 * Offset of the bloom in a header's RLP: list prefix (3 bytes), five hashes (33 each), address (21), prefix of the bloom (3).
 */
const BLOOM_START = 3 + 5 * 33 + 21 + 3
const BLOOM_END = BLOOM_START + EMPTY_BLOOM.length

/** A header's row: its RLP, without the 256 bytes of the bloom if the block has no logs. */
function withoutEmptyBloom(rlp: Uint8Array): Uint8Array {
  if (!equalBytes(rlp.subarray(BLOOM_START, BLOOM_END), EMPTY_BLOOM)) return rlp
  const row = new Uint8Array(1 + rlp.length - EMPTY_BLOOM.length)
  row[0] = NO_BLOOM
  row.set(rlp.subarray(0, BLOOM_START), 1)
  row.set(rlp.subarray(BLOOM_END), 1 + BLOOM_START)
  return row
}

function withEmptyBloom(row: Uint8Array): Uint8Array {
  if (row[0] !== NO_BLOOM) return row
  const rlp = new Uint8Array(row.length - 1 + EMPTY_BLOOM.length)
  rlp.set(row.subarray(1, 1 + BLOOM_START))
  rlp.set(row.subarray(1 + BLOOM_START), BLOOM_END)
  return rlp
}

export const decodeStoredHeader = (row: Uint8Array): SealedHeader => decodeHeader(withEmptyBloom(row))

export const decodeStoredBlock = (headerRow: Uint8Array, body: Uint8Array): Block => ({
  header: decodeStoredHeader(headerRow),
  ...decodeBody(body),
})

function byteItems(items: unknown): Uint8Array[] {
  if (!Array.isArray(items)) throw new Error('a block body row is malformed')
  return items.map((item) => {
    if (!(item instanceof Uint8Array)) throw new Error('a block body row is malformed')
    return item
  })
}
