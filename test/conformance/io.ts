// Request/response pairs of execution-apis (`.io` files) and their comparison: the whole response exactly, except for the
// messages of errors.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Exchange = { readonly request: string; readonly expected: unknown }
export type IoTest = {
  readonly name: string
  readonly method: string
  /** The recorded value is one of many correct ones: only its shape is compared. */
  readonly shapeOnly: boolean
  readonly exchanges: readonly Exchange[]
}

export const SUITE = join(import.meta.dirname, 'execution-apis')

/** All tests, in the lexical order of their paths, in which they must run. */
export function loadIoTests(root = SUITE): IoTest[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: method }) =>
      readdirSync(join(root, method))
        .filter((file) => file.endsWith('.io'))
        .map((file) => parse(method, file.slice(0, -3), readFileSync(join(root, method, file), 'utf8'))),
    )
    .sort((a, b) => (`${a.method}/${a.name}` < `${b.method}/${b.name}` ? -1 : 1))
}

function parse(method: string, name: string, text: string): IoTest {
  const exchanges: Exchange[] = []
  let request: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('>> ')) request = line.slice(3)
    else if (line.startsWith('<< ') && request !== undefined) {
      exchanges.push({ request, expected: JSON.parse(line.slice(3)) })
      request = undefined
    }
  }
  return { name, method, shapeOnly: /^\/\/ speconly:/m.test(text), exchanges }
}

/** Paths at which two responses differ. */
export function differences(expected: unknown, actual: unknown, path = '$'): string[] {
  const found: string[] = []
  walk(withoutErrorMessages(expected), withoutErrorMessages(actual), path, found)
  return found
}

function walk(expected: unknown, actual: unknown, path: string, found: string[]): void {
  if (found.length > 20) return
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      found.push(`${path}: ${expected.length} items recorded, ${actual.length} answered`)
    for (const [i, item] of expected.entries()) walk(item, actual[i], `${path}[${i}]`, found)
    return
  }
  if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (!(key in actual)) found.push(`${path}.${key}: missing`)
      else if (!(key in expected)) found.push(`${path}.${key}: not recorded, answered ${brief(actual[key])}`)
      else walk(expected[key], actual[key], `${path}.${key}`, found)
    }
    return
  }
  if (expected !== actual) found.push(`${path}: ${brief(expected)} recorded, ${brief(actual)} answered`)
}

/** Removes error messages, at any depth. */
function withoutErrorMessages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutErrorMessages)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key !== 'error' || !isRecord(item)) return [key, withoutErrorMessages(item)]
      const { message: _, ...rest } = item
      return [key, rest]
    }),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const brief = (value: unknown): string => JSON.stringify(value)?.slice(0, 120) ?? 'nothing'
