// Code of the EVM to one function of WebAssembly, for the rules of a fork. It has the interpreter's contract: the frame and
// its turn go in, the reason why it stops comes out, and FALLEN says that the interpreter has to go on from there.
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
} from '../engine/layout.ts'
import { Blocks, type Table } from './blocks.ts'
import { ACCESS, Emitter, OP, signed, unsigned } from './emitter.ts'
import { type Piece, trace } from './flow.ts'
import { HELPERS, type Helper } from './helpers.ts'
import { BASE, DEPTH, ENTRIES, FIXED, FLOOR, FRAME, GAS, LIMIT, MEMORY, NEXT, SIZE, TURN } from './locals.ts'
import { assemble } from './module.ts'
import { BIAS } from './stack.ts'

/** `entries`: for each byte of the code the trace that begins there, counted from 1, 0 for none, with `ENTRY_ONLY`. */
export type Generated = { readonly bytes: Uint8Array; readonly entries: Uint16Array }

/** What a function's parameters are. */
const PARAMETERS = 2

export function generate(code: Uint8Array, table: Table): Generated {
  const blocks = new Blocks(code, table)
  const emit = new Emitter(PARAMETERS, FIXED)
  const called = new Map<Helper, number>()
  const call = (helper: Helper): number => {
    const index = called.get(helper) ?? called.size
    called.set(helper, index)
    return index
  }
  const pieces = trace(emit, blocks, call)
  const entries = new Uint16Array(code.length + 2)
  for (const [i, { pc }] of pieces.entries()) entries[pc] = (i + 1) | (blocks.isJumpdest(pc) ? 0 : ENTRY_ONLY)
  emit.bytes = []
  begin(emit)
  const body = emit.bytes
  lay(body, pieces, (pc) => unfinished(emit, pc, call('leave')))
  const imports = [...called.keys()].map((helper) => [helper, HELPERS[helper]] as const)
  return { bytes: assemble(imports, emit.locals, body), entries }
}

/** Reads the frame, and finds the trace that begins where it stands. */
function begin(emit: Emitter): void {
  const field = (offset: number): Emitter => emit.get(FRAME).access(ACCESS.i32Load, offset)
  field(F_CODE)
  emit.i32(C_COMPILED).op(OP.i32Sub).access(ACCESS.i32Load, 0).tee(ENTRIES)
  field(F_PC)
  emit
    .i32(1)
    .op(OP.i32Shl, OP.i32Add)
    .access(ACCESS.i32Load16U, COMPILED_ENTRIES)
    .i32(ENTRY_ONLY - 1)
    .op(OP.i32And)
    .i32(1)
    .op(OP.i32Sub)
    .tee(NEXT)
    .i32(ENTRY_ONLY - 1)
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
 * earlier one goes through the table at the beginning of a loop around them all, and a jump to oneself is a loop.
 */
function lay(body: number[], pieces: readonly Piece[], unfinished: (pc: number) => readonly number[]): void {
  const count = pieces.length
  const places = new Map(pieces.map(({ pc }, i) => [pc, i]))
  body.push(...LOOP)
  for (let i = 0; i < count; i++) body.push(...BLOCK)
  body.push(0x20)
  unsigned(body, NEXT)
  body.push(BR_TABLE)
  unsigned(body, count - 1)
  for (let i = 0; i < count; i++) unsigned(body, i)
  for (const [i, { bytes, links }] of pieces.entries()) {
    body.push(OP.end)
    const loops = links.some(({ target }) => target !== undefined && places.get(target) === i)
    if (loops) body.push(...LOOP)
    const outer = loops ? 1 : 0
    let done = 0
    for (const { at, target, depth } of links) {
      append(body, bytes, done, at)
      done = at
      const place = target === undefined ? undefined : places.get(target)
      if (target !== undefined && place === undefined) body.push(...unfinished(target))
      else if (place === i) {
        body.push(BR)
        unsigned(body, depth)
      } else if (place !== undefined && place > i) {
        body.push(BR)
        unsigned(body, depth + outer + place - i - 1)
      } else {
        if (place !== undefined) {
          body.push(0x41)
          signed(body, place)
          body.push(0x21)
          unsigned(body, NEXT)
        }
        body.push(BR)
        unsigned(body, depth + outer + count - 1 - i)
      }
    }
    append(body, bytes, done, bytes.length)
    if (loops) body.push(OP.end)
    // No trace ends by running past its end.
    body.push(OP.unreachable)
  }
  body.push(OP.end, OP.unreachable, OP.end)
}

/** Leads to the interpreter, where there is no trace because there are too many. */
function unfinished(emit: Emitter, pc: number, leave: number): readonly number[] {
  emit.bytes = []
  emit.get(FRAME).i32(pc).get(BASE).i32(BIAS).op(OP.i32Add).get(GAS).i32(0).i32(FALLEN).call(leave).op(OP.return)
  return emit.bytes
}

function append(to: number[], from: readonly number[], begin: number, end: number): void {
  for (let i = begin; i < end; i++) to.push(from[i] ?? 0)
}
