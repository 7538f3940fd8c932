// The opcodes of a message for Parity's vmTrace: the cost of each, and what it wrote to stack, memory and storage.

import type { Opcode } from '../../evm/opcodes.ts'
import { type FrameState, type Step, stackItem } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'

/** The effects of an opcode, by Parity's field names. */
export type VmEffect = {
  /** Gas left after it. */
  used: bigint
  push: readonly bigint[]
  mem: { readonly off: number; readonly data: Uint8Array } | undefined
  readonly store: { readonly key: bigint; readonly val: bigint } | undefined
}

/** An executed opcode. */
export type VmOperation = {
  readonly pc: number
  readonly opcode: Opcode
  readonly cost: bigint
  /** undefined: it failed. */
  ex: VmEffect | undefined
  /** The frame that it called; undefined when no code ran. */
  sub: VmFrame | undefined
}

/** The operations of one frame, with its code. */
export type VmFrame = { readonly code: Uint8Array; readonly ops: VmOperation[] }

/** Most operations of one message; more would not fit a response. */
const MAX_OPERATIONS = 500_000

/** Where opcodes write memory: stack positions of offset and length, or a fixed length in bytes. */
const WRITES: Readonly<Record<string, readonly [at: number, length: number] | readonly [at: number, 'fixed', number]>> =
  {
    MLOAD: [0, 'fixed', 32],
    MSTORE: [0, 'fixed', 32],
    MSTORE8: [0, 'fixed', 1],
    CALLDATACOPY: [0, 2],
    CODECOPY: [0, 2],
    RETURNDATACOPY: [0, 2],
    MCOPY: [0, 2],
    EXTCODECOPY: [1, 3],
    CALL: [5, 6],
    CALLCODE: [5, 6],
    DELEGATECALL: [4, 5],
    STATICCALL: [4, 5],
  }

/** Collects the opcodes of one message. An opcode's effects are known when the next one of its frame begins, or the frame ends. */
export class VmRecorder {
  #root: VmFrame | undefined
  #count = 0
  readonly #open: {
    frame: VmFrame
    last: { operation: VmOperation; area: [number, number] | undefined } | undefined
  }[] = []

  get root(): VmFrame | undefined {
    return this.#root
  }

  enter(): void {
    const frame: VmFrame = { code: new Uint8Array(0), ops: [] }
    this.#root ??= frame
    this.#open.push({ frame, last: undefined })
  }

  /** `state`: the frame's final state; undefined if no code ran. */
  exit(state: FrameState | undefined, isFailure: boolean): void {
    const running = this.#open.pop()
    if (running?.last === undefined || state === undefined) return
    if (isFailure) running.last.operation.ex = undefined
    else complete(running.last, state)
    const calling = this.#open.at(-1)?.last?.operation
    const frame = { code: state.code, ops: running.frame.ops }
    if (calling !== undefined) calling.sub = frame
    else this.#root = frame
  }

  step({ frame: state, opcode, cost, error }: Step): void {
    const running = this.#open.at(-1)
    if (running === undefined) return
    if (running.last !== undefined) complete(running.last, state)
    // Parity does not list the implicit STOP after the code's last byte.
    if (state.pc >= state.code.length) return
    if (++this.#count > MAX_OPERATIONS) {
      throw new ChainError('limit-exceeded', `vmTrace of more than ${MAX_OPERATIONS} operations`)
    }
    const store = opcode.name === 'SSTORE' && error === undefined ? slotOf(state) : undefined
    const ex: VmEffect = { used: 0n, push: [], mem: undefined, store }
    const operation: VmOperation = { pc: state.pc, opcode, cost, ex, sub: undefined }
    running.frame.ops.push(operation)
    running.last = { operation, area: error === undefined ? areaOf(state, opcode) : undefined }
  }
}

function complete(
  { operation, area }: { operation: VmOperation; area: [number, number] | undefined },
  state: FrameState,
): void {
  const { ex, opcode } = operation
  if (ex === undefined) return
  ex.used = state.gas
  const { pushes } = opcode
  ex.push = pushes > 0 && state.stack.length >= pushes ? state.stack.slice(-pushes) : []
  if (area !== undefined && area[1] > 0) ex.mem = { off: area[0], data: state.memory(area[0], area[1]) }
}

function slotOf(frame: FrameState): { key: bigint; val: bigint } {
  return { key: stackItem(frame, 0), val: stackItem(frame, 1) }
}

function areaOf(frame: FrameState, { name }: Opcode): [number, number] | undefined {
  const writes = WRITES[name]
  if (writes === undefined) return undefined
  const [at, length, size] = writes
  return [Number(stackItem(frame, at)), length === 'fixed' ? (size ?? 0) : Number(stackItem(frame, length))]
}
