// A machine's place at an engine: taken with its first message, kept for the messages within it, given back after it.
import { type EVMResult, type EVMRunCallOpts, Message } from '@ethereumjs/evm'
import { createZeroAddress, type PrefixedHexString } from '@ethereumjs/util'
import { type Environment, setEnvironment } from './environment.ts'
import { execute } from './execution.ts'
import type { Instance } from './instance.ts'
import { hasEngine, returnEngine, takeEngine } from './pool.ts'
import type { Rules } from './rules.ts'
import type { Surroundings } from './surroundings.ts'

/** More gas could pay for more memory than the engine can address. */
const MOST_GAS = 1n << 40n

/** Whether a call can be run: there is an engine, its gas is not beyond all measure, and nothing about it is special. */
export function suitsEngine(options: EVMRunCallOpts): boolean {
  const { message, block, code, skipNonceIncrement, skipBalance, gasLimit = 0n } = options
  if (!hasEngine()) return false
  if (message !== undefined) return message.code === undefined && message.gasLimit <= MOST_GAS
  const isPlain = skipNonceIncrement === true && skipBalance !== true && code === undefined
  return isPlain && block !== undefined && gasLimit <= MOST_GAS
}

/** A transaction's own message, as the library makes it. */
export function firstMessage(options: EVMRunCallOpts): Message {
  const { caller = createZeroAddress(), gasLimit = 0n, to, value = 0n, data, isStatic = false, salt } = options
  return new Message({
    ...{ caller, gasLimit, value, isStatic, blobVersionedHashes: options.blobVersionedHashes ?? [] },
    ...{ selfdestruct: new Map(), createdAddresses: new Set<PrefixedHexString>() },
    ...(to !== undefined && { to }),
    ...(data !== undefined && { data }),
    ...(salt !== undefined && { salt }),
  })
}

type MaybeHeader = Omit<Environment, 'header'> & { readonly header: Environment['header'] | undefined }

export class Seat {
  #engine: Instance | undefined

  /** Runs a message, within the one that runs already if there is one; else `environment` is what opcodes are told.
   * `compiles`: whether hot code is compiled. */
  async run(
    around: Surroundings,
    rules: Rules,
    message: Message,
    environment: () => MaybeHeader,
    compiles: boolean,
  ): Promise<EVMResult> {
    if (this.#engine !== undefined) return execute(this.#engine, around, rules, message)
    const engine = takeEngine()
    const { header, ...rest } = environment()
    if (engine === undefined || header === undefined) throw new Error('a message without an engine or without a block')
    engine.begin(rules, compiles)
    setEnvironment(engine, rules, { ...rest, header })
    this.#engine = engine
    try {
      return await execute(engine, around, rules, message)
    } finally {
      this.#engine = undefined
      returnEngine(engine)
    }
  }
}
