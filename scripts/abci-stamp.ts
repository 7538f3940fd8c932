// One hash over the .proto files and the code that was generated from them: it tells when one has changed without the other.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Folders and the file with the hash, from the repository's root. */
const SOURCES = 'src/consensus/abci/proto'
export const GENERATED = 'src/consensus/abci/generated'
export const STAMP = `${GENERATED}/messages.sha256`

/** SHA-256 (hex) of the names and contents of all `.proto` files and all generated files. `root`: the repository's. */
export function messagesHash(root: string): string {
  const hash = createHash('sha256')
  for (const folder of [SOURCES, GENERATED])
    for (const path of filesIn(join(root, folder)))
      hash
        .update(`${relative(root, path).split(sep).join('/')}\0`)
        .update(readFileSync(path))
        .update('\0')
  return hash.digest('hex')
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(proto|ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
