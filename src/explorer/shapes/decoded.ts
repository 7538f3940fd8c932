// Calls, logs and revert reasons in words: what was called, with which arguments. Null wherever nobody knows the interface.
import { z } from 'zod'
import type { DecodedValue } from '../contracts/values.ts'

/** Not as a schema that names itself: OpenAPI could not say where that stands. */
const valueSchema = z.custom<DecodedValue>(isValue).describe('text, or an array of values')

function isValue(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isValue))
}

const parameter = z.strictObject({ name: z.string(), type: z.string(), value: valueSchema })
const decoded = z.strictObject({
  method_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('selector, or the first four bytes of topic 0, without 0x'),
  method_call: z.string().describe('transfer(address to, uint256 value)'),
})

export const decodedSchema = decoded.extend({ parameters: z.array(parameter).readonly() })
export const decodedLogSchema = decoded.extend({
  parameters: z.array(parameter.extend({ indexed: z.boolean() })).readonly(),
})
