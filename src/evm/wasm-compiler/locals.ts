// Parameters and locals that a compiled function keeps from its beginning to its end.
import { I32, I64, type Type, V128 } from './emitter.ts'

export const FRAME = 0
export const TURN = 1
/** What is left when the block is over. */
export const GAS = 2
/** What the gas must not fall below without a look at the clock, and at all. */
export const LIMIT = 3
/** The same, without zero as a bound. */
export const FLOOR = 4
/** Where the top of the stack was when the trace began, less `BIAS` of the stack. */
export const BASE = 5
/** Where the frame's memory begins, and how many bytes it has. */
export const MEMORY = 6
export const SIZE = 7
/** The trace to go on with. */
export const NEXT = 8
/** What makes the height of the stack, in bytes, of BASE. */
export const DEPTH = 9
/** The compiled form's table of entries. */
export const ENTRIES = 10
/** What an engine's function answered. */
export const LEFT = 11
/** A vector that stays zero. */
export const ZERO = 12
export const FIXED: readonly Type[] = [I64, I64, I64, I32, I32, I64, I32, I32, I32, I64, V128]
