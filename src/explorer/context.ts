// A request's view of the chain: a consistent reader of the index, the head of the same time, and the state after that head.
// The request does not see blocks that are committed while it runs.
import { setImmediate } from 'node:timers/promises'
import { readHead } from '../chain/open.ts'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import type { Address } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { untilComplete } from '../state/partial-state.ts'
import type { KvReader, StateView } from '../state/types.ts'
import type { Explorer } from './explorer.ts'

/** Everything that a handler may use. */
export type ExplorerContext = Pick<
  Explorer,
  | 'chain'
  | 'options'
  | 'verification'
  | 'artifacts'
  | 'network'
  | 'pendingTransactions'
  | 'gasOracle'
  | 'lastDay'
  | 'stateChanges'
  | 'blockSizes'
  | 'tokenMetadata'
  | 'forkSources'
> & {
  readonly spec: ChainSpec
  /** Consistent reader of the store, for the index's tables. */
  readonly rows: KvReader
  readonly head: SealedHeader
  /** The state after the head; a copy for this request. */
  readonly view: StateView
  /**
   * Runs heavy work when the work queue has a free slot. `signal` is aborted when the request's connection closes. Throws
   * ChainError `overloaded` and `cancelled`. Do not nest calls: work that holds a slot would wait for a second one.
   */
  readonly heavy: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>
  readonly requestCache: RequestCache
  /** Collects the contracts whose sources are asked for and not known. */
  readonly wantedSources?: Set<Address>
} & Requester

/** The client of a request. */
export type Requester = {
  /** Headers of the request, names in lower case; some select a variant of the answer. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The client's network address; empty for requests of the node itself. */
  readonly client: string
}

export type OpenContext = { readonly context: ExplorerContext; close(): Promise<void> }

/**
 * Opens the context of a request; `signal` is aborted when its connection closes. Close the context after use: it holds a
 * reader of the store.
 */
export async function openContext(
  explorer: Explorer,
  requester: Requester = { headers: {}, client: '' },
  signal: AbortSignal = NO_CONNECTION,
): Promise<OpenContext> {
  const { chain, queue, options, verification, pendingTransactions, gasOracle, lastDay } = explorer
  const { artifacts, stateChanges, blockSizes, tokenMetadata, forkSources, network } = explorer
  const heavy: ExplorerContext['heavy'] = (work) => queue.run(signal, () => work(signal), chain.missing !== undefined)
  for (;;) {
    const rows = chain.store.consistentReader()
    const { head, spec } = chain
    // A block's rows are committed an instant before the chain's head moves; in between, the reader is ahead of the head.
    if (readHead(rows).number === head.number) {
      const { view } = await chain.at({ hash: head.hash })
      const context = {
        chain,
        options,
        verification,
        artifacts,
        pendingTransactions,
        gasOracle,
        lastDay,
        stateChanges,
        blockSizes,
        tokenMetadata,
        forkSources,
        network,
        spec,
        rows,
        head,
        view,
        heavy,
        requestCache: new RequestCache(),
        ...requester,
      }
      return { context, close: () => rows.close() }
    }
    await rows.close()
    await setImmediate()
  }
}

/**
 * Runs a request with its context. On a fork it runs again when a part of the state had to be fetched; what it had found out before is
 * not kept. `run`: `withSources` lets it run again for sources, too.
 */
export async function withContext<T>(
  explorer: Explorer,
  use: (context: ExplorerContext) => Promise<T>,
  requester?: Requester,
  signal?: AbortSignal,
  run: typeof completely = completely,
): Promise<T> {
  const { context, close } = await openContext(explorer, requester, signal)
  try {
    return await run(context, use)
  } finally {
    await close()
  }
}

/** Uses a context until nothing is missing from its state. */
export const completely = <T>(context: ExplorerContext, use: (context: ExplorerContext) => Promise<T>): Promise<T> =>
  untilComplete(context.chain.missing, () => use({ ...context, requestCache: new RequestCache() }))

/** Milliseconds that a request waits for sources of contracts. */
const PATIENCE = 2_000

/**
 * As `completely`, for a request that changes nothing: on a fork it runs again when sources of contracts that it asked for were found
 * (`--fork-sources`). Those that take longer are there for a later request.
 */
export async function withSources<T>(
  context: ExplorerContext,
  use: (context: ExplorerContext) => Promise<T>,
): Promise<T> {
  const { forkSources, view } = context
  let until: number | undefined
  for (;;) {
    const wantedSources = new Set<Address>()
    const answer = await completely({ ...context, wantedSources }, use)
    until ??= performance.now() + PATIENCE
    if (!(await forkSources.lookUp(view, wantedSources, until))) return answer
  }
}

/** Results of functions within one request, by function and key. */
export class RequestCache {
  readonly #results = new Map<object, Map<unknown, unknown>>()

  of(make: object): Map<unknown, unknown> {
    const known = this.#results.get(make) ?? new Map<unknown, unknown>()
    this.#results.set(make, known)
    return known
  }
}

/**
 * The function `make`, called at most once per key and request: most rows of a page have the same addresses, tokens and blocks.
 */
export function oncePerRequest<K, V extends object>(
  make: (context: ExplorerContext, key: K) => V,
): (context: ExplorerContext, key: K) => V {
  return (context, key) => {
    const results = context.requestCache.of(make)
    // The cast is safe: this map has only results of `make`.
    const known = results.get(key) as V | undefined
    if (known !== undefined) return known
    const result = make(context, key)
    results.set(key, result)
    return result
  }
}
