// Source files as the compiler names them: by the paths that they were given with, and their imports by where those lead.
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'

type Sources = Record<string, { content: string }>

/** `import "./a.sol";`, `import {B} from "../b.sol";`, `import * as C from "c/c.sol";` */
const IMPORT = /^\s*import\s+(?:[^'";]*?\bfrom\s+)?['"]([^'"]+)['"]/gm

/**
 * Files with all that they import: relative paths from the file, others from here or from `node_modules`. What is not
 * found is left to the compiler to complain of.
 */
export async function sourcesOf(files: readonly string[]): Promise<Sources> {
  const sources: Sources = {}
  const take = async (path: string, content: string): Promise<void> => {
    if (sources[path] !== undefined) return
    sources[path] = { content }
    for (const [, imported = ''] of content.matchAll(IMPORT)) {
      const target = imported.startsWith('.') ? posix.join(posix.dirname(path), imported) : imported
      const text = (await readIfThere(target)) ?? (await readIfThere(posix.join('node_modules', target)))
      if (text !== undefined) await take(target, text)
    }
  }
  for (const file of files) {
    await take(posix.normalize(file.replaceAll('\\', '/')), await readFile(file, 'utf8'))
  }
  return sources
}

/** The compiler's input from a file; build information that holds one (as Hardhat writes it) counts as well. */
export async function standardJson(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  try {
    const { input } = JSON.parse(text) as { input?: unknown }
    return input === undefined ? text : JSON.stringify(input)
  } catch {
    return text
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}
