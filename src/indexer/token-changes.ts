// The changes of one token that follow from a block's transfers, by holder and by item. They determine which balances to read
// from the contract, and replace its answer if it gives none.
import { type Address, ZERO_ADDRESS } from '../lib/hex.ts'
import type { TokenType, TransferEntry } from './tables.ts'
import type { FoundToken } from './token-detection.ts'

export type TokenChanges = {
  /** ERC-20 and ERC-721: change of each holder's amount, without the zero address. */
  readonly holders: Map<Address, bigint>
  /** ERC-1155: change of amount by holder and id. */
  readonly ids: Map<Address, Map<bigint, bigint>>
  /** ERC-721: new owner of each item; undefined when it was burnt. */
  readonly owners: Map<bigint, Address | undefined>
  /** Change of the total supply; of an ERC-1155, of all ids together. */
  supply: bigint
  hasMint: boolean
}

export type TouchedToken = FoundToken & {
  readonly address: Address
  /** Whether the contract was created in this block. */
  readonly isNew: boolean
  readonly changes: TokenChanges
}

export const noChanges = (): TokenChanges => ({
  holders: new Map(),
  ids: new Map(),
  owners: new Map(),
  supply: 0n,
  hasMint: false,
})

/** Adds a transfer to the changes of its token. The token's type may be higher than that of the transfer's log. */
export function noteTransfer(changes: TokenChanges, token: TokenType, row: TransferEntry): void {
  const { type, from, to, id } = row
  if (from === ZERO_ADDRESS) changes.hasMint = true
  if (token === 'ERC-1155') {
    if (id === undefined) return
    const amount = type === token ? row.amount : 0n
    if (from === ZERO_ADDRESS) changes.supply += amount
    else add(idsOf(changes, from), id, -amount)
    if (to === ZERO_ADDRESS) changes.supply -= amount
    else add(idsOf(changes, to), id, amount)
    return
  }
  const amount = type === token ? row.amount : 0n
  if (from === ZERO_ADDRESS) changes.supply += amount
  else add(changes.holders, from, -amount)
  if (to === ZERO_ADDRESS) changes.supply -= amount
  else add(changes.holders, to, amount)
  if (type === 'ERC-721' && id !== undefined) changes.owners.set(id, to === ZERO_ADDRESS ? undefined : to)
}

function idsOf({ ids }: TokenChanges, holder: Address): Map<bigint, bigint> {
  const known = ids.get(holder) ?? new Map<bigint, bigint>()
  ids.set(holder, known)
  return known
}

function add<K>(changes: Map<K, bigint>, of: K, change: bigint): void {
  changes.set(of, (changes.get(of) ?? 0n) + change)
}
