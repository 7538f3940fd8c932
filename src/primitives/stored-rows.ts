// Transactions and receipts as rows on disk. The rows include data that reading would otherwise compute or look up: sender,
// hash, gas used. Only this node writes them, so decoding checks their form but no signatures.
import { scratchBytes } from '../lib/byte-pool.ts'
import { bigToBytes, EMPTY_BYTES, toAddress, toHash, writeHex } from '../lib/hex.ts'
import { EMPTY_BLOOM, encodeLogs, readLog, readOutcome, readType, writeOutcome } from './receipt.ts'
import {
  asAddress,
  asBytes,
  asList,
  asListOf,
  asUint,
  decodeRlp,
  encodeRlp,
  Malformed,
  type RlpItem,
  type RlpSource,
  reading,
} from './rlp.ts'
import { parseTransaction, withSender } from './transaction.ts'
import type { Receipt, Transaction, TransactionType } from './types.ts'

const SENDER_END = 20
const HASH_END = 52

/** Sender (20 bytes), hash (32), consensus encoding. The hash of an impersonated transaction does not follow from the encoding. */
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

/**
 * RLP of one list per receipt: type, status or root, cumulativeGasUsed, gasUsed, bloom (empty without logs), logs,
 * contractAddress, effectiveGasPrice, and for blob transactions blobGasUsed and blobGasPrice.
 */
export function encodeStoredReceipts(receipts: readonly Receipt[]): Uint8Array {
  return encodeRlp(receipts.map(writeReceipt))
}

/** Throws ChainError `storage`. */
export function decodeStoredReceipts(row: Uint8Array): Receipt[] {
  return reading('storage', () => asList(decodeRlp(row), 'receipts').map(readReceipt))
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
  const { type, cumulativeGasUsed, gasUsed, bloom, logs, contractAddress, effectiveGasPrice } = receipt
  const { blobGasUsed, blobGasPrice } = receipt
  const hasBlobs = blobGasUsed !== undefined && blobGasPrice !== undefined
  return [
    TYPES[type],
    writeOutcome(receipt),
    bigToBytes(cumulativeGasUsed),
    bigToBytes(gasUsed),
    logs.length === 0 ? EMPTY_BYTES : bloom,
    encodeLogs(logs),
    contractAddress ?? EMPTY_BYTES,
    bigToBytes(effectiveGasPrice),
    ...(hasBlobs ? [bigToBytes(blobGasUsed), bigToBytes(blobGasPrice)] : []),
  ]
}

function readReceipt(item: RlpItem): Receipt {
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
