// Two texts made from the table of options: the tables of docs/cli.md and the type `StartOptions` of the package.
import { anvilFlags } from '../src/cli/anvil.ts'
import { kebab, type OptionEntry, shownDefault } from '../src/cli/option.ts'
import { optionGroups } from '../src/cli/options.ts'
import { entries } from '../src/cli/start-flags.ts'

const BEGIN = '<!-- options -->'
const END = '<!-- /options -->'
const ANVIL_BEGIN = '<!-- anvil -->'
const ANVIL_END = '<!-- /anvil -->'

/** The page with the regenerated table of anvil's flags. */
export function withAnvilTable(page: string): string {
  const rows = anvilFlags.map(({ flag, aliases = [], to, differs = '' }) => {
    const [name = '', ...value] = flag.replace(/^-\w, /, '').split(' ')
    const letter = /^-\w, /.exec(flag)?.[0] ?? ''
    const written = [
      `${letter}${[name, ...value].join(' ').replace(/<(.*)>|\[(.*)\]/, (_, one, ifAny) => (one ?? `[${ifAny}]`).toUpperCase())}`,
      ...aliases,
    ]
    const here = to === undefined ? 'no effect' : typeof to === 'string' ? `\`--${kebab(to)}\`` : 'as on anvil'
    return `| ${written.map((words) => `\`${words}\``).join(', ')} | ${differs.startsWith('refused') ? 'refused' : here} | ${differs.replace(/^refused(: )?/, '')} |`.replace(
      '|  |',
      '| |',
    )
  })
  const [before = '', rest = ''] = page.split(ANVIL_BEGIN)
  const table = ['| flag of anvil | here, as a flag of `start` | what differs |', '|---|---|---|', ...rows].join('\n')
  return `${before}${ANVIL_BEGIN}\n\n${table}\n\n${ANVIL_END}${rest.split(ANVIL_END)[1] ?? ''}`
}

/** The page with regenerated tables of options, one for each group of the help page. */
export function withOptionTables(page: string): string {
  const tables = Object.entries(optionGroups).map(([title, group]) => {
    const rows = Object.entries<OptionEntry>(group).map(([name, entry]) => row(name, entry))
    return [
      `### ${title.replace(/:$/, '').replace('docs/networks.md', '[networks.md](networks.md)')}`,
      '',
      '| flag | default | meaning |',
      '|---|---|---|',
      ...rows,
    ].join('\n')
  })
  const [before = '', rest = ''] = page.split(BEGIN)
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${rest.split(END)[1] ?? ''}`
}

function row(name: string, entry: OptionEntry): string {
  const {
    help,
    helpOff,
    value = '',
    standard,
    conflicts = [],
    notInNetwork,
    networkOnly,
    more,
    repeats,
    counts,
  } = entry
  const on =
    help === undefined
      ? []
      : [
          `\`${counts === undefined ? '' : `-${counts}, `}--${kebab(name)}${value.replace(/<(.*)>|\[(.*)\]/, (_, word, ifAny) => (word ? ` ${word.toUpperCase()}` : ` [${ifAny.toUpperCase()}]`))}\``,
        ]
  const off = helpOff === undefined ? [] : [`\`--no-${kebab(name)}\``]
  const flags = (names: readonly string[]) => names.map((other) => `\`--${kebab(other)}\``).join(', ')
  const sentences = [
    help ?? helpOff,
    more?.replace(/\.$/, ''),
    repeats && 'May be repeated',
    conflicts.length > 0 && `Not with ${flags(conflicts)}`,
    notInNetwork !== undefined && 'Not in a network',
    networkOnly && 'Only in a network',
  ]
  const meaning = sentences.filter(Boolean).join('. ')
  const shown = standard === undefined ? shownDefault(entry).replace(/--[a-z-]+/g, '`$&`') : `\`${standard}\``
  return `| ${[...on, ...off].join(', ')} | ${shown} | ${meaning} |`.replace('|  |', '| |')
}

/** The type `StartOptions` as users of the package see it, with a sentence for each option. */
export function startOptionsType(): string {
  const fields = Object.entries(entries).flatMap(([name, entry]) => {
    if (['dev', 'silent', 'verbose'].includes(name)) return []
    const { type, help, helpOff, inDevelopment, inLibrary = shownDefault(entry) } = entry
    const sentence = help === undefined ? `False: ${helpOff}` : `${help[0]?.toUpperCase()}${help.slice(1)}`
    const standard = inDevelopment ? 'on, unless in production' : inLibrary
    return [`  /** ${sentence}${standard === '' ? '' : ` (default: ${standard})`}. */`, `  readonly ${name}?: ${type}`]
  })
  return [
    '/** A whole number: decimal or 0x hex where it is a text. */',
    'export type Integer = number | bigint | string',
    '/** Each option is the flag of `kestrel start` of that name. */',
    'export type StartOptions = {',
    ...fields,
    '}',
    '',
  ].join('\n')
}
