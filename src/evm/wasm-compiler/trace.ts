// A trace: basic blocks that are compiled one after another as a straight path, from the start of the code or a jump destination.
// A JUMP with a known target continues the same trace at the target and emits no instruction; a JUMPI continues after it, and
// its taken side leaves the trace.
//
// Each block starts with one guard: the gas left covers the constant gas of all its opcodes, and the stack height is between
// the bounds within which no opcode of it under- or overflows. The whole constant gas is then charged at once. Opcodes with
// dynamic gas charge it themselves, and for that moment the gas counter is too low by the constant gas of the opcodes after
// them in the block (`Op.gasAfter`).
//
// Control leaves a trace in four ways:
//   - a jump to another trace of the same function: the virtual stack is spilled and BASE is moved (`jumpTo`);
//   - a side exit to the interpreter, which runs the opcode itself: when a guard fails, the program counter, stack and gas are
//     written to the frame exactly as the interpreter would have them before that opcode, and FALLEN is returned. A failure
//     is thus always found by the interpreter, which reports the right one;
//   - an exit to the host, with the opcode that the host carries out (calls, creations, RETURN) or STOPPED;
//   - out of gas, returned at once where no opcode of the block can fail for another reason (`Op.failsOnlyForGas`).
//
// The turn (the gas after which the node looks at its clock) is checked at the first block of a trace only: every loop goes
// through a jump to a trace.
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { F_MEMORY_SIZE, FALLEN, OUT_OF_GAS, PAUSED } from '../wasm/layout.ts'
import type { BasicBlock, BasicBlocks, Op } from './blocks.ts'
import { ACCESS, type Emitter, I32, I64, OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
import { pushAny } from './limbs.ts'
import { BASE, FLOOR, FRAME, GAS, HEIGHT, LIMIT, MEMORY_SIZE } from './locals.ts'
import { Stack } from './stack.ts'
import { limbsOf, type Word } from './word.ts'

/** Opcodes after which a trace takes no further block, and items pushed or popped after which it does not. */
const MAX_OPCODES = 300
const MAX_HEIGHT = 100
/** Live locals above which dead ones are looked for after each opcode. */
const LOCALS_BEFORE_SWEEP = 24

/**
 * A jump to another trace. Its branch instruction is inserted at byte `at` when all traces are known. `target`: the program
 * counter; undefined: the number of the trace is in NEXT_TRACE. `depth`: WebAssembly blocks that are open there.
 */
export type Link = { readonly at: number; readonly target: number | undefined; readonly depth: number }

export class CompiledTrace {
  readonly emit: Emitter
  readonly blocks: BasicBlocks
  readonly stack: Stack
  readonly links: Link[] = []
  hasEnded = false
  /** A lower bound of the frame's memory size, from the constant offsets accessed before: up to there no check is needed. */
  knownMemory = 0
  readonly #call: (name: EngineFunction) => number
  readonly #visited = new Set<number>()
  #length = 0
  /** Bounds of the stack height that earlier guards of this trace have established, in items at the start of the trace. */
  #minHeight = 0
  #maxHeight = STACK_LIMIT

  constructor(emit: Emitter, blocks: BasicBlocks, call: (name: EngineFunction) => number) {
    this.emit = emit
    this.blocks = blocks
    this.#call = call
    this.stack = new Stack(emit, BASE)
  }

  call(name: EngineFunction): void {
    this.emit.call(this.#call(name))
  }

  /** Starts a block: emits its guard for gas and stack height, and charges its constant gas. */
  enter(block: BasicBlock): void {
    const { emit } = this
    const isFirst = this.#visited.size === 0
    this.#visited.add(block.pc)
    this.#length += block.ops.length
    this.stack.reloadMisplaced()
    if (block.cost === 0 && !isFirst && block.minHeight <= 0 && block.maxHeight >= STACK_LIMIT) return
    emit.get(GAS).i64(block.cost).op(OP.i64Sub).tee(GAS)
    if (isFirst) emit.get(LIMIT)
    else emit.i64(0)
    emit.op(OP.i64LtS)
    const isBounded = this.#pushHeightGuard(block)
    if (isBounded) emit.op(OP.i32Or)
    emit.if()
    if (isFirst) {
      this.exit(block.pc, block.cost, () => {
        emit.i32(PAUSED).i32(FALLEN).get(GAS).i64(block.cost).op(OP.i64Add).get(FLOOR).op(OP.i64LtS, OP.select)
      })
    } else if (isBounded || !block.ops[0]?.failsOnlyForGas) this.exit(block.pc, block.cost, FALLEN)
    else emit.i32(OUT_OF_GAS).op(OP.return)
    emit.end()
  }

  /**
   * Pushes onto WebAssembly's stack (i32) whether the stack height is outside the block's bounds. Returns false and emits
   * nothing if earlier guards rule that out.
   */
  #pushHeightGuard(block: BasicBlock): boolean {
    const { emit } = this
    const need = block.minHeight - this.stack.height
    const most = block.maxHeight - this.stack.height
    if (need <= this.#minHeight && most >= this.#maxHeight) return false
    this.#minHeight = Math.max(need, this.#minHeight)
    this.#maxHeight = Math.min(most, this.#maxHeight)
    if (this.#maxHeight < this.#minHeight) emit.i32(1)
    else {
      const [low, span] = [this.#minHeight * 32, (this.#maxHeight - this.#minHeight) * 32]
      emit.get(BASE).get(HEIGHT).op(OP.i32Add).i32(low).op(OP.i32Sub).i32(span).op(OP.i32GtU)
    }
    return true
  }

  /** Whether the trace may continue with the block at `pc`. */
  canExtend(pc: number): boolean {
    return !this.#visited.has(pc) && this.#length < MAX_OPCODES && Math.abs(this.stack.height) < MAX_HEIGHT
  }

  /** Releases dead locals: those that hold no part of a stack item. */
  freeDeadLocals(): void {
    if (this.emit.liveCount > LOCALS_BEFORE_SWEEP) this.emit.releaseExcept(this.stack.locals())
  }

  /** Spills the stack and returns from the function. `gas`: paid for opcodes that did not run, to be given back. */
  exit(pc: number, gas: number, reason: number | (() => void)): void {
    this.stack.spill()
    this.exitSpilled(pc, gas, reason)
  }

  /** The same when the stack is in memory, or not needed any more. */
  exitSpilled(pc: number, gas: number, reason: number | (() => void), opcode = 0): void {
    const { emit } = this
    emit.get(FRAME).i32(pc)
    this.pushStackTop()
    emit.get(GAS)
    if (gas !== 0) emit.i64(gas).op(OP.i64Add)
    emit.i32(opcode)
    if (typeof reason === 'number') emit.i32(reason)
    else reason()
    this.call('leave')
    emit.op(OP.return)
  }

  /** A side exit: the interpreter continues with this opcode. */
  sideExit(op: Op, reason = FALLEN): void {
    this.exit(op.pc, op.gasAfter + this.blocks.cost(op.code), reason)
  }

  /** An unconditional side exit, which ends the trace. */
  endInInterpreter(op: Op): undefined {
    this.stack.reloadMisplaced()
    this.sideExit(op)
    this.hasEnded = true
  }

  /** Pushes the address just above the top stack item onto WebAssembly's stack. */
  pushStackTop(): void {
    const { emit, stack } = this
    emit.get(BASE).i32(stack.offset(stack.height)).op(OP.i32Add)
  }

  /** Jumps to the trace at a program counter, or, without one, to the trace whose number is in NEXT_TRACE. */
  jumpTo(target: number | undefined): void {
    const { emit, stack } = this
    stack.reloadMisplaced()
    stack.spill()
    if (stack.height !== 0)
      emit
        .get(BASE)
        .i32(stack.height * 32)
        .op(OP.i32Add)
        .set(BASE)
    this.links.push({ at: emit.bytes.length, target, depth: emit.depth })
  }

  /** Reads the size of the frame's memory again, after a call that may have grown it. */
  reloadMemorySize(): void {
    this.emit.get(FRAME).access(ACCESS.i64Load32U, F_MEMORY_SIZE).set(MEMORY_SIZE)
  }

  /** Pushes onto WebAssembly's stack (i32) whether a word is not zero. */
  pushIsNonZero(word: Word): void {
    pushAny(this.emit, limbsOf(this.emit, word))
    this.emit.i64(0).op(OP.i64Ne)
  }

  newFlag(): number {
    const local = this.emit.local(I32)
    this.emit.set(local)
    return local
  }

  newLimb(bits = 64): { local: number; bits: number } {
    const local = this.emit.local(I64)
    this.emit.set(local)
    return { local, bits }
  }
}
