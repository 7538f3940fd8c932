// A trace: consecutive blocks compiled as one, from an entry point or jump destination. A jump whose destination has no other
// source needs no instruction. A trace exits to another trace, to the host, or, before a failure or a rare case, to the
// interpreter; the frame is then exactly as the interpreter would have it at that opcode.
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { F_MEMORY_SIZE, FALLEN, OUT_OF_GAS, PAUSED } from '../wasm/layout.ts'
import type { BasicBlock, BasicBlocks, Op } from './blocks.ts'
import { ACCESS, type Emitter, I32, I64, OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
import { pushAny } from './limbs.ts'
import { BASE, DEPTH, FLOOR, FRAME, GAS, LIMIT, SIZE } from './locals.ts'
import { Stack } from './stack.ts'
import { limbsOf, type Word } from './word.ts'

/** Opcodes in one trace, and items that it may push before it is cut. */
const LONGEST = 300
const HIGHEST = 100
/** Locals that may be taken before the dead ones are sought. */
const SPARE = 24

/** A jump to another trace, to be filled in when it is known where that lies. */
export type Link = { readonly at: number; readonly target: number | undefined; readonly depth: number }

export class CompiledTrace {
  readonly emit: Emitter
  readonly blocks: BasicBlocks
  readonly stack: Stack
  readonly links: Link[] = []
  isOver = false
  /** Bytes of memory that there are for sure. */
  known = 0
  readonly #call: (name: EngineFunction) => number
  readonly #visited = new Set<number>()
  #length = 0
  /** Bounds that the stack was found in, as at the beginning. */
  #need = 0
  #most = STACK_LIMIT

  constructor(emit: Emitter, blocks: BasicBlocks, call: (name: EngineFunction) => number) {
    this.emit = emit
    this.blocks = blocks
    this.#call = call
    this.stack = new Stack(emit, BASE)
  }

  call(name: EngineFunction): void {
    this.emit.call(this.#call(name))
  }

  /** Begins a block: it is paid for at once, and the stack suits it. */
  enter(block: BasicBlock): void {
    const { emit } = this
    const isFirst = this.#visited.size === 0
    this.#visited.add(block.pc)
    this.#length += block.ops.length
    this.stack.settle()
    if (block.cost === 0 && !isFirst && block.need <= 0 && block.most >= STACK_LIMIT) return
    emit.get(GAS).i64(block.cost).op(OP.i64Sub).tee(GAS)
    if (isFirst) emit.get(LIMIT)
    else emit.i64(0)
    emit.op(OP.i64LtS)
    const isBounded = this.#pushMisfit(block)
    if (isBounded) emit.op(OP.i32Or)
    emit.if()
    if (isFirst) {
      this.leave(block.pc, block.cost, () => {
        emit.i32(PAUSED).i32(FALLEN).get(GAS).i64(block.cost).op(OP.i64Add).get(FLOOR).op(OP.i64LtS, OP.select)
      })
    } else if (isBounded || !block.ops[0]?.isSure) this.leave(block.pc, block.cost, FALLEN)
    else emit.i32(OUT_OF_GAS).op(OP.return)
    emit.end()
  }

  /** Whether the stack does not suit a block, onto WebAssembly's stack (i32); false, and nothing, if it does for sure. */
  #pushMisfit(block: BasicBlock): boolean {
    const { emit } = this
    const need = block.need - this.stack.height
    const most = block.most - this.stack.height
    if (need <= this.#need && most >= this.#most) return false
    this.#need = Math.max(need, this.#need)
    this.#most = Math.min(most, this.#most)
    if (this.#most < this.#need) emit.i32(1)
    else {
      const [low, span] = [this.#need * 32, (this.#most - this.#need) * 32]
      emit.get(BASE).get(DEPTH).op(OP.i32Add).i32(low).op(OP.i32Sub).i32(span).op(OP.i32GtU)
    }
    return true
  }

  /** Whether the code that begins there may go on in this trace. */
  mayFollow(pc: number): boolean {
    return !this.#visited.has(pc) && this.#length < LONGEST && Math.abs(this.stack.height) < HIGHEST
  }

  /** Locals that no item needs are free again. */
  sweep(): void {
    if (this.emit.used > SPARE) this.emit.keep(this.stack.locals())
  }

  /** Writes the stack and leaves the function; `gas`: of opcodes that were paid and do not run here. */
  leave(pc: number, gas: number, reason: number | (() => void)): void {
    this.stack.spill()
    this.leaveSpilled(pc, gas, reason)
  }

  leaveSpilled(pc: number, gas: number, reason: number | (() => void), opcode = 0): void {
    const { emit } = this
    emit.get(FRAME).i32(pc)
    this.top()
    emit.get(GAS)
    if (gas !== 0) emit.i64(gas).op(OP.i64Add)
    emit.i32(opcode)
    if (typeof reason === 'number') emit.i32(reason)
    else reason()
    this.call('leave')
    emit.op(OP.return)
  }

  /** To the interpreter, which runs this opcode itself. */
  fall(op: Op, reason = FALLEN): void {
    this.leave(op.pc, op.rest + this.blocks.cost(op.code), reason)
  }

  /** The same, for good: the trace ends here. */
  give(op: Op): undefined {
    this.stack.settle()
    this.fall(op)
    this.isOver = true
  }

  /** The address of the top of the stack in memory. */
  top(): void {
    const { emit, stack } = this
    emit.get(BASE).i32(stack.offset(stack.height)).op(OP.i32Add)
  }

  /** Goes on at another trace, or, without a target, at the one whose number is in NEXT. */
  goTo(target: number | undefined): void {
    const { emit, stack } = this
    stack.settle()
    stack.spill()
    if (stack.height !== 0)
      emit
        .get(BASE)
        .i32(stack.height * 32)
        .op(OP.i32Add)
        .set(BASE)
    this.links.push({ at: emit.bytes.length, target, depth: emit.depth })
  }

  /** The memory may have grown. */
  look(): void {
    this.emit.get(FRAME).access(ACCESS.i64Load32U, F_MEMORY_SIZE).set(SIZE)
  }

  /** Whether a word is not zero, onto WebAssembly's stack (i32). */
  truth(word: Word): void {
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
