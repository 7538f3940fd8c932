// Finds the valid jump destinations of a code, once, when the code is loaded.

/** Sets the bit of each JUMPDEST that is not inside the constant of a PUSH. `jumps`: a bit per byte of code. */
export function analyse(code: usize, length: usize, jumps: usize): void {
  memory.fill(jumps, 0, (length + 7) >> 3)
  for (let pc: usize = 0; pc < length; pc++) {
    const op = i32(load<u8>(code + pc))
    if (op === 0x5b) store<u8>(jumps + (pc >> 3), load<u8>(jumps + (pc >> 3)) | (1 << u8(pc & 7)))
    else if (op >= 0x60 && op <= 0x7f) pc += usize(op - 0x5f)
  }
}

/** Whether `to` is a valid jump destination. */
// @inline
export function isMarked(jumps: usize, length: u64, to: u64): bool {
  return to < length && ((load<u8>(jumps + usize(to >> 3)) >> u8(to & 7)) & 1) !== 0
}

/** Whether the stack word at `at` is a valid jump destination. */
// @inline
export function isJumpDestination(jumps: usize, length: u64, at: usize): bool {
  const upper = load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)
  return upper === 0 && isMarked(jumps, length, load<u64>(at))
}
