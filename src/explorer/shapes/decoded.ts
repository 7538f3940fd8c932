// Decoded calls and logs.
import { z } from 'zod'
import type { DecodedValue } from '../../contracts/abi-decoding.ts'

/** A custom check, because OpenAPI needs a shared definition for a recursive schema. */
export const decodedValue = z.custom<DecodedValue>(isValue).describe('text, or an array of values')

function isValue(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isValue))
}

const parameter = z.strictObject({ name: z.string(), type: z.string(), value: decodedValue })
const decoded = z.strictObject({
  method_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('selector, or the first four bytes of topic 0, without 0x'),
  method_call: z.string().describe('transfer(address to, uint256 value)'),
})

export const decodedSchema = decoded.extend({ parameters: z.array(parameter).readonly() })
z.globalRegistry.add(decodedSchema, { id: 'DecodedInput' })
export const decodedLogSchema = decoded.extend({
  parameters: z.array(parameter.extend({ indexed: z.boolean() })).readonly(),
})
z.globalRegistry.add(decodedLogSchema, { id: 'DecodedLog' })
