// What a block changed of its tokens: names, then balances, supplies and items, as the contracts answer afterwards. The order
// is that of their weight, for whatever is asked when nothing more may be asked follows from the logs, or stays unknown.

import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import type { Overlay } from '../tables/overlay.ts'
import { changeInstanceSupply, readUri, setInstanceOwner } from './instances.ts'
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

/** Brings facts, holdings and items of a block's tokens up to the state after it. */
export async function updateTokens(draft: Overlay, reads: TokenReads, tokens: readonly TouchedToken[]): Promise<void> {
  const described: { token: TouchedToken; place: RankedAt | undefined; fact: TokenRecord }[] = []
  for (const token of tokens) {
    const { address, type, before } = token
    const place = before && rankOrderOf(draft, address, before)
    if (before !== undefined && before.type !== type) await changeType(draft, address, before.type, type)
    described.push({ token, place, fact: await describe(reads, token) })
  }
  const pause = yieldToEventLoop('block')
  for (const token of tokens) {
    await updateHoldings(draft, reads, token, pause)
    await updateInstances(draft, reads, token, pause)
  }
  for (const { token, place, fact } of described) {
    const { address, before, changes } = token
    const believed = fact.supply === undefined ? undefined : atLeastNothing(fact.supply + changes.supply)
    const supply = (await reads.totalSupply(address)) ?? believed
    setToken(draft, address, before, { ...fact, supply }, place)
  }
  for (const token of tokens) await readUris(draft, reads, token)
}

async function updateHoldings(draft: Overlay, reads: TokenReads, token: TouchedToken, pause: Pause): Promise<void> {
  const { address, type, changes } = token
  for (const [holder, change] of changes.holders) {
    // Most answers and most pauses are there at once: waiting for what need not be waited for costs a promise each.
    const asked = reads.balanceOf(address, holder)
    const answer = asked instanceof Promise ? await asked : asked
    const amount = answer ?? atLeastNothing(balanceOf(draft, address, holder) + change)
    setBalance(draft, address, type, holder, amount)
    const rest = pause()
    if (rest !== undefined) await rest
  }
}

async function updateInstances(draft: Overlay, reads: TokenReads, token: TouchedToken, pause: Pause): Promise<void> {
  const { address, changes } = token
  for (const [id, owner] of changes.owners) {
    setInstanceOwner(draft, address, id, owner)
    await pause()
  }
  for (const [holder, ids] of changes.ids) {
    let total = 0n
    for (const [id, change] of ids) {
      const answer = await reads.balanceOfId(address, holder, id)
      const amount = answer ?? atLeastNothing(instanceBalanceOf(draft, address, id, holder) + change)
      const more = setInstanceBalance(draft, address, id, holder, amount)
      changeInstanceSupply(draft, address, id, more)
      total += more
      await pause()
    }
    changeTotal(draft, address, holder, total)
  }
}

async function readUris(draft: Overlay, reads: TokenReads, { address, changes }: TouchedToken): Promise<void> {
  for (const id of changes.owners.keys()) await readUri(draft, reads, address, id, 'tokenUri')
  const ids = new Set([...changes.ids.values()].flatMap((of) => [...of.keys()]))
  for (const id of ids) await readUri(draft, reads, address, id, 'uri')
}

const atLeastNothing = (amount: bigint): bigint => (amount < 0n ? 0n : amount)
