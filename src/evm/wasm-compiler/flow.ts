// Generates the traces of a code: from its start, all traces that are reachable by known jump targets, by constants that are
// spilled (they may be return addresses of internal functions), and by the program counters after calls. A trace ends at a
// loop header, so that the loop itself starts a trace.
import { hasDepths } from '../opcodes.ts'
import { COMPILED_ENTRIES, ENTRY_ONLY } from '../wasm/layout.ts'
import { ARITHMETIC, type Emit } from './arithmetic.ts'
import { type BasicBlock, type BasicBlocks, type Op, resumesAfter } from './blocks.ts'
import { CONTEXT_OPCODES } from './context-opcodes.ts'
import { ACCESS, type Emitter, I32, OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
import { pushAny } from './limbs.ts'
import { ENTRIES, NEXT_TRACE } from './locals.ts'
import { MEMORY_OPCODES } from './memory-opcodes.ts'
import { SHIFTS } from './shifts.ts'
import { CompiledTrace, type Link } from './trace.ts'
import { constantOf, limbsOf, push, Word } from './word.ts'

/** Bytes of WebAssembly after which no further trace is compiled; jumps to the missing ones are side exits. */
const MAX_BYTES = 400_000
const MAX_TRACES = 3000

const EMITS: Readonly<Record<number, Emit>> = { ...ARITHMETIC, ...MEMORY_OPCODES, ...CONTEXT_OPCODES, ...SHIFTS }

/** The bytes of a trace without its jumps to other traces, and those jumps. */
export type GeneratedTrace = {
  readonly pc: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly links: readonly Link[]
}

/** Compiles all traces, sorted by program counter. Their jumps are inserted later, when the number of traces is known. */
export function generateTraces(
  emit: Emitter,
  blocks: BasicBlocks,
  call: (name: EngineFunction) => number,
): GeneratedTrace[] {
  const traces: GeneratedTrace[] = []
  const waiting = [0]
  const seen = new Set(waiting)
  const headers = loopHeaders(blocks)
  let size = 0
  for (let pc = waiting.pop(); pc !== undefined && size < MAX_BYTES && traces.length < MAX_TRACES; pc = waiting.pop()) {
    emit.bytes = []
    emit.releaseExcept(new Set())
    const one = new CompiledTrace(emit, blocks, call)
    const resumes = compileTrace(one, pc, headers)
    traces.push({ pc, bytes: Uint8Array.from(emit.bytes), links: one.links })
    size += emit.bytes.length
    const next = [...resumes, ...one.links.map(({ target }) => target)]
    for (const value of one.stack.spilledConstants) if (blocks.isJumpdest(toPc(value) ?? -1)) next.push(Number(value))
    for (const to of next) {
      if (to === undefined || seen.has(to)) continue
      seen.add(to)
      waiting.push(to)
    }
  }
  return traces.sort((a, b) => a.pc - b.pc)
}

/** Targets of backward jumps with a known target. */
function loopHeaders(blocks: BasicBlocks): ReadonlySet<number> {
  const found = new Set<number>()
  for (const { pc, target } of blocks.staticJumps()) if (target <= pc) found.add(target)
  return found
}

/** Compiles one trace. Returns the program counters at which code continues after the host or the interpreter has run an opcode. */
function compileTrace(trace: CompiledTrace, start: number, headers: ReadonlySet<number>): number[] {
  const { blocks } = trace
  for (let pc: number | undefined = start; pc !== undefined; ) {
    const block = blocks.at(pc)
    trace.enter(block)
    for (const op of block.ops) {
      emitOpcode(trace, op)
      if (trace.hasEnded) return blocks.isLeft(op.code) ? [block.end] : []
      trace.freeDeadLocals()
    }
    const last = block.ops.at(-1)?.code ?? 0
    if (last !== 0x57 && resumesAfter(last)) return [block.end]
    const next = successor(trace, block)
    if (next === undefined) return []
    if (next === 'anywhere' || headers.has(next) || !trace.canExtend(next)) {
      trace.jumpTo(next === 'anywhere' ? undefined : next)
      return []
    }
    pc = next
  }
  return []
}

/** Emits the jump at the end of a block. Returns where the trace continues; undefined: it has ended. */
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

function emitOpcode(trace: CompiledTrace, op: Op): void {
  const { stack, blocks } = trace
  const { code } = op
  if (!blocks.exists(code)) trace.endInInterpreter(op)
  else if (code === 0x56 || code === 0x57) return
  else if (code >= 0x5f && code <= 0x7f) stack.push(Word.constant(op.value))
  else if (code >= 0x80 && code <= 0x8f) stack.push(stack.peek(code - 0x80))
  else if (code >= 0x90 && code <= 0x9f) stack.swap(code - 0x8f)
  else if (code === 0x50) stack.pop()
  else if (hasDepths(code)) {
    if (op.depths === undefined) trace.endInInterpreter(op)
    else if (code === DUPN) stack.push(stack.peek(op.depths.deep))
    else stack.swap(op.depths.deep, op.depths.high)
  } else {
    const emit = EMITS[code]
    if (emit === undefined) trace.endInInterpreter(op)
    else emit(trace, op)
  }
}

const DUPN = 0xe6

const toPc = (value: bigint | undefined): number | undefined =>
  value === undefined || value > 0xffffn ? undefined : Number(value)

function jump(trace: CompiledTrace, op: Op): number | 'anywhere' | undefined {
  const { stack, blocks } = trace
  const target = stack.peek()
  const known = constantOf(target)
  if (known === undefined) {
    lookUpTrace(trace, op, target)
    stack.pop()
    return 'anywhere'
  }
  const pc = toPc(known)
  if (pc === undefined || !blocks.isJumpdest(pc)) return trace.endInInterpreter(op)
  stack.pop()
  return pc
}

/** Emits the look-up of the trace at a target known at run time only, into NEXT_TRACE; without a trace there, a side exit. */
function lookUpTrace(trace: CompiledTrace, op: Op, target: Word): void {
  const { emit, stack, blocks } = trace
  const limbs = limbsOf(emit, target)
  const [low] = limbs
  stack.reloadMisplaced()
  const next = emit.local(I32)
  push(emit, low).i64(blocks.code.length).op(OP.i64LtU)
  pushAny(emit, limbs.slice(1))
  emit.op(OP.i64Eqz, OP.i32And).if(I32)
  emit.get(ENTRIES)
  push(emit, low).op(OP.i32WrapI64).i32(1).op(OP.i32Shl, OP.i32Add).access(ACCESS.i32Load16U, COMPILED_ENTRIES)
  emit.else().i32(0).end()
  // The entry 0 (no trace) becomes the greatest unsigned number, so that one comparison finds both 0 and ENTRY_ONLY.
  emit
    .i32(1)
    .op(OP.i32Sub)
    .tee(next)
    .i32(ENTRY_ONLY - 1)
    .op(OP.i32GeU)
    .if()
  trace.sideExit(op)
  emit.end()
  emit.get(next).set(NEXT_TRACE)
}

/** JUMPI: the taken side leaves the trace, the other side continues in it. */
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
    trace.pushIsNonZero(condition)
    flag = trace.newFlag()
  }
  // Before the branch, so that both sides can read the words that this loads.
  stack.reloadMisplaced()
  emit.get(flag).if()
  if (!isValid) trace.sideExit(op)
  else {
    if (known === undefined) lookUpTrace(trace, op, target)
    const [jumpsTo, tested] = [stack.pop(), stack.pop()]
    trace.jumpTo(known === undefined ? undefined : pc)
    stack.push(tested)
    stack.push(jumpsTo)
  }
  emit.end()
  stack.pop()
  stack.pop()
}
