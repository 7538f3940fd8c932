// Indexes the block itself: its ranges in the chain's lists, the fees that its senders paid, and the sums of its day.
import type { Hex } from '../lib/hex.ts'
import { SECONDS_A_DAY } from '../lib/unix-time.ts'
import type { Receipt } from '../primitives/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import type { IndexingContext } from './indexing-context.ts'
import { type DayRecord, RECORD } from './records.ts'
import { LIST } from './tables.ts'

/** Writes the record of a block and the sums of its day. Call it last, after all lists of the block have grown. */
export function indexBlock({ executed: { block, receipts }, isBeginning }: IndexingContext, overlay: Overlay): void {
  const { header } = block
  const gasUsed = sumOf(receipts, (receipt) => receipt.gasUsed)
  const paidForGas = sumOf(receipts, (receipt) => receipt.gasUsed * receipt.effectiveGasPrice)
  const paidForBlobs = sumOf(receipts, ({ blobGasUsed, blobGasPrice }) => (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n))
  const baseFees = gasUsed * (header.baseFeePerGas ?? 0n)
  const fees = paidForGas + paidForBlobs
  const [firstTransaction, transactions] = partOf(overlay, LIST.transactions)
  const [firstCall, calls] = partOf(overlay, LIST.calls)
  const [firstTransfer, transfers] = partOf(overlay, LIST.transfers)
  const number = Number(header.number)
  const gasBefore = number === 0 ? 0 : (RECORD.block.get(overlay, number - 1)?.totalGas ?? 0)
  RECORD.block.set(
    overlay,
    {
      firstTransaction,
      transactions,
      firstCall,
      calls,
      firstTransfer,
      transfers,
      fees,
      baseFees,
      tips: paidForGas - baseFees,
      totalGas: gasBefore + Number(gasUsed),
    },
    number,
  )

  // The genesis block may be indexed in parts, each with new contracts.
  const contracts = isBeginning ? overlay.length(LIST.contracts) : overlay.added(LIST.contracts)
  const day = Number(header.timestamp / SECONDS_A_DAY)
  const before = RECORD.day.get(overlay, day) ?? emptyDay(number)
  RECORD.day.set(
    overlay,
    {
      firstBlock: before.firstBlock,
      blocks: before.blocks + 1,
      transactions: before.transactions + transactions,
      failed: before.failed + receipts.filter(({ status }) => status === 0).length,
      transfers: before.transfers + transfers,
      gasUsed: before.gasUsed + Number(gasUsed),
      fees: before.fees + fees,
      gasPrices: before.gasPrices + sumOf(receipts, (receipt) => receipt.effectiveGasPrice),
      contracts: before.contracts + contracts,
    },
    day,
  )
}

/** The record of a day before its first block. */
const emptyDay = (firstBlock: number): DayRecord => ({
  firstBlock,
  blocks: 0,
  transactions: 0,
  failed: 0,
  transfers: 0,
  gasUsed: 0,
  contracts: 0,
  fees: 0n,
  gasPrices: 0n,
})

/** The entries that an overlay has added to a list: position of the first, and their number. */
const partOf = (overlay: Overlay, list: Hex): [first: number, count: number] => {
  const count = overlay.added(list)
  return [overlay.length(list) - count, count]
}

const sumOf = (receipts: readonly Receipt[], value: (receipt: Receipt) => bigint): bigint =>
  receipts.reduce((sum, receipt) => sum + value(receipt), 0n)
