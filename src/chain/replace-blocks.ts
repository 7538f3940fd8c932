// The new blocks of a reorganisation that a developer asks for.
import { fromHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { Block, Transaction } from '../primitives/types.ts'
import type { ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'

/** The chain, whose lock is held. `began`: `performance.now()` at the start of building. */
type BlockMaker = {
  readonly build: (attributes: Partial<PayloadAttributes>, of: readonly Transaction[]) => Promise<ExecutedBlock>
  readonly commit: (executed: ExecutedBlock, began: number) => Promise<void>
}

/**
 * Makes a block in place of each that was removed (newest first), with its timestamp and the transactions of its number. Another
 * randomness gives an empty block another hash too. Overrides of the next block are for the one after these.
 */
export async function replaceBlocks(
  removed: readonly Block[],
  transactions: ReadonlyMap<bigint, readonly Transaction[]>,
  { build, commit }: BlockMaker,
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
