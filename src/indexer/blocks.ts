// What a block comes to: its parts of the chain's lists, what its senders paid, and the sums of its day and of the chain.
import type { Hex } from '../lib/hex.ts'
import { SECONDS_A_DAY } from '../lib/unix-time.ts'
import type { Receipt } from '../primitives/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import type { IndexingContext } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { LIST } from './tables.ts'

const EMPTY_DAY = { transactions: 0, gasUsed: 0, fees: 0n, contracts: 0 }

/** Sums a block up. To be called last, when everything else of it is listed. */
export function indexBlock({ executed: { block, receipts } }: IndexingContext, draft: Overlay): void {
  const { header } = block
  const gasUsed = sumOf(receipts, (receipt) => receipt.gasUsed)
  const paidForGas = sumOf(receipts, (receipt) => receipt.gasUsed * receipt.effectiveGasPrice)
  const paidForBlobs = sumOf(receipts, ({ blobGasUsed, blobGasPrice }) => (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n))
  const baseFees = gasUsed * (header.baseFeePerGas ?? 0n)
  const fees = paidForGas + paidForBlobs
  const [firstTransaction, transactions] = partOf(draft, LIST.transactions)
  const [firstCall, calls] = partOf(draft, LIST.calls)
  const [firstTransfer, transfers] = partOf(draft, LIST.transfers)
  RECORD.block.set(
    draft,
    {
      ...{ firstTransaction, transactions, firstCall, calls, firstTransfer, transfers },
      ...{ fees, baseFees, tips: paidForGas - baseFees },
    },
    Number(header.number),
  )

  const day = Number(header.timestamp / SECONDS_A_DAY)
  const before = RECORD.day.get(draft, day) ?? EMPTY_DAY
  RECORD.day.set(
    draft,
    {
      transactions: before.transactions + transactions,
      gasUsed: before.gasUsed + Number(gasUsed),
      fees: before.fees + fees,
      contracts: before.contracts + draft.added(LIST.contracts),
    },
    day,
  )

  const { gasUsed: gasBefore } = RECORD.totals.get(draft) ?? { gasUsed: 0 }
  RECORD.totals.set(draft, { gasUsed: gasBefore + Number(gasUsed) })
}

/** What a draft has added to a list: where it begins, and how much it is. */
const partOf = (draft: Overlay, list: Hex): [first: number, count: number] => {
  const count = draft.added(list)
  return [draft.length(list) - count, count]
}

const sumOf = (receipts: readonly Receipt[], value: (receipt: Receipt) => bigint): bigint =>
  receipts.reduce((sum, receipt) => sum + value(receipt), 0n)
