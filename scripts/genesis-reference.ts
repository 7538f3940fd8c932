// The tables of docs/genesis.md, made from the schema of the genesis file: a row for each field, with its type, default and
// meaning. They are between two marks; the rest of the page is written by hand.
import { z } from 'zod'
import { genesisFile } from '../src/spec/genesis-schema.ts'
import { meanings } from './genesis-meanings.ts'

export const BEGIN = '<!-- fields -->'
export const END = '<!-- /fields -->'

type Row = {
  readonly path: string
  readonly type: string
  readonly needed: boolean
  readonly standard: string | undefined
}
type Place = { readonly path: string; readonly needed: boolean; readonly standard: unknown }

const TITLES: readonly (readonly [prefix: string, title: string])[] = [
  ['config.', '### `config`: the chain and its forks'],
  ['', '### Block 0'],
  ['alloc.', '### `alloc`: the accounts of block 0'],
  ['kestrel.', '### `kestrel`: what a native chain adds'],
]

/** The page with regenerated tables. Throws for a field without a meaning, or a meaning without a field. */
export function withTables(page: string): string {
  const rows = rowsOf(genesisFile, { path: '', needed: true, standard: undefined })
  const paths = rows.map(({ path }) => path)
  const nameless = paths.filter((path) => meanings[path] === undefined)
  const gone = Object.keys(meanings).filter((path) => !paths.includes(path))
  if (nameless.length > 0) throw new Error(`no meaning in scripts/genesis-meanings.ts: ${nameless.join(', ')}`)
  if (gone.length > 0) throw new Error(`no field of the genesis file: ${gone.join(', ')}`)
  const tables = TITLES.map(([prefix, title]) => {
    const own = rows.filter(({ path }) => (prefix === '' ? !path.includes('.') : path.startsWith(prefix)))
    return [title, '', '| field | type | default | meaning |', '|---|---|---|---|', ...own.map(line)].join('\n')
  })
  const [before = '', rest = ''] = page.split(BEGIN)
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${rest.split(END)[1] ?? ''}`
}

const line = ({ path, type, needed, standard }: Row) =>
  `| \`${path}\` | ${type} | ${standard ?? (needed ? 'needed' : '')} | ${meanings[path]} |`

/** The fields of a schema, outer ones first. A key that may be any name is written as ADDRESS or NAME. */
function rowsOf(schema: z.ZodType, place: Place): Row[] {
  const inside = (name: string, of: z.ZodType, needed = place.needed, standard: unknown = undefined) =>
    rowsOf(of, { path: place.path === '' ? name : `${place.path}${name === '[]' ? '' : '.'}${name}`, needed, standard })
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return rowsOf(schema.unwrap() as z.ZodType, { ...place, needed: false })
  }
  if (schema instanceof z.ZodDefault) {
    const { defaultValue } = schema.def
    return rowsOf(schema.unwrap() as z.ZodType, { ...place, needed: false, standard: defaultValue })
  }
  // Defaults of the fields of this object.
  if (schema instanceof z.ZodPrefault) return rowsOf(schema.unwrap() as z.ZodType, { ...place, needed: false })
  if (schema instanceof z.ZodReadonly) return rowsOf(schema.unwrap() as z.ZodType, place)
  if (schema instanceof z.ZodObject && !place.path.startsWith('config.blobSchedule.')) {
    const defaults = Object(place.standard) as Record<string, unknown>
    return Object.entries(schema.shape).flatMap(([name, of]) => inside(name, of as z.ZodType, true, defaults[name]))
  }
  if (schema instanceof z.ZodArray) return inside('[]', schema.element as z.ZodType, false)
  if (schema instanceof z.ZodRecord && place.path === 'alloc') return inside('ADDRESS', schema.valueType as z.ZodType)
  if (schema instanceof z.ZodRecord) return inside('NAME', schema.valueType as z.ZodType, false)
  return [{ path: place.path, type: typeOf(schema), needed: place.needed, standard: shown(place.standard) }]
}

function typeOf(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description
  if (schema instanceof z.ZodBoolean) return 'true or false'
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(', ')
  return 'object'
}

const shown = (value: unknown): string | undefined => (value === undefined ? undefined : `\`${String(value)}\``)
