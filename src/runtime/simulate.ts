// eth_simulateV1: builds blocks of calls on a real block, on a view that is then dropped. Block numbers, gaps between them,
// defaults and error messages are geth's. Log indices continue through a block and count reverted logs, too, as in geth.

import type { Result } from '../evm/result.ts'
import type { EnterEvent, MessageTracer } from '../evm/tracer.ts'
import { Deadline } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  bigToFixed,
  EMPTY_BYTES,
  type Hash,
  hexToAddress,
  hexToHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../lib/hex.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { Rejection } from '../primitives/rejection.ts'
import { unsignedTransaction } from '../primitives/transaction.ts'
import type { Block, Log, SealedHeader, Transaction, TransactionType, Withdrawal } from '../primitives/types.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { BlockExecution } from './block-execution.ts'
import type { CallLimits } from './call.ts'
import { draftHeader } from './draft-header.ts'
import { applyOverrides } from './overrides.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { BlockOverrides, CallRequest, StateOverrides } from './types.ts'

/** A block to simulate: calls and overrides. An overridden fee recipient or gas limit also holds for the blocks after it. */
export type RequestedBlock = {
  readonly block?: BlockOverrides & {
    readonly beaconRoot?: Hash | undefined
    readonly withdrawals?: readonly Withdrawal[] | undefined
  }
  readonly state?: StateOverrides | undefined
  readonly calls: readonly CallRequest[]
}

export type SimulationOptions = {
  /** Whether nonces and fees must be valid, as in a real block; if not, a call that names no fee pays none. */
  readonly validation: boolean
  /** Whether to report transfers of value as ERC-20 logs. */
  readonly traceTransfers: boolean
  /** Aborted when the client's connection closes; then the simulation ends. */
  readonly signal?: AbortSignal | undefined
}

export type SimulatedCall = {
  /** The transaction that represents the call in its block. */
  readonly transaction: Transaction
  readonly gasUsed: bigint
  /** Peak gas usage, which is the gas used before refunds. */
  readonly maxGasUsed: bigint
  /** Return data, or revert data when `error` is `execution reverted`. */
  readonly returnData: Uint8Array
  /** Logs that were not reverted. */
  readonly logs: readonly IndexedLog[]
  /** geth's words; undefined on success. */
  readonly error: string | undefined
}

export type SimulatedBlock = { readonly block: Block; readonly calls: readonly SimulatedCall[] }

/** A requested block with its number and timestamp. */
type PlannedBlock = RequestedBlock & { readonly number: bigint; readonly timestamp: bigint }

const MAX_BLOCKS = 256n
const SECONDS_BETWEEN = 12n

/**
 * Runs the blocks on the view of their base. Throws Rejection for blocks out of order, for more than 256, and for an invalid
 * call; the errors of `applyOverrides`, and ChainError `limit-exceeded` at the deadline. A failing call is a result.
 */
export async function simulate(
  runtime: Runtime,
  view: StateView,
  base: SealedHeader,
  blocks: readonly RequestedBlock[],
  options: SimulationOptions,
  ancestors: BlockHashes,
  limits: CallLimits,
): Promise<SimulatedBlock[]> {
  const simulation = new Simulation(runtime, view, base, options, ancestors, limits)
  const simulated: SimulatedBlock[] = []
  for (const plan of planBlocks(runtime.spec, base, blocks)) simulated.push(await simulation.add(plan))
  return simulated
}

/** Determines numbers and timestamps, and fills gaps with empty blocks. */
function planBlocks(spec: ChainSpec, base: SealedHeader, blocks: readonly RequestedBlock[]): PlannedBlock[] {
  if (BigInt(blocks.length) > MAX_BLOCKS) throw tooMany()
  const plans: PlannedBlock[] = []
  let { number, timestamp } = base
  for (const requested of blocks) {
    const wanted = requested.block?.number ?? number + 1n
    if (wanted <= number) {
      throw new Rejection(
        `block numbers must be in order: ${wanted} <= ${number}`,
        'block-number-order',
        'invalid-params',
      )
    }
    if (wanted - base.number > MAX_BLOCKS) throw tooMany()
    while (++number < wanted) {
      timestamp += SECONDS_BETWEEN
      plans.push({ number, timestamp, calls: [] })
    }
    const time = requested.block?.time ?? timestamp + SECONDS_BETWEEN
    const earliest = earliestTimestamp(spec, timestamp)
    if (time < earliest) {
      const relation = earliest > timestamp ? '<=' : '<'
      const words = `block timestamps must be in order: ${time} ${relation} ${timestamp}`
      throw new Rejection(words, 'block-timestamp-order', 'invalid-params')
    }
    timestamp = time
    plans.push({ ...requested, number, timestamp })
  }
  return plans
}

const tooMany = () => new Rejection('too many blocks', 'too-many-blocks', 'limit-exceeded')

/** The simulated blocks so far: their view, their hashes and the gas left. */
class Simulation {
  readonly #runtime: Runtime
  readonly #view: StateView
  readonly #options: SimulationOptions
  readonly #difficulty: bigint
  readonly #blockHash: BlockHashes
  readonly #hashes = new Map<bigint, Hash>()
  readonly #deadline: Deadline
  readonly #pause: Pause
  /** Gas left for all calls. */
  #budget: bigint
  #parent: SealedHeader

  constructor(
    runtime: Runtime,
    view: StateView,
    base: SealedHeader,
    options: SimulationOptions,
    ancestors: BlockHashes,
    { gasCap, time }: CallLimits,
  ) {
    this.#runtime = runtime
    this.#view = view
    this.#options = options
    this.#pause = yieldToEventLoop('heavy', options.signal)
    this.#difficulty = base.difficulty
    this.#blockHash = (number) => (number > base.number ? this.#hashes.get(number) : ancestors(number))
    this.#deadline = new Deadline(time)
    this.#budget = gasCap
    this.#parent = base
  }

  async add({ timestamp, block: wanted = {}, state, calls: requests }: PlannedBlock): Promise<SimulatedBlock> {
    await this.#deadline.pause(this.#pause)
    if (this.#deadline.isPast()) {
      throw new ChainError('limit-exceeded', 'execution aborted: the simulation took longer than this node allows')
    }
    const parent = this.#parent
    const withdrawals = wanted.withdrawals ?? []
    const header = draftHeader(
      this.#runtime,
      {
        parent,
        timestamp,
        gasLimit: wanted.gasLimit ?? parent.gasLimit,
        coinbase: wanted.feeRecipient ?? parent.coinbase,
        prevRandao: wanted.prevRandao ?? ZERO_HASH,
        extraData: '0x',
        parentBeaconBlockRoot: wanted.beaconRoot ?? ZERO_HASH,
        withdrawals,
        baseFeePerGas: wanted.baseFeePerGas ?? (this.#options.validation ? undefined : 0n),
      },
      this.#view,
      this.#difficulty,
    )
    const env = this.#runtime.env(header)
    const execution = new BlockExecution(this.#runtime, this.#view, { header }, this.#blockHash, this.#pause, {
      ...env,
      blobBaseFee: wanted.blobBaseFee ?? env.blobBaseFee,
      // As in geth, only validation caps a call's execution gas.
      executionGasCap: this.#options.validation ? env.executionGasCap : undefined,
    })
    execution.machine.deadline = this.#deadline
    if (state !== undefined) await applyOverrides(execution.machine, state, this.#pause)
    await execution.begin()
    const calls: SimulatedCall[] = []
    // From Amsterdam on the protocol itself logs transfers (EIP-7708).
    const logs = new SimulatedLogs(this.#options.traceTransfers && !env.rules.amsterdam)
    for (const request of requests) {
      await this.#deadline.pause(this.#pause)
      calls.push(await this.#call(execution, request, logs))
    }
    const { block } = await execution.seal(withdrawals)
    this.#parent = block.header
    this.#hashes.set(block.header.number, block.header.hash)
    return { block, calls }
  }

  async #call(execution: BlockExecution, request: CallRequest, logs: SimulatedLogs): Promise<SimulatedCall> {
    const { gasLeft } = execution
    const gas = request.gas ?? gasLeft
    if (gas > gasLeft) {
      const words = `block gas limit reached: remaining: ${gasLeft}, required: ${gas}`
      throw new Rejection(words, 'block-gas-limit', 'invalid-params')
    }
    const gasLimit = gas < this.#budget ? gas : this.#budget
    const transaction = this.#transaction(execution, request, gasLimit)
    const mode = this.#options.validation ? 'simulated' : 'call'
    const result = await execution.apply(transaction, { mode, tracer: logs })
    this.#budget -= result.gasUsed
    const { gasUsed, gasBeforeRefund, returnData, error } = result
    return {
      transaction,
      gasUsed,
      maxGasUsed: gasBeforeRefund > gasUsed ? gasBeforeRefund : gasUsed,
      returnData,
      logs: logs.take(),
      error,
    }
  }

  /** The unsigned transaction that represents a call in its block. */
  #transaction({ env }: BlockExecution, request: CallRequest, gasLimit: bigint): Transaction {
    const from: Address = request.from ?? ZERO_ADDRESS
    const type = typeOf(request, env.rules.london)
    const { gasPrice = type === 0 ? 0n : undefined, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = request
    return unsignedTransaction(
      {
        type,
        chainId: type === 0 ? undefined : this.#runtime.spec.chainId,
        nonce: request.nonce ?? this.#view.nonce(from),
        to: request.to ?? null,
        value: request.value ?? 0n,
        data: request.data ?? EMPTY_BYTES,
        gasLimit,
        maxFeePerGas: gasPrice ?? maxFeePerGas,
        maxPriorityFeePerGas: gasPrice ?? maxPriorityFeePerGas,
        accessList: request.accessList ?? [],
        blobVersionedHashes: request.blobVersionedHashes ?? [],
        maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
        authorizationList: request.authorizationList ?? [],
      },
      from,
    )
  }
}

/** The transaction type that fits the request's fields: 0 with a gas price or before London, 4, 3, otherwise 2. */
function typeOf(request: CallRequest, london: boolean): TransactionType {
  if (request.gasPrice !== undefined || !london) return 0
  if (request.authorizationList?.length) return 4
  return request.blobVersionedHashes?.length ? 3 : 2
}

/** The address of the asset in a transfer's log (ERC-7528), and ERC-20's Transfer(address,address,uint256). */
const COIN_ADDRESS = hexToAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER = hexToHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** A log with its index in its block. */
export type IndexedLog = { readonly log: Log; readonly index: number }

/** A running message. For a creation the log of its value is added at its end, when the contract's address is known. */
type Frame = {
  readonly logs: IndexedLog[]
  readonly endowment: { readonly from: Address; readonly value: bigint; readonly index: number } | undefined
}

/** A tracer that collects the logs of one simulated block, on request with an ERC-20 log for each transfer of value. */
export class SimulatedLogs implements MessageTracer {
  readonly #showsTransfers: boolean
  readonly #open: Frame[] = []
  #finished: IndexedLog[] = []
  /** Index of the next log in the block. */
  #next = 0

  constructor(showsTransfers: boolean) {
    this.#showsTransfers = showsTransfers
  }

  /** Logs of the last call in order, without reverted ones. */
  take(): IndexedLog[] {
    const taken = this.#finished
    this.#finished = []
    return taken
  }

  keepsInput(): boolean {
    return false
  }

  enter({ type, from, to, value }: EnterEvent): void {
    // DELEGATECALL and CALLCODE have a value but do not transfer it.
    const moves = this.#showsTransfers && value > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE'
    const endowment = moves && to === null ? { from, value, index: this.#next++ } : undefined
    const logs = moves && to !== null ? [this.#indexed(transfer(from, to, value))] : []
    this.#open.push({ logs, endowment })
  }

  exit({ failure, nativeLogs, createdAddress }: Result): void {
    const frame = this.#open.pop()
    if (frame === undefined || failure !== undefined) return
    const around = this.#open.at(-1)?.logs ?? this.#finished
    const { endowment } = frame
    if (endowment !== undefined && createdAddress !== undefined) {
      const log = transfer(endowment.from, createdAddress, endowment.value)
      around.push({ log, index: endowment.index })
    }
    around.push(...frame.logs)
    // Native contracts run no opcodes: their logs come with the result.
    around.push(...nativeLogs.map((log) => this.#indexed(log)))
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    if (this.#showsTransfers && balance > 0n) this.log(transfer(from, beneficiary, balance))
  }

  log(log: Log): void {
    this.#open.at(-1)?.logs.push(this.#indexed(log))
  }

  #indexed(log: Log): IndexedLog {
    return { log, index: this.#next++ }
  }
}

const transfer = (from: Address, to: Address, value: bigint): Log => ({
  address: COIN_ADDRESS,
  topics: [TRANSFER, asTopic(from), asTopic(to)],
  data: bigToFixed(value, 32),
})

const asTopic = (address: Address): Hash => hexToHash(`0x${address.slice(2).padStart(64, '0')}`)
