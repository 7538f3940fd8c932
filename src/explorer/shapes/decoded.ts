// Calls, logs and revert reasons in words: what was called, with which arguments. Null wherever nobody knows the interface.
import { z } from 'zod'
import { decodedValue } from '../contracts/values.ts'

const parameter = z.strictObject({ name: z.string(), type: z.string(), value: decodedValue })
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
