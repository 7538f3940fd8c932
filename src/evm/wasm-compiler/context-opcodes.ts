// Opcodes that look beyond the frame: what the block and the message say, and what the engine's own functions do, on the
// stack in memory.
import {
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_DIFFICULTY,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_TIMESTAMP,
  ENVIRONMENT,
  F_ADDRESS,
  F_CALLER,
  F_CODE_LENGTH,
  F_DATA_LENGTH,
  F_VALUE,
  FALLEN,
  HASH_DELAY,
  OUT_OF_GAS,
  PAUSED,
  RETURN,
  STOPPED,
} from '../wasm/layout.ts'
import type { Emit } from './arithmetic.ts'
import { ACCESS, OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
import { FLOOR, FRAME, GAS, LEFT } from './locals.ts'
import { pay } from './memory-opcodes.ts'
import type { CompiledTrace } from './trace.ts'
import { Word } from './word.ts'

/** A word of the frame's header, or of the transaction. */
const framed =
  (offset: number, ...limbs: undefined[] | [undefined, undefined, undefined, bigint]): Emit =>
  ({ stack }) =>
    stack.push(Word.at({ base: FRAME, offset }, limbs))
const surrounding =
  (offset: number, ...limbs: undefined[] | [undefined, undefined, undefined, bigint]): Emit =>
  ({ stack }) =>
    stack.push(Word.at({ base: undefined, offset: ENVIRONMENT + offset }, limbs))
/** What an address leaves free. */
const ADDRESS = [undefined, undefined, undefined, 0n] as [undefined, undefined, undefined, bigint]

/** A number of 32 bits in the frame's header. */
const header =
  (offset: number): Emit =>
  (trace) => {
    trace.emit.get(FRAME).access(ACCESS.i64Load32U, offset)
    trace.stack.push(Word.small(trace.newLimb(32)))
  }

/** One of the engine's functions that takes items and leaves at most one; `isFramed`: it is told the frame. */
const plain =
  (name: EngineFunction, takes: number, isFramed = false): Emit =>
  (trace) => {
    const { emit, stack } = trace
    stack.writeTop(takes)
    stack.protect(takes - 1, takes)
    if (isFramed) emit.get(FRAME)
    trace.top()
    trace.call(name)
    for (let i = 0; i < takes; i++) stack.pop()
    stack.pushWritten()
  }

/** What one with a price is handed: its items in memory, the frame, the stack's top, the gas. */
function hand(trace: CompiledTrace, takes: number, leaves: 0 | 1, isFramed: boolean): void {
  const { emit, stack } = trace
  stack.settle()
  stack.writeTop(takes)
  if (leaves > 0) stack.protect(takes - 1, takes)
  if (isFramed) emit.get(FRAME)
  trace.top()
  emit.get(GAS)
}

/** Afterwards its items are gone and its answer is there. */
function takeBack(trace: CompiledTrace, takes: number, leaves: 0 | 1, grows: boolean): void {
  if (grows) trace.look()
  for (let i = 0; i < takes; i++) trace.stack.pop()
  if (leaves > 0) trace.stack.pushWritten()
}

/** One with a price. When it fails nothing has happened yet, and the interpreter does it again. */
const priced =
  (name: EngineFunction, takes: number, leaves: 0 | 1, { isFramed = true, topics = -1, grows = false } = {}): Emit =>
  (trace, op) => {
    hand(trace, takes, leaves, isFramed)
    if (topics >= 0) trace.emit.i32(topics)
    trace.call(name)
    pay(trace, op)
    takeBack(trace, takes, leaves, grows)
  }

/** One that has touched the state even when it fails: its failure is the frame's, and what comes after it goes on from there. */
const touching =
  (name: EngineFunction, takes: number, leaves: 0 | 1, { isFramed = true, grows = false } = {}): Emit =>
  (trace, op) => {
    const { emit } = trace
    hand(trace, takes, leaves, isFramed)
    if (op.rest !== 0) emit.i64(op.rest).op(OP.i64Add)
    trace.call(name)
    emit.tee(LEFT)
    if (op.rest !== 0) emit.i64(op.rest).op(OP.i64Sub)
    emit.set(GAS)
    takeBack(trace, takes, leaves, grows)
    emit.get(GAS).i64(0).op(OP.i64LtS).if()
    // A failure is the reason itself, below zero.
    emit.get(LEFT).i64(0).op(OP.i64LtS).if()
    emit.i64(0).get(LEFT).op(OP.i64Sub, OP.i32WrapI64, OP.return)
    emit.end()
    if (op.isSure) emit.i32(OUT_OF_GAS).op(OP.return)
    else trace.leave(op.pc + 1, op.rest, FALLEN)
    emit.end()
  }

/** Ends the turn: the reason is the engine's. */
const ending =
  (name: EngineFunction, written: 'all' | number): Emit =>
  (trace, op) => {
    const { emit, stack } = trace
    if (written === 'all') {
      stack.settle()
      stack.spill()
    } else stack.writeTop(written)
    emit.get(FRAME).i32(op.pc)
    trace.top()
    emit.get(GAS).i32(op.code)
    trace.call(name)
    emit.op(OP.return)
  }

const hash: Emit = (trace, op) => {
  const { emit, stack } = trace
  // Many of them may take long, and no JUMPDEST be among them: the clock is looked at before.
  stack.settle()
  emit.get(GAS).i64(HASH_DELAY).op(OP.i64Add).get(FLOOR).op(OP.i64LtS).if()
  trace.fall(op, PAUSED)
  emit.end()
  priced('hash', 2, 1, { grows: true })(trace, op)
}

const gasLeft: Emit = (trace, op) => {
  const { emit } = trace
  emit.get(GAS)
  if (op.rest !== 0) emit.i64(op.rest).op(OP.i64Add)
  trace.stack.push(Word.small(trace.newLimb(41)))
}

const returnSize = (trace: CompiledTrace): void => {
  trace.emit.i32(0).access(ACCESS.i64Load32U, RETURN + 4)
  trace.stack.push(Word.small(trace.newLimb(32)))
}

const copy = { grows: true }
const logs = (topics: number): Emit => priced('log', topics + 2, 0, { topics, grows: true })

export const CONTEXT_OPCODES: Readonly<Record<number, Emit>> = {
  0: (trace, op) => trace.leaveSpilled(op.pc, 0, STOPPED),
  10: priced('power', 2, 1, { isFramed: false }),
  32: hash,
  48: framed(F_ADDRESS, ...ADDRESS),
  49: touching('balance', 1, 1, { isFramed: false }),
  50: surrounding(ENV_ORIGIN, ...ADDRESS),
  51: framed(F_CALLER, ...ADDRESS),
  52: framed(F_VALUE),
  54: header(F_DATA_LENGTH),
  55: priced('copyData', 3, 0, copy),
  56: header(F_CODE_LENGTH),
  57: priced('copyCode', 3, 0, copy),
  58: surrounding(ENV_GAS_PRICE),
  59: touching('sizeOfCode', 1, 1, { isFramed: false }),
  60: touching('copyCodeOf', 4, 0, copy),
  61: returnSize,
  62: priced('copyReturned', 3, 0, copy),
  63: touching('hashOfCode', 1, 1, { isFramed: false }),
  64: plain('hashOfBlock', 1),
  65: surrounding(ENV_COINBASE, ...ADDRESS),
  66: surrounding(ENV_TIMESTAMP),
  67: surrounding(ENV_NUMBER),
  68: surrounding(ENV_DIFFICULTY),
  69: surrounding(ENV_GAS_LIMIT),
  70: surrounding(ENV_CHAIN_ID),
  71: plain('ownBalance', 0),
  72: surrounding(ENV_BASE_FEE),
  73: plain('hashOfBlob', 1),
  74: surrounding(ENV_BLOB_BASE_FEE),
  84: touching('loadSlot', 1, 1),
  85: touching('storeSlot', 2, 0),
  88: ({ stack }, op) => stack.push(Word.constant(BigInt(op.pc))),
  90: gasLeft,
  91: () => undefined,
  92: plain('loadTransient', 1),
  93: priced('storeTransient', 2, 0),
  94: priced('copyMemory', 3, 0, copy),
  160: logs(0),
  161: logs(1),
  162: logs(2),
  163: logs(3),
  164: logs(4),
  240: ending('creates', 'all'),
  241: ending('calls', 'all'),
  242: ending('calls', 'all'),
  243: ending('returns', 2),
  244: ending('calls', 'all'),
  245: ending('creates', 'all'),
  250: ending('calls', 'all'),
  253: ending('returns', 2),
  255: ending('destroys', 1),
}
