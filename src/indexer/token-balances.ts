// Token balances: records of amounts, and the rankings of holders and of owned tokens that follow from them. Setting an amount
// updates all of them. The zero address holds nothing.
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

export const balanceOf = (overlay: Overlay, token: Address, holder: Address): bigint =>
  RECORD.holding.get(overlay, holder, token)?.amount ?? 0n

export const instanceBalanceOf = (overlay: Overlay, token: Address, id: bigint, holder: Address): bigint =>
  RECORD.holdingOfInstance.get(overlay, holder, token, id)?.amount ?? 0n

/** Sets the balance of an ERC-20, or the number of items of an ERC-721. */
export function setBalance(overlay: Overlay, token: Address, type: TokenType, holder: Address, amount: bigint): void {
  const before = setTotal(overlay, token, holder, amount)
  if (amount === before) return
  const bytes = fromHex(token)
  moveMember(overlay, RANKING.owned(holder, type), orderBy(before, bytes), orderBy(amount, bytes))
}

/** Sets the balance of one id of an ERC-1155. Returns the change; call `changeTotal` once with the sum over all ids. */
export function setInstanceBalance(
  overlay: Overlay,
  token: Address,
  id: bigint,
  holder: Address,
  amount: bigint,
): bigint {
  const fact = amount === 0n ? undefined : { amount }
  const before = RECORD.holdingOfInstance.exchange(overlay, fact, holder, token, id)?.amount ?? 0n
  if (amount === before) return 0n
  const item = Buffer.concat([fromHex(token), bigToFixed(id, 32)])
  const last = complement(fromHex(holder))
  const whenHeld = (of: bigint): Uint8Array | undefined => (of === 0n ? undefined : item)
  const held = Buffer.concat([bigToFixed(id, 32), last])
  moveMember(overlay, RANKING.holdersOfInstance(token, id), orderBy(before, last), orderBy(amount, last))
  moveMember(overlay, RANKING.holdings(token), orderBy(before, held), orderBy(amount, held))
  moveMember(overlay, RANKING.owned(holder, 'ERC-1155'), orderBy(before, item), orderBy(amount, item))
  moveMember(overlay, RANKING.items(holder, 'ERC-1155'), whenHeld(before), whenHeld(amount))
  return amount - before
}

/** Changes an address's total over all ids of an ERC-1155. */
export function changeTotal(overlay: Overlay, token: Address, holder: Address, change: bigint): void {
  setTotal(overlay, token, holder, balanceOf(overlay, token, holder) + change)
}

/** Moves an item of an ERC-721 to a new owner; undefined: none. */
export function setOwner(
  overlay: Overlay,
  token: Address,
  id: bigint,
  before: Address | undefined,
  after: Address | undefined,
): void {
  if (before === after) return
  const item = Buffer.concat([fromHex(token), bigToFixed(id, 32)])
  if (before !== undefined) removeMember(overlay, RANKING.items(before, 'ERC-721'), item)
  if (after !== undefined) addMember(overlay, RANKING.items(after, 'ERC-721'), item)
}

/** Moves all balances of a token whose type changes. Balances of an ERC-1155 exist per id only. */
export async function changeType(overlay: Overlay, token: Address, before: TokenType, after: TokenType): Promise<void> {
  const held = await membersOf(overlay, RANKING.holders(token))
  for (const { value, rest } of held.map(readDescending)) {
    const holder = toAddress(complement(rest))
    setBalance(overlay, token, before, holder, 0n)
    if (after !== 'ERC-1155') setBalance(overlay, token, after, holder, value)
  }
  if (before !== 'ERC-721') return
  for (const order of await membersOf(overlay, RANKING.instances(token))) {
    const id = BigInt(`0x${Buffer.from(complement(order)).toString('hex')}`)
    const known = RECORD.instance.get(overlay, token, id)
    if (known?.owner === undefined) continue
    setOwner(overlay, token, id, known.owner, undefined)
    RECORD.instance.set(overlay, { ...known, owner: undefined }, token, id)
    changeTotal(overlay, token, known.owner, setInstanceBalance(overlay, token, id, known.owner, 1n))
  }
}

/** Returns the former value. */
function setTotal(overlay: Overlay, token: Address, holder: Address, amount: bigint): bigint {
  const before = RECORD.holding.exchange(overlay, amount === 0n ? undefined : { amount }, holder, token)?.amount ?? 0n
  if (amount === before) return before
  const last = complement(fromHex(holder))
  moveMember(overlay, RANKING.holders(token), orderBy(before, last), orderBy(amount, last))
  return before
}
