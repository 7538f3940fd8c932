// Transactions and receipts as rows on disk. The rows include data that reading would otherwise compute or look up: sender,
// hash, gas used. Only this node writes them, so decoding checks their form but no signatures.
import { scratchBytes } from '../lib/byte-pool.ts'
import {
  ADDRESS_BYTES,
  type Address,
  bigToBytes,
  EMPTY_BYTES,
  HASH_BYTES,
  type Hash,
  hexDigits,
  rangeToHex,
  toAddress,
  toHash,
  writeHex,
  ZERO_HASH,
} from '../lib/hex.ts'
import { EMPTY_BLOOM, encodeLogs, logsBloom, readLog, readOutcome, readType, writeOutcome } from './receipt.ts'
import {
  asAddress,
  asBytes,
  asHash,
  asList,
  asListOf,
  asUint,
  decodeRlp,
  encodeTyped,
  Malformed,
  type RlpItem,
  RlpReader,
  type RlpSource,
  reading,
} from './rlp.ts'
import { parseTransaction, withSender } from './transaction.ts'
import type { Log, Receipt, Transaction, TransactionType } from './types.ts'

const SENDER_END = 20
const HASH_END = 52

/**
 * A transaction of the pool's journal and of a body in an older database: sender (20 bytes), hash (32), consensus encoding. The
 * hash of an impersonated transaction does not follow from the encoding.
 */
export const encodeStoredTransaction = ({
  from,
  hash,
  raw,
}: Pick<Transaction, 'from' | 'hash' | 'raw'>): Uint8Array => {
  const row = scratchBytes(HASH_END + raw.length)
  writeHex(from, row, 0)
  writeHex(hash, row, SENDER_END)
  row.set(raw, HASH_END)
  return row
}

/** Throws ChainError `storage`. */
export function decodeStoredTransaction(row: Uint8Array): Transaction {
  return reading('storage', () => {
    if (row.length < HASH_END) throw new Malformed('a stored transaction is too short')
    const hash = toHash(row.subarray(SENDER_END, HASH_END))
    return withSender(parseTransaction(row.subarray(HASH_END), hash), toAddress(row.subarray(0, SENDER_END)))
  })
}

/** Follows the sender of a transaction whose hash is stored. No encoding of a transaction begins with it. */
const HASH_FOLLOWS = 0x00

/**
 * A transaction in the row of a body: sender (20 bytes), consensus encoding. Of an impersonated one 0x00 and the hash are between
 * the two; the hash of any other follows from the encoding, and the row of receipts has it.
 */
export function encodeBodyTransaction({
  from,
  hash,
  raw,
  r,
}: Pick<Transaction, 'from' | 'hash' | 'raw' | 'r'>): Uint8Array {
  const isSigned = r !== 0n
  const start = isSigned ? SENDER_END : SENDER_END + 1 + HASH_BYTES
  const item = scratchBytes(start + raw.length)
  writeHex(from, item, 0)
  if (!isSigned) {
    item[SENDER_END] = HASH_FOLLOWS
    writeHex(hash, item, SENDER_END + 1)
  }
  item.set(raw, start)
  return item
}

/** Throws ChainError `storage`. */
export function decodeBodyTransaction(item: Uint8Array): Transaction {
  return reading('storage', () => {
    if (item.length <= SENDER_END) throw new Malformed('a stored transaction is too short')
    const sender = toAddress(item.subarray(0, SENDER_END))
    if (item[SENDER_END] !== HASH_FOLLOWS) return withSender(parseTransaction(item.subarray(SENDER_END)), sender)
    const start = SENDER_END + 1 + HASH_BYTES
    const hash = asHash(item.subarray(SENDER_END + 1, start), 'hash')
    return withSender(parseTransaction(item.subarray(start), hash), sender)
  })
}

/** First byte of the row of a body or of receipts. Rows of older databases are RLP of a list, which begins with 0xc0 or more. */
export const ROW_VERSION = 0x01

/** Whether the row of a body or of receipts is of an older database. */
export const isFormerRow = (row: Uint8Array): boolean => row[0] !== ROW_VERSION

/**
 * 0x01, then RLP of two items: the hashes of the transactions in one string, and a list for each receipt: logs, gasUsed, type,
 * status or root, contractAddress, effectiveGasPrice, and for blob transactions blobGasUsed and blobGasPrice. So the logs that a
 * filter wants are found without the transactions and without decoding what is before them. Blooms follow from the logs,
 * cumulativeGasUsed from gasUsed. Equal receipts have equal bytes, which LevelDB compresses.
 */
export function encodeStoredReceipts(
  transactions: readonly Pick<Transaction, 'hash'>[],
  receipts: readonly Receipt[],
): Uint8Array {
  const hashes = scratchBytes(HASH_BYTES * receipts.length)
  for (let at = 0; at < receipts.length; at++) writeHex(transactions[at]?.hash ?? ZERO_HASH, hashes, HASH_BYTES * at)
  return encodeTyped(ROW_VERSION, [hashes, receipts.map(writeReceipt)])
}

/** All receipts of a row, of any format. Throws ChainError `storage`. */
export function decodeStoredReceipts(row: Uint8Array): Receipt[] {
  return reading('storage', () => {
    if (isFormerRow(row)) return asList(decodeRlp(row), 'receipts').map(readFormerReceipt)
    const receipts: Receipt[] = []
    const { from, end } = openReceipts(row)
    let gasBefore = 0n
    while (from.at < end) {
      const receipt = readReceipt(from, gasBefore)
      gasBefore = receipt.cumulativeGasUsed
      receipts.push(receipt)
    }
    return receipts
  })
}

/**
 * The receipt at a position, its length in the row, and the number of logs before it; undefined beyond the end. Throws ChainError
 * `storage`.
 */
export function storedReceipt(
  row: Uint8Array,
  position: number,
): { readonly receipt: Receipt; readonly length: number; readonly firstLogIndex: number } | undefined {
  return reading('storage', () => {
    const { from, end } = openReceipts(row)
    let firstLogIndex = 0
    let gasBefore = 0n
    for (let left = position; left > 0 && from.at < end; left--) {
      const next = from.enter()
      firstLogIndex += from.skipTo(from.enter())
      gasBefore += from.uint()
      from.at = next
    }
    if (from.at >= end) return undefined
    const start = from.at
    const receipt = readReceipt(from, gasBefore)
    return { receipt, length: from.at - start, firstLogIndex }
  })
}

/** The hashes of a row's transactions, a reader at its first receipt, and the index after the last one. */
function openReceipts(row: Uint8Array): {
  readonly hashes: Uint8Array
  readonly from: RlpReader
  readonly end: number
} {
  const from = new RlpReader(row, 1)
  from.enter()
  const hashes = from.string()
  const end = from.enter()
  return { hashes, from, end }
}

/** A log of a row of receipts with its place in the block. */
export type StoredLog = {
  readonly log: Log
  readonly transactionHash: Hash
  readonly transactionIndex: number
  readonly logIndex: number
}

/** Bytes of an encoded hash and of an encoded address: the prefix, then 32 and 20 bytes. */
export const HASH_ITEM = 1 + HASH_BYTES
const ADDRESS_ITEM = 1 + ADDRESS_BYTES

/**
 * Tells which logs of a row to decode. `emitter` and `topics` are indices of the address and of the first topic in `row`; each
 * further topic is `HASH_ITEM` later.
 */
export type LogTest = (
  row: Uint8Array,
  emitter: number,
  topics: number,
  topicCount: number,
  logIndex: number,
) => boolean

/** The logs of a row that pass the test, in order. Throws ChainError `storage`. */
export function storedLogs(row: Uint8Array, test: LogTest): StoredLog[] {
  return reading('storage', () => {
    const found: StoredLog[] = []
    const { hashes, from, end } = openReceipts(row)
    let logIndex = 0
    for (let transactionIndex = 0; from.at < end; transactionIndex++) {
      const next = from.enter()
      for (const last = from.enter(); from.at < last; logIndex++) {
        const logAt = from.at
        const after = from.enter()
        const emitter = from.at + 1
        from.at += ADDRESS_ITEM
        const topicsEnd = from.enter()
        if (test(row, emitter, from.at + 1, (topicsEnd - from.at) / HASH_ITEM, logIndex)) {
          from.at = logAt
          const hashAt = HASH_BYTES * transactionIndex
          const transactionHash = rangeToHex(hashes, hashAt, hashAt + HASH_BYTES) as Hash
          found.push({ log: readStoredLog(from), transactionHash, transactionIndex, logIndex })
        }
        from.at = after
      }
      from.at = next
    }
    return found
  })
}

/** The types as RLP integers. */
const TYPES: Readonly<Record<TransactionType, Uint8Array>> = {
  0: EMPTY_BYTES,
  1: Uint8Array.of(1),
  2: Uint8Array.of(2),
  3: Uint8Array.of(3),
  4: Uint8Array.of(4),
}

function writeReceipt(receipt: Receipt): RlpSource[] {
  const { type, gasUsed, logs, contractAddress, effectiveGasPrice, blobGasUsed, blobGasPrice } = receipt
  const hasBlobs = blobGasUsed !== undefined && blobGasPrice !== undefined
  return [
    encodeLogs(logs),
    bigToBytes(gasUsed),
    TYPES[type],
    writeOutcome(receipt),
    contractAddress ?? EMPTY_BYTES,
    bigToBytes(effectiveGasPrice),
    ...(hasBlobs ? [bigToBytes(blobGasUsed), bigToBytes(blobGasPrice)] : []),
  ]
}

/** `gasBefore`: cumulativeGasUsed of the receipt before. */
function readReceipt(from: RlpReader, gasBefore: bigint): Receipt {
  const end = from.enter()
  const logs: Log[] = []
  for (const last = from.enter(); from.at < last; ) logs.push(readStoredLog(from))
  const gasUsed = from.uint()
  const type = readType(Number(from.uint()))
  const { status, root } = readOutcome(from.string())
  const contract = from.string()
  const effectiveGasPrice = from.uint()
  const hasBlobs = from.at < end
  return {
    type,
    status,
    root,
    cumulativeGasUsed: gasBefore + gasUsed,
    gasUsed,
    bloom: logsBloom(logs),
    logs,
    contractAddress: contract.length === 0 ? null : asAddress(contract, 'contractAddress'),
    effectiveGasPrice,
    blobGasUsed: hasBlobs ? from.uint() : undefined,
    blobGasPrice: hasBlobs ? from.uint() : undefined,
  }
}

/** Reads a log with one conversion to hex for its address and topics: a conversion costs as much as the digits of 100 bytes. */
function readStoredLog(from: RlpReader): Log {
  from.enter()
  const start = from.at
  from.at += ADDRESS_ITEM
  const end = from.enter()
  const digits = hexDigits(from.bytes, start, end)
  const topics: Hash[] = []
  for (let at = 2 * (from.at + 1 - start); at < digits.length; at += 2 * HASH_ITEM) {
    topics.push(`0x${digits.slice(at, at + 2 * HASH_BYTES)}` as Hash)
  }
  from.at = end
  return { address: `0x${digits.slice(2, 2 * ADDRESS_ITEM)}` as Address, topics, data: from.string() }
}

/**
 * A receipt of an older database: type, status or root, cumulativeGasUsed, gasUsed, bloom (empty without logs), logs,
 * contractAddress, effectiveGasPrice, and for blob transactions blobGasUsed and blobGasPrice.
 */
function readFormerReceipt(item: RlpItem): Receipt {
  const [type, outcome, cumulativeGas, gas, bloom, logs, contract, price, blobGasUsed, blobGasPrice] = asListOf(
    item,
    [8, 10],
    'receipt',
  )
  const bloomBytes = asBytes(bloom, 'bloom')
  return {
    type: readType(Number(asUint(type, 'type', 1))),
    ...readOutcome(outcome),
    cumulativeGasUsed: asUint(cumulativeGas, 'cumulativeGasUsed', 32),
    gasUsed: asUint(gas, 'gasUsed', 32),
    bloom: bloomBytes.length === 0 ? EMPTY_BLOOM : asBytes(bloom, 'bloom', 256),
    logs: asList(logs, 'logs').map(readLog),
    contractAddress: asBytes(contract, 'contractAddress').length === 0 ? null : asAddress(contract, 'contractAddress'),
    effectiveGasPrice: asUint(price, 'effectiveGasPrice', 32),
    blobGasUsed: blobGasUsed && asUint(blobGasUsed, 'blobGasUsed', 32),
    blobGasPrice: blobGasPrice && asUint(blobGasPrice, 'blobGasPrice', 32),
  }
}
