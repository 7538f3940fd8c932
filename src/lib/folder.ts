// Creates folders. Node's `mkdir` with `recursive` never returns when the system refuses a folder with ENOENT, as it does in
// /proc: Node takes the error for a missing parent and retries for ever.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents with mode 0700, because they may hold keys and pending transactions. Throws the system's
 * error, except when another process creates one of them at the same time.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  // The root of a drive that does not exist is its own parent.
  for (let at = resolve(path); !existsSync(at) && at !== missing.at(-1); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      if (!existsSync(folder)) throw error
    }
  }
}
