// How a network's node reaches its consensus engine: the application's socket, the program, the RPC client, and the settings
// that both sides must agree on.
import type { Hash } from '../../lib/hex.ts'

/** The program as a child of this process. */
type CometBftProgram = {
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends it; it is started again. */
  restart(): Promise<void>
  /** Settles with a line when CometBFT does not come up again. */
  readonly failed: Promise<string>
}

/** CometBFT's steps of a round, by their numbers in its RPC. */
export const STEP = {
  newHeight: 1,
  newRound: 2,
  propose: 3,
  prevote: 4,
  prevoteWait: 5,
  precommit: 6,
  precommitWait: 7,
  commit: 8,
} as const

/** Where CometBFT is in the vote on its next block. */
export type RoundState = {
  readonly height: bigint
  readonly round: number
  /** One of STEP. */
  readonly step: number
  /** Part of the stake, 0 to 1, that was seen to vote in this round or the one before. */
  readonly voting: number
  /** Number of validators that may vote. */
  readonly validators: number
  /** Whether it has the whole block that is proposed. */
  readonly hasBlock: boolean
  /** Height and app hash in a block that more than two thirds of the stake have voted for: votes that CometBFT has verified. */
  readonly agreed: { readonly height: bigint; readonly appHash: Hash } | undefined
}

/** Requests to CometBFT's own RPC. */
export type CometBftRpc = {
  status(): Promise<{ readonly catchingUp: boolean }>
  peers(): Promise<number>
  isListening(): Promise<boolean>
  /** Throws while CometBFT waits for this node. */
  rounds(): Promise<RoundState>
  /** Newest block that a peer claims to have; undefined: no peer tells. */
  highestHeight(): Promise<bigint | undefined>
  /** Signed header and validators of a height, as JSON of CometBFT. Throws ChainError `not-found`. */
  commit(height: bigint): Promise<unknown>
  /** Hands transactions to CometBFT's own mempool. */
  broadcast(transactions: readonly Uint8Array[]): Promise<void>
}

export type NetworkOptions = {
  /** Path of the socket at which CometBFT finds the application. */
  readonly socket: string
  /** CometBFT's program; undefined where the operator starts it. */
  readonly cometBft: CometBftProgram | undefined
  readonly client: CometBftRpc
  /** CometBFT's mempool: `app` asks this node for transactions, `flood` is given them. */
  readonly mempool: 'app' | 'flood'
  /** Milliseconds that CometBFT waits for a proposal (`timeout_propose`). */
  readonly proposeTimeout: number
  /** Milliseconds from a decided block to the next proposal (`timeout_commit`). */
  readonly commitTimeout: number
  /** Number of blocks before the head that CometBFT keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  /** Whether the consensus engine of a node without blocks fetches a snapshot of the state instead of all blocks. */
  readonly stateSync?: boolean
  /** Where snapshots for nodes that join are kept, and how many blocks are from one to the next; left out: none is made. */
  readonly snapshots?: { readonly folder: string; readonly interval: bigint } | undefined
}
