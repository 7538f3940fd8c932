// A tracer that a client wrote in JavaScript for go-ethereum's interface (eth/tracers/js): an object with the functions
// `result` and `fault`, and optionally `setup`, `step`, `enter` and `exit`. After its first failure none of them is called.
import bigInteger from 'big-integer/BigInteger.min.js' with { type: 'text' }
import type { QuickJSHandle } from 'quickjs-emscripten-core'
import type { Result } from '../evm/result.ts'
import { type CallFrame, type EnterEvent, type FrameState, type Step, stackItem } from '../evm/tracer.ts'
import { Deadline } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, EMPTY_BYTES, toHex, toQuantity, ZERO_ADDRESS } from '../lib/hex.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { create2Address, createAddress } from '../primitives/create-address.ts'
import { effectiveTip, gasBounds } from '../primitives/gas.ts'
import { createdContract } from '../runtime/execute-message.ts'
import { ScriptFailure, type TraceContext, type TraceOutcome, type Tracer } from '../runtime/tracing/tracer.ts'
import api from './api.text.js' with { type: 'text' }
import { type Contract, emptyHostState, hostFunctions } from './host-functions.ts'
import { Sandbox, type SandboxValue, type ScriptInterpreter } from './sandbox.ts'

export type ScriptLimits = {
  /** Milliseconds for the script and the transaction together. */
  readonly timeout: number
  /** Characters left for the results of one request. */
  readonly budget: { left: number }
  /** Called when the tracer has closed its sandbox. */
  readonly onClose: () => void
}

/** The tracer's functions in its sandbox. */
type Script = Readonly<Record<'step' | 'fault' | 'enter' | 'exit' | 'result', QuickJSHandle>> & {
  readonly hasStep: boolean
  readonly hasFrames: boolean
}

/** An opcode that was traced. */
type TracedOpcode = {
  readonly name: string
  readonly frame: FrameState
  readonly stack: readonly bigint[]
  readonly error: string | undefined
  /** The arguments of `step`, without the error. */
  readonly args: readonly SandboxValue[]
}

/** A frame that has not ended, with its last opcode. */
type OpenFrame = { readonly contract: Contract; last: TracedOpcode | undefined }

/** Opcodes that cannot fail while they run. A frame that fails after one is a creation whose code is refused. */
const INFALLIBLE = new Set(['STOP', 'RETURN'])

/** Runs a client's tracer in a separate sandbox; `result` and `close` free it. */
export class JsTracer implements Tracer {
  readonly readsMemory = true
  readonly readsState = true
  readonly #limits: ScriptLimits
  readonly #sandbox: Sandbox
  readonly #hostState = emptyHostState()
  readonly #frames: OpenFrame[] = []
  readonly #startTime = performance.now()
  #script: Script | undefined
  #failure: ScriptFailure | undefined
  #context: TraceContext | undefined
  #topMessage: TopMessage | undefined
  #outcome: Pick<Result, 'output' | 'failure'> | undefined
  /** The address of the contract that the last CREATE or CREATE2 makes. */
  #created: Address = ZERO_ADDRESS

  /** `config`: the JSON for `setup`. Errors of the script are thrown by `result`. */
  constructor(engine: ScriptInterpreter, code: string, config: string, limits: ScriptLimits) {
    this.#limits = limits
    this.#sandbox = new Sandbox(engine, new Deadline(limits.timeout))
    this.#guard(undefined, () => {
      this.#script = this.#load(code, config)
    })
  }

  start(context: TraceContext): void {
    this.#context = context
    this.#hostState.machine = context.machine
  }

  enter({ type, from, to, value, gas, input }: EnterEvent): void {
    const around = this.#frames.at(-1)
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const passed = type === 'DELEGATECALL' ? around?.contract : undefined
    const callInput = isCreation ? EMPTY_BYTES : input
    const contract = { caller: passed?.caller ?? from, value: passed?.value ?? value, input: callInput }
    this.#frames.push({ contract, last: undefined })
    if (around !== undefined) this.#callEnter(type, from, to ?? this.#created, gas, value, input)
    else this.#topMessage = { type, from, to: to ?? this.#contractOfMessage(), value, input }
  }

  exit({ failure, gasUsed, output }: Result): void {
    const open = this.#frames.pop()
    const last = open?.last
    if (failure !== undefined && open !== undefined && last?.error === undefined && last !== undefined) {
      if (!INFALLIBLE.has(last.name)) this.#callOpcode('fault', open, last, failure.message)
    }
    if (this.#frames.length > 0) this.#callExit(gasUsed, output, failure?.message)
    else this.#outcome = { output, failure }
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    this.#callEnter('SELFDESTRUCT', from, beneficiary, 0n, balance, EMPTY_BYTES)
    this.#callExit(0n, EMPTY_BYTES, undefined)
  }

  refuse({ type, from, to, gas, gasUsed, value, input, output, error }: CallFrame): void {
    this.#callEnter(type, from, to ?? this.#created, gas, value, input)
    this.#callExit(gasUsed, output, error)
  }

  step({ frame, opcode: { name }, cost, memorySize, error }: Step): void {
    const open = this.#frames.at(-1)
    if (open === undefined || this.#failure !== undefined) return
    const isCreation = name === 'CREATE' || name === 'CREATE2'
    if (isCreation && error === undefined) this.#created = this.#createdBy(frame, name)
    const { pc, depth, overwritten } = frame
    const stack = [...frame.stack]
    const gases = [Number(frame.gas), Number(cost), depth + 1, Number(frame.refund)]
    const args = [pc, frame.code[pc] ?? 0, name, ...gases, stack.length, memorySize]
    open.last = { name, frame, stack, error, args }
    if (!this.#script?.hasStep) return
    this.#hostState.overwritten = overwritten
    this.#callOpcode('step', open, open.last, error)
    this.#hostState.overwritten = undefined
  }

  result(outcome: TraceOutcome): unknown {
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

  /** Closes the sandbox. */
  close(): void {
    this.#sandbox.close()
    this.#limits.onClose()
  }

  // --- private

  #load(code: string, config: string): Script {
    const sandbox = this.#sandbox
    sandbox.run(bigInteger, '<big-integer>')
    const host = sandbox.hostObject(hostFunctions(this.#hostState, (message) => sandbox.stop(message)))
    const makeAdopt = sandbox.run(api, '<api>')
    const adopt = sandbox.call(makeAdopt, [host], (value) => sandbox.keep(value))
    // The closing parenthesis is on a new line, because the code may end with a comment.
    const tracer = sandbox.run(`(${code}\n)`)
    const script = sandbox.call(adopt, [tracer, config], (value) => sandbox.keep(value))
    const functionOf = (name: string) => sandbox.property(script, name)
    return {
      step: functionOf('step'),
      fault: functionOf('fault'),
      result: functionOf('result'),
      enter: functionOf('enter'),
      exit: functionOf('exit'),
      hasStep: sandbox.isTrue(script, 'hasStep'),
      hasFrames: sandbox.isTrue(script, 'hasFrames'),
    }
  }

  #answer(outcome: TraceOutcome): string {
    const context = this.#context
    const topMessage = this.#topMessage
    const text = this.#guard('result', () => {
      if (this.#script === undefined || context === undefined || topMessage === undefined) return 'null'
      const fields = contextOf(context, topMessage, outcome, this.#outcome, performance.now() - this.#startTime)
      return this.#sandbox.call(this.#script.result, [fields], (value) => this.#sandbox.text(value))
    })
    if (this.#failure !== undefined) throw this.#failure
    return text ?? 'null'
  }

  #callOpcode(
    kind: 'step' | 'fault',
    { contract }: OpenFrame,
    { frame, stack, args }: TracedOpcode,
    error?: string,
  ): void {
    Object.assign(this.#hostState, { frame, stack, contract })
    this.#call(kind, [...args, error])
  }

  #callEnter(type: string, from: Address, to: Address, gas: bigint, value: bigint, input: Uint8Array): void {
    if (!this.#script?.hasFrames) return
    this.#hostState.frameInput = input
    const shown = type === 'STATICCALL' ? undefined : toQuantity(value)
    this.#call('enter', [type, from, to, Number(gas), shown])
  }

  #callExit(gasUsed: bigint, output: Uint8Array, error: string | undefined): void {
    if (!this.#script?.hasFrames) return
    this.#hostState.frameOutput = output
    this.#call('exit', [Number(gasUsed), error])
  }

  #call(name: 'step' | 'fault' | 'enter' | 'exit', args: readonly SandboxValue[]): void {
    this.#guard(name, () => {
      if (this.#script !== undefined) this.#sandbox.call(this.#script[name], args, () => undefined)
    })
  }

  /** Runs a part of the script, unless it has failed. `name`: the function of the tracer; undefined while it is loaded. */
  #guard<T>(name: string | undefined, part: () => T): T | undefined {
    if (this.#failure !== undefined) return undefined
    try {
      return part()
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error
      const where = name === undefined ? '' : `    in server-side tracer function '${name}'`
      this.#failure = new ScriptFailure(`${error.message}${where}`)
      return undefined
    }
  }

  /** The address of the contract that the transaction creates. */
  #contractOfMessage(): Address {
    const message = this.#context?.message
    return (message && createdContract(message)) ?? ZERO_ADDRESS
  }

  /** The address of the contract that an opcode is about to create. */
  #createdBy(frame: FrameState, name: 'CREATE' | 'CREATE2'): Address {
    const creator = frame.address
    if (name === 'CREATE') return createAddress(creator, this.#context?.machine.view.nonce(creator) ?? 0n)
    const offset = Number(stackItem(frame, 1))
    const length = Number(stackItem(frame, 2))
    const code = length === 0 ? EMPTY_BYTES : frame.memory(offset, length)
    return create2Address(creator, bigToFixed(stackItem(frame, 3), 32), code)
  }
}

// --- the `ctx` argument of `result`

/** The message of the transaction itself. */
type TopMessage = {
  readonly type: string
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly input: Uint8Array
}

/** A field's name, the conversion of its value in the sandbox, and the value. */
type Field = readonly [name: string, kind: 'bytes' | 'big' | 'plain', value: string | number]

/**
 * The fields of `ctx` as JSON, as in go-ethereum; `intrinsicGas` and `time` are from its older versions, whose tracers are
 * still in use. `milliseconds`: the time of the script and the transaction so far.
 */
function contextOf(
  { env, message, position }: TraceContext,
  { type, from, to, value, input }: TopMessage,
  { gasUsed, error, returnData }: TraceOutcome,
  outcome: Pick<Result, 'output' | 'failure'> | undefined,
  milliseconds: number,
): string {
  const failure = outcome?.failure?.message ?? error
  const fields: Field[] = [
    ['type', 'plain', type],
    ['from', 'bytes', from],
    ['to', 'bytes', to],
    ['input', 'bytes', toHex(input)],
    ['gas', 'plain', Number(message.gasLimit)],
    ['gasUsed', 'plain', Number(gasUsed)],
    // go-ethereum's gasPrice is the tip, as of version 1.14.
    ['gasPrice', 'big', String(effectiveTip(message, env.baseFeePerGas ?? 0n))],
    ['value', 'big', String(value)],
    ['block', 'plain', Number(env.number)],
    ['coinbase', 'bytes', env.coinbase],
    ['output', 'bytes', toHex(outcome?.output ?? returnData)],
    ['intrinsicGas', 'plain', Number(gasBounds(message, env.rules).intrinsic)],
    ['time', 'plain', `${milliseconds.toFixed(3)}ms`],
  ]
  if (failure !== undefined) fields.push(['error', 'plain', failure])
  if (position !== undefined) {
    fields.push(['blockHash', 'bytes', position.blockHash], ['txHash', 'bytes', position.transactionHash])
    fields.push(['txIndex', 'plain', position.index])
  }
  return JSON.stringify(fields)
}
