// Opcodes that read the message, the transaction and the block, and those that call an engine function with operands on the
// stack in memory: state access, copies, hashes, logs, calls.
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
  ENV_SLOT_NUMBER,
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
import { FLOOR, FRAME, GAS, RESULT } from './locals.ts'
import { chargeResult } from './memory-opcodes.ts'
import type { CompiledTrace } from './trace.ts'
import { Word } from './word.ts'

/** Pushes a word of the frame's header, or of ENVIRONMENT: a location in memory, loaded when it is used. */
const headerWord =
  (offset: number, ...limbs: undefined[] | [undefined, undefined, undefined, bigint]): Emit =>
  ({ stack }) =>
    stack.push(Word.at({ base: FRAME, offset }, limbs))
const environmentWord =
  (offset: number, ...limbs: undefined[] | [undefined, undefined, undefined, bigint]): Emit =>
  ({ stack }) =>
    stack.push(Word.at({ base: undefined, offset: ENVIRONMENT + offset }, limbs))
/** Known limbs of an address: the upper 64 bits are zero. */
const ADDRESS = [undefined, undefined, undefined, 0n] as [undefined, undefined, undefined, bigint]

/** Pushes a 32-bit field of the frame's header. */
const headerNumber =
  (offset: number): Emit =>
  (trace) => {
    trace.emit.get(FRAME).access(ACCESS.i64Load32U, offset)
    trace.stack.push(Word.small(trace.newLimb(32)))
  }

/** An engine function without dynamic gas and with one result. `isFramed`: its first parameter is the frame. */
const unpriced =
  (name: EngineFunction, operands: number, isFramed = false): Emit =>
  (trace) => {
    const { emit, stack } = trace
    stack.spillTop(operands)
    stack.preserve(operands - 1, operands)
    if (isFramed) emit.get(FRAME)
    trace.pushStackTop()
    trace.call(name)
    for (let i = 0; i < operands; i++) stack.pop()
    stack.pushResult()
  }

/** Passes the arguments of a function with dynamic gas: operands in memory; the frame, the stack's top and the gas as values. */
function passOperands(trace: CompiledTrace, operands: number, results: 0 | 1, isFramed: boolean): void {
  const { emit, stack } = trace
  stack.reloadMisplaced()
  stack.spillTop(operands)
  if (results > 0) stack.preserve(operands - 1, operands)
  if (isFramed) emit.get(FRAME)
  trace.pushStackTop()
  emit.get(GAS)
}

/** After the call: pops the operands from the virtual stack and pushes the result. */
function takeResult(trace: CompiledTrace, operands: number, results: 0 | 1, growsMemory: boolean): void {
  if (growsMemory) trace.reloadMemorySize()
  for (let i = 0; i < operands; i++) trace.stack.pop()
  if (results > 0) trace.stack.pushResult()
}

/** A function with dynamic gas that changes nothing when it fails: the interpreter can run the opcode again. */
const priced =
  (
    name: EngineFunction,
    operands: number,
    results: 0 | 1,
    { isFramed = true, topics = -1, growsMemory = false } = {},
  ): Emit =>
  (trace, op) => {
    passOperands(trace, operands, results, isFramed)
    if (topics >= 0) trace.emit.i32(topics)
    trace.call(name)
    chargeResult(trace, op)
    takeResult(trace, operands, results, growsMemory)
  }

/**
 * A function with dynamic gas that makes accounts or slots warm or writes storage, so that it must not run twice. It gets the
 * gas without the constant gas of later opcodes in the block. If it fails, its reason is returned. If it succeeds but the gas
 * does not cover the rest of the block, the interpreter continues after the opcode.
 */
const accessing =
  (name: EngineFunction, operands: number, results: 0 | 1, { isFramed = true, growsMemory = false } = {}): Emit =>
  (trace, op) => {
    const { emit } = trace
    passOperands(trace, operands, results, isFramed)
    if (op.gasAfter !== 0) emit.i64(op.gasAfter).op(OP.i64Add)
    trace.call(name)
    emit.tee(RESULT)
    if (op.gasAfter !== 0) emit.i64(op.gasAfter).op(OP.i64Sub)
    emit.set(GAS)
    takeResult(trace, operands, results, growsMemory)
    emit.get(GAS).i64(0).op(OP.i64LtS).if()
    // A result below zero is minus the reason.
    emit.get(RESULT).i64(0).op(OP.i64LtS).if()
    emit.i64(0).get(RESULT).op(OP.i64Sub, OP.i32WrapI64, OP.return)
    emit.end()
    if (op.failsOnlyForGas) emit.i32(OUT_OF_GAS).op(OP.return)
    else trace.exit(op.pc + 1, op.gasAfter, FALLEN)
    emit.end()
  }

/** An opcode that the host carries out, or that ends the frame: returns the reason that the engine function returns. */
const endsTurn =
  (name: EngineFunction, written: 'all' | number): Emit =>
  (trace, op) => {
    const { emit, stack } = trace
    if (written === 'all') {
      stack.reloadMisplaced()
      stack.spill()
    } else stack.spillTop(written)
    emit.get(FRAME).i32(op.pc)
    trace.pushStackTop()
    emit.get(GAS).i32(op.code)
    trace.call(name)
    emit.op(OP.return)
  }

const hash: Emit = (trace, op) => {
  const { emit, stack } = trace
  // Many hashes may follow each other without a JUMPDEST, and each takes long: check here too whether the turn is over.
  stack.reloadMisplaced()
  emit.get(GAS).i64(HASH_DELAY).op(OP.i64Add).get(FLOOR).op(OP.i64LtS).if()
  trace.sideExit(op, PAUSED)
  emit.end()
  priced('hash', 2, 1, { growsMemory: true })(trace, op)
}

const gasLeft: Emit = (trace, op) => {
  const { emit } = trace
  emit.get(GAS)
  if (op.gasAfter !== 0) emit.i64(op.gasAfter).op(OP.i64Add)
  trace.stack.push(Word.small(trace.newLimb(41)))
}

const returnSize = (trace: CompiledTrace): void => {
  trace.emit.i32(0).access(ACCESS.i64Load32U, RETURN + 4)
  trace.stack.push(Word.small(trace.newLimb(32)))
}

const copy = { growsMemory: true }
const logs = (topics: number): Emit => priced('log', topics + 2, 0, { topics, growsMemory: true })

export const CONTEXT_OPCODES: Readonly<Record<number, Emit>> = {
  0: (trace, op) => trace.exitSpilled(op.pc, 0, STOPPED),
  10: priced('power', 2, 1, { isFramed: false }),
  32: hash,
  48: headerWord(F_ADDRESS, ...ADDRESS),
  49: accessing('balance', 1, 1, { isFramed: false }),
  50: environmentWord(ENV_ORIGIN, ...ADDRESS),
  51: headerWord(F_CALLER, ...ADDRESS),
  52: headerWord(F_VALUE),
  54: headerNumber(F_DATA_LENGTH),
  55: priced('copyData', 3, 0, copy),
  56: headerNumber(F_CODE_LENGTH),
  57: priced('copyCode', 3, 0, copy),
  58: environmentWord(ENV_GAS_PRICE),
  59: accessing('sizeOfCode', 1, 1, { isFramed: false }),
  60: accessing('copyCodeOf', 4, 0, copy),
  61: returnSize,
  62: priced('copyReturned', 3, 0, copy),
  63: accessing('hashOfCode', 1, 1, { isFramed: false }),
  64: unpriced('hashOfBlock', 1),
  65: environmentWord(ENV_COINBASE, ...ADDRESS),
  66: environmentWord(ENV_TIMESTAMP),
  67: environmentWord(ENV_NUMBER),
  68: environmentWord(ENV_DIFFICULTY),
  69: environmentWord(ENV_GAS_LIMIT),
  70: environmentWord(ENV_CHAIN_ID),
  71: unpriced('ownBalance', 0),
  72: environmentWord(ENV_BASE_FEE),
  73: unpriced('hashOfBlob', 1),
  74: environmentWord(ENV_BLOB_BASE_FEE),
  75: environmentWord(ENV_SLOT_NUMBER),
  84: accessing('loadSlot', 1, 1),
  85: accessing('storeSlot', 2, 0),
  88: ({ stack }, op) => stack.push(Word.constant(BigInt(op.pc))),
  90: gasLeft,
  91: () => undefined,
  92: unpriced('loadTransient', 1),
  93: priced('storeTransient', 2, 0),
  94: priced('copyMemory', 3, 0, copy),
  160: logs(0),
  161: logs(1),
  162: logs(2),
  163: logs(3),
  164: logs(4),
  240: endsTurn('creates', 'all'),
  241: endsTurn('calls', 'all'),
  242: endsTurn('calls', 'all'),
  243: endsTurn('returns', 2),
  244: endsTurn('calls', 'all'),
  245: endsTurn('creates', 'all'),
  250: endsTurn('calls', 'all'),
  253: endsTurn('returns', 2),
  255: endsTurn('destroys', 1),
}
