// Runs mined transactions, blocks and calls under a tracer. The newest blocks have recordings (`recorded-blocks.ts`): tracers of
// calls and changes read them, opcode tracers begin on them. Other blocks are replayed on a separate view for each request;
// transactions before the traced one are replayed once and cached (`replay-cache.ts`).
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import type { Block } from '../primitives/types.ts'
import { Call, type CallLimits } from '../runtime/call.ts'
import { feeRecipientOf } from '../runtime/execute-message.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type Reward, rewardsOf } from '../runtime/system.ts'
import { type ExecutionRecord, ExecutionRecorder } from '../runtime/tracing/execution-recorder.ts'
import type { RecordedBlock } from '../runtime/tracing/recorded-block.ts'
import { BlockReplay, type ReplayLimits, type Traced, traceRest } from '../runtime/tracing/replay.ts'
import { readsRecording, ScriptFailure, type TraceOutcome, type Tracer } from '../runtime/tracing/tracer.ts'
import { isScripted, type ScriptMaker, tracerMaker, treeBudget } from '../runtime/tracing/tracers.ts'
import type { CallOptions, CallRequest, ExecutedBlock } from '../runtime/types.ts'
import { firstBlock } from '../spec/forks.ts'
import type { StateView } from '../state/types.ts'
import type { View } from '../state/view.ts'
import type { CanonicalChain } from './canonical-chain.ts'
import { RecordedBlocks } from './recorded-blocks.ts'
import { ReplayCache } from './replay-cache.ts'
import type {
  BlockRef,
  CallBundle,
  ChainReader,
  ReplayDetail,
  Replayed,
  ScriptedTraces,
  TraceOptions,
  TracePoint,
  TraceResult,
  Traces,
  TraceTask,
} from './types.ts'

type BlockReader = Pick<ChainReader, 'block'> & { at(ref: BlockRef): Promise<{ header: Block['header']; view: View }> }

/** Clients' JavaScript tracers: run on this thread, or by another one. */
export type Scripts = { readonly here: ScriptMaker } | { readonly elsewhere: ScriptedTraces }

export class ChainTraces implements Traces {
  readonly #runtime: Runtime
  readonly #canonical: CanonicalChain
  readonly #limits: CallLimits
  readonly #reader: BlockReader
  readonly #scripts: Scripts | undefined
  readonly #replays = new ReplayCache()
  readonly #recorded = new RecordedBlocks()

  /** `scripts`: left out, JavaScript tracers are refused. */
  constructor(runtime: Runtime, canonical: CanonicalChain, limits: CallLimits, reader: BlockReader, scripts?: Scripts) {
    this.#runtime = runtime
    this.#canonical = canonical
    this.#limits = limits
    this.#reader = reader
    this.#scripts = scripts
  }

  /** Keeps the recording of a committed block; `version`: the state version of its parent. */
  remember(executed: ExecutedBlock, version: number): void {
    this.#recorded.add(executed, version)
  }

  /** Forgets the blocks that a rewind has removed. */
  forgetAbove(number: bigint): void {
    this.#recorded.forgetAbove(number)
    this.#replays.clear()
  }

  async transaction(hash: Hash, options: TraceOptions): Promise<unknown> {
    const [[trace] = []] = await this.run({ kind: 'transaction', hash }, options)
    if (trace === undefined) throw new ChainError('not-found', 'transaction not found')
    return resultOf(trace)
  }

  async block(of: BlockRef | Block, options: TraceOptions) {
    const block = await this.#block(of)
    const [traces = []] = await this.run({ kind: 'block', of: block }, options)
    return block.transactions.flatMap((transaction, index) => {
      const trace = traces[index]
      return trace === undefined ? [] : [{ transaction, ...trace }]
    })
  }

  async call(request: CallRequest, at: TracePoint, options: TraceOptions, overrides?: CallOptions) {
    const [[result] = []] = await this.calls([{ ...overrides, requests: [request] }], at, options)
    return result ?? null
  }

  async calls(bundles: readonly CallBundle[], at: TracePoint, options: TraceOptions) {
    const traces = await this.run({ kind: 'calls', bundles, at }, options)
    return traces.map((list) => list.map(resultOf))
  }

  /** The traces of a task. Throws as the methods for single tasks. */
  run(task: TraceTask, options: TraceOptions): Promise<TraceResult[][]> {
    const scripts = this.#scripts
    if (scripts === undefined) return this.#run(task, options)
    if ('here' in scripts) return this.#run(task, options, scripts.here)
    if (!isScripted(options.choice)) return this.#run(task, options)
    const run = () => scripts.elsewhere.run(task, options, () => this.#reader.block('pending'))
    return options.elsewhere === undefined ? run() : options.elsewhere(run)
  }

  async replayTransaction(hash: Hash, detail: ReplayDetail = PLAIN): Promise<Replayed> {
    const { block, index } = this.#mined(hash)
    const [replayed] = await this.#record(block, index, detail)
    if (replayed === undefined) throw new ChainError('not-found', 'transaction not found')
    return replayed
  }

  async replayBlock(of: BlockRef | Block, detail: ReplayDetail = PLAIN): Promise<Replayed[]> {
    const block = await this.#block(of)
    return this.#record(block, undefined, detail)
  }

  async replayCalls(
    requests: readonly CallRequest[],
    at: TracePoint,
    detail: ReplayDetail = PLAIN,
  ): Promise<ExecutionRecord[]> {
    const recorded: ExecutionRecord[] = []
    const budget = detail.budget ?? treeBudget()
    const makeRecorder = () => new ExecutionRecorder(detail, budget)
    const options = { timeout: this.#limits.time, signal: detail.signal }
    for await (const { tracer, outcome } of this.#calls([{ requests }], at, makeRecorder, options)) {
      recorded.push(tracer.result(outcome))
    }
    return recorded
  }

  rewards({ header, uncles }: Block): Reward[] {
    return rewardsOf(this.#runtime.env(header), uncles)
  }

  async rootsWithin(of: BlockRef, signal?: AbortSignal): Promise<Hash[]> {
    const block = await this.#block(of)
    const roots: Hash[] = []
    const makeTracer = (): Tracer => ({ result: () => undefined })
    const limits = limitsOf({ timeout: Number.POSITIVE_INFINITY, signal })
    const replay = await this.#origin(block, limits.pause).begin()
    for await (const _ of traceRest(replay, makeTracer, limits)) {
      roots.push(replay.view.root())
    }
    return roots
  }

  async at(point: TracePoint, signal?: AbortSignal): Promise<StateView> {
    return (await this.#point(point, signal)).view
  }

  // --- inside

  async #run(task: TraceTask, options: TraceOptions, script?: ScriptMaker): Promise<TraceResult[][]> {
    const makeTracer = tracerMaker(options.choice, script)
    if (task.kind === 'calls') {
      const traces: TraceResult[][] = task.bundles.map(() => [])
      for await (const { bundle, tracer, outcome } of this.#calls(task.bundles, task.at, makeTracer, options)) {
        traces[bundle]?.push(await traceOf(tracer, outcome))
      }
      return traces
    }
    const { block, index } = task.kind === 'block' ? { block: task.of, index: task.only } : this.#mined(task.hash)
    const traces: TraceResult[] = []
    for await (const { tracer, outcome } of this.#replay(block, index, makeTracer, limitsOf(options))) {
      traces.push(await traceOf(tracer, outcome))
    }
    return [traces]
  }

  async #record(block: Block, only: number | undefined, detail: ReplayDetail): Promise<Replayed[]> {
    const replayed: Replayed[] = []
    const budget = detail.budget ?? treeBudget()
    const makeRecorder = () => new ExecutionRecorder(detail, budget)
    const limits = limitsOf({ timeout: this.#limits.time, signal: detail.signal })
    for await (const traced of this.#replay(block, only, makeRecorder, limits)) {
      const { transaction, index, tracer, outcome } = traced
      replayed.push({ ...tracer.result(outcome), transaction, index, header: block.header })
    }
    return replayed
  }

  /** Traces one transaction of a block, or all of them. */
  async *#replay<T extends Tracer>(
    block: Block,
    only: number | undefined,
    makeTracer: () => T,
    limits: ReplayLimits,
  ): AsyncGenerator<Traced<T>> {
    const { version, recorded, begin } = this.#origin(block, limits.pause)
    if (recorded !== undefined) {
      const first = makeTracer()
      if (readsRecording(first)) {
        yield* this.#play(recorded, only, first, makeTracer, limits)
        return
      }
    }
    if (only === undefined) {
      yield* traceRest(await begin(), makeTracer, limits)
      return
    }
    const replay = await this.#replays.at(block, only, version, begin, limits.pause)
    const traced = await replay.trace(makeTracer(), limits)
    yield traced
    this.#replays.keep(replay, version)
  }

  /** Plays one recorded transaction, or all of them; `first` is the tracer of the first one. */
  async *#play<T extends Tracer>(
    recorded: RecordedBlock,
    only: number | undefined,
    first: T,
    makeTracer: () => T,
    { pause }: ReplayLimits,
  ): AsyncGenerator<Traced<T>> {
    const { header, transactions } = recorded.block
    const env = this.#runtime.env(header)
    const feeRecipient = feeRecipientOf(this.#runtime.fees, env)
    for (const [index, transaction] of transactions.entries()) {
      if (only !== undefined && index !== only) continue
      await pause()
      const tracer = index === (only ?? 0) ? first : makeTracer()
      yield { transaction, index, tracer, outcome: recorded.play(index, env, feeRecipient, tracer) }
    }
  }

  /** Where traces of a block begin, with the state version of its parent. Throws if that was pruned. */
  #origin(block: Block, pause: Pause): Origin {
    const runtime = this.#runtime
    const ancestors = this.#ancestorsOf(block)
    const recorded = this.#recorded.of(block)
    if (recorded === undefined) {
      const view = this.#parentView(block)
      return { version: view.version, recorded, begin: () => BlockReplay.begin(runtime, view, block, ancestors, pause) }
    }
    const { version } = recorded
    this.#canonical.requireState({ number: block.header.number - 1n, version })
    return { version, recorded, begin: async () => BlockReplay.ofRecording(runtime, recorded, ancestors) }
  }

  async *#calls<T extends Tracer>(
    bundles: readonly CallBundle[],
    at: TracePoint,
    makeTracer: () => T,
    { timeout, signal }: ReplayBounds,
  ): AsyncGenerator<{ bundle: number; tracer: T; outcome: TraceOutcome }> {
    const { header, view } = await this.#point(at, signal)
    const limits = { ...this.#limits, time: timeout }
    const ancestors = this.#canonical.ancestors(header)
    for (const [bundle, { requests, blockOverrides, stateOverrides }] of bundles.entries()) {
      for (const [position, request] of requests.entries()) {
        // State overrides apply once, before the first call of the bundle; later calls see the results of earlier ones.
        const overrides = { signal, blockOverrides, stateOverrides: position === 0 ? stateOverrides : undefined }
        const call = await Call.prepare(this.#runtime, view, header, request, ancestors, limits, overrides)
        const tracer = makeTracer()
        yield { bundle, tracer, outcome: await call.trace(tracer) }
      }
    }
  }

  /** The state after a block, or after its first `index` transactions. */
  async #point(
    { ref, index }: TracePoint,
    signal?: AbortSignal,
  ): Promise<{ header: Block['header']; view: StateView }> {
    if (index === undefined) return this.#reader.at(ref)
    const block = await this.#block(ref)
    if (index > block.transactions.length) {
      throw new ChainError('not-found', `transaction index ${index} out of range for block ${block.header.hash}`)
    }
    const pause = yieldToEventLoop('heavy', signal)
    const { version, begin } = this.#origin(block, pause)
    const replay = await this.#replays.at(block, index, version, begin, pause)
    return { header: block.header, view: replay.view }
  }

  async #block(of: BlockRef | Block): Promise<Block> {
    const block = typeof of === 'object' && 'header' in of ? of : await this.#reader.block(of)
    if (block === undefined) throw new ChainError('not-found', 'block not found')
    if (block.header.number === firstBlock(this.#runtime.spec))
      throw new ChainError('not-found', 'genesis is not traceable')
    return block
  }

  #mined(hash: Hash): { block: Block; index: number } {
    const { blocks } = this.#canonical
    // A recorded block need not be read.
    const place = blocks.place(hash)
    const header = place && blocks.header(place.number)
    const recorded = header && this.#recorded.get(header.hash)?.block
    if (place !== undefined && recorded?.transactions[place.index]?.hash === hash) {
      return { block: recorded, index: place.index }
    }
    const mined = blocks.transaction(hash)
    const block = mined && blocks.block(mined.header.number)
    if (mined === undefined || block === undefined) throw new ChainError('not-found', 'transaction not found')
    return { block, index: mined.index }
  }

  #parentView({ header }: Block): View {
    const parent = this.#canonical.blocks.header(header.number - 1n)
    if (parent?.hash !== header.parentHash) throw new ChainError('not-found', `parent ${header.parentHash} not found`)
    return this.#canonical.viewAt(parent.number)
  }

  #ancestorsOf({ header }: Block): (number: bigint) => Hash | undefined {
    return (number) => (number < header.number ? this.#canonical.hashOf(number) : undefined)
  }
}

/** An error of a client's own tracer is the result of that trace only; the other traces of the request are returned. */
async function traceOf(tracer: Tracer, outcome: TraceOutcome): Promise<TraceResult> {
  try {
    return { result: await tracer.result(outcome) }
  } catch (error) {
    if (error instanceof ScriptFailure) return { error: error.message }
    throw error
  }
}

function resultOf(trace: TraceResult): unknown {
  if ('error' in trace) throw new ScriptFailure(trace.error)
  return trace.result
}

const PLAIN: ReplayDetail = { opcodes: false }

type Origin = {
  readonly version: number
  readonly recorded: RecordedBlock | undefined
  readonly begin: () => Promise<BlockReplay>
}

type ReplayBounds = Pick<TraceOptions, 'timeout' | 'signal'>
const limitsOf = ({ timeout, signal }: ReplayBounds): ReplayLimits => ({
  timeout,
  pause: yieldToEventLoop('heavy', signal),
})
