// Options of a network's node for CometBFT: the application's socket, the process, the RPC client, and the settings that both
// sides must agree on.
import type { Hash } from '../../lib/hex.ts'

/** CometBFT as a child process. */
type CometBftProgram = {
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends and restarts it. */
  restart(): Promise<void>
  /** Sets the milliseconds between blocks, which it takes when it starts; restarts it if it runs with others. */
  setBlockTime(milliseconds: number): Promise<void>
  /** Settles with a message when CometBFT is given up. */
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

/** CometBFT's state of the vote on the next block. */
export type RoundState = {
  readonly height: bigint
  readonly round: number
  /** One of STEP. */
  readonly step: number
  /** Fraction of the stake, 0 to 1, whose votes of this round or the one before were received. */
  readonly voting: number
  /** Number of validators that may vote. */
  readonly validators: number
  /** Whether it has received the whole proposed block. */
  readonly hasBlock: boolean
  /** Height and app hash in a block for which CometBFT has verified votes of more than two thirds of the stake. */
  readonly agreed: { readonly height: bigint; readonly appHash: Hash } | undefined
}

/** Requests to CometBFT's own RPC. */
export type CometBftRpc = {
  status(): Promise<{ readonly catchingUp: boolean }>
  peers(): Promise<number>
  isListening(): Promise<boolean>
  /** Throws CometBftUnreachable while CometBFT waits for this node. */
  rounds(): Promise<RoundState>
  /** Newest block that a peer claims to have; undefined if no peer reports one. */
  highestHeight(): Promise<bigint | undefined>
  /** Signed header and validators of a height, as JSON of CometBFT. Throws ChainError `not-found`. */
  commit(height: bigint): Promise<unknown>
  /** Sends transactions to CometBFT's mempool. */
  broadcast(transactions: readonly Uint8Array[]): Promise<void>
}

export type NetworkOptions = {
  /** Path of the socket at which CometBFT finds the application. */
  readonly socket: string
  /** CometBFT's process; undefined if the operator starts it. */
  readonly cometBft: CometBftProgram | undefined
  readonly client: CometBftRpc
  /** CometBFT's mempool: `app` requests transactions from this node, `flood` receives them by `broadcast`. */
  readonly mempool: 'app' | 'flood'
  /** Milliseconds that CometBFT waits for a proposal (`timeout_propose`). */
  readonly proposeTimeout: number
  /** Milliseconds from a decided block to the next proposal (`timeout_commit`). */
  readonly commitTimeout: number
  /** Number of blocks before the head that CometBFT keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  /** Whether CometBFT of a node without blocks fetches a state snapshot instead of all blocks. */
  readonly stateSync?: boolean
  /** Folder of the state snapshots for nodes that join, and the blocks from one to the next; left out: none are made. */
  readonly snapshots?: { readonly folder: string; readonly interval: bigint } | undefined
}
