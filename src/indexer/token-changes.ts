// What a block's transfers change of one token, by holder and by item: where the contract is to be asked afterwards, and
// what is to be believed if it does not answer.
import { type Address, ZERO_ADDRESS } from '../lib/hex.ts'
import type { TokenType, TransferEntry } from './tables.ts'
import type { FoundToken } from './token-detection.ts'

export type TokenChanges = {
  /** ERC-20 and ERC-721: by how much each holder's amount changed. The zero address is nobody. */
  readonly holders: Map<Address, bigint>
  /** ERC-1155: the same by holder and id. */
  readonly ids: Map<Address, Map<bigint, bigint>>
  /** ERC-721: who has each item now; undefined: it was burnt. */
  readonly owners: Map<bigint, Address | undefined>
  /** By how much there is more of it. */
  supply: bigint
  hasMint: boolean
}

export type TouchedToken = FoundToken & {
  readonly address: Address
  /** The contract came to its address in this block. */
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

/** Adds a transfer to the changes of its token, whose type may be higher than the transfer's. */
export function noteTransfer(changes: TokenChanges, token: TokenType, row: TransferEntry): void {
  const { type, from, to, id } = row
  if (from === ZERO_ADDRESS) changes.hasMint = true
  if (token === 'ERC-1155') {
    if (id === undefined) return
    const amount = type === token ? row.amount : 0n
    if (from !== ZERO_ADDRESS) add(idsOf(changes, from), id, -amount)
    if (to !== ZERO_ADDRESS) add(idsOf(changes, to), id, amount)
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
