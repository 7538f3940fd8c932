// Bundles src/cli/main.ts and the explorer's pages into dist/, so that the node starts in a fraction of the time that loading a thousand files
// takes. Old files go last: whoever is starting the program meanwhile finds either the old or the new one.
import { chmod, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build } from 'esbuild'

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

// The thread that runs blocks again on another engine: a program of its own, with everything that runs blocks.
const shadow = await build({
  absWorkingDir: root,
  entryPoints: { shadow: 'src/shadow/worker.ts' },
  outdir: dist,
  bundle: true,
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
const outputs = [metafile, compiler.metafile, shadow.metafile, pages.metafile].flatMap((of) => Object.keys(of.outputs))
const written = new Set(['dist/engine.wasm', ...outputs])
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.isFile() && !written.has(relative(root, file).replaceAll('\\', '/'))) await rm(file, { force: true })
}

/** The interpreter in `src/evm/wasm/assembly/`, from AssemblyScript to WebAssembly; it takes seconds, so only when it has changed. */
async function buildEngine() {
  const target = join(dist, 'engine.wasm')
  const folder = join(root, 'src/evm/wasm/assembly')
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
  sources.push(join(root, 'src/evm/wasm/layout.ts'), import.meta.filename)
  const times = await Promise.all(sources.map(async (source) => (await stat(source)).mtimeMs))
  const built = await stat(target).catch(() => undefined)
  if (built !== undefined && built.mtimeMs > Math.max(...times)) return
  const { default: asc } = await import('assemblyscript/asc')
  const fresh = `dist/engine-${process.pid}.wasm`
  const { error, stderr } = await asc.main([
    ...['src/evm/wasm/assembly/index.ts', '--baseDir', root, '--outFile', fresh],
    // Its own data lie behind the places that layout.ts gives away.
    ...[
      '-O3',
      '--runtime',
      'stub',
      '--noAssert',
      '--enable',
      'bulk-memory',
      '--enable',
      'simd',
      '--memoryBase',
      '8192',
    ],
    ...['--initialMemory', '140', '--exportTable', '--disableWarning'],
  ])
  if (error) throw new Error(`the engine does not compile: ${stderr}`)
  await rename(join(root, fresh), target)
}
