// The application's side of ABCI 2.0, CometBFT v0.38 to v0.40. Types only. Messages are generated from CometBFT's .proto
// files: int64 and uint64 are bigint, bytes are Uint8Array, and a response may omit fields with their default value (0, empty).
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type * as abci from '../../protobuf/generated/tendermint/abci/types_pb.ts'

/**
 * Handlers of CometBFT's requests. A handler that throws stops CometBFT: refuse bad transactions, block proposals and
 * queries by the response's code or status instead. CometBFT has several connections, so calls of these groups overlap:
 * - consensus: `initChain`, `prepareProposal`, `processProposal`, `finalizeBlock`, `commit`, one at a time;
 * - mempool: `checkTx`, `insertTx`, concurrently, started in the order of their requests; `reapTxs`, one at a time;
 * - query: `info`, `query`, one at a time;
 * - snapshot: the four of state sync, one at a time.
 */
export interface AbciApplication {
  /** Height and app hash of the last commit; height 0 makes CometBFT call `initChain`. */
  info(request: abci.RequestInfo): MaybePromise<MessageInitShape<typeof abci.ResponseInfoSchema>>
  /** Called once, before the first block. Validators in the response replace those of CometBFT's genesis file. */
  initChain(request: abci.RequestInitChain): MaybePromise<MessageInitShape<typeof abci.ResponseInitChainSchema>>
  /** Serves `abci_query` of CometBFT's RPC. */
  query(request: abci.RequestQuery): MaybePromise<MessageInitShape<typeof abci.ResponseQuerySchema>>

  /**
   * A transaction from CometBFT's RPC (`broadcast_tx_…`), also with `mempool.type = "app"`: the application adds it to its
   * mempool. With `"flood"` also those of peers (`NEW`) and, after each block, those still in CometBFT's mempool (`RECHECK`).
   */
  checkTx(request: abci.RequestCheckTx): MaybePromise<MessageInitShape<typeof abci.ResponseCheckTxSchema>>
  /**
   * A transaction from a peer, for the application's mempool (`mempool.type = "app"`, v0.40). CometBFT waits for the response
   * before it sends the peer's next one, and never sends the same one again, unless the code is 32000 or more.
   */
  insertTx(request: abci.RequestInsertTx): MaybePromise<MessageInitShape<typeof abci.ResponseInsertTxSchema>>
  /** Returns the new transactions since the last call, which CometBFT sends once to the peers connected now. v0.40. */
  reapTxs(request: abci.RequestReapTxs): MaybePromise<MessageInitShape<typeof abci.ResponseReapTxsSchema>>

  /** The proposer chooses the transactions of a block, at most `maxTxBytes`. */
  prepareProposal(
    request: abci.RequestPrepareProposal,
  ): MaybePromise<MessageInitShape<typeof abci.ResponsePrepareProposalSchema>>
  /** Most transactions of a block; `processProposal` gets at most one more of a larger proposal. Left out: no limit. */
  readonly mostTransactions?: number
  /** Whether a proposed block is valid. Correct nodes return the same, except when one runs out of time. */
  processProposal(
    request: abci.RequestProcessProposal,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseProcessProposalSchema>>
  /** Executes a decided block. Nothing is stored before `commit`. */
  finalizeBlock(
    request: abci.RequestFinalizeBlock,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseFinalizeBlockSchema>>
  /** Stores the block of the last `finalizeBlock`. CometBFT may drop blocks below `retainHeight`. */
  commit(request: abci.RequestCommit): MaybePromise<MessageInitShape<typeof abci.ResponseCommitSchema>>

  listSnapshots(
    request: abci.RequestListSnapshots,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseListSnapshotsSchema>>
  offerSnapshot(
    request: abci.RequestOfferSnapshot,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseOfferSnapshotSchema>>
  loadSnapshotChunk(
    request: abci.RequestLoadSnapshotChunk,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseLoadSnapshotChunkSchema>>
  applySnapshotChunk(
    request: abci.RequestApplySnapshotChunk,
  ): MaybePromise<MessageInitShape<typeof abci.ResponseApplySnapshotChunkSchema>>
}
