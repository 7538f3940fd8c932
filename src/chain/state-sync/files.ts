// State snapshots as files: a folder for each height with its chunks (`0`, `1`, …) and `metadata` (their hashes). A folder is
// written under a temporary name and renamed when complete, so a folder named by a height is complete.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../lib/folder.ts'
import { equalBytes } from '../../lib/hex.ts'
import { concatBytes } from '../../primitives/rlp.ts'
import { chunkHash, HASH_LENGTH, type StateSnapshot, sha256, snapshotOf } from './format.ts'

const METADATA = 'metadata'
const UNFINISHED = '.tmp'
const HEIGHT = /^[1-9][0-9]*$/

export class SnapshotFolder {
  readonly #path: string
  /** Ascending by height. */
  #known: StateSnapshot[]

  /** Creates the folder; removes leftovers of an interrupted run. Throws the system's error. */
  static async open(path: string): Promise<SnapshotFolder> {
    makeFolder(path)
    const names = readdirSync(path)
    const whole = names.filter((name) => HEIGHT.test(name) && existsSync(join(path, name, METADATA)))
    const left = names.filter((name) => name.endsWith(UNFINISHED) || (HEIGHT.test(name) && !whole.includes(name)))
    for (const name of left) await rm(join(path, name), { recursive: true, force: true })
    const known = whole
      .map((name) => snapshotOf(BigInt(name), Uint8Array.from(readFileSync(join(path, name, METADATA)))))
      .filter(({ metadata }) => metadata.length > 0 && metadata.length % HASH_LENGTH === 0)
    return new SnapshotFolder(path, known)
  }

  private constructor(path: string, known: StateSnapshot[]) {
    this.#path = path
    this.#known = known.sort((a, b) => (a.height < b.height ? -1 : 1))
  }

  /** Newest first. */
  list(): readonly StateSnapshot[] {
    return this.#known.toReversed()
  }

  /** Writes a state snapshot. If `chunks` throws, nothing remains of it. */
  async write(height: bigint, chunks: AsyncIterable<Uint8Array>): Promise<StateSnapshot> {
    const unfinished = join(this.#path, `${height}${UNFINISHED}`)
    await rm(unfinished, { recursive: true, force: true })
    makeFolder(unfinished)
    try {
      const hashes: Uint8Array[] = []
      for await (const chunk of chunks) {
        await writeSynced(join(unfinished, String(hashes.length)), chunk)
        hashes.push(sha256(chunk))
      }
      const snapshot = snapshotOf(height, concatBytes(hashes))
      await writeSynced(join(unfinished, METADATA), snapshot.metadata)
      await this.remove(height)
      await rename(unfinished, join(this.#path, String(height)))
      this.#known = [...this.#known, snapshot].sort((a, b) => (a.height < b.height ? -1 : 1))
      return snapshot
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      throw error
    }
  }

  /** A chunk; undefined if unknown. A state snapshot with a chunk that is damaged on disk is removed. */
  async chunk(height: bigint, index: number): Promise<Uint8Array | undefined> {
    const snapshot = this.#known.find((known) => known.height === height)
    if (snapshot === undefined || !Number.isInteger(index) || index < 0 || index >= snapshot.chunks) return undefined
    const chunk = await readFile(join(this.#path, String(height), String(index))).catch(() => undefined)
    if (chunk !== undefined && equalBytes(sha256(chunk), chunkHash(snapshot.metadata, index))) return chunk
    await this.remove(height)
    return undefined
  }

  async remove(height: bigint): Promise<void> {
    this.#known = this.#known.filter((known) => known.height !== height)
    await rm(join(this.#path, String(height)), { recursive: true, force: true })
  }
}

/** Writes and syncs a file. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
