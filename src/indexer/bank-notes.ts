// Token balances that the bank module changes without a log: ICS-20 vouchers, and coins that become tokens at the end of the
// block. The denomination contains the address of the token's contract.
import { type Address, hexToAddress } from '../lib/hex.ts'
import { readBalanceNote } from '../state/balance-notes.ts'

/** Holders whose balances must be read, by token, in order of appearance. */
export function holdersInNotes(notes: Iterable<string>): Map<Address, Set<Address>> {
  const holders = new Map<Address, Set<Address>>()
  for (const note of notes) {
    const held = readBalanceNote(note)
    const token = held && tokenOf(held.denom)
    if (held === undefined || token === undefined) continue
    const known = holders.get(token) ?? new Set<Address>()
    holders.set(token, known.add(held.of))
  }
  return holders
}

/** `erc20/0x…` or `erc20:0x…` names the contract; the contract of a voucher `ibc/HASH` has the last 20 bytes of the hash as its address. */
function tokenOf(denom: string): Address | undefined {
  const [, digits] = /^(?:erc20[/:]0x|ibc\/[0-9a-fA-F]{24})([0-9a-fA-F]{40})$/.exec(denom) ?? []
  return digits === undefined ? undefined : hexToAddress(`0x${digits.toLowerCase()}`)
}
