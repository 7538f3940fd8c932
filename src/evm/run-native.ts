// Runs native contracts in the machine: converts the message and the result, and runs the messages that the contract sends,
// with checkpoint, gas, refunds, logs and tracing as for any call.

import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import { andFinally, andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Log } from '../primitives/types.ts'
import { type FailureCode, failureOf, isRevert, stableMessage } from './failure.ts'
import { MAX_DEPTH } from './gas/gas-rules.ts'
import type { Host, NativeOutcome } from './host.ts'
import type { BlockContext, Message, OuterMessage } from './message.ts'
import type {
  InnerMessage,
  InnerResult,
  NativeBlock,
  NativeContract,
  NativeError,
  NativeResult,
} from './native-call.ts'
import { NO_LOGS, type Result } from './result.ts'
import type { Substate } from './substate.ts'

const FAILURES: Record<NativeError, FailureCode> = {
  revert: 'revert',
  'out of gas': 'out of gas',
  'invalid opcode': 'invalid opcode',
}

/** The part of the machine that native contracts use. */
export type NativeHost = Host & {
  /** Runs a message within the current one. */
  call(message: Message, substate: Substate): MaybePromise<Result>
}

/** Runs a native contract for a message. `origin`: the transaction's sender. */
export function runNative(
  host: NativeHost,
  origin: Address,
  block: NativeBlock,
  native: NativeContract,
  message: Message,
  substate: Substate,
): MaybePromise<NativeOutcome> {
  const fromContracts = new Set<Log>()
  let broken: { readonly error: unknown } | undefined
  const { sender, recipient, codeAddress, value, input, isStatic, depth, gas } = message
  const result = native.run({
    caller: sender,
    origin,
    value,
    input,
    isStatic,
    depth,
    gasLimit: gas,
    view: host.view,
    block,
    isDelegate: recipient !== codeAddress,
    callContract: async (inner) => {
      try {
        const answer = await callContract(host, message, substate, inner)
        for (const log of answer.logs) fromContracts.add(log)
        return answer
      } catch (error) {
        broken = { error }
        throw error
      }
    },
  })
  if (!(result instanceof Promise)) return workDone(result, result.logs)
  return result.then((settled) => {
    // The deadline or an internal error of the machine: the native contract must not turn it into a revert.
    if (broken !== undefined) throw broken.error
    return workDone(
      settled,
      settled.logs.filter((log) => !fromContracts.has(log)),
    )
  })
}

const workDone = (
  { output, gasUsed, logs, error, coinTransfers }: NativeResult,
  nativeLogs: readonly Log[],
): NativeOutcome => ({
  output,
  gasUsed,
  logs,
  nativeLogs,
  coinTransfers,
  failure: error === undefined ? undefined : failureOf(FAILURES[error]),
})

/** Runs a call that a native contract makes, as the interpreter runs a call opcode. */
async function callContract(
  host: NativeHost,
  outer: Message,
  substate: Substate,
  { from, to, value = 0n, input, gasLimit, isStatic }: InnerMessage,
): Promise<InnerResult> {
  if (outer.depth >= MAX_DEPTH) {
    return { output: EMPTY_BYTES, gasUsed: 0n, logs: NO_LOGS, error: failureOf('call depth').message }
  }
  const staysStatic = isStatic || outer.isStatic
  const kind = staysStatic ? 'STATICCALL' : 'CALL'
  host.callKind = kind
  host.accessJournal.warm(to)
  const child = substate.child()
  const result = await host.call(
    {
      kind,
      sender: from,
      recipient: to,
      codeAddress: to,
      value,
      gas: gasLimit,
      input,
      depth: outer.depth + 1,
      isStatic: staysStatic,
    },
    child,
  )
  if (result.failure === undefined) substate.adopt(child)
  return innerResult(result)
}

const innerResult = ({ failure, output, gasUsed, logs }: Result): InnerResult => ({
  output: failure === undefined || isRevert(failure) ? output : EMPTY_BYTES,
  gasUsed,
  logs,
  error: failure && stableMessage(failure),
})

/** The members of the machine that protocol messages use. */
export type ProtocolHost = Pick<Host, 'view' | 'accessJournal' | 'transient'> & {
  run(message: OuterMessage): MaybePromise<Result>
}

/**
 * Runs a protocol message between two transactions. No account pays for its gas, and its logs belong to no transaction.
 * `block`: the block context that the code reads.
 */
export function callFromProtocol(
  machine: ProtocolHost,
  block: BlockContext | undefined,
  { from, to, input, gasLimit, isStatic }: InnerMessage,
): MaybePromise<InnerResult> {
  const { view, accessJournal: warmth, transient } = machine
  view.beginTransaction()
  warmth.clear()
  transient.clear()
  const unpaid = { value: 0n, reservoir: 0n, gasPrice: 0n, blobVersionedHashes: [], refund: 0n }
  // A static call from a missing account would create and delete that account: revert both instead.
  if (isStatic) warmth.checkpoint()
  return andFinally(
    () => andThen(machine.run({ from, to, data: input, gasLimit, isStatic, block, ...unpaid }), innerResult),
    () => {
      if (isStatic) warmth.revert()
      warmth.clear()
    },
  )
}
