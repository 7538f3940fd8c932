// Rows of bodies and receipts in databases from before 2026-12: bodies with the hashes of transactions, receipts without them,
// but with blooms and cumulative gas.
import { bigToBytes, EMPTY_BYTES } from '../../src/lib/hex.ts'
import { encodeWithdrawal } from '../../src/primitives/block.ts'
import { encodeHeader } from '../../src/primitives/header.ts'
import { encodeRlp, type RlpSource } from '../../src/primitives/rlp.ts'
import { encodeStoredTransaction } from '../../src/primitives/stored-rows.ts'
import type { Block, Receipt } from '../../src/primitives/types.ts'

export const formerBodyRow = ({ transactions, uncles, withdrawals }: Block): Uint8Array =>
  encodeRlp([
    transactions.map(encodeStoredTransaction),
    uncles.map(encodeHeader),
    withdrawals?.map(encodeWithdrawal) ?? EMPTY_BYTES,
  ])

export const formerReceiptsRow = (receipts: readonly Receipt[]): Uint8Array => encodeRlp(receipts.map(fieldsOf))

const fieldsOf = (receipt: Receipt): RlpSource[] => [
  bigToBytes(BigInt(receipt.type)),
  receipt.root ?? bigToBytes(BigInt(receipt.status ?? 0)),
  bigToBytes(receipt.cumulativeGasUsed),
  bigToBytes(receipt.gasUsed),
  receipt.logs.length === 0 ? EMPTY_BYTES : receipt.bloom,
  receipt.logs.map(({ address, topics, data }) => [address, [...topics], data]),
  receipt.contractAddress ?? EMPTY_BYTES,
  bigToBytes(receipt.effectiveGasPrice),
  ...(receipt.blobGasUsed === undefined ? [] : [receipt.blobGasUsed, receipt.blobGasPrice ?? 0n].map(bigToBytes)),
]
