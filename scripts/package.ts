// `npm run package`: writes the npm package to build/package/, to be packed or published from there. Its manifest has only the
// packages outside the bundle, so that users do not install packages that dist/ contains. The repository's own files are not
// changed, even on failure. With `--manifest` it only prints this manifest.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXTERNAL_PACKAGES } from './external-packages.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'build/package')
/** Shipped within the package, so that the `overrides` of this repository apply to its users too. */
const INCLUDED = 'secp256k1'

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const { devDependencies, overrides, allowScripts, scripts, dependencies, ...manifest } = manifestOf(root)
const external = EXTERNAL_PACKAGES.map((name) => [name, dependencies[name]])

const published = { ...manifest, dependencies: Object.fromEntries(external), bundleDependencies: [INCLUDED] }
if (process.argv.includes('--manifest')) {
  console.log(JSON.stringify(published, undefined, 2))
  process.exit()
}

// A locally compiled binary would replace the prebuilt ones on other platforms.
if (existsSync(join(root, 'node_modules', INCLUDED, 'build')))
  throw new Error(`node_modules/${INCLUDED} was compiled on this machine: pack where a prebuilt one fits, as linux-x64`)
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const entry of manifest.files) {
  const folder = entry.split('/*')[0]
  if (!folder.startsWith('!')) cpSync(join(root, folder), join(target, folder), { recursive: true })
}
for (const name of withDependencies([INCLUDED]))
  cpSync(join(root, 'node_modules', name), join(target, 'node_modules', name), { recursive: true })
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`)

/** These packages of node_modules/ and all of their dependencies. */
function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names)
  // Iterating a set visits elements added during the iteration.
  for (const name of found)
    for (const other of Object.keys(manifestOf(join(root, 'node_modules', name)).dependencies ?? {})) found.add(other)
  return found
}
