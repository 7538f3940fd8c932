// Writes the declarations of the library to dist/library.d.ts; `npm run package` runs it after the build. They import no other
// file, so that no internal type becomes part of the package's interface: the type of the options, which is in another file, is
// generated from the table of options.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOptionsType } from './option-texts.ts'

const root = join(import.meta.dirname, '..')
/** No target's `lib` has `AsyncDisposable`; `@types/node` has it, but may be missing. */
const LIBS = '/// <reference lib="esnext.disposable" />\n'

const folder = mkdtempSync(join(tmpdir(), 'kestrel-declarations-'))
try {
  // `npm run types` checks the types; checking here would need the types of the tests.
  const flags = ['--noCheck', '--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', folder]
  const settings = join(folder, 'tsconfig.json')
  const options = { extends: join(root, 'tsconfig.json'), include: [], files: [join(root, 'src/library.ts')] }
  const rootDir = join(root, 'src')
  writeFileSync(
    settings,
    JSON.stringify({ ...options, compilerOptions: { rootDir, typeRoots: [join(root, 'node_modules/@types')] } }),
  )
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', settings, ...flags], {
    stdio: 'inherit',
  })
  const emitted = readFileSync(join(folder, 'library.d.ts'), 'utf8')
  const text = emitted.replace(/^(import|export) .*\b(StartOptions|Integer)\b.* from .*\n/gm, '') + startOptionsType()
  if (/\b(from|import)\s*\(?['"]/.test(text)) throw new Error('src/library.ts names types of other files')
  writeFileSync(join(root, 'dist/library.d.ts'), `${LIBS}${text}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
