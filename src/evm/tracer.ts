// The events that engines emit while a message runs, and the call tree that is built from them. Blocks store the tree as
// internal transactions; callTracer prints it.
import type { ByteBudget } from '../lib/budget.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { CallKind } from './message.ts'
import type { CoinTransfer } from './native-call.ts'
import type { Opcode } from './opcodes.ts'
import type { Result } from './result.ts'

/** The state of a frame before an opcode. The object is reused for later steps: copy values to keep. */
export interface FrameState {
  readonly pc: number
  readonly gas: bigint
  /** The transaction's refund counter. */
  readonly refund: bigint
  /** 0 for the transaction's own message. */
  readonly depth: number
  /** The account that executes: `address(this)`. */
  readonly address: Address
  readonly code: Uint8Array
  /** Bottom first. */
  readonly stack: readonly bigint[]
  /** Return data of the last call. */
  readonly returnData: Uint8Array
  /** A copy of a range of memory; unwritten bytes are zero. */
  memory(offset: number, length: number): Uint8Array
  /** At the step of an SSTORE: the slot and its value before the write. Only when the tracer sets `readsState`. */
  readonly overwritten?: { readonly key: Hash; readonly word: Uint8Array } | undefined
}

/** A stack item, counted from the top. */
export const stackItem = ({ stack }: Pick<FrameState, 'stack'>, index: number): bigint =>
  stack[stack.length - 1 - index] ?? 0n

/** An opcode before it runs, with its whole gas. */
export type Step = {
  readonly frame: FrameState
  readonly opcode: Opcode
  /** Includes the gas passed to a call, without the stipend. If the gas does not suffice, go-ethereum's number. */
  readonly cost: bigint
  /** Bytes of memory before the opcode. */
  readonly memorySize: number
  /** go-ethereum's text if it fails before it runs: out of gas, stack. */
  readonly error: string | undefined
}

/** A message that begins. */
export type EnterEvent = {
  readonly type: CallKind
  /** The sender; for a DELEGATECALL the account whose code delegates, not that account's caller. */
  readonly from: Address
  /** The account with the code; for DELEGATECALL and CALLCODE it runs on the sender's behalf. null: a creation. */
  readonly to: Address | null
  readonly value: bigint
  readonly gas: bigint
  /** A copy that does not change later; empty if the tracer does not keep it. */
  readonly input: Uint8Array
  readonly depth: number
}

/** Bytes of a packed step, little-endian: pc u32, opcode u8, depth u24, gas before it as f64. */
export const PACKED_STEP = 16
/** Bytes of a packed step with the item on top of the stack before it, big-endian; zero if the stack is empty. */
export const WIDE_STEP = 48

/**
 * Receives steps as JSON text in go-ethereum's struct log format. An engine that can write it calls this instead of `step`,
 * except for records of more than a megabyte.
 */
export interface StepLog {
  readonly shows: {
    readonly stack: boolean
    readonly memory: boolean
    readonly returnData: boolean
    readonly storage: boolean
  }
  /**
   * Whether records are not text but PACKED_STEP bytes each. They come before the tracer is told that a message begins or ends. Nothing
   * else is shown.
   */
  readonly isPacked?: boolean
  /** Whether packed records have the top of the stack, too: WIDE_STEP bytes each. */
  readonly keepsTop?: boolean
  /** Number of records still wanted; Infinity: all. With 0 opcodes run untraced. */
  readonly left: number
  /** Receives the next part of the text, with a comma before each record, and the number of records that end in it. */
  add(text: Buffer, records: number): void
  /** The member `storage` of a step that reads or writes a slot, with a comma before it. Copy it to keep it. */
  storage(of: Address, key: Hash, value: Hash): Uint8Array
}

/** Receives the events of a running machine. With `step` the engines run one opcode at a time, which is slow. */
export interface MessageTracer {
  enter?(message: EnterEvent): void
  /**
   * Asked before the input of an inner message, or of a refused call, is copied: a call's input may be a megabyte at no price. If not
   * true, the message has an empty input. Left out: every input is copied.
   */
  keepsInput?(length: number): boolean
  /** `frame`: the final state of the code; given only to tracers that define `step`. */
  exit?(result: Result, frame: FrameState | undefined): void
  selfdestruct?(from: Address, beneficiary: Address, balance: bigint): void
  /** A call or creation that failed before its message began: depth limit or insufficient balance. */
  refuse?(frame: CallFrame): void
  /** A LOG opcode has run. Logs of native contracts are in their result. */
  log?(log: Log): void
  /** Called before each opcode. */
  step?(step: Step): void
  /** Numbers of the opcodes whose steps are needed; undefined: all. Engines may report others, too. */
  readonly stepsOf?: ReadonlySet<number>
  /** Receives steps instead of `step`, if the engine supports it. */
  readonly stepLog?: StepLog
  /** Whether `step` reads memory: if not, engines need not keep it as it was before the opcode. */
  readonly readsMemory?: boolean
  /** Whether `step` reads storage: if so, engines keep the value that an SSTORE overwrites. */
  readonly readsState?: boolean
}

/** A frame under construction; the runtime publishes it as a read-only CallTree. */
export type CallFrame = {
  type: CallKind | 'SELFDESTRUCT'
  from: Address
  to: Address | null
  value: bigint
  gas: bigint
  gasUsed: bigint
  input: Uint8Array
  output: Uint8Array
  error: string | undefined
  calls: CallFrame[]
  /** Coin transfers of the native contract. They are not messages, so clients' traces leave them out. */
  coinTransfers?: readonly CoinTransfer[]
}

export class CallTreeTracer implements MessageTracer {
  readonly #budget: ByteBudget
  #root: CallFrame | undefined
  readonly #open: CallFrame[] = []

  /** `budget` may be shared with other tracers. */
  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  keepsInput(length: number): boolean {
    return this.takes(length)
  }

  /** Takes bytes from the budget. Throws ChainError `limit-exceeded` when it is used up. */
  protected takes(length: number): boolean {
    this.#budget.left -= length
    if (this.#budget.left < 0) throw new ChainError('limit-exceeded', 'the trace is too large')
    return true
  }

  get root(): CallFrame | undefined {
    return this.#root
  }

  /** The current frame. */
  protected get current(): CallFrame | undefined {
    return this.#open.at(-1)
  }

  enter({ type, from, to, value, gas, input }: EnterEvent): void {
    const frame: CallFrame = {
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

  exit({ failure, gasUsed, output, createdAddress, coinTransfers }: Result, _frame?: FrameState): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    frame.gasUsed = gasUsed
    // The index needs the code of creations, whose bytes are paid for, and the revert data of the transaction.
    if (this.#open.length === 0 || frame.to === null || this.takes(output.length)) frame.output = output
    frame.error = failure?.message
    if (coinTransfers !== undefined) frame.coinTransfers = coinTransfers
    if (frame.to === null && createdAddress !== undefined) frame.to = createdAddress
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

  /** Adds a frame to the calls of the current one, or makes it the root. */
  protected attach(frame: CallFrame): void {
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = frame
    else parent.calls.push(frame)
  }
}
