// Which lists hold what an address had to do with: a filter is a union of disjoint lists, and the lengths of all of them
// are its counter.
import { LIST, ROLES, type Role, TOKEN_TYPES, type TokenType } from '../indexer/tables.ts'
import type { Address, Hex } from '../lib/hex.ts'

/** What an address sent, or what came to it; what it was made by came to it. undefined: everything. */
export const sidesFor = (directions: readonly ('to' | 'from')[] | undefined): readonly Role[] => {
  if (directions === undefined || directions.length === 2) return ROLES
  return directions.includes('to') ? ['in', 'self', 'created'] : ['out', 'self']
}

export const transactionsOf = (of: Address, sides: readonly Role[] = ROLES): Hex[] =>
  sides.map((side) => LIST.transactionsOf(of, side))

export const callsOf = (of: Address, sides: readonly Role[] = ROLES): Hex[] =>
  sides.map((side) => LIST.callsOf(of, side))

export const transfersOf = (
  of: Address,
  types: readonly TokenType[] = TOKEN_TYPES,
  sides: readonly Role[] = ROLES,
): Hex[] => types.flatMap((type) => sides.map((side) => LIST.transfersOf(of, type, side)))

export const transfersOfWith = (of: Address, token: Address, sides: readonly Role[] = ROLES): Hex[] =>
  sides.map((side) => LIST.transfersOfWith(of, token, side))
