// Bundles src/cli/main.ts into dist/, so that the node starts in a fraction of the time that loading a thousand
// files takes. Parts that few chains need become chunks of their own and are read at their first use.
import { rm } from 'node:fs/promises'
import { build } from 'esbuild'

const root = import.meta.dirname

await rm(`${root}/dist`, { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Native code is found beside its package at run time.
  external: ['classic-level', 'secp256k1'],
  // CommonJS packages ask for `require`, which an ES module has not.
  banner: {
    js: "import { createRequire as kestrelRequire } from 'node:module'\nconst require = kestrelRequire(import.meta.url)",
  },
  logLevel: 'warning',
})
