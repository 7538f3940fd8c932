// Writes the generated sources that git does not track, except the types of the explorer's client (client.ts); `npm ci` and every
// build run it. A part is skipped when its inputs
// have not changed since its last run. The tools come from installed packages: no network.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interfaceFiles } from './solidity.ts'

const root = join(import.meta.dirname, '..')

// Messages of CometBFT and IBC: code for the .proto files, by buf and protoc-gen-es.
generate('src/protobuf/generated', ['src/protobuf/proto'], (target) => {
  const options = ['target=ts', 'import_extension=ts', 'erasable_syntax=true']
  const plugin = { local: join(root, 'node_modules/.bin/protoc-gen-es'), out: target, opt: options }
  const template = JSON.stringify({ version: 'v2', plugins: [plugin] })
  const proto = join(root, 'src/protobuf/proto')
  execFileSync(join(root, 'node_modules/.bin/buf'), ['generate', proto, '--template', template], { stdio: 'inherit' })
})

// The ABIs of the native contracts: typed for the program, as JSON for its users.
generate('src/precompiles/generated', ['solidity', 'scripts/solidity.ts'], (target) => {
  const folder = join(root, 'solidity/abi')
  rmSync(folder, { recursive: true, force: true })
  for (const inside of ['', 'cosmos-evm']) {
    const { typed, published } = interfaceFiles(join(root, 'solidity'), inside)
    writeFileSync(join(target, `${inside || 'abi'}.ts`), typed)
    mkdirSync(join(folder, inside))
    for (const [name, text] of published) writeFileSync(join(folder, inside, `${name}.json`), text)
  }
})

/**
 * Empties `target` and fills it with `write`, unless the hash of `inputs` and of this file is unchanged. Paths are relative to
 * the root.
 */
function generate(target: string, inputs: readonly string[], write: (target: string) => void): void {
  const folder = join(root, target)
  const stamp = join(folder, 'inputs.sha256')
  const hash = createHash('sha256')
  const files = [...inputs, 'scripts/generate.ts', 'package-lock.json'].flatMap(filesIn)
  for (const path of files)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  const digest = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  write(folder)
  writeFileSync(stamp, digest)
}

/** The sources at a path, which may be a file. The JSON files of solidity/abi are outputs. */
function filesIn(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path]
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.(proto|sol)$/.test(entry.name))
  return files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).toSorted()
}
