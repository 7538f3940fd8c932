// What the engine needs of the machine around it.
import type { EVMResult, ExecResult, Message, PrecompileFunc } from '@ethereumjs/evm'
import type { Address, Hash } from '../../lib/hex.ts'
import type { StateView } from '../../state/types.ts'
import type { Journal, TransientStorage } from '../journal.ts'
import type { NativeContract } from '../native-call.ts'
import type { CallType, Entered, MessageTracer } from '../tracer.ts'

/** Work that is not the interpreter's: of precompiles and native contracts. */
export type Work = ExecResult | Promise<ExecResult>

export interface Surroundings {
  readonly view: StateView
  readonly warmth: Journal
  readonly transient: TransientStorage
  readonly tracer: MessageTracer | undefined
  nativeAt(address: Address): NativeContract | undefined
  /** A native contract that the state tells of; asked where the code is a lone INVALID. */
  findNative(address: Address): NativeContract | undefined
  precompileAt(address: Address): PrecompileFunc | undefined
  runNative(native: NativeContract, message: Message): Work
  runPrecompile(code: PrecompileFunc, data: Uint8Array, gasLimit: bigint): Work
  /** Wei that the account must keep. */
  held(of: Address): bigint
  blockHash(number: bigint): Hash | undefined
  /** How a native contract calls when it calls next. */
  readonly callType: CallType
  /** A message begins; what is told of it is made for whoever listens. */
  began(message: () => Entered): void
  /** A message has ended. */
  ended(result: EVMResult): void
  /** Undefined: go on. Else go on when it settles. Throws at the deadline. */
  turn(): Promise<void> | undefined
}
