// Read-only calls: eth_call, gas estimates, access lists. Each call runs on a separate view; the repeated runs of an estimate
// or an access list are reverted.
import type { Machine } from '../evm/machine.ts'
import { Deadline } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, toHex, ZERO_ADDRESS } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { gasBounds } from '../primitives/gas.ts'
import type { AccessList, Header, TransactionMessage } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'
import { createdContract, executeMessage, type MessageResult } from './execute-message.ts'
import { applyOverrides } from './overrides.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import { MessagesTo } from './tracing/messages-to.ts'
import { traceMessage } from './tracing/replay.ts'
import type { Tracer } from './tracing/tracer.ts'
import type { BlockOverrides, CallOptions, CallOutcome, CallRequest } from './types.ts'

/** Limits of a call, which the operator sets. */
export type CallLimits = {
  /** Default and maximum gas limit of a call. */
  readonly gasCap: bigint
  /** Milliseconds of CPU time. */
  readonly time: number
}

/** One call, ready to run: its message, block environment and overrides are set. */
export class Call {
  readonly #runtime: Runtime
  readonly #machine: Machine
  readonly #env: BlockEnv
  /** The same without a cap of execution gas (EIP-8037), for a call that becomes no transaction, as in go-ethereum. */
  readonly #uncapped: BlockEnv
  readonly #message: TransactionMessage
  readonly #gasIsGiven: boolean
  readonly #limits: CallLimits
  readonly #messagesTo: Address | undefined

  /** Throws ChainError `invalid-params` when fields of the request, or overrides, contradict each other. */
  static async prepare(
    runtime: Runtime,
    view: StateView,
    header: Header,
    request: CallRequest,
    blockHash: BlockHashes,
    limits: CallLimits,
    options: CallOptions = {},
  ): Promise<Call> {
    const pause = yieldToEventLoop('heavy', options.signal)
    const call = new Call(runtime, view, header, request, blockHash, limits, options, pause)
    if (options.stateOverrides) await applyOverrides(call.#machine, options.stateOverrides, pause)
    return call
  }

  private constructor(
    runtime: Runtime,
    view: StateView,
    header: Header,
    request: CallRequest,
    blockHash: BlockHashes,
    limits: CallLimits,
    { blockOverrides, messagesTo }: CallOptions,
    pause: Pause,
  ) {
    this.#runtime = runtime
    this.#messagesTo = messagesTo
    this.#limits = limits
    this.#gasIsGiven = request.gas !== undefined
    this.#message = toMessage(view, request, limits)
    this.#env = overrideEnv(runtime.env(header), blockOverrides, this.#message)
    const { executionGasCap: cap } = this.#env
    this.#uncapped = cap === undefined ? this.#env : { ...this.#env, executionGasCap: undefined }
    this.#machine = runtime.machine(view, this.#env, blockHash, pause, new Deadline(limits.time))
  }

  async run(): Promise<CallOutcome> {
    const message = this.#affordable(this.#message)
    const receiver = this.#messagesTo
    if (receiver === undefined) return outcome(await this.#execute(message, this.#uncapped))
    // Under a tracer the engine opens frames more slowly, so only a call that has read the receiver runs a second time.
    const { view } = this.#machine
    view.checkpoint()
    const result = await this.#execute(message, this.#uncapped)
    if (!view.holds(receiver)) return outcome(result)
    view.revert()
    const tracer = new MessagesTo(receiver)
    return { ...outcome(await this.#trace(message, tracer)), messages: tracer.messages }
  }

  /** Runs the call under a tracer. Throws ChainError `execution-failed` when its time is up. */
  trace(tracer: Tracer): Promise<MessageResult> {
    return this.#trace(this.#affordable(this.#message), tracer)
  }

  #trace(message: TransactionMessage, tracer: Tracer): Promise<MessageResult> {
    const call = { machine: this.#machine, env: this.#uncapped, message, mode: 'call', position: undefined } as const
    return traceMessage(this.#runtime, call, tracer)
  }

  /**
   * The smallest gas limit with which the call succeeds: the gas used before refunds if that suffices, else found by bisection
   * (a frame may pass on only 63/64 of its gas, so the used gas may not suffice as limit).
   */
  async estimateGas(): Promise<bigint> {
    const { maxFeePerGas } = this.#message
    const { gasLimit, transactionGasCap: cap } = this.#env
    let high = this.#gasIsGiven ? this.#message.gasLimit : gasLimit
    if (high > this.#limits.gasCap) high = this.#limits.gasCap
    if (cap !== undefined && high > cap) high = cap
    if (maxFeePerGas > 0n) {
      const allowance = this.#gasAllowance(this.#message)
      if (allowance < high) high = allowance
    }
    const first = await this.#attempt(high)
    if (typeof first === 'string') {
      throw new ChainError('execution-failed', `gas required exceeds allowance (${high})`)
    }
    if (first.error !== undefined) throw executionError(outcome(first), high)
    let low = first.gasUsed - 1n
    const used = first.gasBeforeRefund > first.gasUsed ? first.gasBeforeRefund : first.gasUsed
    if (used <= high) {
      // Only the intrinsic gas was used: no opcode could read the limit, so a second run would have the same result.
      if (used === gasBounds(this.#message, this.#env.rules).intrinsic) return used
      if (await this.#succeedsWith(used)) return used
      low = used
    }
    // Most calls that need more gas need it because one frame keeps a 64th (EIP-150): try that amount first, as geth does.
    const guess = ((used + CALL_STIPEND) * 64n) / 63n
    if (guess < high && guess > low) {
      if (await this.#succeedsWith(guess)) high = guess
      else low = guess
    }
    while (low + 1n < high) {
      const middle = (low + high) / 2n
      if (await this.#succeedsWith(middle)) high = middle
      else low = middle
    }
    return high
  }

  /** The access list with which the call reads no cold address or slot (EIP-2930), its gas with that list, and its error. */
  async createAccessList(): Promise<{ accessList: AccessList; gasUsed: bigint; error: string | undefined }> {
    const message = this.#affordable(this.#message)
    const known = new Set([message.from, message.to ?? createdContract(message), ...this.#machine.precompileAddresses])
    this.#machine.reportsAccess = true
    let accessList = message.accessList
    for (;;) {
      const result = await this.#undone({ ...message, accessList })
      // Sender, receiver and precompiles are always warm, so they are listed only for their slots.
      const next = result.accessed.filter(({ address, storageKeys }) => storageKeys.length > 0 || !known.has(address))
      if (size(next) === size(accessList)) return { accessList: next, gasUsed: result.gasUsed, error: result.error }
      accessList = next
    }
  }

  async #succeedsWith(gasLimit: bigint): Promise<boolean> {
    const result = await this.#attempt(gasLimit)
    return typeof result !== 'string' && result.error === undefined
  }

  /** Runs with a gas limit and reverts; returns `too little gas` if the limit is below the intrinsic gas. */
  async #attempt(gasLimit: bigint): Promise<MessageResult | 'too little gas'> {
    const message = { ...this.#message, gasLimit }
    if (gasLimit < gasBounds(message, this.#env.rules).intrinsic) return 'too little gas'
    try {
      return await this.#undone(message)
    } catch (error) {
      if (error instanceof ChainError && error.message.startsWith('insufficient gas for floor')) return 'too little gas'
      throw error
    }
  }

  async #undone(message: TransactionMessage): Promise<MessageResult> {
    const { view } = this.#machine
    view.checkpoint()
    const result = await this.#execute(message)
    view.revert()
    return result
  }

  #execute(message: TransactionMessage, env = this.#env): MaybePromise<MessageResult> {
    const { spec, fees } = this.#runtime
    return executeMessage(this.#machine, env, spec.chainId, message, 'call', fees)
  }

  /** Limits the message's gas to what the balance pays for, if the request names a fee but no gas limit. */
  #affordable(message: TransactionMessage): TransactionMessage {
    if (this.#gasIsGiven || message.maxFeePerGas === 0n) return message
    const allowance = this.#gasAllowance(message)
    return allowance < message.gasLimit ? { ...message, gasLimit: allowance } : message
  }

  #gasAllowance({ from, value, maxFeePerGas }: TransactionMessage): bigint {
    const left = this.#machine.view.balance(from) - this.#machine.lockedBalance(from) - value
    if (left < 0n) throw new ChainError('transaction-rejected', 'insufficient funds for transfer')
    return left / maxFeePerGas
  }
}

const CALL_STIPEND = 2300n

const size = (list: AccessList): number => list.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0)

function outcome(result: MessageResult): CallOutcome {
  return {
    gasUsed: result.gasUsed,
    returnData: result.returnData,
    logs: result.logs,
    error: result.error,
    createdAddress: result.createdAddress,
  }
}

/** The ChainError of a failed call: `execution-reverted` with the revert data, otherwise `execution-failed`. */
export function executionError(failed: CallOutcome, gasLimit: bigint): ChainError {
  if (failed.error === 'execution reverted' && failed.returnData.length > 0) {
    return new ChainError('execution-reverted', 'execution reverted', toHex(failed.returnData))
  }
  if (failed.error === 'out of gas') {
    return new ChainError('execution-failed', `gas required exceeds allowance (${gasLimit})`)
  }
  return new ChainError('execution-failed', failed.error ?? 'execution failed')
}

function toMessage(view: StateView, request: CallRequest, limits: CallLimits): TransactionMessage {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw new ChainError('invalid-params', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  const from = request.from ?? ZERO_ADDRESS
  const gas = request.gas ?? limits.gasCap
  return {
    from,
    to: request.to ?? null,
    nonce: request.nonce ?? view.nonce(from),
    value: request.value ?? 0n,
    data: request.data ?? EMPTY_BYTES,
    gasLimit: gas < limits.gasCap ? gas : limits.gasCap,
    maxFeePerGas: gasPrice ?? maxFeePerGas ?? maxPriorityFeePerGas ?? 0n,
    maxPriorityFeePerGas: gasPrice ?? maxPriorityFeePerGas ?? 0n,
    accessList: request.accessList ?? [],
    blobVersionedHashes: request.blobVersionedHashes ?? [],
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
    authorizationList: request.authorizationList ?? [],
  }
}

/** Environments with zero fees, for calls that name no fee (most of them), by the block's environment. */
const FREE = new WeakMap<BlockEnv, BlockEnv>()

function overrideEnv(env: BlockEnv, overrides: BlockOverrides | undefined, message: TransactionMessage): BlockEnv {
  const paysGas = message.maxFeePerGas > 0n
  const paysBlobs = message.maxFeePerBlobGas > 0n
  if (paysGas || paysBlobs || overrides !== undefined) return withFees(env, paysGas, paysBlobs, overrides)
  const known = FREE.get(env) ?? withFees(env, false, false)
  FREE.set(env, known)
  return known
}

/** Sets base fees to zero for a call that pays none, because code may rely on `GASPRICE >= BASEFEE`. Then applies overrides. */
function withFees(env: BlockEnv, paysGas: boolean, paysBlobs: boolean, overrides: BlockOverrides = {}): BlockEnv {
  const freeOf = (fee: bigint | undefined) => (fee === undefined ? undefined : 0n)
  return {
    ...env,
    baseFeePerGas: overrides.baseFeePerGas ?? (paysGas ? env.baseFeePerGas : freeOf(env.baseFeePerGas)),
    blobBaseFee: overrides.blobBaseFee ?? (paysBlobs ? env.blobBaseFee : freeOf(env.blobBaseFee)),
    number: overrides.number ?? env.number,
    timestamp: overrides.time ?? env.timestamp,
    gasLimit: overrides.gasLimit ?? env.gasLimit,
    coinbase: overrides.feeRecipient ?? env.coinbase,
    prevRandao: overrides.prevRandao ?? env.prevRandao,
  }
}
