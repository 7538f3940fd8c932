// Inverses of a divisor's upper limbs, by which long division replaces its divisions (Möller and Granlund, "Improved
// division by invariant integers", 2011). The divisor has its highest bit set.
import { high } from './arithmetic'

const HALF: u64 = 0x100000000
const LOW: u64 = 0xffffffff

/** floor((2^128 - 1) / d) - 2^64 for a `d` whose highest bit is set, by halves: (2^64 - 1 - d, 2^64 - 1) / d. */
export function inverseOf(d: u64): u64 {
  const by1 = d >> 32
  const by0 = d & LOW
  const upper = ~d
  let q1 = upper / by1
  let r = upper - q1 * by1
  while (q1 >= HALF || q1 * by0 > ((r << 32) | LOW)) {
    q1--
    r += by1
    if (r >= HALF) break
  }
  const middle = ((upper << 32) | LOW) - q1 * d
  let q0 = middle / by1
  r = middle - q0 * by1
  while (q0 >= HALF || q0 * by0 > ((r << 32) | LOW)) {
    q0--
    r += by1
    if (r >= HALF) break
  }
  return (q1 << 32) + q0
}

/** The same for two limbs (algorithm 6 there). */
export function inverseOfTwo(d1: u64, d0: u64): u64 {
  let v = inverseOf(d1)
  let p = d1 * v + d0
  if (p < d0) {
    v--
    if (p >= d1) {
      v--
      p -= d1
    }
    p -= d1
  }
  const upper = high(v, d0)
  p += upper
  if (p < upper) {
    v--
    if (p > d1 || (p === d1 && v * d0 + d0 >= d0)) v--
  }
  return v
}
