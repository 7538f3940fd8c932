// The explorer's wire values: schemas of parameters, and formats of numbers, addresses and times. Amounts are decimal text,
// addresses have their checksum (EIP-55), times are ISO 8601 in UTC with six decimals of a second.
import { z } from 'zod'
import { type Address, type Hash, hexToAddress, hexToHash } from '../lib/hex.ts'

// --- parameters

/** JSON schemas of parameters, if the schema of their text does not describe them well. */
const documented = z.registry<Readonly<Record<string, unknown>>>()

/** The JSON schema of a parameter in the OpenAPI document; undefined: that of its own schema. */
export const documentedForm = (schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined =>
  schema instanceof z.ZodType ? documented.get(schema) : undefined

/** An address in any case, with or without a valid checksum. */
export const addressParam = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/')
  .transform((text): Address => hexToAddress(text.toLowerCase()))

export const hashParam = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{64})$/')
  .transform((text): Hash => hexToHash(text.toLowerCase()))

/** A block by number or hash. A number above the head is valid, but not found. */
export const blockParam = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{64}|\d{1,18})$/, 'Invalid format. Expected a block number or ~r/^0x([A-Fa-f0-9]{64})$/')
  .transform((text): { readonly number: bigint } | { readonly hash: Hash } =>
    text.startsWith('0x') ? { hash: hexToHash(text.toLowerCase()) } : { number: BigInt(text) },
  )

/** A token's id: any uint256 in decimal. */
export const tokenIdParam = z
  .string()
  .regex(/^\d{1,78}$/, 'Invalid format. Expected a decimal integer')
  .transform((text) => BigInt(text))
  .refine((id) => id < 2n ** 256n, 'Invalid value. Expected an unsigned integer of 256 bits')

/** A time (ISO 8601) in Unix milliseconds; without a zone it is UTC. */
export const timeParam = z.iso
  .datetime({ offset: true })
  .or(z.iso.datetime({ local: true }))
  .or(z.iso.date())
  .transform((text) => Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? text : inUtc(text)))
const inUtc = (text: string): string => (text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`)

/** An integer parameter within bounds. `shown`: more fields for the OpenAPI document, such as a default. */
export const integer = (
  from: number,
  to: number,
  shown: Readonly<Record<string, unknown>> = {},
): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'Invalid format. Expected a non-negative integer')
    .transform(Number)
    .refine((value) => value >= from && value <= to, `Invalid value. Expected an integer from ${from} to ${to}`)
    .register(documented, { type: 'integer', minimum: from, maximum: to, ...shown })

/**
 * A filter of labels in any case: `a`, `a,b` or `[a,b]`. Unknown labels are dropped, unless all are unknown; `ignored` labels are valid but
 * match nothing. undefined if the filter is absent.
 */
export function labels<const L extends string>(known: readonly L[], ignored: readonly string[] = []) {
  return z
    .string()
    .optional()
    .transform((text, context): readonly L[] | undefined => {
      if (text === undefined) return undefined
      const given = text
        .replace(/^\[|\]$/g, '')
        .split(',')
        .map((label) => label.trim().toLowerCase())
      const isGiven = (label: string) => given.includes(label.toLowerCase())
      const found = known.filter(isGiven)
      if (found.length === 0 && !ignored.some(isGiven)) {
        context.addIssue({ code: 'custom', message: `Invalid value for enum. Expected one of ${known.join(', ')}` })
        return z.NEVER
      }
      return found
    })
    .register(documented, { type: 'array', items: { type: 'string', enum: [...known, ...ignored] } })
}

/** A filter of one label, such as a direction. Also accepts a list of them, like `labels`. */
export const label = <const L extends string>(...known: readonly L[]) =>
  labels(known).register(documented, { type: 'string', enum: known })

/** A filter of directions. By default both. */
export const direction = label('to', 'from')

// --- writing

/**
 * The last second of the year 9999, in milliseconds since 1970: RFC 3339 has no later ones, but block timestamps can be later.
 */
const LAST_SECOND = 253_402_300_799_000
const DAY = 86_400_000

const isoDate = (milliseconds: number): string => new Date(Math.min(milliseconds, LAST_SECOND)).toISOString()

/** Seconds since 1970 as `2025-05-16T16:37:46.000000Z`; later ones as the last of the year 9999. */
export const isoTime = (seconds: bigint | number): string => isoDate(Number(seconds) * 1000).replace('Z', '000Z')

/** Days since 1970 as `2025-05-16`, with the same limit. */
export const isoDay = (day: number): string => isoDate(day * DAY).slice(0, 10)

// --- schemas of written values

export const wire = {
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .describe('address with EIP-55 checksum'),
  hash: z.string().regex(/^0x[0-9a-f]{64}$/),
  hex: z.string().regex(/^0x([0-9a-f]{2})*$/),
  /** Unsigned decimal integer. */
  decimal: z.string().regex(/^\d+$/).describe('decimal integer'),
  /** Signed decimal integer. */
  delta: z
    .string()
    .regex(/^-?\d+$/)
    .describe('signed decimal integer'),
  /** Decimal number with an optional fraction. */
  number: z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .describe('decimal number'),
  time: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    .describe('ISO 8601, UTC'),
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
} as const
for (const [name, schema] of [
  ['AddressHash', wire.address],
  ['Hash', wire.hash],
  ['Hex', wire.hex],
  ['Decimal', wire.decimal],
  ['Time', wire.time],
] as const)
  z.globalRegistry.add(schema, { id: name })
