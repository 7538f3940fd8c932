// geth's flatCallTracer: the call tree as Parity's flat list of frames, each with its `traceAddress`.
import type { Machine } from '../../evm/machine.ts'
import { type CallFrame, CallTreeTracer } from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { parityError } from '../../primitives/parity-errors.ts'
import { type FlatFrame, flattenCallTree } from './flatten.ts'
import type { RecordedContext, RecordedTracer, TraceOutcome } from './tracer.ts'

export type FlatCallOptions = {
  /** Uses Parity's error messages instead of geth's. */
  readonly convertParityErrors: boolean
  readonly includePrecompiles: boolean
}

export class FlatCallTracer extends CallTreeTracer implements RecordedTracer {
  readonly readsRecording = true
  readonly #options: FlatCallOptions
  #context: RecordedContext | undefined

  constructor(options: FlatCallOptions, budget: ByteBudget) {
    super(budget)
    this.#options = options
  }

  start(context: RecordedContext): void {
    this.#context = context
  }

  refuse(frame: CallFrame): void {
    this.attach(frame)
  }

  result({ gasUsed }: TraceOutcome): unknown {
    const { root } = this
    const context = this.#context
    if (root === undefined || context === undefined) return []
    const { env, message, machine, position } = context
    const whole = { ...root, gas: message.gasLimit, gasUsed }
    const { includePrecompiles, convertParityErrors } = this.#options
    return flattenCallTree(whole, (frame) => includePrecompiles || !isPrecompileCall(machine, frame)).map((frame) => ({
      ...wireFlat(frame),
      ...(frame.error !== undefined && { error: convertParityErrors ? parityError(frame.error) : frame.error }),
      ...(position !== undefined && {
        blockHash: position.blockHash,
        transactionHash: position.transactionHash,
        transactionPosition: position.index,
      }),
      blockNumber: Number(env.number),
      traceAddress: frame.traceAddress,
      subtraces: frame.subtraces,
    }))
  }
}

/** Whether a frame is a call of an Ethereum precompile, which Parity does not list. */
export const isPrecompileCall = (
  machine: Pick<Machine, 'isPrecompile'>,
  { type, to }: Pick<CallFrame, 'type' | 'to'>,
): boolean => (type === 'CALL' || type === 'STATICCALL') && to !== null && machine.isPrecompile(to)

function wireFlat(frame: FlatFrame) {
  const { type, from, to, value, gas, gasUsed, input, output, error } = frame
  if (type === 'SELFDESTRUCT') {
    return { type: 'suicide', action: { address: from, balance: toQuantity(value), refundAddress: to } }
  }
  // A revert has a result, its data; other failures have none.
  const hasResult = error === undefined || error === 'execution reverted'
  const common = { from, gas: toQuantity(gas), value: toQuantity(value) }
  if (type === 'CREATE' || type === 'CREATE2') {
    const created = { ...(error === undefined && { address: to }), code: toHex(output), gasUsed: toQuantity(gasUsed) }
    const action = { ...common, creationMethod: type.toLowerCase(), init: toHex(input) }
    return { type: 'create', action, ...(hasResult && { result: created }) }
  }
  return {
    type: 'call',
    action: { ...common, callType: type.toLowerCase(), input: toHex(input), to },
    ...(hasResult && { result: { gasUsed: toQuantity(gasUsed), output: toHex(output) } }),
  }
}
