// A bundle (eth_callBundle): signed transactions in a block of their own, which is built in full and discarded.
import { ChainError } from '../lib/errors.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { SealedHeader, Transaction } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { OpenBlock } from './open-block.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

export type BundleRequest = {
  readonly transactions: readonly Transaction[]
  /** Of the block; what is left out follows from the one that it is built on. */
  readonly attributes: Partial<PayloadAttributes> & { readonly number: bigint }
}

export type BundleOutcome = {
  readonly executed: ExecutedBlock
  /** The fee recipient's balance before the first transaction, and after each. */
  readonly balances: readonly bigint[]
}

/** `base`: the block on whose state it ran. */
export type BundleResult = BundleOutcome & { readonly base: SealedHeader }

/**
 * Runs the transactions in order on the view of the parent. Throws ChainError `transaction-rejected` at the first that may not be in the
 * block, with its hash, and `execution-failed` when the time (milliseconds) is up.
 */
export async function runBundle(
  runtime: Runtime,
  view: StateView,
  attributes: PayloadAttributes,
  transactions: readonly Transaction[],
  blockHash: BlockHashes,
  { time, pause }: { readonly time: number; readonly pause: Pause },
): Promise<BundleOutcome> {
  const block = await OpenBlock.begin(runtime, view, attributes, blockHash, pause)
  const balances = [view.balance(attributes.coinbase)]
  const end = performance.now() + time
  for (const [index, transaction] of transactions.entries()) {
    let isLate = false
    const stopped = () => {
      isLate = true
    }
    await block.take([transaction], { milliseconds: end - performance.now(), stopped })
    if (isLate || performance.now() >= end) throw new ChainError('execution-failed', 'execution timeout')
    if (block.size === index) throw refusalOf(block, transaction)
    balances.push(view.balance(attributes.coinbase))
  }
  return { executed: await block.seal(), balances }
}

/** Why a block has not taken a transaction. */
export function refusalOf({ refused }: Pick<OpenBlock, 'refused'>, { hash }: Transaction): ChainError {
  const reason = refused.find(({ transaction }) => transaction.hash === hash)?.reason.message ?? 'gas limit reached'
  return new ChainError('transaction-rejected', `${reason}; txhash ${hash}`)
}
