// Blocks, headers, uncles and withdrawals on the wire. A field that a fork added is absent before that fork. There is no
// totalDifficulty (geth has removed it); `size` is the length of the block's RLP.

import { z } from 'zod'
import { type Address, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { blockSize } from '../../primitives/block.ts'
import { sealHeader } from '../../primitives/header.ts'
import type { Block, Header, SealedHeader, Withdrawal } from '../../primitives/types.ts'
import { address, amount64 } from '../codec.ts'
import { type WireTransaction, wireTransaction } from './transaction.ts'

export type WireHeader = {
  readonly number: Hex
  readonly hash: Hash
  readonly parentHash: Hash
  readonly nonce: Hex
  readonly mixHash: Hash
  readonly sha3Uncles: Hash
  readonly logsBloom: Hex
  readonly stateRoot: Hash
  readonly miner: Address
  readonly difficulty: Hex
  readonly extraData: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly timestamp: Hex
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  readonly baseFeePerGas?: Hex
  readonly withdrawalsRoot?: Hash
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hash
  readonly requestsHash?: Hash
  readonly blockAccessListHash?: Hash
  readonly slotNumber?: Hex
}

export type WireWithdrawal = Readonly<Record<'index' | 'validatorIndex' | 'amount', Hex>> & {
  readonly address: Address
}

export type WireBlock = WireHeader & {
  readonly size: Hex
  readonly transactions: readonly (Hash | WireTransaction)[]
  readonly uncles: readonly Hash[]
  readonly withdrawals?: readonly WireWithdrawal[]
}

/** A header: in `eth_getHeaderBy…` and `newHeads`, and as a part of every block. */
export function wireHeader(header: SealedHeader): WireHeader {
  return {
    number: toQuantity(header.number),
    hash: header.hash,
    parentHash: header.parentHash,
    nonce: header.nonce,
    mixHash: header.mixHash,
    sha3Uncles: header.sha3Uncles,
    logsBloom: toHex(header.logsBloom),
    stateRoot: header.stateRoot,
    miner: header.coinbase,
    difficulty: toQuantity(header.difficulty),
    extraData: header.extraData,
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    ...(header.baseFeePerGas !== undefined && { baseFeePerGas: toQuantity(header.baseFeePerGas) }),
    ...(header.withdrawalsRoot !== undefined && { withdrawalsRoot: header.withdrawalsRoot }),
    ...(header.blobGasUsed !== undefined && { blobGasUsed: toQuantity(header.blobGasUsed) }),
    ...(header.excessBlobGas !== undefined && { excessBlobGas: toQuantity(header.excessBlobGas) }),
    ...(header.parentBeaconBlockRoot !== undefined && { parentBeaconBlockRoot: header.parentBeaconBlockRoot }),
    ...(header.requestsHash !== undefined && { requestsHash: header.requestsHash }),
    ...(header.blockAccessListHash !== undefined && { blockAccessListHash: header.blockAccessListHash }),
    ...(header.slotNumber !== undefined && { slotNumber: toQuantity(header.slotNumber) }),
  }
}

/** A block, with its transactions as hashes or in full. */
export function wireBlock(block: Block, transactions: 'hashes' | 'full'): WireBlock {
  const { header } = block
  return {
    ...wireHeader(header),
    size: toQuantity(blockSize(block)),
    transactions:
      transactions === 'full'
        ? block.transactions.map((transaction, index) => wireTransaction(transaction, { header, index }))
        : block.transactions.map(({ hash }) => hash),
    uncles: block.uncles.map((uncle) => sealHeader(uncle).hash),
    ...(block.withdrawals && { withdrawals: block.withdrawals.map(wireWithdrawal) }),
  }
}

/** An uncle as geth returns it: a block without transactions. */
export function wireUncle(uncle: Header): Omit<WireBlock, 'transactions'> {
  const { transactions: _, ...block } = wireBlock(
    { header: sealHeader(uncle), transactions: [], uncles: [], withdrawals: undefined },
    'hashes',
  )
  return block
}

const wireWithdrawal = (withdrawal: Withdrawal): WireWithdrawal => ({
  index: toQuantity(withdrawal.index),
  validatorIndex: toQuantity(withdrawal.validatorIndex),
  address: withdrawal.address,
  amount: toQuantity(withdrawal.amount),
})

/** A withdrawal in requests for blocks that are simulated or built on demand (EIP-4895); `amount` in gwei. */
export const withdrawal: z.ZodType<Withdrawal> = z.object(
  { index: amount64, validatorIndex: amount64, address, amount: amount64 },
  { error: 'expected a withdrawal' },
)
