// Messages for values that a zod schema refuses. A contract may store a message, so all nodes must give the same one, and zod
// changes its messages between versions. A schema's own `error` text takes precedence over these.
import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  bigint: 'a whole number',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
  tuple: 'a list',
}

/**
 * Messages for issues whose schema has none; pass it to `safeParse` as `error`. The kinds of issues are zod's closed list,
 * <https://zod.dev/error-customization>.
 */
export const zodMessages: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? 'another kind of value'}`
    case 'too_small':
      return `expected at least ${issue.minimum}`
    case 'too_big':
      return `expected at most ${issue.maximum}`
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(String(value))).join(' or ')}`
    case 'unrecognized_keys':
      return 'unknown field'
    default:
      return 'not in the form that is expected'
  }
}

/** The first issue: its path (`params.quorum`) and its message. The path of an unknown field names the field itself. */
export function firstIssue({ issues: [issue] }: z.ZodError): { readonly path: string; readonly message: string } {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...(issue?.path ?? []), ...unknown].join('.')
  return { path, message: unknown.length > 0 ? 'unknown field' : (issue?.message ?? 'not acceptable') }
}
