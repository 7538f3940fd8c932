// Development: the native modules from inside.
import { z } from 'zod'
import { atBlock, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

export const dev_invariants = rpcMethod({
  summary: 'What is wrong with the native modules’ books after a block, in words; empty when all is well.',
  params: [atBlock],
  names: ['block'],
  result: z.array(string).readonly(),
  gate: 'development',
  heavy: true,
  handler: ([ref], { chain }, caller) => chain.inspection.invariants(ref, caller),
})
