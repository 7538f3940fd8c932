// Generates the traces of a code, from its beginning to everything reachable from there, and the jumps between them.
import { COMPILED_ENTRIES, ENTRY_ONLY } from '../wasm/layout.ts'
import { ARITHMETIC, type Emit } from './arithmetic.ts'
import { type BasicBlock, type BasicBlocks, isCut, type Op } from './blocks.ts'
import { CONTEXT_OPCODES } from './context-opcodes.ts'
import { ACCESS, type Emitter, I32, OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
import { pushAny } from './limbs.ts'
import { ENTRIES, NEXT } from './locals.ts'
import { MEMORY_OPCODES } from './memory-opcodes.ts'
import { SHIFTS } from './shifts.ts'
import { CompiledTrace, type Link } from './trace.ts'
import { constantOf, limbsOf, push, Word } from './word.ts'

/** Bytes of WebAssembly after which no more traces are begun. */
const ENOUGH = 400_000
const MOST_TRACES = 3000

const EMITS: Readonly<Record<number, Emit>> = { ...ARITHMETIC, ...MEMORY_OPCODES, ...CONTEXT_OPCODES, ...SHIFTS }

/** A trace as bytes, with the places where it leads to others. */
export type GeneratedTrace = {
  readonly pc: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly links: readonly Link[]
}

/** All traces, by where they begin; how many there are is known only then, hence the links. */
export function generateTraces(
  emit: Emitter,
  blocks: BasicBlocks,
  call: (name: EngineFunction) => number,
): GeneratedTrace[] {
  const pieces: GeneratedTrace[] = []
  const waiting = [0]
  const seen = new Set(waiting)
  const headers = loopHeaders(blocks)
  let size = 0
  for (let pc = waiting.pop(); pc !== undefined && size < ENOUGH && pieces.length < MOST_TRACES; pc = waiting.pop()) {
    emit.bytes = []
    emit.keep(new Set())
    const one = new CompiledTrace(emit, blocks, call)
    const resumes = follow(one, pc, headers)
    pieces.push({ pc, bytes: Uint8Array.from(emit.bytes), links: one.links })
    size += emit.bytes.length
    const next = [...resumes, ...one.links.map(({ target }) => target)]
    for (const value of one.stack.written) if (blocks.isJumpdest(toPc(value) ?? -1)) next.push(Number(value))
    for (const to of next) {
      if (to === undefined || seen.has(to)) continue
      seen.add(to)
      waiting.push(to)
    }
  }
  return pieces.sort((a, b) => a.pc - b.pc)
}

/** Where jumps with a known target go back to. */
function loopHeaders(blocks: BasicBlocks): ReadonlySet<number> {
  const found = new Set<number>()
  for (const { pc, target } of blocks.jumps()) if (target <= pc) found.add(target)
  return found
}

/** Compiles one trace; the places at which the host lets code go on. */
function follow(trace: CompiledTrace, start: number, headers: ReadonlySet<number>): number[] {
  const { blocks } = trace
  for (let pc: number | undefined = start; pc !== undefined; ) {
    const block = blocks.at(pc)
    trace.enter(block)
    for (const op of block.ops) {
      run(trace, op)
      if (trace.isOver) return []
      trace.sweep()
    }
    const last = block.ops.at(-1)?.code ?? 0
    if (last !== 0x57 && isCut(last)) return [block.end]
    const next = successor(trace, block)
    if (next === undefined) return []
    if (next === 'anywhere' || headers.has(next) || !trace.mayFollow(next)) {
      trace.goTo(next === 'anywhere' ? undefined : next)
      return []
    }
    pc = next
  }
  return []
}

/** Where the trace goes on; undefined: it has been left. */
function successor(trace: CompiledTrace, block: BasicBlock): number | 'anywhere' | undefined {
  const last = block.ops.at(-1)
  if (last === undefined) return block.end
  switch (last.code) {
    case 0x56:
      return jump(trace, last)
    case 0x57:
      branch(trace, last)
      return block.end
    case 0x00:
    case 0xf3:
    case 0xfd:
    case 0xff:
      return undefined
    default:
      return block.end
  }
}

function run(trace: CompiledTrace, op: Op): void {
  const { stack, blocks } = trace
  const { code } = op
  if (!blocks.exists(code)) trace.give(op)
  else if (code === 0x56 || code === 0x57) return
  else if (code >= 0x5f && code <= 0x7f) stack.push(Word.constant(op.value))
  else if (code >= 0x80 && code <= 0x8f) stack.push(stack.peek(code - 0x80))
  else if (code >= 0x90 && code <= 0x9f) stack.swap(code - 0x8f)
  else if (code === 0x50) stack.pop()
  else {
    const emit = EMITS[code]
    if (emit === undefined) trace.give(op)
    else emit(trace, op)
  }
}

const toPc = (value: bigint | undefined): number | undefined =>
  value === undefined || value > 0xffffn ? undefined : Number(value)

function jump(trace: CompiledTrace, op: Op): number | 'anywhere' | undefined {
  const { stack, blocks } = trace
  const target = stack.peek()
  const known = constantOf(target)
  if (known === undefined) {
    seek(trace, op, target)
    stack.pop()
    return 'anywhere'
  }
  const pc = toPc(known)
  if (pc === undefined || !blocks.isJumpdest(pc)) return trace.give(op)
  stack.pop()
  return pc
}

/** Finds the trace of a target that is known only now; without one the interpreter jumps. */
function seek(trace: CompiledTrace, op: Op, target: Word): void {
  const { emit, stack, blocks } = trace
  const limbs = limbsOf(emit, target)
  const [low] = limbs
  stack.settle()
  const next = emit.local(I32)
  push(emit, low).i64(blocks.code.length).op(OP.i64LtU)
  pushAny(emit, limbs.slice(1))
  emit.op(OP.i64Eqz, OP.i32And).if(I32)
  emit.get(ENTRIES)
  push(emit, low).op(OP.i32WrapI64).i32(1).op(OP.i32Shl, OP.i32Add).access(ACCESS.i32Load16U, COMPILED_ENTRIES)
  emit.else().i32(0).end()
  // Zero, which is no trace, becomes the greatest.
  emit
    .i32(1)
    .op(OP.i32Sub)
    .tee(next)
    .i32(ENTRY_ONLY - 1)
    .op(OP.i32GeU)
    .if()
  trace.fall(op)
  emit.end()
  emit.get(next).set(NEXT)
}

/** JUMPI: leaves the trace for where it jumps to, goes on behind it. */
function branch(trace: CompiledTrace, op: Op): void {
  const { emit, stack, blocks } = trace
  const [target, condition] = [stack.peek(0), stack.peek(1)]
  const [known, always] = [constantOf(target), constantOf(condition)]
  if (always === 0n) {
    stack.pop()
    stack.pop()
    return
  }
  const pc = toPc(known)
  const isValid = known === undefined || (pc !== undefined && blocks.isJumpdest(pc))
  if (known === undefined) limbsOf(emit, target)
  let flag = condition.flag
  if (flag === undefined) {
    trace.truth(condition)
    flag = trace.newFlag()
  }
  // Before the branch, so that what it needs is there in both.
  stack.settle()
  emit.get(flag).if()
  if (!isValid) trace.fall(op)
  else {
    if (known === undefined) seek(trace, op, target)
    const [jumpsTo, tested] = [stack.pop(), stack.pop()]
    trace.goTo(known === undefined ? undefined : pc)
    stack.push(tested)
    stack.push(jumpsTo)
  }
  emit.end()
  stack.pop()
  stack.pop()
}
