// Storage of token pairs, at the erc20 module account, and of allowances, at the address of the coin's contract.

import type { Address } from '../../lib/hex.ts'
import { enumerable, layout, mapping, queue, struct } from '../../state/layout.ts'
import { address, bool, oneOf, text, u64, u256 } from '../../state/storage-types.ts'

/** An ERC-20 contract and the coin that represents the same asset. */
export type Pair = {
  readonly token: Address
  readonly denom: string
  readonly isEnabled: boolean
  /**
   * `external`: a deployed contract; the module account holds the tokens that were converted to coins. `module`: the contract
   * shows the coin's balances, and nothing is converted.
   */
  readonly owner: 'external' | 'module'
  readonly name: string
  readonly symbol: string
  readonly decimals: bigint
}

/** A token contract's metadata. */
export type TokenMetadata = Pick<Pair, 'name' | 'symbol' | 'decimals'>

/** Coins of an external pair to be converted to tokens. */
export type DueTokens = { readonly holder: Address; readonly token: Address; readonly amount: bigint }

export const erc20Layout = layout({
  isEnabled: bool,
  pairs: enumerable(
    address,
    struct<Pair>({
      token: address,
      denom: text,
      isEnabled: bool,
      owner: oneOf('external', 'module'),
      name: text,
      symbol: text,
      decimals: u64,
    }),
  ),
  /** Contracts by denomination. */
  tokens: mapping(text, address),
  dueTokens: queue(struct<DueTokens>({ holder: address, token: address, amount: u256 })),
  /** Metadata of contracts whose registration has been proposed. */
  described: mapping(
    address,
    struct<TokenMetadata & { isDescribed: boolean }>({ isDescribed: bool, name: text, symbol: text, decimals: u64 }),
  ),
})

export const allowanceLayout = layout({
  /** By owner and spender; 2^256 - 1 is unlimited. */
  allowances: mapping(address, mapping(address, u256)),
})
