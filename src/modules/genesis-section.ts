// Reads modules' sections of the genesis file, `kestrel.modules.<name>`: strictly, and with the field in every error.

import { z } from 'zod'
import { parseDec } from '../lib/dec.ts'
import { ChainError } from '../lib/errors.ts'
import { SECONDS_A_DAY } from '../lib/unix-time.ts'
import { firstIssue, zodMessages } from '../lib/zod-messages.ts'

const FRACTION = { error: 'expected a decimal string from "0" to "1"' }

/** A Dec from `"0"` to `"1"`, with up to 18 decimals. */
export const fraction = z
  .string(FRACTION)
  .regex(/^(0(\.\d{1,18})?|1(\.0{1,18})?)$/, FRACTION)
  .transform(parseDec)

const WHOLE = { error: 'expected a whole number of up to 30 digits' }

/** A number of base units, as an exact JSON number or a decimal string. */
export const whole = z
  .union([z.int(WHOLE).nonnegative(WHOLE).transform(String), z.string().regex(/^\d{1,30}$/, WHOLE)], WHOLE)
  .transform(BigInt)

/** The version of a module's rules (`spec/block-rules.ts`). */
export const rulesVersion = z.union([z.literal(1), z.literal(2)], { error: 'expected 1 or 2' }).default(1)

const LONGEST_PERIOD = SECONDS_A_DAY * 10_000n
const SECONDS = { error: `expected seconds from 1 to ${LONGEST_PERIOD}, as a number or as "30s"` }

/** Seconds: a number, its digits as text, or protobuf's text form of a duration. */
export const seconds = z
  .union([z.int(SECONDS).transform(String), z.string().regex(/^\d{1,12}s?$/, SECONDS)], SECONDS)
  .transform((text) => BigInt(text.replace('s', '')))
  .refine((period) => period >= 1n && period <= LONGEST_PERIOD, SECONDS)

/** A module's section, read by its schema. Throws ChainError `invalid-genesis` that names the field. */
export function readSection<T>(module: string, schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json, { error: zodMessages })
  if (parsed.success) return parsed.data
  const { path, message } = firstIssue(parsed.error)
  throw new ChainError('invalid-genesis', `${['kestrel.modules', module, path].filter(Boolean).join('.')}: ${message}`)
}
