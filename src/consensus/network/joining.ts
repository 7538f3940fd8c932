// State sync of a node without blocks: an application that restores the state snapshot that CometBFT fetches, and that the
// node's application replaces when the chain exists. Requests in between wait. CometBFT keeps its connections throughout,
// because it exits when it loses one.
import type { FirstBlockOptions } from '../../chain/state-sync/first-block.ts'
import { StateRestore } from '../../chain/state-sync/restore.ts'
import { describeError } from '../../lib/errors.ts'
import type { AbciApplication } from '../abci/application.ts'
import { type AbciServer, serveAbci } from '../abci/server.ts'
import type { NetworkOptions } from './options.ts'
import { remind } from './silence.ts'
import { takingSnapshots } from './state-sync.ts'

type JoiningOptions = Pick<NetworkOptions, 'socket' | 'cometBft'> & {
  readonly version: string
  readonly log: (line: string) => void
  readonly onError: (error: unknown) => void
}

const WHAT_TO_CHECK =
  'check persistent_peers and the settings below [statesync] in config.toml; with enable = false the node fetches all blocks'

/** Begins a missing chain with a state snapshot. */
export type Beginning = { restore(parts: FirstBlockOptions): Promise<void> }

export class Joining implements Beginning {
  readonly #options: JoiningOptions
  #server: AbciServer | undefined
  /** Resolves the promise of the node's application, for which requests wait. */
  #become: (application: AbciApplication) => void = () => undefined
  readonly #own: Promise<AbciApplication>

  constructor(options: JoiningOptions) {
    this.#options = options
    this.#own = new Promise((resolve) => {
      this.#become = resolve
    })
  }

  /**
   * Starts CometBFT and restores the state snapshot that it fetches into the empty database. Throws Error when CometBFT does
   * not start, and the application's errors; CometBFT is stopped then.
   */
  async restore(parts: FirstBlockOptions): Promise<void> {
    const { socket, cometBft, log, onError } = this.#options
    // CometBFT asks its peers forever.
    const waiting = remind((seconds) => log(`no chunk of a snapshot for ${seconds} s: ${WHAT_TO_CHECK}`))
    const restore = new StateRestore({
      ...parts,
      onChunk(taken, chunks) {
        waiting.restart()
        log(`chunk ${taken} of ${chunks} of the snapshot`)
      },
      onState() {
        waiting.stop()
        log('the state is complete: its index is made')
      },
      onRefused: log,
    })
    try {
      await new Promise<void>((resolve, reject) => {
        const application = this.#application(restore, resolve)
        const failed = (error: unknown) => {
          onError(error)
          reject(error)
        }
        void cometBft?.failed.then((line) => reject(new Error(line)))
        serveAbci(socket, guarded(application, failed), onError)
          .then((server) => {
            this.#server = server
            log('waiting for a snapshot of the state, which CometBFT looks for at its peers')
            return cometBft?.start()
          })
          .catch(reject)
      })
      log(`the chain begins with the snapshot of block ${restore.height}`)
    } catch (error) {
      await this.close()
      throw error
    } finally {
      waiting.stop()
    }
  }

  /** Connects the server to the node's application and returns it; undefined if nothing was restored. */
  become(application: AbciApplication): AbciServer | undefined {
    this.#become(application)
    return this.#server
  }

  async close(): Promise<void> {
    const { cometBft, log } = this.#options
    await cometBft?.stop().catch((error: unknown) => log(`CometBFT did not stop: ${describeError(error)}`))
    await this.#server?.close()
  }

  #application(restore: StateRestore, restored: () => void): AbciApplication {
    const { version } = this.#options
    const taking = takingSnapshots(restore)
    const own = this.#own
    const isOwn = () => restore.height !== undefined
    const nothing = () => ({ code: 1, log: 'there is no chain yet' })
    return {
      info: async (request) => (isOwn() ? (await own).info(request) : { data: 'kestrel', version, appVersion: 1n }),
      initChain: async (request) => (await own).initChain(request),
      query: async (request) => (isOwn() ? (await own).query(request) : nothing()),
      checkTx: async (request) => (isOwn() ? (await own).checkTx(request) : nothing()),
      insertTx: async (request) => (isOwn() ? (await own).insertTx(request) : nothing()),
      reapTxs: async (request) => (isOwn() ? (await own).reapTxs(request) : { txs: [] }),
      prepareProposal: async (request) => (await own).prepareProposal(request),
      processProposal: async (request) => (await own).processProposal(request),
      finalizeBlock: async (request) => (await own).finalizeBlock(request),
      commit: async (request) => (await own).commit(request),
      listSnapshots: async (request) => (isOwn() ? (await own).listSnapshots(request) : { snapshots: [] }),
      loadSnapshotChunk: async (request) => (isOwn() ? (await own).loadSnapshotChunk(request) : {}),
      offerSnapshot: async (request) => (isOwn() ? (await own).offerSnapshot(request) : taking.offerSnapshot(request)),
      async applySnapshotChunk(request) {
        if (isOwn()) return (await own).applySnapshotChunk(request)
        const answer = await taking.applySnapshotChunk(request)
        if (isOwn()) restored()
        return answer
      },
    }
  }
}

/** Wraps an application so that `failed` receives the errors of the restore: a failed write ends the node. */
function guarded(application: AbciApplication, failed: (error: unknown) => void): AbciApplication {
  const reportingErrors =
    <Q, A>(work: (request: Q) => A) =>
    async (request: Q): Promise<Awaited<A>> => {
      try {
        return await work(request)
      } catch (error) {
        failed(error)
        throw error
      }
    }
  return {
    ...application,
    offerSnapshot: reportingErrors(application.offerSnapshot),
    applySnapshotChunk: reportingErrors(application.applySnapshotChunk),
  }
}
