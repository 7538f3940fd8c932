// Snappy's raw format (google/snappy, format_description.txt), one way: LevelDB compresses the index of a table with it.
import { Cursor, Mangled } from './bytes.ts'

/** No block of ours comes near; a length beyond is damage, and not asked memory for. */
const LONGEST = 1 << 30

/** Throws `Mangled`. */
export function unsnap(compressed: Uint8Array): Uint8Array {
  const input = new Cursor(compressed)
  const length = input.varint()
  if (length > LONGEST) throw new Mangled('a compressed block is too long')
  const out = new Uint8Array(length)
  let at = 0
  while (!input.isAtEnd) {
    const [tag = 0] = input.take(1)
    if ((tag & 3) === 0) {
      const size = tag >> 2
      const literal = input.take(1 + (size < 60 ? size : number(input.take(size - 59))))
      if (at + literal.length > length) throw new Mangled('a compressed block is longer than it says')
      out.set(literal, at)
      at += literal.length
      continue
    }
    const [size, distance] = copyOf(tag, input)
    if (distance === 0 || distance > at || at + size > length)
      throw new Mangled('a compressed block copies what is not there')
    // Byte by byte: a copy may read what it has just written.
    for (const end = at + size; at < end; at++) out[at] = out[at - distance] ?? 0
  }
  if (at !== length) throw new Mangled('a compressed block is shorter than it says')
  return out
}

/** Length and distance of a copy. */
function copyOf(tag: number, input: Cursor): [size: number, distance: number] {
  if ((tag & 3) === 1) return [4 + ((tag >> 2) & 7), ((tag >> 5) << 8) | number(input.take(1))]
  return [1 + (tag >> 2), number(input.take((tag & 3) === 2 ? 2 : 4))]
}

const number = (bytes: Uint8Array): number => bytes.reduceRight((value, byte) => value * 256 + byte, 0)
