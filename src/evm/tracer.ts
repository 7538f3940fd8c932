// The call tree of one transaction, from the machine's message events. The tree is what the block keeps
// (internal transactions) and what callTracer shows.
import { EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm'
import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import { type Opcode, opcodeOf, stackFault } from './opcodes.ts'
import { addressOf } from './state-adapter.ts'
import type { RunState } from './tables.ts'

export type CallType = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'

/** One opcode about to run, its whole gas known. */
export type Step = {
  /** Of the frame; it lives on, so that what is to be kept has to be copied. */
  readonly state: RunState
  readonly opcode: Opcode
  /** With what a call hands on, without the stipend; as geth counts it when the opcode cannot be paid. */
  readonly cost: bigint
  /** Bytes of memory before the opcode. */
  readonly memorySize: number
  /** geth's words when it fails before it runs: out of gas, stack. */
  readonly error: string | undefined
}

/** A message as it begins. */
export type Entered = {
  readonly type: Exclude<Frame['type'], 'SELFDESTRUCT'>
  /** Who sends it; of a DELEGATECALL the account whose code delegates, not that account's own caller. */
  readonly from: Address
  /** Whose code runs: under DELEGATECALL and CALLCODE it does so in the sender's place. null: a creation. */
  readonly to: Address | null
  readonly value: bigint
  readonly gas: bigint
  /** Nobody writes on it any more. */
  readonly input: Uint8Array
  readonly depth: number
}

/** What a machine tells while it runs, to whom it concerns. The last three cost time: only who has them is told. */
export interface MessageTracer {
  enter?(message: Entered): void
  exit?(result: EVMResult): void
  selfdestruct?(from: Address, beneficiary: Address, balance: bigint): void
  /** A call or creation that failed before its message began: too deep, or too poor. */
  refuse?(frame: Frame): void
  /** A LOG opcode has run. What native contracts log is in their result. */
  log?(log: Log): void
  /** Before each opcode. */
  step?(step: Step): void
}

/** A frame while it is being built; the runtime publishes it as a read-only CallTrace. */
export type Frame = {
  type: 'CALL' | 'STATICCALL' | 'DELEGATECALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'
  from: Address
  to: Address | null
  value: bigint
  gas: bigint
  gasUsed: bigint
  input: Uint8Array
  output: Uint8Array
  error: string | undefined
  calls: Frame[]
}

export class CallTreeTracer implements MessageTracer {
  #root: Frame | undefined
  readonly #open: Frame[] = []

  get root(): Frame | undefined {
    return this.#root
  }

  /** The frame that runs now. */
  protected get current(): Frame | undefined {
    return this.#open.at(-1)
  }

  enter({ type, from, to, value, gas, input }: Entered): void {
    const frame: Frame = {
      type,
      from,
      to,
      value,
      gas,
      gasUsed: 0n,
      input,
      output: EMPTY_BYTES,
      error: undefined,
      calls: [],
    }
    this.attach(frame)
    this.#open.push(frame)
  }

  exit(result: EVMResult): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    const { executionGasUsed, returnValue, runState } = result.execResult
    frame.gasUsed = executionGasUsed
    // A precompile may hand back the very bytes it was given.
    frame.output = runState === undefined && returnValue.length > 0 ? returnValue.slice() : returnValue
    frame.error = failureWords(result.execResult)
    if (frame.to === null && result.createdAddress !== undefined) frame.to = addressOf(result.createdAddress)
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    this.attach({
      type: 'SELFDESTRUCT',
      from,
      to: beneficiary,
      value: balance,
      gas: 0n,
      gasUsed: 0n,
      input: EMPTY_BYTES,
      output: EMPTY_BYTES,
      error: undefined,
      calls: [],
    })
  }

  /** Hangs a frame under the one that runs. */
  protected attach(frame: Frame): void {
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = frame
    else parent.calls.push(frame)
  }
}

const { errorMessages } = EVMError
const WORDS: Record<string, string> = {
  [errorMessages.REVERT]: 'execution reverted',
  [errorMessages.OUT_OF_GAS]: 'out of gas',
  [errorMessages.CODESTORE_OUT_OF_GAS]: 'contract creation code storage out of gas',
  [errorMessages.CODESIZE_EXCEEDS_MAXIMUM]: 'max code size exceeded',
  [errorMessages.INVALID_JUMP]: 'invalid jump destination',
  [errorMessages.STATIC_STATE_CHANGE]: 'write protection',
  [errorMessages.CREATE_COLLISION]: 'contract address collision',
  [errorMessages.INSUFFICIENT_BALANCE]: 'insufficient balance for transfer',
  [errorMessages.INVALID_BYTECODE_RESULT]: 'invalid code: must not begin with 0xef',
  [errorMessages.INITCODE_SIZE_VIOLATION]: 'max initcode size exceeded',
  [errorMessages.OUT_OF_RANGE]: 'return data out of bounds',
}

/** The library's word for a failure in geth's words, which clients match on. A bad jump comes with its place. */
export const errorWords = (error: string): string => WORDS[error.replace(/ at 0x.*/, '')] ?? error

/** geth's words for how a frame failed, with the opcode or the stack that was to blame; undefined on success. */
export function failureWords({ exceptionError, runState }: ExecResult): string | undefined {
  if (exceptionError === undefined) return undefined
  const { error } = exceptionError
  if (runState === undefined) return errorWords(error)
  const opcode = opcodeOf(runState.opCode)
  if (error === errorMessages.INVALID_OPCODE) return `invalid opcode: ${opcode.name}`
  if (error === errorMessages.STACK_UNDERFLOW || error === errorMessages.STACK_OVERFLOW) {
    return stackFault(opcode, runState.stack.length) ?? error
  }
  // Code that ran to its end and has no gas left to be stored.
  const { returnValue } = runState as RunState & { readonly returnValue?: Uint8Array }
  const isDeposit = error === errorMessages.OUT_OF_GAS && returnValue !== undefined && returnValue.length > 0
  return errorWords(isDeposit ? errorMessages.CODESTORE_OUT_OF_GAS : error)
}
