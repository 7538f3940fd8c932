// Compiles EVM code to a WebAssembly module with one function, for the opcode prices of a fork. The function has the
// interpreter's signature: it takes the address of the frame and the gas of its turn and returns why it stopped (a reason of
// wasm/layout.ts). FALLEN means a side exit: the interpreter continues from the frame. README.md shows a compiled loop.
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
import {
  BASE,
  ENTRIES,
  FIXED,
  FLOOR,
  FRAME,
  GAS,
  HEIGHT,
  LIMIT,
  MEMORY,
  MEMORY_SIZE,
  NEXT_TRACE,
  TURN,
} from './locals.ts'
import { assemble } from './module-encoder.ts'
import { BIAS } from './stack.ts'

/**
 * `entries`: for each byte of the code, and for the implied STOP after it, the number of the trace that starts there: from
 * 1, 0 for none, with the flag `ENTRY_ONLY`. One more entry is always 0: every program counter beyond the code reads that one.
 */
export type Generated = { readonly bytes: Uint8Array; readonly entries: Uint16Array }

/** Parameters of the function: FRAME and TURN. */
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
  const traces = generateTraces(emit, blocks, call)
  const entries = new Uint16Array(entryCount(code.length))
  for (const [i, { pc }] of traces.entries()) entries[pc] = (i + 1) | (blocks.isJumpdest(pc) ? 0 : ENTRY_ONLY)
  emit.bytes = []
  prologue(emit, entries.length, traces.length)
  const body = Buffer.concat([
    Uint8Array.from(emit.bytes),
    ...joinTraces(traces, (pc) => exitToInterpreter(emit, pc, call('leave'))),
  ])
  const imports = [...called.keys()].map((name) => [name, ENGINE_FUNCTIONS[name]] as const)
  return { bytes: assemble(imports, emit.locals, body), entries }
}

/** Length of `entries` for a code of this length. */
export const entryCount = (codeLength: number): number => codeLength + 2

/**
 * Emits the prologue: it reads the frame's header into locals and looks up the trace at the frame's program counter. Without a
 * trace there it returns FALLEN. The program counter is clamped to the table of entries and the entry to the number of traces,
 * so that a damaged frame can neither read beyond the table nor branch out of the function.
 */
function prologue(emit: Emitter, entryCount: number, traceCount: number): void {
  const field = (offset: number): Emitter => emit.get(FRAME).access(ACCESS.i32Load, offset)
  field(F_CODE)
  emit.i32(C_COMPILED).op(OP.i32Sub).access(ACCESS.i32Load, 0).tee(ENTRIES)
  field(F_PC)
  emit
    .tee(NEXT_TRACE)
    .i32(entryCount - 1)
    .get(NEXT_TRACE)
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
    .tee(NEXT_TRACE)
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
  field(F_STACK).op(OP.i32Sub).set(HEIGHT)
  field(F_MEMORY).set(MEMORY)
  emit.get(FRAME).access(ACCESS.i64Load32U, F_MEMORY_SIZE).set(MEMORY_SIZE)
}

const BLOCK = [0x02, 0x40]
const LOOP = [0x03, 0x40]
const BR = 0x0c
const BR_TABLE = 0x0e

/**
 * Joins the traces to one function body: one outer loop that starts with a `br_table` on NEXT_TRACE, and in it nested blocks, of
 * which the n-th ends where trace n starts.
 *
 *   - A jump to a later trace is a branch to the end of its block.
 *   - A jump to an earlier trace sets NEXT_TRACE and branches to the outer loop.
 *   - A jump of a trace to its own start is a branch to a loop around this trace: the common case of a hot loop.
 *
 * A number without a trace can only be a defect of the compiler; it traps.
 */
function joinTraces(
  traces: readonly GeneratedTrace[],
  exitToInterpreter: (pc: number) => readonly number[],
): Uint8Array<ArrayBuffer>[] {
  const count = traces.length
  const indices = new Map(traces.map(({ pc }, i) => [pc, i]))
  const head = [...LOOP]
  for (let i = 0; i <= count; i++) head.push(...BLOCK)
  head.push(0x20)
  unsigned(head, NEXT_TRACE)
  head.push(BR_TABLE)
  unsigned(head, count)
  for (let i = 1; i <= count; i++) unsigned(head, i)
  head.push(0, OP.end, OP.unreachable)
  const chunks = [Uint8Array.from(head)]
  for (const [i, { bytes, links }] of traces.entries()) {
    const loops = links.some(({ target }) => target !== undefined && indices.get(target) === i)
    chunks.push(Uint8Array.from(loops ? [OP.end, ...LOOP] : [OP.end]))
    let done = 0
    for (const { at, target, depth } of links) {
      chunks.push(bytes.subarray(done, at))
      done = at
      const index = target === undefined ? undefined : indices.get(target)
      const code: number[] = []
      if (target !== undefined && index === undefined) code.push(...exitToInterpreter(target))
      else if (index === i) branch(code, depth)
      else {
        const outer = depth + (loops ? 1 : 0) - i - 1
        if (index !== undefined && index < i) {
          code.push(0x41)
          signed(code, index)
          code.push(0x21)
          unsigned(code, NEXT_TRACE)
        }
        branch(code, outer + (index !== undefined && index > i ? index : count))
      }
      chunks.push(Uint8Array.from(code))
    }
    chunks.push(bytes.subarray(done))
    // Each trace ends with a branch or a return.
    chunks.push(Uint8Array.from(loops ? [OP.end, OP.unreachable] : [OP.unreachable]))
  }
  chunks.push(Uint8Array.of(OP.end, OP.unreachable, OP.end))
  return chunks
}

function branch(to: number[], depth: number): void {
  to.push(BR)
  unsigned(to, depth)
}

/** A side exit in place of a jump whose target has no trace, because the limits of flow.ts were reached. */
function exitToInterpreter(emit: Emitter, pc: number, leave: number): readonly number[] {
  emit.bytes = []
  emit.get(FRAME).i32(pc).get(BASE).i32(BIAS).op(OP.i32Add).get(GAS).i32(0).i32(FALLEN).call(leave).op(OP.return)
  return emit.bytes
}
