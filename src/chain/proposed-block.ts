// A block proposal of another validator, which may be hostile and make it as costly as possible. Cheap checks run first, and
// the first invalid transaction ends the work. Decided blocks do not pass through here: they are executed as they are
// (`decode`, `build`).
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { TxPool } from '../pool/types.ts'
import { gasBounds, minTransactionGas } from '../primitives/gas.ts'
import { decodeTransaction } from '../primitives/transaction.ts'
import type { SignedTransaction, Transaction } from '../primitives/types.ts'
import type { BlockEnv } from '../runtime/block-env.ts'
import type { OpenBlock } from '../runtime/open-block.ts'
import { checkEnvelope } from '../runtime/validity.ts'
import { MAX_TRANSACTION_SIZE } from './pool-rules.ts'

/** Senders recovered before the first of these transactions runs: at most 4 ms of work is wasted. */
const CHUNK = 64

/** The number of transactions that a block can hold, by its gas. */
export const mostTransactions = (gasLimit: bigint, rules: Parameters<typeof minTransactionGas>[0]): number =>
  Number(gasLimit / minTransactionGas(rules))

/** Blocks of a network contain no blob transactions: there is no way to distribute the blobs. */
const BLOB_TRANSACTION = 3

/**
 * Decodes the transactions of a block proposal, or takes them from the pool, and checks them without state. Throws ChainError
 * `invalid-block` or `transaction-rejected` at the first one that is invalid, that no honest pool would hold, or that cannot fit.
 */
export function decodeProposal(
  raws: readonly Uint8Array[],
  env: BlockEnv,
  chainId: bigint,
  pool: Pick<TxPool, 'get'>,
): SignedTransaction[] {
  const { gasLimit, rules } = env
  const most = mostTransactions(gasLimit, rules)
  if (raws.length > most) throw invalid(`more transactions than the ${most} that its gas suffices for`)
  const seen = new Set<Hash>()
  let gas = 0n
  return raws.map((raw) => {
    if (raw.length > MAX_TRANSACTION_SIZE) throw invalid(`a transaction of ${raw.length} bytes`)
    const hash = keccakHash(raw)
    // Copied, because a cached transaction would otherwise keep CometBFT's whole message in memory.
    const transaction = pool.get(hash) ?? decodeTransaction(Uint8Array.from(raw), hash)
    const { type, gasLimit: own } = transaction
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

/** Recovers the senders of some transactions. */
type Recover = (part: readonly SignedTransaction[]) => Promise<readonly Transaction[]>

/**
 * Runs the transactions of a block proposal in order. Throws ChainError `invalid-block` at the first one that may not be in the
 * block, and the errors of `recover` and `OpenBlock.take`.
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

/** Yields a transaction only after the one before it is in the block. */
function* whileTaken(block: OpenBlock, part: readonly Transaction[]): Generator<Transaction> {
  let expected = block.size
  for (const transaction of part) {
    if (block.size !== expected) return
    expected++
    yield transaction
  }
}

const invalid = (what: string): ChainError => new ChainError('invalid-block', `the block has ${what}`)
