// An application that counts transactions, for tests of the socket and with a real consensus engine: the app hash is the count.
import type { AbciApplication } from '../../src/consensus/abci/application.ts'
import {
  ResponseApplySnapshotChunk_Result,
  ResponseOfferSnapshot_Result,
  ResponseProcessProposal_ProposalStatus,
} from '../../src/protobuf/generated/tendermint/abci/types_pb.ts'

export type CountingApplication = AbciApplication & {
  /** The committed state. */
  readonly committed: { readonly height: bigint; readonly transactions: number }
}

/** Every check refuses transactions that begin with this byte. */
export const BAD_TRANSACTION = 0xff

/** `replaced`: handlers that replace the application's own. */
export function countingApplication(replaced: Partial<AbciApplication> = {}): CountingApplication {
  let committed = { height: 0n, transactions: 0 }
  let finalized = committed
  let pool: Uint8Array[] = []
  let announced = 0
  const appHash = (): Uint8Array => {
    const hash = new Uint8Array(8)
    new DataView(hash.buffer).setBigUint64(0, BigInt(finalized.transactions))
    return hash
  }
  const isGood = (transaction: Uint8Array): boolean => transaction.length > 0 && transaction[0] !== BAD_TRANSACTION
  const same = (a: Uint8Array) => (b: Uint8Array) => Buffer.compare(a, b) === 0
  const take = (transaction: Uint8Array): { code: number } => {
    if (!isGood(transaction)) return { code: 1 }
    if (!pool.some(same(transaction))) pool.push(transaction)
    return { code: 0 }
  }
  const { ACCEPT, REJECT } = ResponseProcessProposal_ProposalStatus
  const own: AbciApplication = {
    info: () => ({
      data: 'counter',
      lastBlockHeight: committed.height,
      lastBlockAppHash: committed.height === 0n ? new Uint8Array() : appHash(),
    }),
    initChain: () => ({ appHash: appHash() }),
    query: () => ({ value: appHash(), height: committed.height }),
    checkTx: ({ tx }) => take(tx),
    insertTx: ({ tx }) => take(tx),
    reapTxs: () => {
      const txs = pool.slice(announced)
      announced = pool.length
      return { txs }
    },
    prepareProposal: ({ txs }) => ({ txs: txs.length > 0 ? txs : pool }),
    processProposal: ({ txs }) => ({ status: txs.every(isGood) ? ACCEPT : REJECT }),
    finalizeBlock: ({ height, txs }) => {
      finalized = { height, transactions: committed.transactions + txs.length }
      pool = pool.filter((one) => !txs.some(same(one)))
      announced = pool.length
      return { txResults: txs.map(() => ({ code: 0, gasWanted: 1n, gasUsed: 1n })), appHash: appHash() }
    },
    commit: () => {
      committed = finalized
      return {}
    },
    listSnapshots: () => ({}),
    offerSnapshot: () => ({ result: ResponseOfferSnapshot_Result.REJECT }),
    loadSnapshotChunk: () => ({}),
    applySnapshotChunk: () => ({ result: ResponseApplySnapshotChunk_Result.ABORT }),
  }
  return {
    ...own,
    ...replaced,
    get committed() {
      return committed
    },
  }
}
