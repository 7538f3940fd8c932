// Room for bytes that are written at once. V8 gives every longer array memory of its own, which takes twenty times as long
// as to fill it, and for a short one two objects and a copy: here they share pools. Node has one too, for Buffers, which
// are slower to make. What is handed out holds anything until it is written.

const POOL = 1 << 16
/** Longer arrays have their own memory. */
const LONGEST = POOL >> 3

let pool = new ArrayBuffer(POOL)
let used = 0

/** `size` bytes that the caller overwrites, every one. */
export function unwritten(size: number): Uint8Array {
  if (size > LONGEST) return new Uint8Array(size)
  if (used + size > POOL) {
    pool = new ArrayBuffer(POOL)
    used = 0
  }
  const bytes = new Uint8Array(pool, used, size)
  // To the next multiple of eight, where memory is fastest.
  used = (used + size + 7) & -8
  return bytes
}

/** `size` zeros. */
export const zeros = (size: number): Uint8Array => unwritten(size).fill(0)
