// Results of the ots_ methods, in the shapes of Otterscan: blocks without transactions, pages, call frames with depths.
import type { MinedReceipt, Replayed } from '../../chain/types.ts'
import { type Address, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import type { Block } from '../../primitives/types.ts'
import type { Reward } from '../../runtime/system.ts'
import type { FlatFrame } from '../../runtime/tracing/flatten.ts'
import { wireBlock } from './block.ts'
import { wireReceipt } from './receipt.ts'
import { wireTransaction } from './transaction.ts'

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** A block with the number of its transactions instead of a list, its issuance and its fees. */
export function blockDetails(block: Block, receipts: readonly MinedReceipt[], rewards: readonly Reward[]) {
  const { transactions, logsBloom: _, ...slim } = wireBlock(block, 'hashes')
  const issued = (kind: Reward['kind']) =>
    sum(rewards.filter((reward) => reward.kind === kind).map(({ value }) => value))
  const blockReward = issued('block')
  const uncleReward = issued('uncle')
  return {
    block: { ...slim, logsBloom: null, transactionCount: transactions.length },
    issuance: {
      blockReward: toQuantity(blockReward),
      uncleReward: toQuantity(uncleReward),
      issuance: toQuantity(blockReward + uncleReward),
    },
    totalFees: toQuantity(sum(receipts.map(({ receipt }) => receipt.gasUsed * receipt.effectiveGasPrice))),
  }
}

/** Characters of `0x` and a function selector. */
const SELECTOR_LENGTH = 10

/** One page of a block's transactions, with their data cut to the selector; page 0 has the last ones. */
export function blockPage(block: Block, receipts: readonly MinedReceipt[], page: number, size: number) {
  const { transactions } = block
  const end = Math.max(0, transactions.length - page * size)
  const start = Math.max(0, end - size)
  const { header } = block
  return {
    fullblock: {
      ...wireBlock(block, 'hashes'),
      transactions: transactions.slice(start, end).map((transaction, offset) => {
        const wire = wireTransaction(transaction, { header, index: start + offset })
        return { ...wire, input: wire.input.slice(0, SELECTOR_LENGTH) }
      }),
      transactionCount: transactions.length,
    },
    receipts: receipts.slice(start, end).map((receipt) => ({ ...wireReceipt(receipt), logs: null, logsBloom: null })),
  }
}

/** Transactions with their receipts and timestamps. `firstPage`: there are no newer ones; `lastPage`: no older ones. */
export function searchPage(found: readonly MinedReceipt[], firstPage: boolean, lastPage: boolean) {
  return {
    txs: found.map((mined) => wireTransaction(mined.transaction, mined)),
    receipts: found.map((mined) => ({ ...wireReceipt(mined), timestamp: Number(mined.header.timestamp) })),
    firstPage,
    lastPage,
  }
}

export type TraceEntry = {
  readonly type: FlatFrame['type']
  readonly depth: number
  readonly from: Address
  readonly to: Address | null
  readonly value: Hex | null
  readonly input: Hex
  readonly output: Hex
}

export const traceEntries = ({ frames }: Replayed): TraceEntry[] =>
  frames.map(({ type, traceAddress, from, to, value, input, output }) => ({
    type,
    depth: traceAddress.length,
    from,
    to,
    // These two transfer no value.
    value: type === 'DELEGATECALL' || type === 'STATICCALL' ? null : toQuantity(value),
    input: toHex(input),
    output: toHex(output),
  }))

export type InternalOperation = {
  readonly type: 0 | 1 | 2 | 3
  readonly from: Address
  readonly to: Address | null
  readonly value: Hex
}

/** Transfers (0), self-destructions (1) and creations (2: CREATE, 3: CREATE2) within a transaction that were not reverted. */
export function internalOperations({ frames }: Replayed): InternalOperation[] {
  const failed = frames.filter(({ error }) => error !== undefined).map(({ traceAddress }) => traceAddress)
  const isReverted = (path: readonly number[]) =>
    failed.some((outer) => outer.every((position, depth) => path[depth] === position))
  return frames.flatMap(({ traceAddress, type, from, to, value }) => {
    const operation = operationType(type, value)
    if (traceAddress.length === 0 || operation === undefined || isReverted(traceAddress)) return []
    return [{ type: operation, from, to, value: toQuantity(value) }]
  })
}

function operationType(type: FlatFrame['type'], value: bigint): InternalOperation['type'] | undefined {
  if (type === 'CALL') return value > 0n ? 0 : undefined
  if (type === 'SELFDESTRUCT') return 1
  if (type === 'CREATE') return 2
  return type === 'CREATE2' ? 3 : undefined
}
