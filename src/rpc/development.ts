// What the development methods have in common. Each is defined once, under anvil's name where anvil has one;
// its other names are further exports of the same method, which differ at most in the answer.
import { z } from 'zod'
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import { bool, looseQuantity } from './codec.ts'
import type { RpcMethod } from './define.ts'

/** The answer of methods that only do something: anvil's null. */
export const done = z.codec(z.null(), z.void(), { decode: () => undefined, encode: () => null }).describe('null')

/** The same method, answering true where it would answer null: Hardhat's and Ganache's way. */
export const answeringTrue = (method: RpcMethod): RpcMethod => ({
  ...method,
  result: bool,
  async invoke(args, context, caller) {
    await method.invoke(args, context, caller)
    return true
  },
})

/** A number of at most 64 bits in any spelling: times, nonces, counts. */
export const looseUint64 = looseQuantity.refine((value) => value < 2n ** 64n, { error: 'number does not fit 64 bits' })

/** Throws ChainError `invalid-params` for a timestamp that the next block cannot have. */
export function assertPossibleTimestamp(timestamp: bigint, { head, spec }: Chain): void {
  const earliest = earliestTimestamp(spec, head.timestamp)
  if (timestamp >= earliest) return
  const relation = earliest > head.timestamp ? 'not after' : 'before'
  const words = `timestamp ${timestamp} is ${relation} the latest block's timestamp ${head.timestamp}`
  throw new ChainError('invalid-params', words)
}
