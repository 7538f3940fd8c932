// The inputs of dist/: a hash of everything that the build reads. build.js writes it to dist/ as its last step, so that a test
// run can check that the bundles are up to date, independent of modification times. This file imports Node.js modules only,
// because build.js loads it without the others.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path of the hash of the last complete build, relative to package.json. */
export const BUILD_STAMP = 'dist/sources.sha256'

const FOLDERS = ['client', 'solidity', 'src', 'web']
const FILES = [
  ...['build.js', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['build-stamp', 'external-packages', 'generate', 'solidity', 'third-party-licences'].map(
    (name) => `scripts/${name}.ts`,
  ),
]

/** SHA-256, in hex, over names and contents of the build's inputs. `root`: the folder with package.json. */
export function buildSourceHash(root: string): string {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length).replaceAll('\\', '/')),
  )
  const hash = createHash('sha256')
  for (const file of [...FILES, ...sources].sort()) {
    const content = readFileSync(join(root, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** Whether the last complete build was made from the present sources. */
export function isBuildCurrent(root: string): boolean {
  const stamp = join(root, BUILD_STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === buildSourceHash(root)
}
