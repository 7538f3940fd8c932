// The `ctx` of a tracer's `result`: what go-ethereum says of the transaction as a whole. `intrinsicGas` and `time` are of its
// older versions, whose tracers are still about.
import type { Result } from '../evm/result.ts'
import { type Address, toHex } from '../lib/hex.ts'
import { effectiveTip, gasBounds } from '../primitives/gas.ts'
import type { MessageResult } from '../runtime/execute-message.ts'
import type { TraceContext } from '../runtime/tracing/tracer.ts'

/** The transaction's own message. */
export type Outermost = {
  readonly type: string
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly input: Uint8Array
}

/** A field's name, how the sandbox reads its value, and the value. */
type Field = readonly [name: string, kind: 'bytes' | 'big' | 'plain', value: string | number]

/** The fields as JSON. `took`: milliseconds. */
export function contextOf(
  { env, message, place }: TraceContext,
  { type, from, to, value, input }: Outermost,
  { gasUsed, error, returnData }: MessageResult,
  ended: Pick<Result, 'output' | 'failure'> | undefined,
  took: number,
): string {
  const words = ended?.failure?.message ?? error
  const fields: Field[] = [
    ['type', 'plain', type],
    ['from', 'bytes', from],
    ['to', 'bytes', to],
    ['input', 'bytes', toHex(input)],
    ['gas', 'plain', Number(message.gasLimit)],
    ['gasUsed', 'plain', Number(gasUsed)],
    // go-ethereum's gasPrice is the tip, as of version 1.14.
    ['gasPrice', 'big', String(effectiveTip(message, env.baseFeePerGas ?? 0n))],
    ['value', 'big', String(value)],
    ['block', 'plain', Number(env.number)],
    ['coinbase', 'bytes', env.coinbase],
    ['output', 'bytes', toHex(ended?.output ?? returnData)],
    ['intrinsicGas', 'plain', Number(gasBounds(message, env.rules).intrinsic)],
    ['time', 'plain', `${took.toFixed(3)}ms`],
  ]
  if (words !== undefined) fields.push(['error', 'plain', words])
  if (place !== undefined) {
    fields.push(['blockHash', 'bytes', place.blockHash], ['txHash', 'bytes', place.transactionHash])
    fields.push(['txIndex', 'plain', place.index])
  }
  return JSON.stringify(fields)
}
