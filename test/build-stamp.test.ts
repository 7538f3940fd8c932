// Whether dist/ was built from the present sources, by their content, not by file times.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUILD_STAMP, buildSourceHash, isBuildCurrent } from '../scripts/build-stamp.ts'

const FILES = [
  ...['build.js', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['build-stamp', 'external-packages', 'generate', 'solidity', 'third-party-licences'].map(
    (name) => `scripts/${name}.ts`,
  ),
  ...['client/explorer.js', 'solidity/Bank.sol', 'src/cli/main.ts', 'web/main.tsx'],
]

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kestrel-stamp-'))
  for (const folder of ['client', 'dist', 'scripts', 'solidity', 'src/cli', 'web'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const file of FILES) writeFileSync(join(root, file), file)
  writeFileSync(join(root, BUILD_STAMP), `${buildSourceHash(root)}\n`)
})
afterEach(() => rmSync(root, { recursive: true }))

describe('a build', () => {
  it('is current while its sources have the same content, whatever their file times', () => {
    expect(isBuildCurrent(root)).toBe(true)
    for (const file of FILES) writeFileSync(join(root, file), file)
    expect(isBuildCurrent(root)).toBe(true)
  })

  it.each(FILES)('is stale when %s has changed', (file) => {
    writeFileSync(join(root, file), 'other')
    expect(isBuildCurrent(root)).toBe(false)
  })

  it('is stale when a source was added, removed or renamed', () => {
    writeFileSync(join(root, 'src/added.ts'), '')
    expect(isBuildCurrent(root)).toBe(false)
    rmSync(join(root, 'src/added.ts'))
    expect(isBuildCurrent(root)).toBe(true)
    rmSync(join(root, 'src/cli/main.ts'))
    expect(isBuildCurrent(root)).toBe(false)
    writeFileSync(join(root, 'src/cli/start.ts'), 'src/cli/main.ts')
    expect(isBuildCurrent(root)).toBe(false)
  })

  it('is stale when it was interrupted', () => {
    rmSync(join(root, BUILD_STAMP))
    expect(isBuildCurrent(root)).toBe(false)
  })
})
