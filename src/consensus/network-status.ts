// The state of a network as its consensus engine reports it, for JSON-RPC, the explorer and monitoring. A chain of one node
// has none.

/** Each call queries CometBFT. All methods throw ChainError when it cannot be reached. */
export interface NetworkStatus {
  /** Blocks by number while this node catches up with its peers; false when it takes part in consensus or follows it. */
  syncing(): Promise<SyncProgress | false>
  peerCount(): Promise<number>
  /** Whether peers can connect to this node. */
  isListening(): Promise<boolean>
  /**
   * The signed header and the validators that prove block `number`, as JSON of CometBFT: its header of height `number` + 1,
   * whose `app_hash` commits to the block. Throws ChainError `not-found` until it exists.
   */
  commit(number: bigint): Promise<unknown>
}

/** As `eth_syncing` returns it. */
export type SyncProgress = {
  /** Newest block when the node began to catch up. */
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  /** Newest block that a peer is known to have. */
  readonly highestBlock: bigint
}
