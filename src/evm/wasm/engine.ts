// Our engine behind the contract of all engines. An instance of it (`instance.ts`) is taken with a message from outside,
// kept for the messages within it, given back after it.
import type { Common } from '@ethereumjs/common'
import type { Hash } from '../../lib/hex.ts'
import { andFinally, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { Engine, Host } from '../host.ts'
import type { Message, OuterMessage } from '../message.ts'
import type { OpcodeTable } from '../opcode-table.ts'
import type { Result } from '../result.ts'
import { Substate } from '../substate.ts'
import type { Compiler } from './compiler.ts'
import { setEnvironment } from './environment.ts'
import { execute, type Incoming } from './execution.ts'
import type { Instance } from './instance.ts'
import { hasEngine, returnEngine, takeEngine } from './pool.ts'
import { type Rules, rulesOf } from './rules.ts'

/** More gas could pay for more memory than the engine can address. */
const MOST_GAS = 1n << 40n

/** Whether the engine was built, and can count this gas. */
export const fitsWasm = (gasLimit: bigint): boolean => gasLimit <= MOST_GAS && hasEngine()

/** The machine around the engine, as far as the engine looks at it. */
export type WasmHost = Host & { readonly table: OpcodeTable }

type Lease = { readonly instance: Instance; readonly rules: Rules; readonly blobHashes: readonly Hash[] }

export class WasmEngine implements Engine {
  readonly #host: WasmHost
  readonly #common: Common
  readonly #compiler: Compiler | undefined
  #lease: Lease | undefined

  /** `compiler`: of hot code; undefined: the interpreter runs alone. */
  constructor(host: WasmHost, common: Common, compiler: Compiler | undefined) {
    this.#host = host
    this.#common = common
    this.#compiler = compiler
  }

  run(message: OuterMessage): MaybePromise<Result> {
    const instance = takeEngine()
    const { block, from, to, data, refund } = message
    if (instance === undefined || block === undefined || this.#lease !== undefined) {
      throw new Error('the engine was not built, runs already, or is told of no block')
    }
    const rules = rulesOf(this.#host.table, this.#common)
    instance.begin(rules, this.#compiler)
    setEnvironment(instance, rules, {
      origin: from,
      gasPrice: message.gasPrice,
      chainId: this.#common.chainId(),
      block,
    })
    const lease = { instance, rules, blobHashes: message.blobVersionedHashes }
    this.#lease = lease
    const incoming: Incoming = {
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
      () => execute(lease, this.#host, incoming, new Substate(Number(refund))),
      () => {
        this.#lease = undefined
        returnEngine(instance)
      },
    )
  }

  /** Native contracts send calls only. */
  call(message: Message, substate: Substate): MaybePromise<Result> {
    if (this.#lease === undefined) throw new Error('a message within none')
    const { kind, sender, recipient, value, gas, input, depth, isStatic } = message
    const incoming = {
      ...{ kind, caller: sender, to: recipient, value, gas: Number(gas), data: input, depth, isStatic },
    }
    return execute(this.#lease, this.#host, incoming, substate)
  }
}
