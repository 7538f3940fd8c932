// Verifies a table file (`.ldb`): blocks, each followed by a type and a masked CRC-32C, and a footer with the position of the
// index of blocks (doc/table_format.md). The index may be compressed with Snappy, so its raw format is decoded here too.
import { ByteReader, CorruptFile, maskedCrc32c, u32At, u64At } from './coding.ts'

/** Bytes at the end of a table: two handles and the magic number. */
export const FOOTER = 48
const MAGIC = [0x8b80fb57, 0xdb477524] as const
/** Length of a block's type (1 byte) and checksum (4). */
const TRAILER = 5
const PLAIN = 0
const SNAPPY = 1

type Handle = { readonly offset: number; readonly size: number }

/**
 * Throws `CorruptFile` unless the checksums of all blocks match and, with `order`, the keys ascend. LevelDB ends the process
 * without a message when it merges a table with keys out of order.
 */
export function checkTable(file: Uint8Array, { order } = { order: false }): void {
  if (!endsAsTable(file)) throw new CorruptFile('does not end as a table does')
  const footer = new ByteReader(file.subarray(-FOOTER))
  const metaIndex = readHandle(footer)
  const index = readHandle(footer)
  const blocks = handlesIn(file, index)
  for (const handle of [...handlesIn(file, metaIndex), ...blocks]) checkedBlock(file, handle)
  if (order) checkOrder(file, blocks)
}

export function endsAsTable(file: Uint8Array): boolean {
  const magicAt = file.length - 8
  return file.length >= FOOTER && u32At(file, magicAt) === MAGIC[0] && u32At(file, magicAt + 4) === MAGIC[1]
}

/** Handles of the blocks that an index lists. */
const handlesIn = (file: Uint8Array, index: Handle): Handle[] =>
  Array.from(entriesOf(contentOf(file, index)), ({ value }) => readHandle(new ByteReader(value)))

/** Entries of a block. A key shares its first bytes with the previous key; `own` are the others. */
function* entriesOf(block: Uint8Array): Generator<{ shared: number; own: Uint8Array; value: Uint8Array }> {
  const restarts = u32At(block, block.length - 4)
  const end = block.length - 4 - 4 * restarts
  if (block.length < 4 || end < 0) throw new CorruptFile('a block is cut off')
  const rows = new ByteReader(block.subarray(0, end))
  while (!rows.isAtEnd) {
    const shared = rows.varint()
    const own = rows.varint()
    const value = rows.varint()
    yield { shared, own: rows.take(own), value: rows.take(value) }
  }
}

function checkOrder(file: Uint8Array, blocks: readonly Handle[]): void {
  let before: Uint8Array | undefined
  for (const handle of blocks) {
    for (const { shared, own } of entriesOf(contentOf(file, handle))) {
      const key = Buffer.concat([(before ?? new Uint8Array(0)).subarray(0, shared), own])
      if (key.length < TAG || (before !== undefined && compareKeys(before, key) >= 0))
        throw new CorruptFile(`the block at byte ${handle.offset} has keys out of order`)
      before = key
    }
  }
}

/** Bytes after a row's key in a table: sequence number (7 bytes) and kind of the change (1), little-endian (dbformat.h). */
const TAG = 8

/** The order of keys in a table: by the row's key, and for the same row the newest change first. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const byRow = Buffer.compare(a.subarray(0, -TAG), b.subarray(0, -TAG))
  return byRow !== 0 ? byRow : u64At(b, b.length - TAG) - u64At(a, a.length - TAG)
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

/** No block is nearly this long. A larger length is damage, and no memory is allocated for it. */
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
