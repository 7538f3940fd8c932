// Who holds how much of a token, in all the orders in which that is read. Each row follows from the amount that an address
// holds, so that setting an amount moves them all. The zero address holds nothing.
import { type Address, bigToFixed, fromHex, toAddress } from '../lib/hex.ts'
import type { Overlay } from '../tables/overlay.ts'
import {
  addMember,
  complement,
  membersOf,
  moveMember,
  orderBy,
  readDescending,
  removeMember,
} from '../tables/ranking.ts'
import { RECORD } from './records.ts'
import { RANKING, type TokenType } from './tables.ts'

export const balanceOf = (draft: Overlay, token: Address, holder: Address): bigint =>
  RECORD.holding.get(draft, holder, token)?.amount ?? 0n

export const instanceBalanceOf = (draft: Overlay, token: Address, id: bigint, holder: Address): bigint =>
  RECORD.holdingOfInstance.get(draft, holder, token, id)?.amount ?? 0n

/** What an address holds now of an ERC-20, or how many items of an ERC-721. */
export function setBalance(draft: Overlay, token: Address, type: TokenType, holder: Address, amount: bigint): void {
  const before = setTotal(draft, token, holder, amount)
  if (amount === before) return
  const bytes = fromHex(token)
  moveMember(draft, RANKING.owned(holder, type), orderBy(before, bytes), orderBy(amount, bytes))
}

/**
 * What an address holds now of an id of an ERC-1155. Returns by how much that changed; `changeTotal` is to be told of it,
 * once for all ids.
 */
export function setInstanceBalance(
  draft: Overlay,
  token: Address,
  id: bigint,
  holder: Address,
  amount: bigint,
): bigint {
  const fact = amount === 0n ? undefined : { amount }
  const before = RECORD.holdingOfInstance.exchange(draft, fact, holder, token, id)?.amount ?? 0n
  if (amount === before) return 0n
  const item = Buffer.concat([fromHex(token), bigToFixed(id, 32)])
  const last = complement(fromHex(holder))
  const whenHeld = (held: bigint): Uint8Array | undefined => (held === 0n ? undefined : item)
  moveMember(draft, RANKING.holdersOfInstance(token, id), orderBy(before, last), orderBy(amount, last))
  moveMember(draft, RANKING.owned(holder, 'ERC-1155'), orderBy(before, item), orderBy(amount, item))
  moveMember(draft, RANKING.items(holder, 'ERC-1155'), whenHeld(before), whenHeld(amount))
  return amount - before
}

/** By how much an address holds more of all ids of an ERC-1155 together. */
export function changeTotal(draft: Overlay, token: Address, holder: Address, change: bigint): void {
  setTotal(draft, token, holder, balanceOf(draft, token, holder) + change)
}

/** Gives an item of an ERC-721 from one owner to another; undefined: there is none. */
export function setOwner(
  draft: Overlay,
  token: Address,
  id: bigint,
  before: Address | undefined,
  after: Address | undefined,
): void {
  if (before === after) return
  const item = Buffer.concat([fromHex(token), bigToFixed(id, 32)])
  if (before !== undefined) removeMember(draft, RANKING.items(before, 'ERC-721'), item)
  if (after !== undefined) addMember(draft, RANKING.items(after, 'ERC-721'), item)
}

/** Moves all that is held of a token when it turns out to be of another type. Of an ERC-1155 only ids are held. */
export async function changeType(draft: Overlay, token: Address, before: TokenType, after: TokenType): Promise<void> {
  const held = await membersOf(draft, RANKING.holders(token))
  for (const { value, rest } of held.map(readDescending)) {
    const holder = toAddress(complement(rest))
    setBalance(draft, token, before, holder, 0n)
    if (after !== 'ERC-1155') setBalance(draft, token, after, holder, value)
  }
  if (before !== 'ERC-721') return
  for (const order of await membersOf(draft, RANKING.instances(token))) {
    const id = BigInt(`0x${Buffer.from(complement(order)).toString('hex')}`)
    const known = RECORD.instance.get(draft, token, id)
    if (known?.owner === undefined) continue
    setOwner(draft, token, id, known.owner, undefined)
    RECORD.instance.set(draft, { ...known, owner: undefined }, token, id)
    changeTotal(draft, token, known.owner, setInstanceBalance(draft, token, id, known.owner, 1n))
  }
}

/** Returns what it was before. */
function setTotal(draft: Overlay, token: Address, holder: Address, amount: bigint): bigint {
  const before = RECORD.holding.exchange(draft, amount === 0n ? undefined : { amount }, holder, token)?.amount ?? 0n
  if (amount === before) return before
  const last = complement(fromHex(holder))
  moveMember(draft, RANKING.holders(token), orderBy(before, last), orderBy(amount, last))
  return before
}
