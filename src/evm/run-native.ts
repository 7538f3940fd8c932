// A native contract's turn in the machine: the message in its words, its answer in the library's, and the messages that
// it sends to contracts in between, which count as any call does: checkpoint, gas, refunds, logs, tracers.
import { EVMError, type ExecResult, type Log as LibLog, Message, type PrecompileInput } from '@ethereumjs/evm'
import { after, type Eventual } from '../lib/eventual.ts'
import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import { logsOf, toLibLog } from './logs.ts'
import type { Machine } from './machine.ts'
import type { BlockContext } from './machine-parts.ts'
import type {
  InnerMessage,
  InnerResult,
  NativeBlock,
  NativeContract,
  NativeError,
  NativeResult,
} from './native-call.ts'
import { addressOf, toLibAddress } from './state-adapter.ts'
import { failureWords } from './tracer.ts'

const MAX_DEPTH = 1024
const ERRORS: Record<NativeError, EVMError['error']> = {
  revert: EVMError.errorMessages.REVERT,
  'out of gas': EVMError.errorMessages.OUT_OF_GAS,
  'invalid opcode': EVMError.errorMessages.INVALID_OPCODE,
}

/** Results of native contracts that called others, with the logs that are their own. */
const ownLogs = new WeakMap<ExecResult, LibLog[]>()

/** Who runs it, and for which transaction. */
export type NativeSetting = { readonly machine: Machine; readonly origin: Address; readonly block: NativeBlock }

export function runNative(
  { machine, origin, block }: NativeSetting,
  native: NativeContract,
  message: Message,
  { data, gasLimit }: Pick<PrecompileInput, 'data' | 'gasLimit'>,
): ExecResult | Promise<ExecResult> {
  const fromContracts = new Set<Log>()
  let broken: { readonly error: unknown } | undefined
  const result = native.run({
    caller: addressOf(message.caller),
    origin,
    value: message.value,
    input: data,
    isStatic: message.isStatic,
    isDelegate: message.to === undefined || addressOf(message.to) !== addressOf(message.codeAddress),
    depth: message.depth,
    gasLimit,
    view: machine.view,
    block,
    callContract: async (inner) => {
      try {
        const answer = await callContract(machine, message, inner)
        for (const log of answer.logs) fromContracts.add(log)
        return answer
      } catch (error) {
        broken = { error }
        throw error
      }
    },
  })
  if (!(result instanceof Promise)) return execResultOf(result)
  return result.then((settled) => {
    // The deadline, or a fault of the machine's: not the native contract's to turn into a refusal.
    if (broken !== undefined) throw broken.error
    const { selfdestruct, createdAddresses } = message
    const execResult: ExecResult = {
      ...execResultOf(settled),
      ...(selfdestruct !== undefined && { selfdestruct }),
      ...(createdAddresses !== undefined && { createdAddresses }),
    }
    ownLogs.set(execResult, settled.logs.filter((log) => !fromContracts.has(log)).map(toLibLog))
    return execResult
  })
}

/** A message within a native contract's own: what the interpreter does for the call opcodes. */
async function callContract(
  machine: Machine,
  around: Message,
  { from, to, input, gasLimit, isStatic }: InnerMessage,
): Promise<InnerResult> {
  if (around.depth >= MAX_DEPTH) {
    return { output: EMPTY_BYTES, gasUsed: 0n, logs: [], error: 'max call depth exceeded' }
  }
  const message = new Message({
    caller: toLibAddress(from),
    to: toLibAddress(to),
    data: input,
    gasLimit,
    depth: around.depth + 1,
    isStatic: isStatic || around.isStatic,
    gasRefund: around.gasRefund,
    selfdestruct: new Map(around.selfdestruct),
    createdAddresses: new Set(around.createdAddresses),
  })
  machine.callType = message.isStatic ? 'STATICCALL' : 'CALL'
  machine.warmth.warm(to)
  const { execResult } = await machine.runCall({ message })
  const { gasRefund, exceptionError } = execResult
  if (exceptionError === undefined) {
    // Refunds and destructions take effect when the transaction is over: they are handed up, in the frame's own lists.
    if (gasRefund !== undefined) around.gasRefund = gasRefund
    for (const [destroyed, beneficiary] of message.selfdestruct ?? []) around.selfdestruct?.set(destroyed, beneficiary)
    for (const created of message.createdAddresses ?? []) around.createdAddresses?.add(created)
  }
  return innerResult(execResult)
}

function innerResult(execResult: ExecResult): InnerResult {
  const { returnValue, executionGasUsed, exceptionError } = execResult
  return {
    output: exceptionError === undefined || exceptionError.error === ERRORS.revert ? returnValue : EMPTY_BYTES,
    gasUsed: executionGasUsed,
    logs: logsOf(execResult),
    error: failureWords(execResult),
  }
}

/**
 * A message of the protocol's own between transactions: nobody pays for it and its logs are nobody's. `block` is what it
 * is told of the block.
 */
export function callFromProtocol(
  machine: Machine,
  block: BlockContext | undefined,
  { from, to, input, gasLimit, isStatic }: InnerMessage,
): Eventual<InnerResult> {
  machine.view.beginTransaction()
  machine.warmth.clear()
  machine.transient.clear()
  // Who sends for nothing and is nobody would be made and deleted with every question: undoing both is easier.
  if (isStatic) machine.warmth.open()
  const paidByNobody = { value: 0n, gasPrice: 0n, blobVersionedHashes: [] }
  const running = machine.run({ from, to, data: input, gasLimit, isStatic, block, ...paidByNobody })
  return after(running, ({ execResult }) => {
    if (isStatic) machine.warmth.undo()
    machine.warmth.clear()
    return innerResult(execResult)
  })
}

/** What tracers are told: logs of contracts that a native one called they have heard of already. */
export function withOwnLogs<R extends { readonly execResult: ExecResult }>(result: R): R {
  const logs = ownLogs.get(result.execResult)
  return logs === undefined ? result : { ...result, execResult: { ...result.execResult, logs } }
}

const execResultOf = ({ output, gasUsed, logs, error }: NativeResult): ExecResult => ({
  returnValue: output,
  executionGasUsed: gasUsed,
  logs: logs.map(toLibLog),
  ...(error !== undefined && { exceptionError: new EVMError(ERRORS[error]) }),
})
