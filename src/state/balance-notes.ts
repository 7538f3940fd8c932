// Notes about changed coin balances on a view. The bank writes them and the index reads them after the block, because these
// changes have no log, and the account cannot be derived from the storage slots. A note is a string, so that a set of notes has
// no duplicates.
import { type Address, hexToAddress } from '../lib/hex.ts'

/** The account's balance of a denomination has changed. */
export const balanceNote = (denom: string, of: Address): string => `held ${denom} ${of}`

/** The denomination and the account of such a note; undefined for any other string. */
export function readBalanceNote(note: string): { readonly denom: string; readonly of: Address } | undefined {
  const [, denom, of] = /^held (\S+) (0x[0-9a-f]{40})$/.exec(note) ?? []
  return denom === undefined || of === undefined ? undefined : { denom, of: hexToAddress(of) }
}
