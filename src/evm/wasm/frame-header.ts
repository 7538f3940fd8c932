// The start of a frame in the engine's memory: header, stack, memory, one after the other. The header's three words (address,
// caller, value) are written separately, by `Memory.setAccounts`.
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

/** The fields of a new frame. `data`: the address of the input. */
export type FrameStart = {
  readonly code: LoadedCode
  readonly data: number
  readonly dataLength: number
  readonly gas: number
  readonly isStatic: boolean
  readonly depth: number
  readonly account: number
}

/** The address of the memory of a frame at this address. */
export const memoryOf = (frame: number): number => frame + FRAME_HEADER + STACK_BYTES + STACK_MARGIN

/** Writes the header of a frame that the host opens, except for its gas. */
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
