// The messages of a transaction in the format of Parity's `trace_` methods, for the frontend's raw trace page.
import { z } from 'zod'
import type { Replayed } from '../../chain/types.ts'
import { type Hash, toHex, toQuantity } from '../../lib/hex.ts'
import { parityError } from '../../primitives/parity-errors.ts'
import type { FlatFrame } from '../../runtime/tracing/flatten.ts'
import { wire } from '../codec.ts'

const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/)
/** Lower case, as in JSON-RPC. */
const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const position = {
  subtraces: z.number().int(),
  traceAddress: z.array(z.number().int()).readonly(),
  transactionHash: wire.hash,
  error: z.string().optional(),
}
const paid = { from: address, gas: quantity, value: quantity }

export const rawTraceSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('call'),
    action: z.strictObject({ ...paid, callType: z.string(), to: address.nullable(), input: wire.hex }),
    result: z.strictObject({ gasUsed: quantity, output: wire.hex }).nullable(),
    ...position,
  }),
  z.strictObject({
    type: z.literal('create'),
    action: z.strictObject({ ...paid, creationMethod: z.string(), init: wire.hex }),
    result: z.strictObject({ gasUsed: quantity, address: address.nullable(), code: wire.hex }).nullable(),
    ...position,
  }),
  z.strictObject({
    type: z.literal('selfdestruct'),
    action: z.strictObject({ address, balance: quantity, refundAddress: address.nullable() }),
    result: z.null(),
    ...position,
  }),
])
z.globalRegistry.add(rawTraceSchema, { id: 'RawTrace' })
export type RawTrace = z.infer<typeof rawTraceSchema>

/** Every message of a re-executed transaction, in call order. */
export const showRawTrace = ({ frames, transaction }: Pick<Replayed, 'frames' | 'transaction'>): RawTrace[] =>
  frames.map((frame) => parityTrace(frame, transaction.hash))

function parityTrace(frame: FlatFrame, transactionHash: Hash): RawTrace {
  const { type, from, to, value, gas, gasUsed, input, output, error, subtraces, traceAddress } = frame
  const rest = { subtraces, traceAddress, transactionHash, ...(error !== undefined && { error: parityError(error) }) }
  if (type === 'SELFDESTRUCT') {
    const action = { address: from, balance: toQuantity(value), refundAddress: to }
    return { type: 'selfdestruct', action, result: null, ...rest }
  }
  const spent = { from, gas: toQuantity(gas), value: toQuantity(value) }
  const hasResult = error === undefined || error === 'execution reverted'
  if (type === 'CREATE' || type === 'CREATE2') {
    const created = { gasUsed: toQuantity(gasUsed), address: error === undefined ? to : null, code: toHex(output) }
    const action = { ...spent, creationMethod: type.toLowerCase(), init: toHex(input) }
    return { type: 'create', action, result: hasResult ? created : null, ...rest }
  }
  const returned = { gasUsed: toQuantity(gasUsed), output: toHex(output) }
  const action = { ...spent, callType: type.toLowerCase(), to, input: toHex(input) }
  return { type: 'call', action, result: hasResult ? returned : null, ...rest }
}
