// A database that may be opened although the original must stay as it is: opening merges tables and empties logs, and what is
// damaged would be gone or look whole afterwards.
import { copyFileSync, linkSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../lib/folder.ts'

/** Tables are written once and then only removed, so that a link is as good as a copy. */
const TABLE = /\.(ldb|sst)$/
/** Each database has its own. */
const OWN = /^(LOCK|LOG|LOG\.old)$/

/** Copies a database's files into a new folder; what was in that place is removed. Throws what the file system throws. */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  makeFolder(to)
  for (const file of readdirSync(from)) {
    const [source, target] = [join(from, file), join(to, file)]
    if (!OWN.test(file) && !(TABLE.test(file) && isLinked(source, target))) copyFileSync(source, target)
  }
}

/** Not every file system has links. */
function isLinked(source: string, target: string): boolean {
  try {
    linkSync(source, target)
    return true
  } catch {
    return false
  }
}
