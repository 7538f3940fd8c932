// EVMC's Host: what every engine needs of the machine around it, and the one thing that a machine needs of an engine.

import type { Address, Hash } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { StateView } from '../state/types.ts'
import type { AccessJournal, TransientStorage } from './access-journal.ts'
import type { CallKind, Message, OuterMessage } from './message.ts'
import type { NativeContract } from './native-call.ts'
import type { Precompile } from './precompile.ts'
import type { Result } from './result.ts'
import type { Substate } from './substate.ts'
import type { EnterEvent, FrameState, MessageTracer } from './tracer.ts'

/** The outcome of a precompile or native contract. */
export type NativeOutcome = Pick<Result, 'failure' | 'output' | 'gasUsed' | 'logs' | 'nativeLogs' | 'coinTransfers'>

export interface Host {
  readonly view: StateView
  /** Accounts and slots accessed (EIP-2929) and touched (EIP-161), with the checkpoints of the view. */
  readonly accessJournal: AccessJournal
  readonly transient: TransientStorage
  readonly tracer: MessageTracer | undefined
  /** The message from outside that runs. Throws where none does. */
  readonly outer: OuterMessage
  readonly chainId: bigint
  nativeAt(address: Address): NativeContract | undefined
  /** A native contract that is registered in the state. Called only for accounts whose code is the single byte INVALID. */
  findNative(address: Address): NativeContract | undefined
  precompileAt(address: Address): Precompile | undefined
  runNative(native: NativeContract, message: Message, substate: Substate): MaybePromise<NativeOutcome>
  runPrecompile(precompile: Precompile, input: Uint8Array, gas: bigint): MaybePromise<NativeOutcome>
  /** Wei that the account must keep of its balance. */
  lockedBalance(of: Address): bigint
  blockHash(number: bigint): Hash | undefined
  /** The call opcode that ran last: a native contract's message is its. */
  callKind: Exclude<CallKind, 'CREATE' | 'CREATE2'>
  /** Work that the message from outside has not paid for (`gas/unpaid-work.ts`), once it has ended. */
  unpaidWork: bigint
  /** Reports that a message begins. `message` is called only if a tracer listens. */
  messageBegan(message: () => EnterEvent): void
  /** Reports that a message has ended. `frame`: the final state of its code, while opcodes are traced. */
  messageEnded(result: Result, frame: FrameState | undefined): void
  /** Returns undefined to continue at once, or a promise to await first. Throws ChainError `limit-exceeded` at the deadline. */
  pauseIfDue(): Promise<void> | undefined
}

/** Runs code: one message from outside at a time. All inner messages run in the engine in which the outer one began. */
export interface Engine {
  /** Runs a message from outside to its end. Throws what the host's clock throws, and faults of this program. */
  run(message: OuterMessage): MaybePromise<Result>
  /** Runs a message within the present one, for a native contract. If it succeeds, its additions to the substate are kept. */
  call(message: Message, substate: Substate): MaybePromise<Result>
}
