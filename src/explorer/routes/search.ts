// Search: everything that fits, the best of each kind, and where to go at once.
import { z } from 'zod'
import { checksummed } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { badRequest } from '../errors.ts'
import { find, findExact, hitSchema, SHORTEST_NAME } from '../find.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'

/** Rows of a quick search. */
const MOST_QUICK = 50

const query = z.object({ q: z.string().optional().describe('address, hash, block number, or words of a name') })

/** Absent and empty are the same to a query. */
function asked({ q }: { readonly q?: string | undefined }): string {
  if (q === undefined) throw badRequest('Missing parameter q')
  return q.trim()
}

export const search = explorerRoute({
  path: '/search',
  summary: 'Tokens, addresses, blocks, transactions and verified contracts that fit',
  query: query.extend(pageQuery.shape),
  response: pageSchema(hitSchema),
  handler: async ({ query }, context) => arrayPage((await find(context, asked(query))).flat(), query, (hit) => hit()),
})

export const searchQuick = explorerRoute({
  path: '/search/quick',
  summary: `The best of each kind, ${MOST_QUICK} at most`,
  query,
  response: z.array(hitSchema),
  async handler({ query }, context) {
    const text = asked(query)
    if (Buffer.byteLength(text) < SHORTEST_NAME) return []
    return balanced(await find(context, text), MOST_QUICK).map((hit) => hit())
  },
})

/** As many of each kind as there is room for, when all have the same room; the kinds stay together. */
function balanced<T>(kinds: readonly (readonly T[])[], limit: number): T[] {
  const taken = kinds.map(() => 0)
  for (let room = limit, before = -1; room > 0 && room !== before; ) {
    before = room
    for (const [i, kind] of kinds.entries()) {
      const count = taken[i] ?? 0
      if (room === 0 || count === kind.length) continue
      taken[i] = count + 1
      room--
    }
  }
  return kinds.flatMap((kind, i) => kind.slice(0, taken[i]))
}

const redirectSchema = z.strictObject({
  redirect: z.boolean(),
  type: z.enum(['address', 'block', 'transaction']).nullable(),
  parameter: z.string().nullable().describe('address, or hash of block or transaction'),
})

export const searchCheckRedirect = explorerRoute({
  path: '/search/check-redirect',
  summary: 'Whether a query is exactly one thing, and which',
  query,
  response: redirectSchema,
  async handler({ query }, context): Promise<z.infer<typeof redirectSchema>> {
    const exact = await findExact(context, asked(query))
    switch (exact?.type) {
      case undefined:
        return { redirect: false, type: null, parameter: null }
      case 'address':
        return { redirect: true, type: 'address', parameter: checksummed(exact.address) }
      case 'block':
        return { redirect: true, type: 'block', parameter: exact.header.hash }
      case 'transaction':
        return { redirect: true, type: 'transaction', parameter: exact.hash }
    }
  },
})
