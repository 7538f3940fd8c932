// How a frame begins: its header, behind it its stack, behind that its memory. Its three words (address, caller, value) are
// written by whoever opens it.
import {
  F_ACCOUNT,
  F_CODE,
  F_CODE_LENGTH,
  F_DATA,
  F_DATA_LENGTH,
  F_DEPTH,
  F_JUMPS,
  F_KNOWN,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_PC,
  F_STACK,
  F_STATIC,
  F_TOP,
  FRAME_HEADER,
  STACK_BYTES,
  STACK_MARGIN,
} from './layout.ts'

/** A code in the engine's memory. */
export type LoadedCode = { readonly at: number; readonly length: number; readonly jumps: number }

/** What a new frame is made of; addresses of stack words, and of the input. */
export type FrameStart = {
  readonly code: LoadedCode
  readonly data: number
  readonly dataLength: number
  readonly gas: number
  readonly isStatic: boolean
  readonly depth: number
  readonly account: number
}

/** Where the memory of a frame at this place begins. */
export const memoryOf = (frame: number): number => frame + FRAME_HEADER + STACK_BYTES + STACK_MARGIN

/** Writes a frame that the host knows, all but its gas. */
export function writeFrame(words: Uint32Array, frame: number, start: FrameStart): void {
  const { code, data, dataLength, isStatic, depth, account } = start
  const stack = frame + FRAME_HEADER
  words[(frame + F_CODE) >>> 2] = code.at
  words[(frame + F_CODE_LENGTH) >>> 2] = code.length
  words[(frame + F_JUMPS) >>> 2] = code.jumps
  words[(frame + F_DATA) >>> 2] = data
  words[(frame + F_DATA_LENGTH) >>> 2] = dataLength
  words[(frame + F_STACK) >>> 2] = stack
  words[(frame + F_TOP) >>> 2] = stack
  words[(frame + F_MEMORY) >>> 2] = memoryOf(frame)
  words[(frame + F_MEMORY_SIZE) >>> 2] = 0
  words[(frame + F_PC) >>> 2] = 0
  words[(frame + F_STATIC) >>> 2] = isStatic ? 1 : 0
  words[(frame + F_DEPTH) >>> 2] = depth
  words[(frame + F_ACCOUNT) >>> 2] = account
  words[(frame + F_KNOWN) >>> 2] = 1
}
