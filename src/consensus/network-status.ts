// What the consensus engine of a network knows of the network: JSON-RPC, the explorer and monitoring show it. A chain of one node
// has none.

/** CometBFT's view, asked for at each call. All methods throw ChainError when CometBFT cannot be reached. */
export interface NetworkStatus {
  /** Blocks by number while this node catches up with its peers; false when it takes part in consensus or follows it. */
  syncing(): Promise<SyncProgress | false>
  peerCount(): Promise<number>
  /** Whether peers can connect to this node. */
  isListening(): Promise<boolean>
  /**
   * The signed header and the validators that prove block `number`, as JSON of CometBFT: its header of height `number` + 1,
   * whose `app_hash` is the block's hash. Throws ChainError `not-found` while there is none.
   */
  commit(number: bigint): Promise<unknown>
}

/** As `eth_syncing` tells it. */
export type SyncProgress = {
  /** Newest block when the node began to catch up. */
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  /** Newest block that a peer is known to have. */
  readonly highestBlock: bigint
}
