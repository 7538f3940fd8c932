// Our engine after the interface of all engines. An outer message acquires an instance of it (`instance.ts`), keeps it for its
// inner messages, and releases it afterwards.

import type { Address } from '../../lib/hex.ts'
import { andFinally, andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { NO_STATE_GAS_USED } from '../gas/state-gas.ts'
import { workLimit } from '../gas/unpaid-work.ts'
import type { Engine, Host } from '../host.ts'
import type { BlockContext, Message, OuterMessage } from '../message.ts'
import type { OpcodeTable } from '../opcode-table.ts'
import type { Result } from '../result.ts'
import { Substate } from '../substate.ts'
import type { HotCodeCompiler } from './compiler.ts'
import type { IncomingMessage } from './frames.ts'
import type { Instance } from './instance.ts'
import { acquireInstance, isEngineBuilt, releaseInstance } from './instance-pool.ts'
import {
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_DIFFICULTY,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_SLOT_NUMBER,
  ENV_TIMESTAMP,
  ENVIRONMENT,
} from './layout.ts'
import { type EngineRules, rulesOf } from './rules.ts'
import { type EngineLease, execute } from './run-loop.ts'
import { logOf, openLog } from './step-log.ts'

/** More gas could pay for more memory than the engine can address. */
const MOST_GAS = 1n << 40n

/** Whether the engine was built, and can count this gas. */
export const fitsWasm = (gasLimit: bigint): boolean => gasLimit <= MOST_GAS && isEngineBuilt()

/** The machine, as seen by the engine. */
export type WasmHost = Host & { readonly table: OpcodeTable }

export class WasmEngine implements Engine {
  readonly #host: WasmHost
  readonly #chainId: bigint
  readonly #compiler: HotCodeCompiler | undefined
  #lease: EngineLease | undefined

  /** `compiler`: of hot code; undefined: the interpreter runs alone. */
  constructor(host: WasmHost, chainId: bigint, compiler: HotCodeCompiler | undefined) {
    this.#host = host
    this.#chainId = chainId
    this.#compiler = compiler
  }

  run(message: OuterMessage): MaybePromise<Result> {
    const instance = acquireInstance()
    const { block, from, to, data, refund } = message
    if (instance === undefined || block === undefined || this.#lease !== undefined) {
      throw new Error('the engine was not built, runs already, or is told of no block')
    }
    const rules = rulesOf(this.#host.table)
    instance.beginTransaction(rules, this.#compiler, this.#host.view.storageId)
    const work = workLimit(rules.table, message.gasLimit)
    instance.work = work
    const hasStateGas = rules.gas.state.account > 0
    instance.stateGas = hasStateGas ? { ...NO_STATE_GAS_USED, reservoir: message.reservoir } : NO_STATE_GAS_USED
    instance.records = this.#host.stateAccesses !== undefined
    setEnvironment(instance, rules, {
      origin: from,
      gasPrice: message.gasPrice,
      chainId: this.#chainId,
      block,
    })
    const { accessJournal } = this.#host
    if (rules.forks.berlin && accessJournal.keepSlots(instance.slots)) instance.slots.keep()
    const log = logOf({ host: this.#host, rules })
    if (log !== undefined) openLog(instance, log)
    const marked = this.#host.tracer?.stepsOf
    if (marked !== undefined) instance.mark(marked)
    const lease = { instance, rules, blobHashes: message.blobVersionedHashes }
    this.#lease = lease
    const incoming: IncomingMessage = {
      kind: to === null ? 'CREATE' : 'CALL',
      caller: from,
      to: to ?? undefined,
      value: message.value,
      gas: Number(message.gasLimit),
      data,
      depth: 0,
      isStatic: message.isStatic,
    }
    return andFinally(
      () =>
        andThen(execute(lease, this.#host, incoming, new Substate(Number(refund))), (result) =>
          hasStateGas && result.failure === undefined ? { ...result, stateGas: instance.stateGas } : result,
        ),
      () => {
        this.#lease = undefined
        this.#host.unpaidWork = work - instance.work
        accessJournal.releaseSlots()
        releaseInstance(instance)
      },
    )
  }

  /** Native contracts only send calls. */
  call(message: Message, substate: Substate): MaybePromise<Result> {
    if (this.#lease === undefined) throw new Error('a message within none')
    const { kind, sender, recipient, value, gas, input, depth, isStatic } = message
    const incoming = {
      kind,
      caller: sender,
      to: recipient,
      value,
      gas: Number(gas),
      data: input,
      depth,
      isStatic,
    }
    return execute(this.#lease, this.#host, incoming, substate)
  }
}

export type Environment = {
  readonly origin: Address
  readonly gasPrice: bigint
  readonly chainId: bigint
  readonly block: BlockContext
}

export function setEnvironment(engine: Instance, rules: EngineRules, environment: Environment): void {
  const { origin, gasPrice, chainId, block } = environment
  const set = (offset: number, value: bigint): void => engine.setWord(ENVIRONMENT + offset, value)
  engine.setAddress(ENVIRONMENT + ENV_ORIGIN, origin)
  set(ENV_GAS_PRICE, gasPrice)
  set(ENV_CHAIN_ID, chainId)
  // The next message mostly has the same block.
  if (!engine.moveToBlock(block)) return
  engine.setAddress(ENVIRONMENT + ENV_COINBASE, block.coinbase)
  set(ENV_TIMESTAMP, block.timestamp)
  set(ENV_NUMBER, block.number)
  // EIP-4399
  set(ENV_DIFFICULTY, rules.forks.paris ? BigInt(block.prevRandao) : block.difficulty)
  set(ENV_GAS_LIMIT, block.gasLimit)
  set(ENV_BASE_FEE, block.baseFeePerGas ?? 0n)
  set(ENV_BLOB_BASE_FEE, block.blobBaseFee ?? 0n)
  set(ENV_SLOT_NUMBER, block.slotNumber)
}
