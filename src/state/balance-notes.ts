// What writers note on a view for those who read it when it is done: changes that no log and no slot's name tells of.
import { type Address, hexToAddress } from '../lib/hex.ts'

/** An account's units of a denomination have changed. */
export const balanceNote = (denom: string, of: Address): string => `held ${denom} ${of}`

/** The denomination and the account of such a note; undefined for others. */
export function readBalanceNote(note: string): { readonly denom: string; readonly of: Address } | undefined {
  const [, denom, of] = /^held (\S+) (0x[0-9a-f]{40})$/.exec(note) ?? []
  return denom === undefined || of === undefined ? undefined : { denom, of: hexToAddress(of) }
}
