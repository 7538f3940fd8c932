// One grant in storage: what it is emptied of, and how its limit goes down. A transfer grant has either allocations, one
// for each channel, or one limit for all channels and none.
import { ChainError } from '../../lib/errors.ts'
import type { Allocation } from './allocations.ts'
import type { Grant } from './layout.ts'

/** Empties the grant's storage. */
export function clear(of: Grant): void {
  for (const name in of) of[name as keyof Grant].clear()
}

/** Whether a transfer grant has one limit for all channels, and no allocations of its own. */
export const coversAllChannels = (of: Grant): boolean => of.allocations.get().length === 0

/** Allocations to change one by one. Throws ChainError when the grant has one limit for all channels. */
export function channelsOwn(of: Grant): readonly Allocation[] {
  if (!coversAllChannels(of)) return of.allocations.get()
  throw new ChainError(
    'execution-reverted',
    'the authorization has one limit for all channels: use the functions of the Authorization contract',
  )
}

/** Takes an amount off the limit; a grant that is used up goes. */
export function spend(of: Grant, amount: bigint): void {
  if (of.isUnlimited.get()) return
  const rest = of.limit.get() - amount
  if (rest === 0n) clear(of)
  else of.limit.set(rest)
}

/** Writes what is left; a grant of nothing goes. */
export function setAllocations(of: Grant, allocations: readonly Allocation[]): void {
  if (allocations.length === 0) clear(of)
  else of.allocations.set(allocations)
}
