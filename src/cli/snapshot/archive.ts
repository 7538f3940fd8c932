// The file of `kestrel snapshot`: sections one after the other, each compressed by itself and with the hash of its bytes, so that a
// reader holds one of them in memory, and notices a truncated or damaged file before it uses anything.
//   file:    MAGIC, sections; the last one is `end`, whose bytes are the SHA-256 of the hashes of all others
//   section: kind (1 byte), length and stored length of its bytes (4 bytes each, big-endian), SHA-256 of its bytes, the stored bytes
// Stored bytes are deflated (zlib), or the bytes themselves where both lengths are the same.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { ChainError } from '../../lib/errors.ts'

const MAGIC = Buffer.from('kestrel snapshot 1\n')
const KINDS = ['head', 'genesis', 'engine', 'chunk', 'end'] as const
export type Kind = (typeof KINDS)[number]
export type Section = { readonly kind: Kind; readonly bytes: Uint8Array }

const HASH = 32
const FIXED = 1 + 4 + 4 + HASH
/** Most bytes of a section: a chunk has 4 MB, unless it is a block or code that is larger. */
const LONGEST = 64 << 20
/** Most bytes that one stored byte stands for. A section that shrinks further is stored as it is, so a small file stays small. */
const MOST_PER_BYTE = 100

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const [deflated, inflated] = [promisify(deflate), promisify(inflate)]

/**
 * Writes a new file, under another name until it is complete. Returns its size. Throws ChainError `storage` if it exists, and what
 * `sections` throws; nothing remains then.
 */
export async function writeArchive(file: string, sections: AsyncIterable<Section>): Promise<number> {
  const unfinished = `${file}.unfinished`
  if (existsSync(file)) throw new ChainError('storage', `${file}: exists already`)
  const target = await open(unfinished, 'w', 0o600)
  try {
    const all = createHash('sha256')
    let size = MAGIC.length
    await target.writeFile(MAGIC)
    const put = async ({ kind, bytes }: Section) => {
      const section = await encoded(kind, bytes)
      for (const part of section) size += part.length
      await target.writeFile(Buffer.concat(section))
      all.update(sha256(bytes))
    }
    for await (const section of sections) await put(section)
    await put({ kind: 'end', bytes: all.copy().digest() })
    await target.sync()
    await target.close()
    await rename(unfinished, file)
    return size
  } catch (error) {
    await target.close().catch(() => undefined)
    await rm(unfinished, { force: true })
    throw error
  }
}

async function encoded(kind: Kind, bytes: Uint8Array): Promise<Uint8Array[]> {
  if (bytes.length > LONGEST)
    throw new ChainError('storage', `a section of ${bytes.length} bytes is too long for a snapshot`)
  const packed = await deflated(bytes)
  const isPacked = packed.length < bytes.length && bytes.length <= packed.length * MOST_PER_BYTE
  const stored = isPacked ? packed : bytes
  const fixed = Buffer.alloc(1 + 4 + 4)
  fixed.writeUInt8(KINDS.indexOf(kind))
  fixed.writeUInt32BE(bytes.length, 1)
  fixed.writeUInt32BE(stored.length, 5)
  return [fixed, sha256(bytes), stored]
}

/**
 * The sections of a file without `end`, each verified. Throws ChainError `storage` for a file of another kind, and where it is
 * damaged or truncated: only after the last section is the file known to be complete.
 */
export async function* readArchive(path: string): AsyncGenerator<Section> {
  const file = await open(path)
  try {
    if (!(await read(file, MAGIC.length, path)).equals(MAGIC)) throw refused(path, 'is no snapshot of kestrel')
    const all = createHash('sha256')
    for (;;) {
      const section = await decoded(file, path)
      if (section.kind === 'end') {
        if (!all.digest().equals(section.bytes)) throw damaged(path)
        if ((await file.read(Buffer.alloc(1))).bytesRead > 0) throw refused(path, 'has bytes after its end')
        return
      }
      all.update(sha256(section.bytes))
      yield section
    }
  } finally {
    await file.close()
  }
}

async function decoded(file: FileHandle, path: string): Promise<Section> {
  const fixed = await read(file, FIXED, path)
  const kind = KINDS[fixed.readUInt8()]
  const length = fixed.readUInt32BE(1)
  const stored = fixed.readUInt32BE(5)
  if (kind === undefined || length > LONGEST || stored > length || length > stored * MOST_PER_BYTE) throw damaged(path)
  const packed = await read(file, stored, path)
  const bytes =
    stored === length
      ? packed
      : await inflated(packed, { maxOutputLength: length }).catch(() => {
          throw damaged(path)
        })
  if (bytes.length !== length || !sha256(bytes).equals(fixed.subarray(9))) throw damaged(path)
  return { kind, bytes }
}

async function read(file: FileHandle, length: number, path: string): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length)
  if (bytesRead < length) throw refused(path, 'is truncated')
  return buffer
}

const refused = (path: string, why: string): ChainError => new ChainError('storage', `${path} ${why}`)
const damaged = (path: string): ChainError => refused(path, 'is damaged')
