// A message within the engine, and how it ended.
import type { Address } from '../../lib/hex.ts'
import { type FailureCode, failureOf, opcodeFailure } from '../failure.ts'
import type { WorkDone } from '../host.ts'
import { type CallKind, isCreation, type Message } from '../message.ts'
import { NO_LOGS, type Result } from '../result.ts'
import type { Mark, Substate } from '../substate.ts'
import type { WasmFrame } from './step-frame.ts'

export type Call = {
  readonly kind: CallKind
  readonly caller: Address
  /** The account in whose name the code runs; of a creation what it makes. */
  readonly to: Address
  readonly codeAddress: Address
  /** Apparent value under DELEGATECALL. */
  readonly value: bigint
  readonly gas: number
  /** Where the input lies: data, or init code. */
  readonly data: number
  readonly dataLength: number
  readonly depth: number
  readonly isStatic: boolean
  readonly salt: Uint8Array | undefined
  /** The stack word that named the code's account; 0 if none did. */
  readonly word: number
}

/** A message that has begun: its frame, 0 while it has none, and what its failure takes back. */
export type Open = {
  readonly call: Call
  readonly mark: Mark
  /** Where the engine's memory was free before. */
  readonly base: number
  frame: number
  /** The frame as it is shown to a tracer that is told of opcodes. */
  shown: WasmFrame | undefined
}

/** How a message ended. The output is a range of the engine's memory, or bytes from elsewhere. */
export type End = {
  failure: FailureCode | undefined
  /** More exact words than the failure's own. */
  words: string | undefined
  gasUsed: number
  at: number
  length: number
  bytes: Uint8Array | undefined
  /** The outcome of a precompile or native contract. */
  work: WorkDone | undefined
  /** Of code that ran: the last opcode and the items on the stack. */
  opcode: number
  items: number
  hasRun: boolean
}

export const ended = (failure?: FailureCode, gasUsed = 0): End => ({
  failure,
  words: undefined,
  gasUsed,
  at: 0,
  length: 0,
  bytes: undefined,
  work: undefined,
  opcode: 0,
  items: 0,
  hasRun: false,
})

/** The message for native contracts. `input`: a copy of its own. */
export const messageOf = (call: Call, input: Uint8Array): Message => ({
  ...{ kind: call.kind, sender: call.caller, recipient: call.to, codeAddress: call.codeAddress },
  ...{ value: call.value, gas: BigInt(call.gas), input, depth: call.depth, isStatic: call.isStatic },
})

/** The end as a result. `output`: only what the message hands back; `stands`: what it did was kept. */
export function toResult(
  call: Call,
  end: End,
  output: Uint8Array,
  substate: Substate,
  mark: Mark,
  stands: boolean,
): Result {
  const { failure, words, gasUsed, work, opcode, items, hasRun } = end
  const isNamed = !isCreation(call.kind) || (!hasRun && failure === 'initcode size')
  return {
    failure: failure && (work?.failure ?? failureIn(failure, words, hasRun, opcode, items)),
    output: failure === undefined || failure === 'revert' ? output : output.subarray(0, 0),
    gasUsed: BigInt(gasUsed),
    logs: stands ? substate.logs.slice(mark.logs) : NO_LOGS,
    nativeLogs: stands && work !== undefined ? work.nativeLogs : NO_LOGS,
    refund: BigInt(substate.refund),
    destroyed: substate.destroyed,
    created: substate.created,
    createdAddress: isNamed ? undefined : call.to,
  }
}

function failureIn(failure: FailureCode, words: string | undefined, hasRun: boolean, opcode: number, items: number) {
  if (words !== undefined || !hasRun) return failureOf(failure, words)
  return opcodeFailure(failure, opcode, items)
}
