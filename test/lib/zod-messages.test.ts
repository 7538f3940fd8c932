// Messages for values that a schema refuses. They must not change with the schema library, because contracts may store them.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { firstIssue, zodMessages } from '../../src/lib/zod-messages.ts'

const schema = z.strictObject({
  text: z.string().min(2).optional(),
  digits: z.string().regex(/^\d+$/).optional(),
  count: z.int().min(3).max(5).optional(),
  flag: z.boolean().optional(),
  list: z.array(z.object({ denom: z.literal('akest') })).optional(),
  either: z.union([z.string(), z.boolean()]).optional(),
  own: z.string({ error: 'expected a name' }).optional(),
})

test.each([
  [7, '', 'expected an object'],
  [{ text: 7 }, 'text', 'expected a text'],
  [{ text: 'a' }, 'text', 'expected at least 2'],
  [{ digits: 'x' }, 'digits', 'not in the form that is expected'],
  [{ count: 2 }, 'count', 'expected at least 3'],
  [{ count: 6 }, 'count', 'expected at most 5'],
  [{ count: 3.5 }, 'count', 'expected a whole number'],
  [{ flag: 'yes' }, 'flag', 'expected true or false'],
  [{ list: {} }, 'list', 'expected a list'],
  [{ list: [{ denom: 'ibc' }] }, 'list.0.denom', 'expected "akest"'],
  [{ either: 7 }, 'either', 'not in the form that is expected'],
  // A schema's own message takes precedence.
  [{ own: 7 }, 'own', 'expected a name'],
  [{ strange: 7 }, 'strange', 'unknown field'],
])('%j', (given, path, message) => {
  const { error } = schema.safeParse(given, { error: zodMessages })
  expect(error && firstIssue(error)).toEqual({ path, message })
})
