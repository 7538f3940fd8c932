// A block. Burnt fees and rewards follow the chain's rules: if base fees are collected, nothing is burnt.
import { z } from 'zod'
import { readTotalDifficulty } from '../../chain/open.ts'
import { type BlockRecord, RECORD } from '../../indexer/records.ts'
import type { Hash } from '../../lib/hex.ts'
import { blockSize } from '../../primitives/block.ts'
import { sealHeader } from '../../primitives/header.ts'
import type { Block as ChainBlock, SealedHeader } from '../../primitives/types.ts'
import type { Reward } from '../../runtime/system.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { percentage } from '../statistics/block-times.ts'
import { addressSchema, showAddress } from './address.ts'
import { minedBlock } from './indexed-transaction.ts'

const count = z.number().int()

export const blockSchema = z.strictObject({
  height: count,
  number: count,
  block_number: count,
  hash: wire.hash,
  parent_hash: wire.hash,
  timestamp: wire.time,
  type: z.enum(['block', 'uncle', 'reorg']),
  transactions_count: count,
  transaction_count: count,
  tx_count: count,
  internal_transactions_count: count,
  withdrawals_count: count.nullable(),
  miner: addressSchema,
  size: count.describe('bytes of its RLP'),
  difficulty: wire.decimal,
  total_difficulty: wire.decimal.nullable(),
  nonce: wire.hex,
  state_root: wire.hash,
  extra_data: wire.hex,
  gas_used: wire.decimal,
  gas_limit: wire.decimal,
  base_fee_per_gas: wire.decimal.nullable(),
  burnt_fees: wire.decimal.nullable(),
  priority_fee: wire.decimal.nullable(),
  transaction_fees: wire.decimal,
  gas_used_percentage: z.number(),
  gas_target_percentage: z.number(),
  burnt_fees_percentage: z.number().nullable(),
  rewards: z.array(z.strictObject({ type: z.enum(['Miner Reward', 'Uncle Reward']), reward: wire.decimal })),
  uncles_hashes: z.array(z.strictObject({ hash: wire.hash })),
  is_pending_update: z.boolean(),
})
z.globalRegistry.add(blockSchema, { id: 'Block' })
export type BlockJson = z.infer<typeof blockSchema>

const NOTHING: BlockRecord = {
  firstTransaction: 0,
  transactions: 0,
  firstCall: 0,
  calls: 0,
  firstTransfer: 0,
  transfers: 0,
  fees: 0n,
  baseFees: 0n,
  tips: 0n,
  totalGas: 0,
}

/** Number of blocks of the chain, from its first one on. */
export const blockCount = ({ chain, head }: Pick<ExplorerContext, 'chain' | 'head'>): number =>
  Number(head.number - chain.base) + 1

/** The block at a position among the chain's blocks; throws 404. */
export const showBlockAt = (context: ExplorerContext, position: number): Promise<BlockJson> =>
  showBlock(context, Number(context.chain.base) + position)

/** A block of the chain; throws 404. */
export async function showBlock(context: ExplorerContext, number: number): Promise<BlockJson> {
  const { rows, chain } = context
  const block = await minedBlock(context, number)
  const { header, transactions, withdrawals, uncles } = block
  return shapeBlock(context, {
    ...(RECORD.block.get(rows, number) ?? NOTHING),
    header,
    transactions: transactions.length,
    withdrawals: withdrawals?.length ?? null,
    size: sizeOf(block),
    uncles: uncles.map((uncle) => sealHeader(uncle).hash),
    rewards: chain.traces.rewards(block),
    totalDifficulty: readTotalDifficulty(rows, header.number),
  })
}

/** What is shown of a block; fees, base fees and tips in wei, without the last two's part of blobs. */
export type BlockFacts = Pick<BlockRecord, 'calls' | 'fees' | 'baseFees' | 'tips'> & {
  readonly header: SealedHeader
  readonly transactions: number
  readonly withdrawals: number | null
  readonly size: number
  readonly uncles: readonly Hash[]
  readonly rewards: readonly Reward[]
  readonly totalDifficulty: bigint | undefined
}

export function shapeBlock(context: ExplorerContext, facts: BlockFacts): BlockJson {
  const { spec } = context
  const { header, transactions, withdrawals, size, uncles, rewards, totalDifficulty, calls, fees, tips } = facts
  const { gasUsed, gasLimit, baseFeePerGas } = header
  const number = Number(header.number)
  const burnt = burnsBaseFee(spec) ? facts.baseFees : 0n
  return {
    height: number,
    number,
    block_number: number,
    hash: header.hash,
    parent_hash: header.parentHash,
    timestamp: isoTime(header.timestamp),
    type: 'block',
    transactions_count: transactions,
    transaction_count: transactions,
    tx_count: transactions,
    internal_transactions_count: calls,
    withdrawals_count: withdrawals,
    miner: showAddress(context, header.coinbase),
    size,
    difficulty: header.difficulty.toString(),
    total_difficulty: totalDifficulty?.toString() ?? null,
    nonce: header.nonce,
    state_root: header.stateRoot,
    extra_data: header.extraData,
    gas_used: gasUsed.toString(),
    gas_limit: gasLimit.toString(),
    base_fee_per_gas: baseFeePerGas?.toString() ?? null,
    burnt_fees: baseFeePerGas === undefined ? null : burnt.toString(),
    priority_fee: baseFeePerGas === undefined ? null : tips.toString(),
    transaction_fees: fees.toString(),
    gas_used_percentage: percentage(gasUsed, gasLimit) ?? 0,
    gas_target_percentage: (percentage(gasUsed, gasLimit / 2n) ?? 100) - 100,
    burnt_fees_percentage: percentage(burnt, fees),
    rewards: rewardsOf(rewards, spec.native === undefined ? tips : 0n),
    uncles_hashes: uncles.map((hash) => ({ hash })),
    is_pending_update: false,
  }
}

/** Whether base fees are burnt; a chain with native modules may collect them instead. */
export const burnsBaseFee = ({ native }: Pick<ChainSpec, 'native'>): boolean => native?.feeMarket.burnBaseFee ?? true

/** The coinbase's block reward and tips, and the rewards of uncles. With native modules the tips go to stakers. */
function rewardsOf(paid: readonly Reward[], tips: bigint): BlockJson['rewards'] {
  const ofBlock = paid.reduce((sum, { kind, value }) => (kind === 'block' ? sum + value : sum), tips)
  const ofUncles = paid.filter(({ kind }) => kind === 'uncle')
  return [
    ...(ofBlock > 0n ? [{ type: 'Miner Reward' as const, reward: ofBlock.toString() }] : []),
    ...ofUncles.map(({ value }) => ({ type: 'Uncle Reward' as const, reward: value.toString() })),
  ]
}

const SIZES = new WeakMap<ChainBlock, number>()

function sizeOf(block: ChainBlock): number {
  const size = SIZES.get(block) ?? blockSize(block)
  SIZES.set(block, size)
  return size
}
