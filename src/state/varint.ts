// Numbers of variable length in rows: LEB128, seven bits per byte, lowest first. Whole numbers up to 2^53 - 1.

export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Returns the index after it. */
export function writeVarint(out: Uint8Array, value: number, start: number): number {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[at++] = (rest % 0x80) | 0x80
  out[at++] = rest
  return at
}

export function readVarint(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0
  let scale = 1
  let at = start
  for (;;) {
    const byte = bytes[at++] ?? 0
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return [value, at]
    scale *= 0x80
  }
}
