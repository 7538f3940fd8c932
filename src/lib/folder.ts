// Folders made where they are missing. Node's own `mkdir` with `recursive` never returns where the system refuses a folder
// with ENOENT, as in /proc: it takes the answer for a missing parent and tries again.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes a folder and its missing parents. Throws the system's error. `mode` is that of every folder that is made. */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) mkdirSync(folder, { mode })
}
