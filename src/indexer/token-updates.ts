// Updates the tokens of a block from their contracts' answers: names, then balances, items and supplies, the most important
// first. What the budget does not cover is taken from the logs, or stays unknown.

import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import type { Overlay } from '../tables/overlay.ts'
import { changeInstanceSupply, setInstanceOwner } from './instances.ts'
import type { TokenRecord } from './records.ts'
import {
  balanceOf,
  changeTotal,
  changeType,
  instanceBalanceOf,
  setBalance,
  setInstanceBalance,
} from './token-balances.ts'
import type { TouchedToken } from './token-changes.ts'
import type { TokenReads } from './token-reads.ts'
import { describe, type RankedAt, rankOrderOf, setToken } from './token-records.ts'

/** Updates records, balances and items of a block's tokens to the state after it. */
export async function updateTokens(
  overlay: Overlay,
  reads: TokenReads,
  tokens: readonly TouchedToken[],
): Promise<void> {
  const described: { token: TouchedToken; place: RankedAt | undefined; fact: TokenRecord }[] = []
  for (const token of tokens) {
    const { address, type, before } = token
    const place = before && rankOrderOf(overlay, address, before)
    if (before !== undefined && before.type !== type) await changeType(overlay, address, before.type, type)
    described.push({ token, place, fact: await describe(reads, token) })
  }
  const pause = yieldToEventLoop('block')
  const moreItems = new Map<TouchedToken, number>()
  for (const token of tokens) {
    await updateHoldings(overlay, reads, token, pause)
    moreItems.set(token, await updateInstances(overlay, reads, token, pause))
  }
  for (const { token, place, fact } of described) {
    const { address, type, before, changes } = token
    const items = fact.items + (moreItems.get(token) ?? 0)
    // Few ERC-1155s return a supply. OpenZeppelin's totalSupply() is the sum over all ids, which the events give.
    const known = fact.supply ?? (type === 'ERC-1155' ? 0n : undefined)
    const believed = known === undefined ? undefined : atLeastNothing(known + changes.supply)
    const supply = (await reads.totalSupply(address)) ?? believed
    setToken(overlay, address, before, { ...fact, supply, items }, place)
  }
}

async function updateHoldings(overlay: Overlay, reads: TokenReads, token: TouchedToken, pause: Pause): Promise<void> {
  const { address, type, changes } = token
  for (const [holder, change] of changes.holders) {
    // Most answers and pauses are synchronous: await only promises, because each await costs one.
    const asked = reads.balanceOf(address, holder)
    const answer = asked instanceof Promise ? await asked : asked
    const amount = answer ?? atLeastNothing(balanceOf(overlay, address, holder) + change)
    setBalance(overlay, address, type, holder, amount)
    const rest = pause()
    if (rest !== undefined) await rest
  }
}

/** Returns the change of the number of existing items. */
async function updateInstances(
  overlay: Overlay,
  reads: TokenReads,
  { address, changes }: TouchedToken,
  pause: Pause,
): Promise<number> {
  let items = 0
  for (const [id, owner] of changes.owners) {
    items += setInstanceOwner(overlay, address, id, owner)
    await pause()
  }
  for (const [holder, ids] of changes.ids) {
    let total = 0n
    for (const [id, change] of ids) {
      const answer = await reads.balanceOfId(address, holder, id)
      const amount = answer ?? atLeastNothing(instanceBalanceOf(overlay, address, id, holder) + change)
      const more = setInstanceBalance(overlay, address, id, holder, amount)
      items += changeInstanceSupply(overlay, address, id, more)
      total += more
      await pause()
    }
    changeTotal(overlay, address, holder, total)
  }
  return items
}

const atLeastNothing = (amount: bigint): bigint => (amount < 0n ? 0n : amount)
