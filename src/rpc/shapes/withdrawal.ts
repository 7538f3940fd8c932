// A withdrawal as clients hand it in, for blocks that are simulated or built on demand (EIP-4895).
import { z } from 'zod'
import type { Withdrawal } from '../../primitives/types.ts'
import { address, amount64 } from '../codec.ts'

/** `amount` in gwei. */
export const withdrawal: z.ZodType<Withdrawal> = z.object(
  { index: amount64, validatorIndex: amount64, address, amount: amount64 },
  { error: 'expected a withdrawal' },
)
