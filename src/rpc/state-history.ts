// Blocks, transactions and receipts as a state file in anvil's format has them; `chain/known-blocks.ts` reads them.
import { toHex, toQuantity } from '../lib/hex.ts'
import type { Block, Receipt, Transaction } from '../primitives/types.ts'
import { wireHeader } from './shapes/block.ts'
import { wireTransaction } from './shapes/transaction.ts'

/** A block for a state file. */
export const wireFileBlock = ({ header, transactions }: Block) => {
  const { hash: _, ...fields } = wireHeader(header)
  const wired = transactions.map((transaction) => {
    const { from, blockHash, blockNumber, blockTimestamp, transactionIndex, gasPrice, ...rest } = wireTransaction(
      transaction,
      undefined,
    )
    const isSigned = transaction.r !== 0n || transaction.s !== 0n
    return {
      transaction: { ...rest, ...(transaction.type < 2 && { gasPrice }) },
      impersonated_sender: isSigned ? null : from,
    }
  })
  return { header: fields, transactions: wired, ommers: [], withdrawals: null }
}

/** A transaction's outcome for a state file, without its inner calls. */
export const wireOutcome = ({ header }: Block, transaction: Transaction, receipt: Receipt, index: number) => ({
  info: {
    transaction_hash: transaction.hash,
    transaction_index: index,
    from: transaction.from,
    to: transaction.to,
    contract_address: receipt.contractAddress,
    traces: [],
    exit: receipt.status === 0 ? 'Revert' : 'Return',
    out: null,
    nonce: Number(transaction.nonce),
    gas_used: Number(receipt.gasUsed),
  },
  receipt: {
    type: toQuantity(receipt.type),
    status: toQuantity(receipt.status ?? 1),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data: toHex(data) })),
    logsBloom: toHex(receipt.bloom),
  },
  block_hash: header.hash,
  block_number: Number(header.number),
})
