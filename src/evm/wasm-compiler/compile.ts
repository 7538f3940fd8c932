// Compiles EVM code to one WebAssembly function for the rules of a fork. The function has the interpreter's signature: it
// takes the frame and the gas of its turn and returns why it stopped. FALLEN: the interpreter continues from there.
import {
  C_COMPILED,
  COMPILED_ENTRIES,
  ENTRY_ONLY,
  F_CODE,
  F_GAS,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_PC,
  F_STACK,
  F_TOP,
  FALLEN,
} from '../wasm/layout.ts'
import { BasicBlocks, type OpcodePrices } from './blocks.ts'
import { ACCESS, Emitter, OP, signed, unsigned } from './emitter.ts'
import { ENGINE_FUNCTIONS, type EngineFunction } from './engine-functions.ts'
import { type GeneratedTrace, generateTraces } from './flow.ts'
import { BASE, DEPTH, ENTRIES, FIXED, FLOOR, FRAME, GAS, LIMIT, MEMORY, NEXT, SIZE, TURN } from './locals.ts'
import { assemble } from './module-encoder.ts'
import { BIAS } from './stack.ts'

/**
 * `entries`: for each byte of the code, and for the implied STOP behind it, the trace that begins there: counted from 1, 0
 * for none, with `ENTRY_ONLY`. One more entry is always 0: every program counter beyond the code reads that one.
 */
export type Generated = { readonly bytes: Uint8Array; readonly entries: Uint16Array }

/** What a function's parameters are. */
const PARAMETERS = 2

export function generate(code: Uint8Array, table: OpcodePrices): Generated {
  const blocks = new BasicBlocks(code, table)
  const emit = new Emitter(PARAMETERS, FIXED)
  const called = new Map<EngineFunction, number>()
  const call = (name: EngineFunction): number => {
    const index = called.get(name) ?? called.size
    called.set(name, index)
    return index
  }
  const pieces = generateTraces(emit, blocks, call)
  const entries = new Uint16Array(entryCount(code.length))
  for (const [i, { pc }] of pieces.entries()) entries[pc] = (i + 1) | (blocks.isJumpdest(pc) ? 0 : ENTRY_ONLY)
  emit.bytes = []
  begin(emit, entries.length, pieces.length)
  const body = Buffer.concat([
    Uint8Array.from(emit.bytes),
    ...laid(pieces, (pc) => unfinished(emit, pc, call('leave'))),
  ])
  const imports = [...called.keys()].map((name) => [name, ENGINE_FUNCTIONS[name]] as const)
  return { bytes: assemble(imports, emit.locals, body), entries }
}

/** How many entries a code of this length has. */
export const entryCount = (codeLength: number): number => codeLength + 2

/**
 * Reads the frame, and finds the trace that begins at its program counter. The frame may have been left by the interpreter,
 * or by compiled code, at any place: whatever the program counter is, only the code's own entries are read, and whatever an
 * entry says, only the code's own traces are entered. Without a trace the interpreter goes on.
 */
function begin(emit: Emitter, entryCount: number, traceCount: number): void {
  const field = (offset: number): Emitter => emit.get(FRAME).access(ACCESS.i32Load, offset)
  field(F_CODE)
  emit.i32(C_COMPILED).op(OP.i32Sub).access(ACCESS.i32Load, 0).tee(ENTRIES)
  field(F_PC)
  emit
    .tee(NEXT)
    .i32(entryCount - 1)
    .get(NEXT)
    .i32(entryCount - 1)
    .op(OP.i32LtU, OP.select)
  emit
    .i32(1)
    .op(OP.i32Shl, OP.i32Add)
    .access(ACCESS.i32Load16U, COMPILED_ENTRIES)
    .i32(ENTRY_ONLY - 1)
    .op(OP.i32And)
    .i32(1)
    .op(OP.i32Sub)
    .tee(NEXT)
    .i32(traceCount)
    .op(OP.i32GeU)
    .if()
    .i32(FALLEN)
    .op(OP.return)
    .end()
  emit.get(FRAME).access(ACCESS.i64Load, F_GAS).tee(GAS).get(TURN).op(OP.i64Sub).tee(FLOOR).i64(0)
  emit.get(FLOOR).i64(0).op(OP.i64GtS, OP.select).set(LIMIT)
  field(F_TOP).i32(BIAS).op(OP.i32Sub).set(BASE)
  emit.i32(BIAS)
  field(F_STACK).op(OP.i32Sub).set(DEPTH)
  field(F_MEMORY).set(MEMORY)
  emit.get(FRAME).access(ACCESS.i64Load32U, F_MEMORY_SIZE).set(SIZE)
}

const BLOCK = [0x02, 0x40]
const LOOP = [0x03, 0x40]
const BR = 0x0c
const BR_TABLE = 0x0e

/**
 * Traces behind one another in nested blocks, so that a jump to a later one is a branch to the end of a block; a jump to an
 * earlier one goes through the table at the beginning of a loop around them all, and a jump to oneself is a loop. A number
 * that no trace has is a fault of this program: it traps instead of entering another trace.
 */
function laid(
  pieces: readonly GeneratedTrace[],
  unfinished: (pc: number) => readonly number[],
): Uint8Array<ArrayBuffer>[] {
  const count = pieces.length
  const places = new Map(pieces.map(({ pc }, i) => [pc, i]))
  const head = [...LOOP]
  for (let i = 0; i <= count; i++) head.push(...BLOCK)
  head.push(0x20)
  unsigned(head, NEXT)
  head.push(BR_TABLE)
  unsigned(head, count)
  for (let i = 1; i <= count; i++) unsigned(head, i)
  head.push(0, OP.end, OP.unreachable)
  const chunks = [Uint8Array.from(head)]
  for (const [i, { bytes, links }] of pieces.entries()) {
    const loops = links.some(({ target }) => target !== undefined && places.get(target) === i)
    chunks.push(Uint8Array.from(loops ? [OP.end, ...LOOP] : [OP.end]))
    let done = 0
    for (const { at, target, depth } of links) {
      chunks.push(bytes.subarray(done, at))
      done = at
      const place = target === undefined ? undefined : places.get(target)
      const code: number[] = []
      if (target !== undefined && place === undefined) code.push(...unfinished(target))
      else if (place === i) branch(code, depth)
      else {
        const outer = depth + (loops ? 1 : 0) - i - 1
        if (place !== undefined && place < i) {
          code.push(0x41)
          signed(code, place)
          code.push(0x21)
          unsigned(code, NEXT)
        }
        branch(code, outer + (place !== undefined && place > i ? place : count))
      }
      chunks.push(Uint8Array.from(code))
    }
    chunks.push(bytes.subarray(done))
    // No trace ends by running past its end.
    chunks.push(Uint8Array.from(loops ? [OP.end, OP.unreachable] : [OP.unreachable]))
  }
  chunks.push(Uint8Array.of(OP.end, OP.unreachable, OP.end))
  return chunks
}

function branch(to: number[], depth: number): void {
  to.push(BR)
  unsigned(to, depth)
}

/** Leads to the interpreter, where there is no trace because there are too many. */
function unfinished(emit: Emitter, pc: number, leave: number): readonly number[] {
  emit.bytes = []
  emit.get(FRAME).i32(pc).get(BASE).i32(BIAS).op(OP.i32Add).get(GAS).i32(0).i32(FALLEN).call(leave).op(OP.return)
  return emit.bytes
}
