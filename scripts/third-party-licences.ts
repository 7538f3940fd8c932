// Licences of bundled packages. dist/ contains their code, so their licence texts must be shipped with it; the MPL also
// requires the location of the source. build.js loads this file, so it may import Node.js modules only.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type BundledPackage = {
  readonly name: string
  readonly version: string
  /** SPDX expression; undefined when the package names none. */
  readonly licence: string | undefined
  /** Location of its source. */
  readonly source: string
  /** Texts of its licence and notice files. */
  readonly texts: readonly string[]
}

/** Licences that allow bundling on the condition of their text and, for the MPL, the location of the source. */
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
    texts: files.map((file) => readFileSync(join(folder, file.name), 'utf8').trim()),
  }
}

/** What was copied into the sources and is bundled, but is no package. `root`: the repository's. */
export function copiedSources(root: string): BundledPackage[] {
  const folder = join(root, 'src/consensus/abci/proto')
  return [
    {
      name: 'github.com/cometbft/cometbft/proto',
      version: '0.40.0',
      licence: 'Apache-2.0',
      source: 'https://github.com/cometbft/cometbft',
      texts: ['LICENSE', 'NOTICE'].map((file) => readFileSync(join(folder, file), 'utf8').trim()),
    },
  ]
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

/** `seen`: texts printed already with their first package, because many packages share one long text. */
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
