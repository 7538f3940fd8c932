// The call stack inside the engine. A call without value to a contract in the account cache opens its frame here, without the
// host. When such a frame needs the host (storage that is not cached, a log, a call with value), the host first adopts all
// frames from CURRENT up to the innermost one that it knows: it makes their checkpoints in the journals and sets F_KNOWN.
// Frames with F_KNOWN are closed by the host, the others here.

import { CALL_GAS_DIVISOR, MAX_DEPTH } from '../../gas/gas-rules'
import {
  A_ACCOUNT,
  A_CODE,
  A_CODE_LENGTH,
  A_JUMPS,
  C_COMPILED,
  C_HEAT,
  COMPILES,
  CURRENT,
  F_ACCOUNT,
  F_ADDRESS,
  F_CALLER,
  F_CODE,
  F_CODE_LENGTH,
  F_DATA,
  F_DATA_LENGTH,
  F_DEPTH,
  F_GAS,
  F_GAS_GIVEN,
  F_JUMPS,
  F_KIND,
  F_KNOWN,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_OUTPUT,
  F_OUTPUT_LENGTH,
  F_PARENT,
  F_PC,
  F_RESERVOIR,
  F_SPILLED,
  F_STACK,
  F_STATE_USED,
  F_STATIC,
  F_TOP,
  F_VALUE,
  F_WARMED,
  FALLEN,
  FRAME_HEADER,
  GAS_WARM,
  HOT,
  MAY_CALL,
  MISSING,
  NO_MEMORY,
  PARAMETERS,
  PAUSED,
  PLAIN,
  RESERVOIR,
  RETURN,
  RETURN_BYTES,
  RETURN_LIMIT,
  SPILLED,
  STACK_BYTES,
  STACK_MARGIN,
  STATE_USED,
  STOPPED,
  STRETCH,
  TURN,
  WARMED_COUNT,
  WORK,
} from '../layout'
import { repaid } from './gas'
import { hot } from './host'
import { reserve } from './memory'
import { interpret, interpretPlainly } from './run'
import { accountNamed, coolSlots } from './state-cache'
import { clamped, copy, isZero, set, setSmall } from './word'

const CALL: i32 = 0xf1
const DELEGATECALL: i32 = 0xf4
const STATICCALL: i32 = 0xfa
const RETURNED: i32 = 0xf3
const REVERTED: i32 = 0xfd
/** More gas than any frame has, and small enough for sums with it not to overflow. */
const ENDLESS: i64 = i64(1) << 62

/** Runs the current frame and the frames that it calls until the host is needed. Returns the reason. */
export function run(): i32 {
  let turn = load<i64>(TURN)
  let frame = usize(load<u32>(CURRENT))
  while (true) {
    const before = load<i64>(frame, F_GAS)
    const work = load<i64>(WORK)
    const reason = runCode(frame, turn)
    // A frame that fails uses all its gas, whatever its header says.
    turn -= (isFailure(reason) ? before : before - load<i64>(frame, F_GAS)) + (work - load<i64>(WORK))
    let next: usize = 0
    if (reason === CALL || reason === STATICCALL || reason === DELEGATECALL) next = openFrame(frame, reason)
    else if (load<u32>(frame, F_KNOWN) === 0 && isEnd(reason)) next = closeFrame(frame, reason)
    if (next === 0) return reason
    store<u32>(CURRENT, u32(next))
    frame = next
  }
}

/**
 * Runs one opcode of the current frame in the interpreter. Returns PAUSED if the frame can continue, else a reason as `run`
 * does. MISSING is of this opcode.
 */
export function step(): i32 {
  store<i64>(MISSING, 0)
  return interpretPlainly(usize(load<u32>(CURRENT)), ENDLESS, 1)
}

/** The interpreter that fits the table: pairs of opcodes have the forks' prices built in, so a changed table rules them out. */
function interpretCode(frame: usize, turn: i64): i32 {
  return load<u32>(PLAIN) !== 0 ? interpretPlainly(frame, turn, u32.MAX_VALUE) : interpret(frame, turn)
}

/** Runs the compiled code if there is any. Without it, and after its side exits, runs the interpreter. */
function runCode(frame: usize, turn: i64): i32 {
  if (load<u32>(COMPILES) === 0) return interpretCode(frame, turn)
  const code = usize(load<u32>(frame, F_CODE))
  // A program counter after the end of the code is an implied STOP, which is left to the interpreter.
  const isInside = load<u32>(frame, F_PC) <= load<u32>(frame, F_CODE_LENGTH)
  const compiled = isInside ? usize(load<u32>(code - C_COMPILED)) : 0
  const before = load<i64>(frame, F_GAS)
  if (compiled === 0) {
    const reason = interpretCode(frame, turn)
    const heat = load<u32>(code - C_HEAT)
    const least = load<u32>(HOT)
    if (heat < least) {
      const used = before - load<i64>(frame, F_GAS)
      const sum = u64(heat) + (used < i64(least) ? u64(used) : u64(least))
      store<u32>(code - C_HEAT, u32(sum))
      if (sum >= u64(least)) hot(u32(code))
    }
    return reason
  }
  // The turn ends when the sum of the gas and the unpaid work still allowed falls below this.
  const floor = before + load<i64>(WORK) - turn
  const stretch = load<i64>(STRETCH)
  while (true) {
    const reason = call_indirect<i32>(load<u32>(compiled), frame, load<i64>(frame, F_GAS) + load<i64>(WORK) - floor)
    if (reason !== FALLEN) return reason
    // Only for a short stretch: it ends at a JUMPDEST, where compiled code can be entered again.
    const left = load<i64>(frame, F_GAS) + load<i64>(WORK) - floor
    const interpreted = interpretCode(frame, left < stretch ? left : stretch)
    if (interpreted !== PAUSED || left <= stretch) return interpreted
  }
}

/** Whether the frame has ended, with success or a failure, and needs nothing from the host. */
function isEnd(reason: i32): bool {
  if (reason === STOPPED || reason === RETURNED || reason === REVERTED) return true
  return isFailure(reason)
}

function isFailure(reason: i32): bool {
  return reason > PAUSED && reason < NO_MEMORY
}

/** Opens the frame of a call and returns its address; 0, and nothing changed, if the host has to carry out the call. */
function openFrame(frame: usize, kind: i32): usize {
  if (load<u32>(MAY_CALL) === 0 || load<u32>(frame, F_DEPTH) >= u32(MAX_DEPTH)) return 0
  const sp = usize(load<u32>(frame, F_TOP))
  if (kind === CALL && !isZero(sp - 96)) return 0
  const account = accountNamed(sp - 64)
  if (account === 0) return 0
  const left = load<i64>(frame, F_GAS) - load<i64>(PARAMETERS, GAS_WARM)
  if (left < 0) return 0
  const child = (usize(load<u32>(frame, F_MEMORY)) + usize(load<u32>(frame, F_MEMORY_SIZE)) + 31) & ~31
  const stack = child + FRAME_HEADER
  const mem = stack + STACK_BYTES + STACK_MARGIN
  if (!reserve(u64(mem) + 65536)) return 0

  const requested = clamped(sp - 32)
  const most = left - left / i64(CALL_GAS_DIVISOR)
  const gas = requested < u64(most) ? i64(requested) : most
  store<i64>(frame, left, F_GAS)
  const ranges = kind === CALL ? sp - 128 : sp - 96
  const dataLength = load<u32>(ranges - 32)
  store<u32>(child, load<u32>(account, A_CODE), F_CODE)
  store<u32>(child, load<u32>(account, A_CODE_LENGTH), F_CODE_LENGTH)
  store<u32>(child, load<u32>(account, A_JUMPS), F_JUMPS)
  store<u32>(child, dataLength === 0 ? 0 : load<u32>(frame, F_MEMORY) + load<u32>(ranges), F_DATA)
  store<u32>(child, dataLength, F_DATA_LENGTH)
  store<u32>(child, u32(stack), F_STACK)
  store<u32>(child, u32(stack), F_TOP)
  store<u32>(child, u32(mem), F_MEMORY)
  store<u32>(child, 0, F_MEMORY_SIZE)
  store<u32>(child, 0, F_PC)
  store<i64>(child, gas, F_GAS)
  store<i64>(child, gas, F_GAS_GIVEN)
  store<u32>(child, load<u32>(frame, F_DEPTH) + 1, F_DEPTH)
  store<u32>(child, kind, F_KIND)
  store<u32>(child, u32(frame), F_PARENT)
  store<u32>(child, 0, F_KNOWN)
  store<u32>(child, load<u32>(WARMED_COUNT), F_WARMED)
  store<i64>(child, load<i64>(RESERVOIR), F_RESERVOIR)
  store<i64>(child, load<i64>(STATE_USED), F_STATE_USED)
  store<i64>(child, load<i64>(SPILLED), F_SPILLED)
  store<u32>(child, kind === STATICCALL ? 1 : load<u32>(frame, F_STATIC), F_STATIC)
  if (kind === DELEGATECALL) {
    store<u32>(child, load<u32>(frame, F_ACCOUNT), F_ACCOUNT)
    copy(child + F_ADDRESS, frame + F_ADDRESS)
    copy(child + F_CALLER, frame + F_CALLER)
    copy(child + F_VALUE, frame + F_VALUE)
  } else {
    store<u32>(child, load<u32>(account, A_ACCOUNT), F_ACCOUNT)
    const address = sp - 64
    const upper = load<u64>(address, 16) & 0xffffffff
    set(child + F_ADDRESS, load<u64>(address), load<u64>(address, 8), upper, 0)
    copy(child + F_CALLER, frame + F_ADDRESS)
    setSmall(child + F_VALUE, 0)
  }
  store<u32>(RETURN, 0, 4)
  return child
}

/** Closes a frame without F_KNOWN and returns its caller; 0 if the output exceeds RETURN_LIMIT, which the host has to handle. */
function closeFrame(frame: usize, reason: i32): usize {
  const hasOutput = reason === RETURNED || reason === REVERTED
  const length = hasOutput ? load<u32>(frame, F_OUTPUT_LENGTH) : 0
  if (length > u32(RETURN_LIMIT)) return 0
  const parent = usize(load<u32>(frame, F_PARENT))
  const kind = load<i32>(frame, F_KIND)
  let gas = load<i64>(parent, F_GAS) - load<i64>(frame, F_GAS_GIVEN)
  if (reason === STOPPED || hasOutput) gas += load<i64>(frame, F_GAS)
  if (reason !== STOPPED && reason !== RETURNED) {
    coolSlots(load<u32>(frame, F_WARMED))
    // State gas is given back: what gas has paid for is lost with the rest of the gas, unless the frame reverts.
    if (reason === REVERTED) gas += load<i64>(SPILLED) - load<i64>(frame, F_SPILLED)
    store<i64>(RESERVOIR, load<i64>(frame, F_RESERVOIR))
    store<i64>(STATE_USED, load<i64>(frame, F_STATE_USED))
    store<i64>(SPILLED, load<i64>(frame, F_SPILLED))
  }
  store<i64>(parent, gas + repaid(parent), F_GAS)
  const sp = usize(load<u32>(parent, F_TOP))
  const ranges = kind === CALL ? sp - 128 : sp - 96
  store<u32>(RETURN, RETURN_BYTES)
  store<u32>(RETURN, length, 4)
  if (length !== 0) {
    const output = usize(load<u32>(frame, F_OUTPUT))
    memory.copy(RETURN_BYTES, output, usize(length))
    const wanted = clamped(ranges - 96)
    const taken = wanted < u64(length) ? usize(wanted) : usize(length)
    if (taken !== 0) memory.copy(usize(load<u32>(parent, F_MEMORY)) + usize(load<u32>(ranges - 64)), output, taken)
  }
  // Pops the operands (gas, address, the value of a CALL, two ranges) and pushes 1 for success, else 0.
  const top = ranges - 96
  setSmall(top, u64(reason === STOPPED || reason === RETURNED))
  store<u32>(parent, u32(top) + 32, F_TOP)
  return parent
}
