// @ts-check
// Bundles src/cli/main.ts and the explorer's pages into dist/, so that the node starts in a fraction of the time that loading a thousand files
// takes. Old files go last: whoever is starting the program meanwhile finds either the old or the new one.
import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { build, transform } from 'esbuild'

const root = import.meta.dirname
const dist = join(root, 'dist')
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

await mkdir(dist, { recursive: true })
await buildEngine()

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // What is imported at its first use (`import()`) becomes a file of its own.
  splitting: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  define: { 'process.env.KESTREL_VERSION': JSON.stringify(version) },
  // Native code is found beside its package when the program runs.
  external: ['classic-level', 'secp256k1', 'solc', 'swagger-ui-dist'],
  // CommonJS packages ask for `require`, which an ES module has not.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
  },
  logLevel: 'warning',
})

// The thread that compiles hot code: its text, which a node keeps from its start on.
const compiler = await build({
  absWorkingDir: root,
  entryPoints: ['src/evm/wasm-compiler/worker.ts'],
  outfile: join(dist, 'compiler.cjs'),
  bundle: true,
  minify: true,
  metafile: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
})

// Programs of threads, with everything that runs blocks: one runs blocks again on another engine, one runs tracers in
// clients' JavaScript, with QuickJS as WebAssembly within the file.
const threads = await build({
  absWorkingDir: root,
  entryPoints: { shadow: 'src/shadow/worker.ts', 'js-tracers': 'src/js-tracers/worker.ts' },
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['secp256k1'],
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
  },
  logLevel: 'warning',
})

// The pages of the node's own explorer.
const pages = await build({
  absWorkingDir: root,
  entryPoints: { main: 'web/main.tsx' },
  outdir: join(dist, 'web'),
  bundle: true,
  minify: true,
  metafile: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
})

await chmod(join(dist, 'main.js'), 0o755)
const outputs = Object.assign(
  {},
  ...[metafile, compiler.metafile, threads.metafile, pages.metafile].map((of) => of.outputs),
)
const written = new Set(['dist/engine.wasm', await writeLicences(outputs), ...Object.keys(outputs)])
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.isFile() && !written.has(relative(root, file).replaceAll('\\', '/'))) await rm(file, { force: true })
}

/**
 * The interpreter, from AssemblyScript to WebAssembly. It takes seconds, so only when the hash in the file that is there is
 * not that of the sources.
 */
async function buildEngine() {
  const { ENGINE_ENTRY, ENGINE_FLAGS, ENGINE_HASH_LENGTH, ENGINE_SECTION, engineSourceHash } =
    await importSource('src/evm/engine-sources.ts')
  const target = join(dist, 'engine.wasm')
  const hash = engineSourceHash(root)
  const built = await readFile(target).catch(() => undefined)
  if (built?.subarray(-ENGINE_HASH_LENGTH).toString('latin1') === hash) return
  const { default: asc } = await import('assemblyscript/asc')
  const fresh = `dist/engine-${process.pid}.wasm`
  const { error, stderr } = await asc.main([ENGINE_ENTRY, '--baseDir', root, '--outFile', fresh, ...ENGINE_FLAGS], {
    readFile: readForCompiler,
  })
  if (error) throw new Error(`the engine does not compile: ${stderr}`)
  await appendFile(join(root, fresh), customSection(ENGINE_SECTION, hash))
  await rename(join(root, fresh), target)
}

/**
 * The licences of the packages whose code is in the outputs; returns the file. AssemblyScript's library is in the engine.
 * @param {import('esbuild').Metafile['outputs']} outputs
 */
async function writeLicences(outputs) {
  const { licencesText, packageFolders, readPackage } = await importSource('scripts/third-party-licences.ts')
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  /** @type {string[]} */
  const folders = packageFolders(['node_modules/assemblyscript/std', ...inputs])
  const file = 'dist/THIRD-PARTY-LICENSES.txt'
  await writeFile(join(root, file), licencesText(folders.map((folder) => readPackage(join(root, folder)))))
  return file
}

/**
 * A source as the AssemblyScript compiler reads it; null: there is none. TypeScript has no decorators on functions, so that
 * in the sources `@inline` is a comment.
 * @param {string} name
 * @param {string} folder
 */
async function readForCompiler(name, folder) {
  const text = await readFile(resolve(folder, name), 'utf8').catch(() => null)
  return text === null ? null : text.replaceAll(/^\/\/ (@inline)$/gm, '$1')
}

/**
 * A custom section of a WebAssembly module (core specification, 5.5.3), with name and content of together less than 127 bytes.
 * @param {string} name
 * @param {string} content
 */
function customSection(name, content) {
  const body = Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.from(content)])
  return Buffer.concat([Buffer.of(0, body.length), body])
}

/**
 * A module of src/ that imports nothing but node's own: node cannot read TypeScript itself.
 * @param {string} path
 */
async function importSource(path) {
  const { code } = await transform(await readFile(join(root, path), 'utf8'), { loader: 'ts', format: 'esm' })
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}
