// The schema of an ABI that another server publishes. Its bounds are those that the decoder and the pages rely on: compilers
// keep them.
import type { Abi } from 'abitype'
import { z } from 'zod'

/** More than code of 24 KB (EIP-170) can have functions. */
const MOST_ITEMS = 5_000
const MOST_PARAMETERS = 256
const MOST_DIMENSIONS = 8

const identifier = z
  .string()
  .max(256)
  .regex(/^[\w$]*$/)

/** An array of no elements, or a tuple of none, takes no bytes of the data: an array of such values could be of any length. */
const isBounded = (type: string): boolean => (type.match(/\[/g) ?? []).length <= MOST_DIMENSIONS && !/\[0+\]/.test(type)
const type = z.string().max(256).refine(isBounded, 'expected an array of some elements, of few dimensions')

export type Parameter = {
  readonly name?: string | undefined
  readonly type: string
  readonly internalType?: string | undefined
  readonly indexed?: boolean | undefined
  readonly components?: readonly Parameter[] | undefined
}
const parameter: z.ZodType<Parameter> = z
  .object({
    name: identifier.optional(),
    type,
    internalType: z.string().max(512).optional(),
    indexed: z.boolean().optional(),
    components: z.lazy(() => parameter.array().max(MOST_PARAMETERS)).optional(),
  })
  .refine(({ type, components = [] }) => !type.startsWith('tuple') || components.length > 0, 'expected components')
const parameters = parameter.array().max(MOST_PARAMETERS)

const mutability = {
  stateMutability: z.enum(['pure', 'view', 'nonpayable', 'payable']).optional(),
  // Of compilers before 0.5.
  constant: z.boolean().optional(),
  payable: z.boolean().optional(),
}

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    name: identifier,
    inputs: parameters.default([]),
    outputs: parameters.default([]),
    ...mutability,
  }),
  z.object({ type: z.literal('constructor'), inputs: parameters.default([]), ...mutability }),
  z.object({ type: z.enum(['fallback', 'receive']), ...mutability }),
  z.object({
    type: z.literal('event'),
    name: identifier,
    inputs: parameters.default([]),
    anonymous: z.boolean().optional(),
  }),
  z.object({ type: z.literal('error'), name: identifier, inputs: parameters.default([]) }),
])

export const publishedAbi = z
  .array(item)
  .max(MOST_ITEMS)
  // The form that Solidity's specification of the ABI gives; the type of abitype has no items of old compilers.
  .transform((items) => items as unknown as Abi)
