// Writes client/schema.d.ts, which git does not track: the types of the API's OpenAPI document in the form that openapi-fetch
// reads (`paths`, `components`, `operations`). It handles the parts of OpenAPI 3.1 that our document uses and refuses others.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi } from '../src/explorer/openapi.ts'
import { routes } from '../src/explorer/routes/index.ts'

type Json = { readonly [key: string]: unknown }
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const PLACES = ['query', 'header', 'path', 'cookie']
const SCALARS: Json = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }

/** `{ readonly a: …; }`, each member with its description as a comment. */
const members = (entries: readonly (readonly [name: string, type: string, description?: unknown])[]): string => {
  const lines = entries.map(([name, type, about]) => {
    const comment = typeof about === 'string' ? `/** ${about.replaceAll('*/', '* /')} */\n` : ''
    return `${comment}readonly ${name}: ${type};\n`
  })
  return `{\n${lines.join('')}}`
}

/** The name of a member; with a question mark when it is optional. */
const named = (name: string, isRequired = true): string => `${JSON.stringify(name)}${isRequired ? '' : '?'}`

/** `#/components/schemas/Block` as `components["schemas"]["Block"]`. */
const reference = (path: string): string => {
  const [first = '', ...rest] = path.replace('#/', '').split('/')
  return [first, ...rest.map((part) => `[${JSON.stringify(part)}]`)].join('')
}

/** The TypeScript type of a JSON schema. Throws Error for an unsupported form. */
function typeOf(value: unknown): string {
  const schema = record(value)
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return reference($ref)
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (values !== undefined)
    return list(values)
      .map((one) => JSON.stringify(one))
      .join(' | ')
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) return `(${list(alternatives).map(typeOf).join(' | ')})`
  if (allOf !== undefined) return `(${list(allOf).map(typeOf).join(' & ')})`
  if (Array.isArray(type)) return `(${type.map((one) => typeOf({ ...schema, type: one })).join(' | ')})`
  if (type === 'array') return arrayType(schema)
  if (type === 'object') return objectType(schema)
  const scalar = typeof type === 'string' ? SCALARS[type] : 'unknown'
  if (typeof scalar !== 'string') throw new Error(`no type for the schema ${JSON.stringify(schema)}`)
  return scalar
}

const arrayType = ({ prefixItems, items }: Json): string =>
  prefixItems === undefined ? `readonly (${typeOf(items)})[]` : `readonly [${list(prefixItems).map(typeOf).join(', ')}]`

function objectType({ properties, required, additionalProperties: more }: Json): string {
  const known = Object.entries(record(properties)).map(
    ([name, one]) => [named(name, list(required).includes(name)), typeOf(one), record(one)['description']] as const,
  )
  const isOpen = more === true || typeof more === 'object'
  return members(
    isOpen || known.length === 0 ? [...known, ['[key: string]', isOpen ? valueType(more) : 'unknown']] : known,
  )
}

const valueType = (more: unknown): string => (more === true ? 'unknown' : typeOf(more))

/** A response, request body or reference to one. */
function contentType(value: unknown): string {
  const { $ref, content, description } = record(value)
  if (typeof $ref === 'string') return reference($ref)
  const kinds = Object.entries(record(content)).map(
    ([kind, one]) => [named(kind), typeOf(record(one)['schema'])] as const,
  )
  return members([
    ['headers', '{ readonly [name: string]: unknown }'],
    ['content', kinds.length === 0 ? 'never' : members(kinds), description],
  ]).replace('readonly content: never', 'readonly content?: never')
}

/** A parameter, or the shared one that it refers to. */
function resolved(value: unknown): Json {
  const { $ref } = record(value)
  if (typeof $ref !== 'string') return record(value)
  return record(record(record(components)['parameters'])[$ref.split('/').at(-1) ?? ''])
}

function operationType(value: unknown): string {
  const { parameters, requestBody, responses } = record(value)
  const given = PLACES.map((place): readonly [string, string] => {
    const found = list(parameters)
      .map(resolved)
      .filter((one) => one['in'] === place)
    if (found.length === 0) return [`${place}?`, 'never']
    const entries = found.map((one): readonly [string, string, unknown] => [
      named(String(one['name']), one['required'] === true),
      typeOf(one['schema']),
      one['description'],
    ])
    return [found.some((one) => one['required'] === true) ? place : `${place}?`, members(entries)]
  })
  const body =
    requestBody === undefined
      ? (['requestBody?', 'never'] as const)
      : (['requestBody', contentType(requestBody)] as const)
  const answers = Object.entries(record(responses)).map(([status, one]) => [status, contentType(one)] as const)
  return members([['parameters', members(given)], body, ['responses', members(answers)]])
}

const { paths, components } = record(JSON.parse(JSON.stringify(openApi(routes, ''))))
const operations: (readonly [string, string, unknown])[] = []
const pathEntries = Object.entries(record(paths)).map(([path, item]) => {
  const none = members(PLACES.map((place) => [`${place}?`, 'never'] as const))
  const methods = METHODS.map((method): readonly [string, string, unknown?] => {
    const operation = record(record(item)[method])
    const { operationId, summary } = operation
    if (typeof operationId !== 'string') return [`${method}?`, 'never']
    operations.push([operationId, operationType(operation), summary])
    return [method, `operations[${JSON.stringify(operationId)}]`, summary]
  })
  return [named(path), members([['parameters', none], ...methods])] as const
})
const { schemas, responses } = record(components)
const entriesOf = (values: unknown, type: (value: unknown) => string) =>
  Object.entries(record(values)).map(
    ([name, value]) => [named(name), type(value), record(value)['description']] as const,
  )
const text = [
  '// Generated from the OpenAPI document of the explorer API. Do not edit.',
  `export interface paths ${members(pathEntries)}`,
  `export interface components ${members([
    ['schemas', members(entriesOf(schemas, typeOf))],
    ['responses', members(entriesOf(responses, contentType))],
  ])}`,
  `export interface operations ${members(operations)}`,
]
writeFileSync(join(import.meta.dirname, '../client/schema.d.ts'), `${text.join('\n\n')}\n`)
