// Room for bytes that are written at once. V8 gives every longer array memory of its own, which takes twenty times as long
// as to fill it, and for a short one two objects and a copy: here they share pools. Node has one too, for Buffers, which
// are slower to make. A pool lives as long as one of its arrays, so what stays does not share with what goes.

const POOL = 1 << 16
/** Longer arrays have their own memory. */
const LONGEST = POOL >> 3

/** Hands out arrays that hold anything until they are written. */
function pooled(): (size: number) => Uint8Array {
  let pool = new ArrayBuffer(POOL)
  let used = 0
  return (size) => {
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
}

/** `size` bytes that the caller overwrites, every one, and does not keep for long. */
export const scratchBytes = pooled()

/** The same, to be kept. */
export const retainedBytes = pooled()

/** `size` zeros, to be kept. */
export const zeroBytes = (size: number): Uint8Array => retainedBytes(size).fill(0)

/** A copy of the bytes, to be kept. */
export function retain(bytes: Uint8Array): Uint8Array {
  const copy = retainedBytes(bytes.length)
  copy.set(bytes)
  return copy
}
