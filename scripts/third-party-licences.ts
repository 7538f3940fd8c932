// Licences and bill of materials of bundled packages. dist/ contains their code, so their licence texts must be shipped with
// it; the MPL also requires the location of the source. Auditing tools read the versions in dist/ from the bill of materials.
// build.js loads this file, so it may import Node.js modules only.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type BundledPackage = {
  readonly name: string
  readonly version: string
  /** SPDX expression; undefined when the package has none. */
  readonly licence: string | undefined
  /** Location of its source. */
  readonly source: string
  /** Package URL. */
  readonly purl: string
  /** Texts of its licence and notice files. */
  readonly texts: readonly string[]
}

/** Licences that allow bundling if their text and, for the MPL, the location of the source are given. */
const ALLOWED = [
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'MPL-2.0'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0'],
]
const LICENCE_FILE = /^(licen[sc]e|copying|notice)/i

/** Whether one alternative of an SPDX expression consists of allowed licences only. */
export function isAllowed(expression: string | undefined): boolean {
  if (expression === undefined) return false
  const choices = expression.replace(/[()]/g, '').split(/ OR /i)
  return choices.some((choice) => choice.split(/ AND /i).every((licence) => ALLOWED.includes(licence.trim())))
}

/**
 * Folders of packages, from the repository's root, whose files are among the inputs of a bundle.
 * @param inputs - paths from the repository's root, as esbuild's metafile has them
 */
export function packageFolders(inputs: Iterable<string>): string[] {
  const folders = new Set<string>()
  for (const path of inputs) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    if (folder !== undefined) folders.add(folder)
  }
  return [...folders].sort()
}

/** Name, version, licence and source of a package. `folder` holds its package.json. */
export function readPackage(folder: string): BundledPackage {
  const stated = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (file) => file.isFile() && LICENCE_FILE.test(file.name),
  )
  const repository: unknown = stated.repository?.url ?? stated.repository ?? stated.homepage
  return {
    name: stated.name,
    version: stated.version,
    // Old packages have a list of objects in `licenses`.
    licence: stated.license?.type ?? stated.license ?? stated.licenses?.[0]?.type,
    source: typeof repository === 'string' ? webAddress(repository) : `the npm package ${stated.name}`,
    purl: npmUrl(stated),
    texts: files.map((file) => readFileSync(join(folder, file.name), 'utf8').trim()),
  }
}

/** Sources copied from other projects, which are bundled but are not packages. `root`: of the repository. */
export function copiedSources(root: string): BundledPackage[] {
  const folder = join(root, 'src/protobuf/proto')
  return [
    {
      name: 'github.com/cometbft/cometbft/proto',
      version: '0.40.0',
      licence: 'Apache-2.0',
      source: 'https://github.com/cometbft/cometbft',
      purl: 'pkg:golang/github.com/cometbft/cometbft@v0.40.0#proto',
      texts: ['LICENSE', 'NOTICE'].map((file) => readFileSync(join(folder, file), 'utf8').trim()),
    },
  ]
}

type Versioned = { readonly name: string; readonly version: string }

/** The package URL of an npm package; the `@` of a scope is escaped. */
const npmUrl = ({ name, version }: Versioned): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The bill of materials of a program that contains `packages`, in the JSON form of CycloneDX 1.6. The same input gives the same text. */
export function billOfMaterials(program: Versioned, packages: readonly BundledPackage[]): string {
  // A package may be installed in several folders.
  const unique = new Map(packages.map((one) => [one.purl, one])).values()
  const components = Array.from(unique, ({ name, version, licence = '', source, purl }) => ({
    type: 'library',
    'bom-ref': purl,
    ...named(name),
    version,
    purl,
    licenses: [/[ (]/.test(licence) ? { expression: licence } : { license: { id: licence } }],
    ...(source.startsWith('https://') && { externalReferences: [{ type: 'vcs', url: source }] }),
  }))
  const purl = npmUrl(program)
  const self = { type: 'application', 'bom-ref': purl, ...program, purl }
  const dependencies = [{ ref: purl, dependsOn: components.map((component) => component.purl) }]
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: self }, components }
  return `${JSON.stringify({ ...bill, dependencies }, undefined, 2)}\n`
}

/** The scope becomes the group of a component. */
function named(name: string): { readonly group?: string; readonly name: string } {
  const [, group, rest] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  return group === undefined || rest === undefined ? { name } : { group, name: rest }
}

const webAddress = (repository: string): string =>
  repository
    .replace(/^git\+/, '')
    .replace(/^(git|ssh):\/\/(git@)?/, 'https://')
    .replace(/^git@([^:]+):/, 'https://$1/')
    .replace(/^(github:)?([\w.-]+\/[\w.-]+)$/, 'https://github.com/$2')
    .replace(/\.git$/, '')

/** Text of the licence file. Throws Error when a package has a licence that is not allowed here. */
export function licencesText(packages: readonly BundledPackage[]): string {
  const refused = packages.filter(({ licence }) => !isAllowed(licence))
  if (refused.length > 0) {
    const list = refused.map(({ name, version, licence = 'no licence' }) => `${name}@${version} (${licence})`)
    throw new Error(`these packages may not be bundled: ${list.join(', ')}`)
  }
  const seen = new Map<string, string>()
  const parts = packages.map((one) => packageText(one, seen))
  return [HEAD, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`).concat('\n')
}

const HEAD = `The files of this folder hold code of the packages below, each under its own licence.
Code under the Mozilla Public License 2.0 is bundled unchanged; its source is at the address that stands beside it, and in
the npm package of that name and version.`

/** `seen`: texts that were already printed for an earlier package, because many packages share one long text. */
function packageText({ name, version, licence, source, texts }: BundledPackage, seen: Map<string, string>): string {
  const id = `${name}@${version}`
  const bodies = texts.map((text) => {
    const first = seen.get(text)
    if (first === undefined) seen.set(text, id)
    return first === undefined ? text : `The text is that of ${first}.`
  })
  const words = bodies.length === 0 ? [`The package has no file with its licence; it states ${licence}.`] : bodies
  return [`${id}\nLicence: ${licence}\nSource: ${source}`, ...words].join('\n\n')
}
