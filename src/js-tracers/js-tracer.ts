// A tracer in a client's JavaScript, as go-ethereum runs it (eth/tracers/js): an object with `result`, `fault` and, if it
// likes, `setup`, `step`, `enter` and `exit`. After its first failure nothing of it is called any more.
import bigInteger from 'big-integer/BigInteger.min.js' with { type: 'text' }
import type { QuickJSHandle } from 'quickjs-emscripten-core'
import type { Result } from '../evm/result.ts'
import { type CallFrame, type EnterEvent, type FrameState, type Step, stackItem } from '../evm/tracer.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, EMPTY_BYTES, toQuantity, ZERO_ADDRESS } from '../lib/hex.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { createdAddress, saltedAddress } from '../primitives/created-address.ts'
import { createdContract, type MessageResult } from '../runtime/execute-message.ts'
import { ScriptFailure, type TraceContext, type Tracer } from '../runtime/tracing/tracer.ts'
import api from './api.text.js' with { type: 'text' }
import { contextOf, type Outermost } from './context.ts'
import { type Contract, hostFunctions, nothingSeen } from './host-functions.ts'
import { type Engine, type Plain, Sandbox } from './sandbox.ts'

export type ScriptLimits = {
  /** Milliseconds for the code and the transaction that it watches. */
  readonly timeout: number
  /** Characters that all answers of one request may still have. */
  readonly budget: { left: number }
  /** Told when the tracer has given back its sandbox. */
  readonly closed: () => void
}

/** The tracer's functions in its sandbox. */
type Script = Readonly<Record<'step' | 'fault' | 'enter' | 'exit' | 'result', QuickJSHandle>> & {
  readonly hasStep: boolean
  readonly hasFrames: boolean
}

/** An opcode as it was told of. */
type Told = {
  readonly name: string
  readonly frame: FrameState
  readonly stack: readonly bigint[]
  readonly error: string | undefined
  /** The arguments for the sandbox, without the error. */
  readonly numbers: readonly Plain[]
}

/** A frame that has not ended. */
type Open = { readonly contract: Contract; last: Told | undefined }

/** Opcodes that cannot fail once they run: a failure after them is about the code of a new contract. */
const ENDS = new Set(['STOP', 'RETURN'])

export class JsTracer implements Tracer {
  readonly readsMemory = true
  readonly readsState = true
  readonly #limits: ScriptLimits
  readonly #sandbox: Sandbox
  readonly #seen = nothingSeen()
  readonly #open: Open[] = []
  readonly #began = performance.now()
  #script: Script | undefined
  #failure: ScriptFailure | undefined
  #context: TraceContext | undefined
  #outermost: Outermost | undefined
  #ended: Pick<Result, 'output' | 'failure'> | undefined
  /** Where the contract will be that the last opcode creates. */
  #created: Address = ZERO_ADDRESS

  /** `config`: the text for `setup`. What is wrong with the code is thrown by `result`. */
  constructor(engine: Engine, code: string, config: string, limits: ScriptLimits) {
    this.#limits = limits
    this.#sandbox = new Sandbox(engine, this.#began + limits.timeout)
    this.#attempt(undefined, () => {
      this.#script = this.#load(code, config)
    })
  }

  start(context: TraceContext): void {
    this.#context = context
    this.#seen.machine = context.machine
  }

  enter({ type, from, to, value, gas, input }: EnterEvent): void {
    const around = this.#open.at(-1)
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const passed = type === 'DELEGATECALL' ? around?.contract : undefined
    const callInput = isCreation ? EMPTY_BYTES : input
    const contract = { caller: passed?.caller ?? from, value: passed?.value ?? value, input: callInput }
    this.#open.push({ contract, last: undefined })
    if (around !== undefined) this.#tellEnter(type, from, to ?? this.#created, gas, value, input)
    else this.#outermost = { type, from, to: to ?? this.#contractOfMessage(), value, input }
  }

  exit({ failure, gasUsed, output }: Result): void {
    const open = this.#open.pop()
    const last = open?.last
    if (failure !== undefined && open !== undefined && last?.error === undefined && last !== undefined) {
      if (!ENDS.has(last.name)) this.#tellOpcode('fault', open, last, failure.message)
    }
    if (this.#open.length > 0) this.#tellExit(gasUsed, output, failure?.message)
    else this.#ended = { output, failure }
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    this.#tellEnter('SELFDESTRUCT', from, beneficiary, 0n, balance, EMPTY_BYTES)
    this.#tellExit(0n, EMPTY_BYTES, undefined)
  }

  refuse({ type, from, to, gas, gasUsed, value, input, output, error }: CallFrame): void {
    this.#tellEnter(type, from, to ?? this.#created, gas, value, input)
    this.#tellExit(gasUsed, output, error)
  }

  step({ frame, opcode: { name }, cost, memorySize, error }: Step): void {
    const open = this.#open.at(-1)
    if (open === undefined || this.#failure !== undefined) return
    const isCreation = name === 'CREATE' || name === 'CREATE2'
    if (isCreation && error === undefined) this.#created = this.#createdBy(frame, name)
    const { pc, depth, overwritten } = frame
    const stack = [...frame.stack]
    const gases = [Number(frame.gas), Number(cost), depth + 1, Number(frame.refund)]
    const numbers = [pc, frame.code[pc] ?? 0, name, ...gases, stack.length, memorySize]
    open.last = { name, frame, stack, error, numbers }
    if (!this.#script?.hasStep) return
    this.#seen.overwritten = overwritten
    this.#tellOpcode('step', open, open.last, error)
    this.#seen.overwritten = undefined
  }

  result(outcome: MessageResult): unknown {
    try {
      const text = this.#answer(outcome)
      const { budget } = this.#limits
      budget.left -= text.length
      if (budget.left < 0) throw new ChainError('limit-exceeded', 'the traces of the tracer are too large')
      return new PreserializedJson([Buffer.from(text)])
    } finally {
      this.close()
    }
  }

  /** Gives back the sandbox. */
  close(): void {
    this.#sandbox.close()
    this.#limits.closed()
  }

  // --- inside

  #load(code: string, config: string): Script {
    const sandbox = this.#sandbox
    sandbox.run(bigInteger, '<big-integer>')
    const host = sandbox.hostObject(hostFunctions(this.#seen, (words) => sandbox.stop(words)))
    const makeAdopt = sandbox.run(api, '<api>')
    const adopt = sandbox.call(makeAdopt, [host], (value) => sandbox.keep(value))
    // On a line of its own, the code may end with a comment.
    const tracer = sandbox.run(`(${code}\n)`)
    const script = sandbox.call(adopt, [tracer, config], (value) => sandbox.keep(value))
    const functionOf = (name: string) => sandbox.property(script, name)
    return {
      ...{ step: functionOf('step'), fault: functionOf('fault'), result: functionOf('result') },
      ...{ enter: functionOf('enter'), exit: functionOf('exit') },
      hasStep: sandbox.isTrue(script, 'hasStep'),
      hasFrames: sandbox.isTrue(script, 'hasFrames'),
    }
  }

  #answer(outcome: MessageResult): string {
    const context = this.#context
    const outermost = this.#outermost
    const text = this.#attempt('result', () => {
      if (this.#script === undefined || context === undefined || outermost === undefined) return 'null'
      const fields = contextOf(context, outermost, outcome, this.#ended, performance.now() - this.#began)
      return this.#sandbox.call(this.#script.result, [fields], (value) => this.#sandbox.text(value))
    })
    if (this.#failure !== undefined) throw this.#failure
    return text ?? 'null'
  }

  #tellOpcode(kind: 'step' | 'fault', { contract }: Open, { frame, stack, numbers }: Told, error?: string): void {
    Object.assign(this.#seen, { frame, stack, contract })
    this.#tell(kind, [...numbers, error])
  }

  #tellEnter(type: string, from: Address, to: Address, gas: bigint, value: bigint, input: Uint8Array): void {
    if (!this.#script?.hasFrames) return
    this.#seen.frameInput = input
    const shown = type === 'STATICCALL' ? undefined : toQuantity(value)
    this.#tell('enter', [type, from, to, Number(gas), shown])
  }

  #tellExit(gasUsed: bigint, output: Uint8Array, error: string | undefined): void {
    if (!this.#script?.hasFrames) return
    this.#seen.frameOutput = output
    this.#tell('exit', [Number(gasUsed), error])
  }

  #tell(name: 'step' | 'fault' | 'enter' | 'exit', args: readonly Plain[]): void {
    this.#attempt(name, () => {
      if (this.#script !== undefined) this.#sandbox.call(this.#script[name], args, () => undefined)
    })
  }

  /** Runs a part of the script, unless it has failed. `name`: the tracer's function; undefined while it is being made. */
  #attempt<T>(name: string | undefined, part: () => T): T | undefined {
    if (this.#failure !== undefined) return undefined
    try {
      return part()
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error
      const place = name === undefined ? '' : `    in server-side tracer function '${name}'`
      this.#failure = new ScriptFailure(`${error.message}${place}`)
      return undefined
    }
  }

  /** The contract that the transaction makes. */
  #contractOfMessage(): Address {
    const message = this.#context?.message
    return (message && createdContract(message)) ?? ZERO_ADDRESS
  }

  /** The contract that an opcode is about to make. */
  #createdBy(frame: FrameState, name: 'CREATE' | 'CREATE2'): Address {
    const creator = frame.address
    if (name === 'CREATE') return createdAddress(creator, this.#context?.machine.view.nonce(creator) ?? 0n)
    const [offset, length] = [Number(stackItem(frame, 1)), Number(stackItem(frame, 2))]
    const code = length === 0 ? EMPTY_BYTES : frame.memory(offset, length)
    return saltedAddress(creator, bigToFixed(stackItem(frame, 3), 32), code)
  }
}
