// Folders made where they are missing. Node's own `mkdir` with `recursive` never returns where the system refuses a folder
// with ENOENT, as in /proc: it takes the answer for a missing parent and tries again.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and its missing parents. Throws the system's error. `mode` is that of every folder that is made. Another
 * process may make one of them at the same time.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = []
  // A drive that is not there is its own parent.
  for (let at = resolve(path); !existsSync(at) && at !== missing.at(-1); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode })
    } catch (error) {
      if (!existsSync(folder)) throw error
    }
  }
}
