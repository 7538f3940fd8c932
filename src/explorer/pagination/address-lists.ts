// The lists of the index with an address's transactions, messages and token transfers. A filter is a union of disjoint lists,
// so a counter is the sum of their lengths.
import { LIST, ROLES, type Role, TOKEN_TYPES, type TokenType } from '../../indexer/tables.ts'
import type { Address, Hex } from '../../lib/hex.ts'

/** Sides for a direction filter: a contract's creation counts as sent to it. undefined: all sides. */
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

/** Transfers of one token from an address or to it. */
export const transfersOfWith = (of: Address, token: Address, sides: readonly Role[] = ROLES): Hex[] =>
  sides.map((side) => LIST.transfersOfWith(of, token, side))
