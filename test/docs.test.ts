// The pages for users name only existing files, flags, JSON-RPC methods and metrics.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { flagsOf, type OptionEntry } from '../src/cli/option.ts'
import { options } from '../src/cli/options.ts'
import { methods } from '../src/rpc/methods/index.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
/** Paths, relative to the root, of the files in a folder and its subfolders. */
const inFolder = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
const pages = ['README.md', ...inFolder('docs', '.md')]

it.each(pages)('%s links to existing files', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path)
  expect(links.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([])
})

/** Flags of other programs. */
const FOREIGN = new Set(
  '--verifier --verifier-url --rpc-url --private-key --broadcast --value --json --create --from --optimize --bin --base-path --output-dir --input-type --profile --max-semi-space-size --always-sparkplug --seconds --only --help --network --target --skip-simulation --slow --unlocked --build-info --standard-json --data-urlencode --steps-tracing --strict --set --set-file --former --absolute-timeouts --packet-timeout-timestamp'.split(
    ' ',
  ),
)

it.each(pages)('%s names existing flags', (page) => {
  const ofTable = Object.entries<OptionEntry>(options).flatMap(([name, entry]) => flagsOf(name, entry))
  const offered = [...inFolder('src/cli', '.ts').map(read), ...ofTable.map(({ flags }) => flags)].join('\n')
  const named = new Set(read(page).match(/(?<![\w-])--[a-z][a-z-]*[a-z]/g) ?? [])
  expect([...named].filter((flag) => !FOREIGN.has(flag) && !offered.includes(flag))).toEqual([])
})

it.each(pages)('%s names existing JSON-RPC methods', (page) => {
  const named = new Set(
    read(page).match(/(?<=`)(?:eth|net|web3|debug|trace|ots|txpool|kestrel|rpc|dev|evm|anvil)_[a-z]\w+(?=`)/gi) ?? [],
  )
  const metrics = /^kestrel_(?:[a-z]+_)+[a-z]+$|^kestrel_(?:peers|connections)$/
  expect([...named].filter((name) => !methods.has(name) && !metrics.test(name))).toEqual([])
})

it('docs/operating.md names all metrics of a node', () => {
  const page = read('docs/operating.md')
  const names = read('src/monitoring/metrics.ts').match(/(?<=')kestrel_\w+(?=')/g) ?? []
  expect(names.length).toBeGreaterThan(20)
  const short = (name: string) => name.replace('kestrel_heavy_calls', '')
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${short(name)}\``))).toEqual([])
})
