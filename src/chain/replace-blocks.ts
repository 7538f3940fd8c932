// The new blocks of a reorganisation that a developer asks for.
import { fromHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { Block, Transaction } from '../primitives/types.ts'
import type { ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'

/** Transactions of new blocks, by number, in order. */
export type TransactionsByBlock = ReadonlyMap<bigint, readonly Transaction[]>

/**
 * Makes a block in place of each that was removed (newest first), with its timestamp and the transactions of its number. Another
 * randomness gives an empty block another hash too. Overrides of the next block are for the one after these. `began`: `performance.now()` at
 * the start of building.
 */
export async function replaceBlocks(
  removed: readonly Block[],
  transactions: TransactionsByBlock,
  build: (attributes: Partial<PayloadAttributes>, of: readonly Transaction[]) => Promise<ExecutedBlock>,
  commit: (executed: ExecutedBlock, began: number) => Promise<void>,
): Promise<readonly ExecutedBlock[]> {
  const made: ExecutedBlock[] = []
  for (const { number, timestamp, hash } of removed.toReversed().map(({ header }) => header)) {
    const began = performance.now()
    const attributes = { timestamp, prevRandao: keccakHash(fromHex(hash)), baseFeePerGas: undefined }
    const executed = await build(attributes, transactions.get(number) ?? [])
    await commit(executed, began)
    made.push(executed)
  }
  return made
}
