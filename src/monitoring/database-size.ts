// The bytes of the database's folder. A large database has thousands of files, so the folder is read at most once a minute,
// and a reader gets what was found last.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_AGE = 60_000

/**
 * A function that tells the size of a folder in bytes; 0 for a chain in memory. Files that LevelDB removes meanwhile count
 * as empty.
 */
export function sizeOfFolder(folder: string | undefined): () => Promise<number> {
  if (folder === undefined) return async () => 0
  let bytes: number | undefined
  let readAt = 0
  let reading: Promise<void> | undefined
  const read = async () => {
    bytes = await addUp(folder)
    readAt = performance.now()
    reading = undefined
  }
  return async () => {
    if (bytes === undefined || performance.now() - readAt > MAX_AGE) reading ??= read()
    if (bytes === undefined) await reading
    return bytes ?? 0
  }
}

async function addUp(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let total = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) total += await addUp(path)
    else if (entry.isFile())
      total += await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return total
}
