// A machine's place at an engine: taken with its first message, kept for the messages within it, given back after it.
import type { EVMResult } from '@ethereumjs/evm'
import { cleanedUp, type Eventual } from '../../lib/eventual.ts'
import type { Address } from '../../lib/hex.ts'
import { type Environment, setEnvironment } from './environment.ts'
import { execute } from './execution.ts'
import type { Incoming } from './incoming.ts'
import type { Instance } from './instance.ts'
import { hasEngine, returnEngine, takeEngine } from './pool.ts'
import type { Rules } from './rules.ts'
import type { Surroundings } from './surroundings.ts'

/** More gas could pay for more memory than the engine can address. */
const MOST_GAS = 1n << 40n

/** Whether there is an engine, and the gas is not beyond all measure. */
export const fitsEngine = (gasLimit: bigint): boolean => gasLimit <= MOST_GAS && hasEngine()

export class Seat {
  #engine: Instance | undefined
  #origin: Address | undefined

  /** A message runs. */
  get isTaken(): boolean {
    return this.#engine !== undefined
  }

  /** Who sent the message that runs. */
  get origin(): Address | undefined {
    return this.#origin
  }

  /** Runs a message; `environment` is what opcodes are told; `compiles`: whether hot code is compiled. */
  run(
    around: Surroundings,
    rules: Rules,
    message: Incoming,
    environment: Environment,
    compiles: boolean,
  ): Eventual<EVMResult> {
    const engine = takeEngine()
    if (engine === undefined || this.#engine !== undefined) throw new Error('there is no engine, or it runs already')
    engine.begin(rules, compiles)
    setEnvironment(engine, rules, environment)
    this.#engine = engine
    this.#origin = environment.origin
    return cleanedUp(
      () => execute(engine, around, rules, message),
      () => {
        this.#engine = undefined
        this.#origin = undefined
        returnEngine(engine)
      },
    )
  }

  /** Runs a message within the one that runs. */
  runWithin(around: Surroundings, rules: Rules, message: Incoming): Eventual<EVMResult> {
    if (this.#engine === undefined) throw new Error('a message within none')
    return execute(this.#engine, around, rules, message)
  }
}
