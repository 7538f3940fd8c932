// Traces of a fork. A block of before is executed here, on the forked chain's state before it, so that every tracer is there and all
// chains are traced alike. If that is not possible, or the execution uses other gas than the forked chain says (which has rules of its
// own then), the forked chain is asked for its own trace.
import type { BlockBefore } from '../fork/block-before.ts'
import { ForkedChain } from '../fork/forked-chain.ts'
import { ChainError } from '../lib/errors.ts'
import { type Hash, ZERO_HASH } from '../lib/hex.ts'
import type { Block } from '../primitives/types.ts'
import type { CallLimits } from '../runtime/call.ts'
import { executeBlock } from '../runtime/execute-block.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { isScripted } from '../runtime/tracing/tracers.ts'
import { openMemoryStore } from '../state/kv.ts'
import { completely, untilComplete } from '../state/partial-state.ts'
import { CanonicalChain } from './canonical-chain.ts'
import { BeforeFork, createFork } from './fork.ts'
import { NO_INDEX } from './open.ts'
import { ChainTraces, type Scripts } from './traces.ts'
import type { BlockRef, ReplayDetail, TraceOptions } from './types.ts'

type Reader = ConstructorParameters<typeof ChainTraces>[3]

export class ForkTraces extends ChainTraces {
  readonly #runtime: Runtime
  readonly #limits: CallLimits
  readonly #forked: ForkedChain
  /** Whether this chain has no block of its own. */
  readonly #isAtFork: () => boolean

  constructor(
    runtime: Runtime,
    canonical: CanonicalChain,
    limits: CallLimits,
    reader: Reader,
    scripts: Scripts | undefined,
    forked: ForkedChain,
  ) {
    super(runtime, canonical, limits, reader, scripts)
    this.#runtime = runtime
    this.#limits = limits
    this.#forked = forked
    this.#isAtFork = () => canonical.head.number === forked.at.number
  }

  override async transaction(hash: Hash, options: TraceOptions): Promise<unknown> {
    try {
      return await super.transaction(hash, options)
    } catch (error) {
      const number = isUnknown(error) ? await this.#forked.locate(hash) : undefined
      if (number === undefined) throw error
      refuseScripts(options, number)
      const [[trace] = []] = await this.#before(number, hash, options.signal, (traces, of) =>
        traces.run({ kind: 'block', of, only: of.transactions.length - 1 }, options),
      )
      if (trace === undefined) throw error
      if ('error' in trace) throw new ChainError('execution-failed', trace.error)
      return trace.result
    }
  }

  override async block(of: BlockRef | Block, options: TraceOptions) {
    try {
      return await super.block(of, options)
    } catch (error) {
      const number = isUnknown(error) ? await this.#numberOf(of) : undefined
      if (number === undefined) throw error
      refuseScripts(options, number)
      return this.#before(number, undefined, options.signal, (traces, block) => traces.block(block, options))
    }
  }

  override async replayBlock(of: BlockRef | Block, detail?: ReplayDetail) {
    try {
      return await super.replayBlock(of, detail)
    } catch (error) {
      const number = isUnknown(error) ? await this.#numberOf(of) : undefined
      if (number === undefined) throw error
      return this.#before(number, undefined, detail?.signal, (traces, block) => traces.replayBlock(block, detail))
    }
  }

  /** The number of a block up to the fork, except the first one, which nothing precedes. */
  async #numberOf(of: BlockRef | Block): Promise<bigint | undefined> {
    if (typeof of === 'string') return of !== 'earliest' && this.#isAtFork() ? this.#forked.at.number : undefined
    if ('header' in of) return undefined
    const number = 'number' in of ? of.number : await this.#forked.locate(of.hash)
    return number !== undefined && number > 0n && number <= this.#forked.at.number ? number : undefined
  }

  /**
   * Traces a block of before, or as much of it as precedes the end of one transaction. Throws BeforeFork if the forked chain must do
   * that.
   */
  async #before<T>(
    number: bigint,
    last: Hash | undefined,
    signal: AbortSignal | undefined,
    trace: (traces: ChainTraces, block: Block) => Promise<T>,
  ): Promise<T> {
    const [{ findFork }, { blockUpTo }] = await Promise.all([
      // Loaded when it is needed.
      import('../fork/begin.ts'),
      import('../fork/block-before.ts'),
    ])
    const { connected: remote, at: like } = this.#forked
    const [before, found] = await Promise.all([
      blockUpTo(remote, number, last).catch(asBefore(number)),
      findFork(remote, { number: number - 1n, chainId: this.#runtime.spec.chainId, like }).catch(asBefore(number)),
    ])
    const store = await openMemoryStore()
    try {
      await createFork(store, found.spec, found, NO_INDEX)
      const runtime = this.#runtime.with(found.spec)
      const source = new ForkedChain({ remote, at: found.at })
      const canonical = new CanonicalChain(store, runtime, NO_INDEX, { source })
      await requireSameGas(runtime, canonical, before, last).catch(asBefore(number))
      const reader = { block: unknownBlock, at: unknownBlock }
      const traces = new ChainTraces(runtime, canonical, this.#limits, reader)
      const { header, transactions } = before
      const block: Block = { header, transactions, uncles: [], withdrawals: header.withdrawalsRoot && [] }
      return await untilComplete(canonical.missing, () => trace(traces, block), signal)
    } finally {
      await store.close()
    }
  }
}

/** Clients' scripts run on threads that read this chain's database, which has no state of before. */
function refuseScripts({ choice }: TraceOptions, number: bigint): void {
  if (isScripted(choice)) throw new BeforeFork(`block ${number}`)
}

const isUnknown = (error: unknown): boolean =>
  error instanceof ChainError && (error.code === 'not-found' || error.code === 'header-not-found')

/** What cannot be executed here is asked of the forked chain. */
const asBefore =
  (number: bigint) =>
  (error: unknown): never => {
    if (error instanceof Error && error.name !== 'TypeError') throw new BeforeFork(`block ${number}`)
    throw error
  }

const unknownBlock = (): never => {
  throw new ChainError('not-found', 'block not found')
}

/** Executes the transactions, which fetches all that they read. Throws ChainError if they use other gas than the forked chain says. */
async function requireSameGas(
  runtime: Runtime,
  canonical: CanonicalChain,
  { header, transactions, gasUsed }: BlockBefore & { readonly gasUsed: bigint },
  only: Hash | undefined,
): Promise<void> {
  const { timestamp, gasLimit, coinbase, extraData, baseFeePerGas, mixHash: prevRandao } = header
  const parentBeaconBlockRoot = header.parentBeaconBlockRoot ?? ZERO_HASH
  const of = { timestamp, gasLimit, coinbase, extraData, baseFeePerGas, prevRandao, parentBeaconBlockRoot }
  const attributes = { parent: canonical.head, withdrawals: [], ...of }
  const ancestors = canonical.ancestors(canonical.head)
  const executed = await completely(canonical.view(), (view) =>
    executeBlock(runtime, view, attributes, transactions, ancestors),
  )
  const { receipts } = executed
  const last = receipts.at(-1)
  const used = only === undefined ? (last?.cumulativeGasUsed ?? 0n) : last?.gasUsed
  if (receipts.length < transactions.length || used !== gasUsed)
    throw new ChainError('execution-failed', `block ${header.number} is not executed here as on the forked chain`)
}
