// A disk that loses power: what the node has synced, which it learns by listening to every `datasync`, and copies of a database as
// a power cut could leave it. LevelDB syncs tables and the MANIFEST itself, so copies have them whole.
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { currentTables, nameOfTable } from '../../src/state/leveldb/database.ts'

export type Disk = {
  /** Bytes of a file that a power cut leaves. */
  synced(path: string): number
  /** Syncs that have begun. They wait for the gate before they reach the disk. */
  begun: number
  gate: Promise<void>
}

/** Listens to the syncs of this process until the test ends. */
export async function listeningDisk(): Promise<Disk> {
  /** By inode: a file keeps its length in a hard link, and logs are never renamed. */
  const lengths = new Map<number, number>()
  const disk: Disk = { synced: (path) => lengths.get(statSync(path).ino) ?? 0, begun: 0, gate: Promise.resolve() }
  const file = await open(import.meta.filename)
  const methods: FileHandle = Object.getPrototypeOf(file)
  await file.close()
  const { datasync } = methods
  const spy = vi.spyOn(methods, 'datasync').mockImplementation(async function (this: FileHandle) {
    const { ino, size } = await this.stat()
    disk.begun++
    await disk.gate
    await datasync.call(this)
    lengths.set(ino, size)
  })
  onTestFinished(() => spy.mockRestore())
  return disk
}

/**
 * Copies a database that may be in use. `left` makes of the content of a log and the length that is synced what the power cut
 * leaves. undefined: LevelDB has named another table or log during the copying.
 */
export function copyAfterPowerCut(
  from: string,
  to: string,
  disk: Disk,
  left: (log: Buffer, synced: number) => Uint8Array,
): { readonly logs: number } | undefined {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const files = readdirSync(from).filter((file) => !/^LO(CK|G|G\.old)$/.test(file))
  const logs = files.filter((file) => file.endsWith('.log'))
  // Logs only grow: they are held by links, because LevelDB may delete them, and read later. As in `copyDatabase`, what names
  // other files comes after them.
  const held = logs.map((file) => ({ file, size: 0, synced: 0, link: join(to, `${file}.held`) }))
  try {
    if (files.includes('acknowledged')) copyFileSync(join(from, 'acknowledged'), join(to, 'acknowledged'))
    for (const log of held) {
      linkSync(join(from, log.file), log.link)
      log.size = statSync(log.link).size
      log.synced = disk.synced(log.link)
    }
    for (const file of files)
      if (file.endsWith('.ldb')) linkSync(join(from, file), join(to, file))
      else if (/^(MANIFEST-\d+|CURRENT|journal)$/.test(file)) copyFileSync(join(from, file), join(to, file))
  } catch {
    return undefined
  }
  const isNamed = (file: string) => /\.(ldb|log)$/.test(file)
  if (readdirSync(from).filter(isNamed).join() !== files.filter(isNamed).join()) return undefined
  // LevelDB still writes a table that the MANIFEST does not name, and opening the copy would write to the same file.
  const tables = currentTables(to)
  const finished = new Set(Array.isArray(tables) ? tables.map(({ number }) => nameOfTable(to, number)) : [])
  for (const file of files.filter((name) => name.endsWith('.ldb') && !finished.has(name))) {
    const content = readFileSync(join(to, file))
    rmSync(join(to, file))
    writeFileSync(join(to, file), content)
  }
  for (const { file, size, synced, link } of held) {
    writeFileSync(join(to, file), left(readFileSync(link).subarray(0, size), synced))
    rmSync(link)
  }
  return { logs: logs.length }
}
