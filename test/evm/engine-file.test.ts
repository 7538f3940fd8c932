// Whether the engine in dist/ was built from the present sources, by content, not by file times.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineHash, engineState, readBuiltFile } from '../../src/evm/engine-file.ts'
import { ENGINE_SECTION, engineSourceHash } from '../../src/evm/engine-sources.ts'

const ROOT = join(import.meta.dirname, '../..')
const PARTS = ['package.json', 'src/evm/gas/gas-rules.ts', 'src/evm/wasm/layout.ts', 'src/evm/wasm/assembly']

// `npm run build` runs before the tests.
test('the engine is built from these sources', () => {
  expect(engineState()).toBe('present')
  const engine = readBuiltFile('engine.wasm') ?? Buffer.alloc(0)
  expect(engineHash(engine)).toBe(engineSourceHash(ROOT))
  // In a custom section: the module stays valid, and name and content are separate.
  const [section] = Object(WebAssembly.Module).customSections(new WebAssembly.Module(engine), ENGINE_SECTION)
  expect(Buffer.from(section).toString()).toBe(engineSourceHash(ROOT))
})

describe('the hash of the sources', () => {
  const copy = mkdtempSync(join(tmpdir(), 'kestrel-sources-'))
  beforeAll(() => {
    for (const part of PARTS) {
      mkdirSync(dirname(join(copy, part)), { recursive: true })
      cpSync(join(ROOT, part), join(copy, part), { recursive: true })
    }
  })
  afterAll(() => rmSync(copy, { recursive: true }))

  test('is the same for the same content in another folder and with other file times', () => {
    expect(engineSourceHash(copy)).toBe(engineSourceHash(ROOT))
  })

  test.each(['src/evm/gas/gas-rules.ts', 'src/evm/wasm/layout.ts', 'src/evm/wasm/assembly/run.ts'])(
    'is another one when %s changes',
    (file) => {
      const before = readFileSync(join(copy, file))
      writeFileSync(join(copy, file), `${before}\n`)
      expect(engineSourceHash(copy)).not.toBe(engineSourceHash(ROOT))
      writeFileSync(join(copy, file), before)
    },
  )

  test('changes when a file is added, and with the compiler’s version', () => {
    const added = join(copy, 'src/evm/wasm/assembly/added.ts')
    writeFileSync(added, '')
    expect(engineSourceHash(copy)).not.toBe(engineSourceHash(ROOT))
    rmSync(added)
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))
    manifest.devDependencies.assemblyscript = '0.0.0'
    writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest))
    expect(engineSourceHash(copy)).not.toBe(engineSourceHash(ROOT))
  })
})
