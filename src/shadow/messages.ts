// What the node and its shadow thread say to each other. Only bytes, numbers, plain records and the chain's spec cross: all
// of it survives structured cloning.
import type { MessagePort } from 'node:worker_threads'
import type { EngineChoice } from '../evm/engine-selection.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { BlockMismatch } from '../runtime/rerun-block.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { Account } from '../state/types.ts'

/** What the thread begins with. */
export type ShadowThreadData = {
  readonly spec: ChainSpec
  readonly engine: EngineChoice
  /** Modules with the users' opcode proposals, as `--proposal` names them; the thread loads them itself. */
  readonly proposalFiles: readonly string[]
  /** Answers to its questions come here. */
  readonly answers: MessagePort
  /** One Int32: how many answers have been sent; the thread sleeps on it. */
  readonly answered: SharedArrayBuffer
}

/** A block to run again. */
export type ShadowJob = {
  readonly id: number
  /** Rows of the block as they are stored. */
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** Version of the parent's state, and what the first run read of it (`state/witness.ts`). */
  readonly version: number
  readonly witness: Uint8Array
}

/** The row of a key as of the job's version, the code of a hash, or the hash of the block with a number. */
export type Question =
  | { readonly kind: 'row'; readonly key: Uint8Array }
  | { readonly kind: 'code'; readonly hash: Hash }
  | { readonly kind: 'block-hash'; readonly number: bigint }

/** `gone`: the block has been taken back meanwhile; its run is of no interest any more. */
export type WitnessAnswer = { readonly value: Uint8Array | undefined } | 'gone'

/** The state that a differing run has left: what it has read and, where it has written, the values after it. */
export type StateAfter = {
  readonly accounts: readonly (readonly [Address, Account | undefined])[]
  readonly words: readonly (readonly [Address, Hash, Uint8Array])[]
}

export type Differing = BlockMismatch & { readonly after: StateAfter }

/** What the thread says: a question, or how a job ended. */
export type ShadowReport =
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  | { readonly kind: 'same'; readonly id: number }
  | { readonly kind: 'differs'; readonly id: number; readonly run: Differing }
  | { readonly kind: 'fault'; readonly id: number; readonly message: string }
