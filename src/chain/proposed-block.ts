// A block that a validator of the network has proposed. A hostile one makes it as costly as it can, so what is cheap to see is
// looked at first, and the first transaction that is wrong ends the work. Decided blocks are not judged here: they are taken
// as they are (`decode`, `build`).
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { gasBounds, MIN_TRANSACTION_GAS } from '../primitives/gas.ts'
import { decodeTransaction } from '../primitives/transaction.ts'
import type { SignedTransaction, Transaction } from '../primitives/types.ts'
import type { BlockEnv } from '../runtime/block-env.ts'
import type { OpenBlock } from '../runtime/open-block.ts'
import { checkEnvelope } from '../runtime/validity.ts'
import { MAX_TRANSACTION_SIZE } from './pool-rules.ts'

/** Transactions whose senders are recovered before the first of them runs: 4 ms of work that may turn out to be in vain. */
const CHUNK = 64

/** The number of transactions that a block can hold, by its gas. */
export const mostTransactions = (gasLimit: bigint): number => Number(gasLimit / MIN_TRANSACTION_GAS)

/** Blocks of a network have no blobs: nobody could give them to the other nodes. */
const BLOB_TRANSACTION = 3

/**
 * The transactions of a proposal, checked as far as that needs no state. Throws ChainError `invalid-block` or
 * `transaction-rejected` at the first one that no honest proposer would have in its pool, or that cannot fit.
 */
export function decodeProposal(raws: readonly Uint8Array[], env: BlockEnv, chainId: bigint): SignedTransaction[] {
  const { gasLimit, rules } = env
  const most = mostTransactions(gasLimit)
  if (raws.length > most) throw invalid(`more transactions than the ${most} that its gas suffices for`)
  const seen = new Set<Hash>()
  let gas = 0n
  return raws.map((raw) => {
    if (raw.length > MAX_TRANSACTION_SIZE) throw invalid(`a transaction of ${raw.length} bytes`)
    // A copy: a transaction that is kept must not keep the whole message of the engine.
    const transaction = decodeTransaction(Uint8Array.from(raw))
    const { type, hash, gasLimit: own } = transaction
    checkEnvelope(env, chainId, transaction)
    if (type === BLOB_TRANSACTION) throw invalid('a blob transaction')
    if (seen.has(hash)) throw invalid(`the transaction ${hash} twice`)
    seen.add(hash)
    const { intrinsic, floor } = gasBounds(transaction, rules)
    if (own < intrinsic || own < floor) throw invalid(`the transaction ${hash} with less gas than it needs`)
    // At most a fifth of the gas is refunded (EIP-3529).
    gas += (intrinsic * 4n) / 5n
    if (gas > gasLimit) throw invalid('transactions that need more gas than it has')
    return transaction
  })
}

/** Recovers the senders of a part of the transactions. */
type Recover = (part: readonly SignedTransaction[]) => Promise<readonly Transaction[]>

/**
 * Runs the transactions of a proposal in their order. Throws ChainError `invalid-block` at the first one that the block may not
 * contain, and what `recover` and `OpenBlock.take` throw.
 */
export async function takeAll(block: OpenBlock, signed: readonly SignedTransaction[], recover: Recover): Promise<void> {
  for (let first = 0; first < signed.length; first += CHUNK) {
    const part = await recover(signed.slice(first, first + CHUNK))
    await block.take(whileTaken(block, part))
    if (block.size === first + part.length) continue
    const [refused] = block.refused
    throw invalid(`the transaction ${block.size} that cannot run: ${refused?.reason.message ?? 'it has no room'}`)
  }
}

/** The next transaction only when the one before is in the block. */
function* whileTaken(block: OpenBlock, part: readonly Transaction[]): Generator<Transaction> {
  let expected = block.size
  for (const transaction of part) {
    if (block.size !== expected) return
    expected++
    yield transaction
  }
}

const invalid = (what: string): ChainError => new ChainError('invalid-block', `the block has ${what}`)
