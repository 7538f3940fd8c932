// The debug sessions of a node: those that were used last, by what they are of. Bounded in bytes and in time without use. A session is
// opened once, however many ask for it. A rewind of the chain drops all, because transactions and states of before may be gone.
import { LRUCache } from 'lru-cache'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Hash } from '../../lib/hex.ts'
import type { Recording } from '../../runtime/tracing/step-recorder.ts'
import type { CallRequest } from '../../runtime/types.ts'
import { untilComplete } from '../../state/partial-state.ts'
import type { KnownContracts } from '../abi.ts'
import { debugSources, recorderChoice } from '../transaction-stack.ts'
import { type Move, stepOf } from './moves.ts'
import { type Position, positionAt } from './position.ts'
import { type DebugSession, findLayouts, openSession } from './session.ts'

/** What is debugged: a mined transaction, or a call on the state after a block. `key`: names the call. */
export type DebugTarget =
  | { readonly transaction: Hash }
  | { readonly request: CallRequest; readonly key: string; readonly block: Hash; readonly version: number }

/** Bytes of all sessions: two of the longest. */
const MOST_BYTES = 256 << 20
/** Milliseconds that an unused session is kept. */
const KEPT = 10 * 60_000
/** Milliseconds of CPU time of the transaction. */
const TIMEOUT = 10_000
/** Bytes of a message or internal call, and of all else, roughly. */
const ACTIVATION = 200
const SMALLEST = 100_000

type DebuggedChain = Pick<Chain, 'traces' | 'store' | 'spec' | 'events' | 'transaction' | 'missing'>
type Opened = { readonly session: DebugSession; readonly bytes: number }

export class DebugSessions {
  readonly #chain: DebuggedChain
  readonly #sessions: LRUCache<
    string,
    Opened,
    { readonly target: DebugTarget; readonly contracts: KnownContracts | undefined }
  >

  constructor(chain: DebuggedChain) {
    this.#chain = chain
    this.#sessions = new LRUCache({
      maxSize: MOST_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
      ttl: KEPT,
      updateAgeOnGet: true,
      ttlAutopurge: true,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context }) => this.#open(context.target, context.contracts),
    })
    chain.events.on('removed', () => this.#sessions.clear())
  }

  /**
   * Opens a session, or finds the open one. `isFresh`: with what is known of contracts now. Throws as `Traces`, and ChainError `not-found`
   * for an unknown transaction.
   */
  async get(target: DebugTarget, contracts: KnownContracts | undefined, isFresh = false): Promise<DebugSession> {
    const opened = await this.#sessions.fetch(this.#keyOf(target), {
      context: { target, contracts },
      forceRefresh: isFresh,
    })
    if (opened === undefined) throw new ChainError('not-found', 'transaction not found')
    return opened.session
  }

  /** What is shown where a move ends. Throws as `get`, and ChainError `invalid-params` for a move that is not possible. */
  async position(
    target: DebugTarget,
    contracts: KnownContracts | undefined,
    move: Move,
    signal: AbortSignal,
  ): Promise<Position> {
    const session = await this.get(target, contracts)
    const step = stepOf(session, move)
    return untilComplete(this.#chain.missing, () => positionAt(session, step), signal)
  }

  /** Blocks before the fork are not this chain's, so that their hash is not known. */
  #keyOf(target: DebugTarget): string {
    if (!('transaction' in target)) return `${target.block} ${target.version} ${target.key}`
    return `${target.transaction} ${this.#chain.transaction(target.transaction)?.header.hash ?? ''}`
  }

  async #open(target: DebugTarget, contracts: KnownContracts | undefined): Promise<Opened> {
    const { traces } = this.#chain
    const known = debugSources(this.#chain, contracts)
    let session: DebugSession | undefined
    const explain = async (recording: Recording): Promise<void> => {
      // Later transactions of the block may run on the view.
      session = await openSession({ ...known, view: recording.view.fork() }, recording)
    }
    const options = { choice: recorderChoice(explain, true), timeout: TIMEOUT }
    if ('transaction' in target) await traces.transaction(target.transaction, options)
    else await traces.call(target.request, { ref: { hash: target.block }, index: undefined }, options)
    if (session === undefined) throw new Error('the execution was not recorded')
    const opened = session
    // The state of a block of before the fork was there for the replay only.
    const isBefore = 'transaction' in target && this.#chain.transaction(target.transaction) === undefined
    if (!isBefore) await untilComplete(this.#chain.missing, () => findLayouts(opened))
    const { recording, activations, storage } = session
    return { session, bytes: recording.steps.bytes + ACTIVATION * activations.all.length + storage.size + SMALLEST }
  }
}
