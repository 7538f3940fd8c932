// The four ABCI requests of state sync: a node serves state snapshots to others, and restores one when it joins.
import { HASH_LENGTH } from '../../chain/state-sync/format.ts'
import type { ChunkAnswer, OfferAnswer, StateRestore } from '../../chain/state-sync/restore.ts'
import type { StateSnapshots } from '../../chain/state-sync/state-snapshots.ts'
import { toHash } from '../../lib/hex.ts'
import {
  ResponseApplySnapshotChunk_Result as ChunkResult,
  ResponseOfferSnapshot_Result as OfferResult,
} from '../../protobuf/generated/tendermint/abci/types_pb.ts'
import type { AbciApplication } from '../abci/application.ts'

type Giving = Pick<AbciApplication, 'listSnapshots' | 'loadSnapshotChunk'>
type Taking = Pick<AbciApplication, 'offerSnapshot' | 'applySnapshotChunk'>

/** `snapshots` is called on each request; it returns undefined if this node offers none. */
export const givingSnapshots = (snapshots: () => Pick<StateSnapshots, 'list' | 'chunk'> | undefined): Giving => ({
  listSnapshots: () => ({ snapshots: (snapshots()?.list() ?? []).map((snapshot) => ({ ...snapshot })) }),
  async loadSnapshotChunk({ height, format, chunk }) {
    const bytes = await snapshots()?.chunk(height, format, chunk)
    return bytes === undefined ? {} : { chunk: bytes }
  },
})

const OFFERED: Readonly<Record<OfferAnswer, OfferResult>> = {
  accept: OfferResult.ACCEPT,
  abort: OfferResult.ABORT,
  reject: OfferResult.REJECT,
  'reject-format': OfferResult.REJECT_FORMAT,
  'reject-sender': OfferResult.REJECT_SENDER,
}

const APPLIED: Readonly<Record<ChunkAnswer['result'], ChunkResult>> = {
  accept: ChunkResult.ACCEPT,
  abort: ChunkResult.ABORT,
  retry: ChunkResult.RETRY,
  'retry-snapshot': ChunkResult.RETRY_SNAPSHOT,
  'reject-snapshot': ChunkResult.REJECT_SNAPSHOT,
}

export const takingSnapshots = (restore: StateRestore): Taking => ({
  async offerSnapshot({ snapshot, appHash }) {
    if (snapshot === undefined || appHash.length !== HASH_LENGTH) return { result: OfferResult.REJECT }
    return { result: OFFERED[await restore.offer(snapshot, { appHash: toHash(appHash) })] }
  },
  async applySnapshotChunk({ index, chunk, sender }) {
    const { result, refetch, rejectSenders } = await restore.apply(index, chunk, sender)
    return { result: APPLIED[result], refetchChunks: [...refetch], rejectSenders: [...rejectSenders] }
  },
})
