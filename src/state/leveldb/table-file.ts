// Verifies a table file (`.ldb`): blocks, each followed by a type and a masked CRC-32C, and a footer with the position of the
// index of blocks (doc/table_format.md). The index may be compressed with Snappy, so its raw format is decoded here too.
import { ByteReader, CorruptFile, maskedCrc32c, u32At } from './coding.ts'

const FOOTER = 48
const MAGIC = [0x8b80fb57, 0xdb477524] as const
/** Length of a block's type (1 byte) and checksum (4). */
const TRAILER = 5
const [PLAIN, SNAPPY] = [0, 1]

type Handle = { readonly offset: number; readonly size: number }

/** Throws `CorruptFile` unless the checksums of all blocks match. */
export function checkTable(file: Uint8Array): void {
  const magicAt = file.length - 8
  if (file.length < FOOTER || u32At(file, magicAt) !== MAGIC[0] || u32At(file, magicAt + 4) !== MAGIC[1])
    throw new CorruptFile('does not end as a table does')
  const footer = new ByteReader(file.subarray(-FOOTER))
  const metaIndex = readHandle(footer)
  const index = readHandle(footer)
  for (const handle of [...entries(file, metaIndex), ...entries(file, index)]) checkedBlock(file, handle)
}

/** Handles of the blocks that an index lists. */
function entries(file: Uint8Array, index: Handle): Handle[] {
  const block = contentOf(file, index)
  const restarts = u32At(block, block.length - 4)
  const end = block.length - 4 - 4 * restarts
  if (block.length < 4 || end < 0) throw new CorruptFile('an index is cut off')
  const rows = new ByteReader(block.subarray(0, end))
  const handles: Handle[] = []
  while (!rows.isAtEnd) {
    rows.varint() // bytes shared with the key before
    const [own, value] = [rows.varint(), rows.varint()]
    rows.take(own)
    handles.push(readHandle(new ByteReader(rows.take(value))))
  }
  return handles
}

function readHandle(from: ByteReader): Handle {
  return { offset: from.varint(), size: from.varint() }
}

function contentOf(file: Uint8Array, handle: Handle): Uint8Array {
  const block = checkedBlock(file, handle)
  const type = file[handle.offset + handle.size]
  if (type === PLAIN) return block
  if (type === SNAPPY) return decompressSnappy(block)
  throw new CorruptFile(`the block at byte ${handle.offset} has the unknown type ${type}`)
}

/** A block's bytes, still compressed, after its checksum has been verified. */
function checkedBlock(file: Uint8Array, { offset, size }: Handle): Uint8Array {
  const end = offset + size
  if (end + TRAILER > file.length) throw new CorruptFile(`the block at byte ${offset} is cut off`)
  // The checksum covers the type too.
  if (maskedCrc32c(file.subarray(offset, end + 1)) !== u32At(file, end + 1))
    throw new CorruptFile(`the block at byte ${offset} is damaged`)
  return file.subarray(offset, end)
}

/** No block comes near this length. A larger one is damage, and no memory is allocated for it. */
const LONGEST = 1 << 30

/** Decompresses Snappy's raw format (google/snappy, format_description.txt). Throws `CorruptFile`. */
export function decompressSnappy(compressed: Uint8Array): Uint8Array {
  const input = new ByteReader(compressed)
  const length = input.varint()
  if (length > LONGEST) throw new CorruptFile('a compressed block is too long')
  const out = new Uint8Array(length)
  let at = 0
  while (!input.isAtEnd) {
    const [tag = 0] = input.take(1)
    if ((tag & 3) === 0) {
      const size = tag >> 2
      const literal = input.take(1 + (size < 60 ? size : number(input.take(size - 59))))
      if (at + literal.length > length) throw new CorruptFile('a compressed block is longer than it says')
      out.set(literal, at)
      at += literal.length
      continue
    }
    const [size, distance] = copyOf(tag, input)
    if (distance === 0 || distance > at || at + size > length)
      throw new CorruptFile('a compressed block copies what is not there')
    // Byte by byte, because a copy may overlap its own output.
    for (const end = at + size; at < end; at++) out[at] = out[at - distance] ?? 0
  }
  if (at !== length) throw new CorruptFile('a compressed block is shorter than it says')
  return out
}

/** Length and backward distance of a copy element. */
function copyOf(tag: number, input: ByteReader): [size: number, distance: number] {
  if ((tag & 3) === 1) return [4 + ((tag >> 2) & 7), ((tag >> 5) << 8) | number(input.take(1))]
  return [1 + (tag >> 2), number(input.take((tag & 3) === 2 ? 2 : 4))]
}

const number = (bytes: Uint8Array): number => bytes.reduceRight((value, byte) => value * 256 + byte, 0)
