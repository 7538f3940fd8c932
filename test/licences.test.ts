// The licence list of dist/, compared with the comment that esbuild writes above each file of a bundle that is not minified.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { EXTERNAL_PACKAGES } from '../scripts/external-packages.ts'
import { type BundledPackage, isAllowed, licencesText, packageFolders } from '../scripts/third-party-licences.ts'

const root = join(import.meta.dirname, '..')
/** A build tool whose standard library is part of engine.wasm. */
const COMPILER = 'assemblyscript'
const text = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')

it('THIRD-PARTY-LICENSES lists every bundled package with its licence and source', async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...['src/cli/main.ts', 'src/library.ts'],
      ...['src/readers/worker.ts', 'src/js-tracers/worker.ts', 'src/contracts/artifacts/worker.ts'],
    ],
    outdir: 'never-written',
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: [...EXTERNAL_PACKAGES],
    logLevel: 'error',
  })
  const files = outputFiles.flatMap((bundle) =>
    [...bundle.text.matchAll(/^ *\/\/ (node_modules\/\S+)$/gm)].map(([, path = '']) => path),
  )
  const folders = packageFolders(files)
  expect(folders.length).toBeGreaterThan(50)
  expect(folders).toContain('node_modules/@ethereumjs/evm')
  expect(folders).toContain('node_modules/quickjs-emscripten-core')
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    expect(text).toContain(`\n${name}@${version}\nLicence: `)
  }
})

it('THIRD-PARTY-LICENSES has the licence texts, and where to get the source of code under the MPL', () => {
  expect(text).toContain('Permission is hereby granted, free of charge')
  expect(text).toMatch(/^Mozilla Public License Version 2\.0$/m)
  const parts = text.split('-'.repeat(80))
  const mozilla = parts.filter((part) => part.includes('\nLicence: MPL-2.0\n'))
  expect(mozilla.length).toBeGreaterThan(0)
  for (const part of mozilla) expect(part).toMatch(/^Source: https:\/\/github\.com\/ethereumjs\/ethereumjs-monorepo$/m)
})

it('THIRD-PARTY-LICENSES names copied files with their notices', () => {
  const part = text.split('-'.repeat(80)).find((each) => each.includes('\ngithub.com/cometbft/cometbft/proto@0.40.0\n'))
  expect(part).toContain('Licence: Apache-2.0\nSource: https://github.com/cometbft/cometbft\n')
  expect(part).toContain('software developed by Cosmos Labs')
})

describe('the bill of materials', () => {
  const bill = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'))
  const components: { purl: string; version: string; licenses: unknown[] }[] = bill.components

  it('is CycloneDX 1.6 with a package URL, version and licence for each component', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
    expect(bill.metadata.component).toMatchObject({ name: 'kestrel-evm', purl: `pkg:npm/kestrel-evm@${version}` })
    for (const { purl, version, licenses } of components) {
      expect(purl).toMatch(/^pkg:(npm\/(%40[\w.-]+\/)?[\w.-]+@\d[\w.+-]*|golang\/[\w./-]+@v[\d.]+#proto)$/)
      expect(purl).toContain(`@${purl.startsWith('pkg:golang') ? 'v' : ''}${version}`)
      expect(licenses).toHaveLength(1)
    }
    expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length)
    expect(bill.dependencies[0].dependsOn).toEqual(components.map(({ purl }) => purl))
  })

  it('has the same packages as THIRD-PARTY-LICENSES', () => {
    const listed = [...text.matchAll(/^(\S+)@([\d.]\S*)\nLicence: /gm)].map(([, name, version]) => `${name}@${version}`)
    const named = bill.components.map((one: { group?: string; name: string; version: string }) =>
      [one.group, `${one.name}@${one.version}`].filter(Boolean).join('/'),
    )
    expect(named.toSorted()).toEqual([...new Set(listed)].toSorted())
  })
})

it('package.json lists as dependencies exactly the packages that are needed at run time', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const bundled = new Set([...text.matchAll(/^(\S+)@[\d.]\S*\nLicence: /gm)].map(([, name = '']) => name))
  const direct = { ...dependencies, ...devDependencies }
  const expected = new Set([...EXTERNAL_PACKAGES, ...bundled].filter((name) => name in direct && name !== COMPILER))
  expect(Object.keys(dependencies).toSorted()).toEqual([...expected].toSorted())
})

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(MIT AND BSD-3-Clause)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only', false],
  ['AGPL-3.0', false],
  ['UNLICENSED', false],
  ['SEE LICENSE IN file', false],
  [undefined, false],
])('%s may be bundled: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed)
})

it('the build refuses to bundle a package with another licence', () => {
  const one: BundledPackage = {
    name: 'a',
    version: '1.0.0',
    licence: 'MIT',
    source: 'https://a',
    purl: 'pkg:npm/a@1.0.0',
    texts: ['text'],
  }
  expect(() => licencesText([one, { ...one, name: 'b', licence: 'GPL-3.0-only' }])).toThrow(
    /b@1\.0\.0 \(GPL-3\.0-only\)/,
  )
  expect(() => licencesText([{ ...one, licence: undefined }])).toThrow(/no licence/)
  expect(licencesText([one, { ...one, name: 'b' }])).toContain(
    'b@1.0.0\nLicence: MIT\nSource: https://a\n\nThe text is that of a@1.0.0.',
  )
})

it('packages are found by the paths of their files', () => {
  const inputs = ['src/a.ts', 'node_modules/a/x.js', 'node_modules/@b/c/d/e.js', 'node_modules/a/node_modules/f/g.js']
  expect(packageFolders(inputs)).toEqual(['node_modules/@b/c', 'node_modules/a', 'node_modules/a/node_modules/f'])
})

it('the repository has the files that the Dockerfile copies', () => {
  const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  )
  expect(copied).toContain('LICENSE')
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
