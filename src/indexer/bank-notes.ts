// Token balances that the bank changes without a log: vouchers that a packet brings or takes, and tokens that were coins
// until their block's end. Their contracts' addresses are in the denominations.
import { type Address, hexToAddress } from '../lib/hex.ts'
import { readBalanceNote } from '../state/balance-notes.ts'

/** Holders to be asked about by token, in order of appearance. */
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

/** `erc20/0x…` names the contract; a voucher `ibc/HASH` has its face at the last 20 bytes of the hash. */
function tokenOf(denom: string): Address | undefined {
  const [, digits] = /^(?:erc20\/0x|ibc\/[0-9a-fA-F]{24})([0-9a-fA-F]{40})$/.exec(denom) ?? []
  return digits === undefined ? undefined : hexToAddress(`0x${digits.toLowerCase()}`)
}
