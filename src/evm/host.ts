// EVMC's Host: what an engine needs of its machine; and Engine: what a machine needs of an engine.

import type { Address, Hash } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { StateView } from '../state/types.ts'
import type { AccessJournal, TransientStorage } from './access-journal.ts'
import type { CallKind, Message, OuterMessage } from './message.ts'
import type { NativeContract } from './native-call.ts'
import type { Precompile } from './precompile.ts'
import type { Result } from './result.ts'
import type { StateAccesses } from './state-accesses.ts'
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
  /** Receives what the message reads of the state (EIP-7928); undefined: nobody asks. */
  readonly stateAccesses: StateAccesses | undefined
  /** The outer message that is running. Throws if there is none. */
  readonly outer: OuterMessage
  readonly chainId: bigint
  nativeAt(address: Address): NativeContract | undefined
  /** A native contract that is registered in the state. Called only for accounts whose code is the single byte INVALID. */
  findNative(address: Address): NativeContract | undefined
  precompileAt(address: Address): Precompile | undefined
  runNative(native: NativeContract, message: Message, substate: Substate): MaybePromise<NativeOutcome>
  runPrecompile(precompile: Precompile, input: Uint8Array, gas: bigint): MaybePromise<NativeOutcome>
  /** Wei that the account may not spend. */
  lockedBalance(of: Address): bigint
  blockHash(number: bigint): Hash | undefined
  /** The most recent call opcode: the kind of a native contract's message. */
  callKind: Exclude<CallKind, 'CREATE' | 'CREATE2'>
  /** Unpaid work of the outer message (`gas/unpaid-work.ts`), set when it ends. */
  unpaidWork: bigint
  /** Reports that a message begins. `message` is called only if a tracer listens. */
  messageBegan(message: () => EnterEvent): void
  /** Reports that a message has ended. `frame`: the final state of its code, while opcodes are traced. */
  messageEnded(result: Result, frame: FrameState | undefined): void
  /** Returns undefined to continue at once, or a promise to await first. Throws ChainError `limit-exceeded` at the deadline. */
  pauseIfDue(): Promise<void> | undefined
}

/** What a proposal's functions reach of the world through their frame. */
export type FrameHost = Pick<Host, 'chainId' | 'stateAccesses'> & {
  readonly view: Pick<Host['view'], 'balance' | 'code' | 'originalWord'>
  readonly accessJournal: Pick<Host['accessJournal'], 'isWarm' | 'warm' | 'warmSlot'>
  readonly transient: Pick<Host['transient'], 'load' | 'store'>
  readonly outer: Pick<Host['outer'], 'from' | 'gasPrice' | 'block'>
}

/** Runs code: one outer message at a time. All inner messages run in the engine of the outer one. */
export interface Engine {
  /** Runs an outer message to its end. Throws errors of the host's clock and internal errors. */
  run(message: OuterMessage): MaybePromise<Result>
  /** Runs a message within the current one, for a native contract. On success its additions to the substate are kept. */
  call(message: Message, substate: Substate): MaybePromise<Result>
}
