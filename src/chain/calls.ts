// Calls, estimates and simulations on a state of the chain. On a fork they run until nothing is missing from the state.
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { type BundleRequest, type BundleResult, runBundle } from '../runtime/bundle.ts'
import { Call, type CallLimits } from '../runtime/call.ts'
import { type InnerCall, type InnerCallOutcome, runInnerCall } from '../runtime/inner-call.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type RequestedBlock, type SimulatedBlock, type SimulationOptions, simulate } from '../runtime/simulate.ts'
import type { CallOptions, CallOutcome, CallRequest } from '../runtime/types.ts'
import { completely } from '../state/partial-state.ts'
import type { StateView } from '../state/types.ts'
import type { CanonicalChain } from './canonical-chain.ts'
import { completeAttributes } from './payload-attributes.ts'
import type { BlockRef, Caller, ChainReader } from './types.ts'

export class ChainCalls
  implements Pick<Caller, 'call' | 'estimateGas' | 'createAccessList' | 'simulate' | 'runBundle' | 'innerCall'>
{
  readonly #runtime: Runtime
  /** For inner calls: a state of which only some values are the caller's may be one that native code cannot come to. */
  readonly #unreported: Runtime
  readonly #canonical: CanonicalChain
  readonly #limits: CallLimits
  readonly #reader: Pick<ChainReader, 'at'>

  constructor(runtime: Runtime, canonical: CanonicalChain, limits: CallLimits, reader: Pick<ChainReader, 'at'>) {
    this.#runtime = runtime
    this.#unreported = runtime.reportingTo(() => undefined)
    this.#canonical = canonical
    this.#limits = limits
    this.#reader = reader
  }

  call(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<CallOutcome> {
    return this.#run(request, ref, options, (call) => call.run())
  }

  estimateGas(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<bigint> {
    return this.#run(request, ref, options, (call) => call.estimateGas())
  }

  createAccessList(request: CallRequest, ref: BlockRef, options?: CallOptions): ReturnType<Caller['createAccessList']> {
    return this.#run(request, ref, options, (call) => call.createAccessList())
  }

  async simulate(
    blocks: readonly RequestedBlock[],
    ref: BlockRef,
    options: SimulationOptions,
  ): Promise<readonly SimulatedBlock[]> {
    const { header, view } = await this.#reader.at(ref)
    const ancestors = this.#canonical.ancestors(header)
    const run = (state: StateView) => simulate(this.#runtime, state, header, blocks, options, ancestors, this.#limits)
    return completely(view, run, { signal: options.signal })
  }

  async runBundle(bundle: BundleRequest, ref: BlockRef, signal: AbortSignal): Promise<BundleResult> {
    const { number, ...given } = bundle.attributes
    const { header, view } = await this.#reader.at(ref)
    const ancestors = this.#canonical.ancestors(header)
    const time = header.timestamp + 1n
    const parent = { ...header, number: number - 1n }
    const attributes = completeAttributes(
      this.#runtime.spec,
      parent,
      { timestamp: time, coinbase: header.coinbase },
      given,
    )
    const bounds = { time: this.#limits.time, pause: yieldToEventLoop('heavy', signal) }
    const run = (state: StateView) =>
      runBundle(this.#runtime, state, attributes, bundle.transactions, ancestors, bounds)
    return { ...(await completely(view, run, { signal })), base: header }
  }

  async innerCall(call: InnerCall, ref: BlockRef, signal?: AbortSignal): Promise<InnerCallOutcome> {
    const { header, view } = await this.#reader.at(ref)
    const ancestors = this.#canonical.ancestors(header)
    const run = (state: StateView) =>
      runInnerCall(this.#unreported, state, header, call, ancestors, this.#limits, signal)
    return completely(view, run, { signal })
  }

  async #run<T>(
    request: CallRequest,
    ref: BlockRef,
    options: CallOptions | undefined,
    run: (call: Call) => Promise<T>,
  ): Promise<T> {
    const { header, view } = await this.#reader.at(ref)
    const ancestors = this.#canonical.ancestors(header)
    const prepare = (state: StateView) =>
      Call.prepare(this.#runtime, state, header, request, ancestors, this.#limits, options)
    return completely(view, async (state) => run(await prepare(state)), { call: request, signal: options?.signal })
  }
}
