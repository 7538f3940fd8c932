// A table (`.ldb`): blocks, each with a type and a masked CRC-32C behind it, and a footer that says where the index of them
// is (doc/table_format.md). LevelDB compares no checksum when it reads a row; this compares them all.
import { Cursor, Mangled, u32At } from './bytes.ts'
import { maskedCrc32c } from './crc32c.ts'
import { unsnap } from './snappy.ts'

const FOOTER = 48
const MAGIC = [0x8b80fb57, 0xdb477524] as const
/** Type and checksum. */
const TRAILER = 5
const [PLAIN, SNAPPY] = [0, 1]

type Handle = { readonly offset: number; readonly size: number }

/** Throws `Mangled` unless every block of the table is as it was written. */
export function checkTable(file: Uint8Array): void {
  const magicAt = file.length - 8
  if (file.length < FOOTER || u32At(file, magicAt) !== MAGIC[0] || u32At(file, magicAt + 4) !== MAGIC[1])
    throw new Mangled('does not end as a table does')
  const footer = new Cursor(file.subarray(-FOOTER))
  const metaIndex = readHandle(footer)
  const index = readHandle(footer)
  for (const handle of [...entries(file, metaIndex), ...entries(file, index)]) checkedBlock(file, handle)
}

/** Places of the blocks that an index names. */
function entries(file: Uint8Array, index: Handle): Handle[] {
  const block = contentOf(file, index)
  const restarts = u32At(block, block.length - 4)
  const end = block.length - 4 - 4 * restarts
  if (block.length < 4 || end < 0) throw new Mangled('an index is cut off')
  const rows = new Cursor(block.subarray(0, end))
  const handles: Handle[] = []
  while (!rows.isAtEnd) {
    rows.varint() // bytes shared with the key before
    const [own, value] = [rows.varint(), rows.varint()]
    rows.take(own)
    handles.push(readHandle(new Cursor(rows.take(value))))
  }
  return handles
}

function readHandle(from: Cursor): Handle {
  return { offset: from.varint(), size: from.varint() }
}

function contentOf(file: Uint8Array, handle: Handle): Uint8Array {
  const block = checkedBlock(file, handle)
  const type = file[handle.offset + handle.size]
  if (type === PLAIN) return block
  if (type === SNAPPY) return unsnap(block)
  throw new Mangled(`the block at byte ${handle.offset} has the unknown type ${type}`)
}

/** A block's bytes as they are in the file. */
function checkedBlock(file: Uint8Array, { offset, size }: Handle): Uint8Array {
  const end = offset + size
  if (end + TRAILER > file.length) throw new Mangled(`the block at byte ${offset} is cut off`)
  // The checksum covers the type too.
  if (maskedCrc32c(file.subarray(offset, end + 1)) !== u32At(file, end + 1))
    throw new Mangled(`the block at byte ${offset} is damaged`)
  return file.subarray(offset, end)
}
