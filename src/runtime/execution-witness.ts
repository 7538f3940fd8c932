// The witness of a block (debug_executionWitness); `chain/execution-witness.ts` makes it.
import type { Hex } from '../lib/hex.ts'

/** What a client without state needs to execute a block; everything in RLP, except codes and keys. */
export type ExecutionWitness = {
  /** Nodes of the tries: those above what the block has read, and those that computing the root has read. */
  readonly state: readonly Hex[]
  readonly codes: readonly Hex[]
  /** The addresses and slots whose hashes are the keys in the tries. */
  readonly keys: readonly Hex[]
  /** From the oldest block whose hash it has read to its parent. */
  readonly headers: readonly Hex[]
}
