// The definition of an action of the Etherscan-style API: a schema of its fields and a function that answers. Fields are in the
// query or a form; all are text, and their names may be in any case.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, hexToAddress, hexToHash } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'

export type Fields = Readonly<Record<string, string>>

/** The body of every answer; `1` is success. */
export type EtherscanAnswer = { readonly status: '0' | '1'; readonly message: string; readonly result: unknown }
export type Action = (fields: Fields, context: ExplorerContext) => Promise<EtherscanAnswer>

/** Thrown to answer with status 0. Clients compare the texts, so they must be Etherscan's. */
export class Refused extends Error {
  readonly result: unknown

  constructor(result: unknown, message = 'NOTOK') {
    super(message)
    this.result = result
  }
}

/** Creates an action from the schema of its fields (names in lower case) and the function that answers. */
export function action<F extends z.ZodObject>(
  fields: F,
  run: (fields: z.output<F>, context: ExplorerContext) => unknown,
): Action {
  return async (given, context) => {
    const parsed = fields.safeParse(given)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return refusal(`Error! Invalid ${issue?.path.join('.')}: ${issue?.message}`)
    }
    try {
      return { status: '1', message: 'OK', result: await run(parsed.data, context) }
    } catch (error) {
      if (error instanceof Refused) return refusal(error.result, error.message)
      if (error instanceof ChainError) return refusal(error.message)
      throw error
    }
  }
}

export const refusal = (result: unknown, message = 'NOTOK'): EtherscanAnswer => ({ status: '0', message, result })

/** Returns the list. Throws `Refused` with the message `otherwise` if it is empty, because Etherscan then answers status 0. */
export function nonEmpty<T>(list: readonly T[], otherwise: string): readonly T[] {
  if (list.length === 0) throw new Refused([], otherwise)
  return list
}

// --- fields

export const address = z
  .string('expected an address')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address')
  .transform((text): Address => hexToAddress(text))

/** One to twenty addresses, separated by commas. */
export const addresses = z
  .string('expected addresses')
  .transform((text) => text.split(','))
  .pipe(z.array(address).min(1).max(20))

export const hash = z
  .string('expected a hash')
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected a hash')
  .transform((text): Hash => hexToHash(text))

export const integer = z
  .string('expected a number')
  .regex(/^\d{1,15}$/, 'expected a number')
  .transform(Number)

/** A block number. All named tags mean the newest block. */
export const block = z.union([
  integer,
  z.enum(['latest', 'pending', 'safe', 'finalized']).transform(() => Number.MAX_SAFE_INTEGER),
])

const MOST_ROWS = 10_000

/** A section of a list: a range of blocks (both ends included), a page of it, and its order. */
export const listSection = z.object({
  startblock: block.default(0),
  endblock: block.default(Number.MAX_SAFE_INTEGER),
  page: integer.default(1).refine((page) => page > 0, 'pages begin with 1'),
  offset: integer.default(MOST_ROWS).transform((size) => Math.min(size || MOST_ROWS, MOST_ROWS)),
  sort: z.enum(['asc', 'desc']).default('asc'),
})
export type ListSection = z.output<typeof listSection>
