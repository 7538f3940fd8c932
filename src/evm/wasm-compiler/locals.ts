// Parameters and locals with a fixed meaning in the whole compiled function. All other locals are allocated by the emitter.
import { I32, I64, type Type, V128 } from './emitter.ts'

/** Address of the frame's header. */
export const FRAME = 0
/** Gas of the turn. */
export const TURN = 1
/** Gas left at the end of the current block: its constant gas is charged at its start. */
export const GAS = 2
/** The greater of FLOOR and 0: the guard of a trace's first block compares the gas with it. */
export const LIMIT = 3
/** The gas at which the turn ends; below zero if the frame cannot use up the turn. */
export const FLOOR = 4
/** Address just above the top stack item at the start of the trace, minus `BIAS`. */
export const BASE = 5
/** Address and size in bytes of the frame's memory. */
export const MEMORY = 6
export const MEMORY_SIZE = 7
/** Number of the trace to jump to. */
export const NEXT_TRACE = 8
/** Added to BASE it gives the stack height at the start of the trace in bytes. */
export const HEIGHT = 9
/** Address of the record of the compiled code, with the trace that starts at each byte of code. */
export const ENTRIES = 10
/** The last result of an engine function with dynamic gas: the gas left, or minus a reason. */
export const RESULT = 11
/** A vector that is never written, and therefore zero. */
export const ZERO = 12
export const FIXED: readonly Type[] = [I64, I64, I64, I32, I32, I64, I32, I32, I32, I64, V128]
