// Allocations of an IBC transfer grant: channel, coins with limits, allowed receivers and memos. Pure functions over a grant's
// list. Errors have ibc-go's wording.
import { reverted } from '../module.ts'

export type AllowedCoin = { readonly denom: string; readonly amount: bigint }

export type Allocation = {
  readonly sourcePort: string
  readonly sourceChannel: string
  /** Remaining limits, sorted by denomination. 2^256 - 1: no limit; a denomination that is missing may not be sent. */
  readonly spendLimit: readonly AllowedCoin[]
  /** Allowed receivers; empty: any. */
  readonly allowList: readonly string[]
  /** Allowed memos; empty: only the empty memo; `['*']`: any. */
  readonly allowedPacketData: readonly string[]
}

/** One denomination sent through one channel. */
export type CoinsOfChannel = { readonly sourcePort: string; readonly sourceChannel: string; readonly denom: string }

export type TransferUse = CoinsOfChannel & {
  readonly amount: bigint
  readonly receiver: string
  readonly memo: string
}

const UNLIMITED = 2n ** 256n - 1n

/** The allocations in stored form, coins sorted. Throws ChainError. Does not check that the channels exist. */
export function checkedAllocations(allocations: readonly Allocation[]): readonly Allocation[] {
  if (allocations.length === 0) throw reverted('allocations cannot be empty: invalid transfer authorization')
  const channels = new Set<string>()
  return allocations.map((allocation) => {
    const { sourcePort, sourceChannel, allowList } = allocation
    if (channels.has(sourceChannel)) throw reverted(`duplicate source channel ID: ${sourceChannel}: invalid channel`)
    channels.add(sourceChannel)
    const spendLimit = checkedCoins(allocation.spendLimit)
    checkIdentifier('source port ID', sourcePort, 2, 128)
    checkIdentifier('source channel ID', sourceChannel, 8, 64)
    if (new Set(allowList).size < allowList.length) {
      throw reverted('duplicate entry in allow list: invalid transfer authorization')
    }
    return { ...allocation, spendLimit }
  })
}

function checkedCoins(coins: readonly AllowedCoin[]): readonly AllowedCoin[] {
  if (coins.length === 0) throw reverted('spend limit cannot be nil: invalid coins')
  const denoms = new Set<string>()
  for (const { denom, amount } of coins) {
    if (!/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom)) throw reverted(`invalid denom: ${denom}: invalid coins`)
    if (amount === 0n) throw reverted(`coin 0${denom} amount is not positive: invalid coins`)
    if (denoms.has(denom)) throw reverted(`duplicate denomination ${denom}: invalid coins`)
    denoms.add(denom)
  }
  return [...coins].sort((a, b) => (a.denom < b.denom ? -1 : 1))
}

/** ICS-24: letters, digits and `. _ + - # [ ] < >`. Throws ChainError `invalid <what>: …`. */
export function checkIdentifier(what: string, id: string, shortest: number, longest: number): void {
  const invalid = (why: string) => reverted(`invalid ${what}: ${why}: invalid identifier`)
  if (id.trim() === '') throw invalid('identifier cannot be blank')
  if (id.includes('/')) throw invalid(`identifier ${id} cannot contain separator '/'`)
  const { length } = new TextEncoder().encode(id)
  if (length < shortest || length > longest) {
    throw invalid(`identifier ${id} has invalid length: ${length}, must be between ${shortest}-${longest} characters`)
  }
  if (!/^[A-Za-z0-9._+\-#[\]<>]+$/.test(id)) {
    throw invalid(
      `identifier ${id} must contain only alphanumeric or the following characters: ` +
        "'.', '_', '+', '-', '#', '[', ']', '<', '>'",
    )
  }
}

/** The remaining allocations after a transfer; empty if nothing remains. Throws ChainError if they do not cover it. */
export function afterTransfer(allocations: readonly Allocation[], use: TransferUse): readonly Allocation[] {
  const allocation = allocations.find((one) => isThrough(one, use))
  if (allocation === undefined) throw reverted('requested port and channel allocation does not exist: not found')
  const limit = limitOf(allocation, use.denom)
  if (limit === undefined || use.amount > limit) {
    throw reverted('requested amount is more than spend limit: insufficient funds')
  }
  if (allocation.allowList.length > 0 && !allocation.allowList.includes(use.receiver)) {
    throw reverted('not allowed receiver address for transfer: invalid address')
  }
  checkMemo(allocation.allowedPacketData, use.memo)
  return limit === UNLIMITED ? allocations : withLimit(allocations, use, limit - use.amount)
}

function checkMemo(allowed: readonly string[], memo: string): void {
  const trimmed = memo.trim()
  if (trimmed === '' || (allowed.length === 1 && allowed[0] === '*')) return
  if (allowed.length === 0) {
    throw reverted(
      'memo must be empty because allowed packet data in allocation is empty: invalid transfer authorization',
    )
  }
  if (!allowed.some((one) => one.trim() === trimmed)) {
    throw reverted(`not allowed memo: ${memo}: invalid transfer authorization`)
  }
}

/** The remaining limit; throws ChainError if no allocation has the channel and denomination. */
export function spendLimitOf(allocations: readonly Allocation[], of: CoinsOfChannel): bigint {
  const allocation = allocations.find((one) => isThrough(one, of))
  const limit = allocation && limitOf(allocation, of.denom)
  if (limit !== undefined) return limit
  const { sourcePort, sourceChannel, denom } = of
  throw reverted(
    `no matching allocation found for source port: ${sourcePort}, source channel: ${sourceChannel}, and denom: ${denom}`,
  )
}

/** The allocations with another limit. A limit of zero is removed, and an allocation without limits too. */
export function withLimit(
  allocations: readonly Allocation[],
  of: CoinsOfChannel,
  limit: bigint,
): readonly Allocation[] {
  return allocations.flatMap((allocation) => {
    if (!isThrough(allocation, of)) return [allocation]
    const spendLimit = allocation.spendLimit
      .map((coin) => (coin.denom === of.denom ? { ...coin, amount: limit } : coin))
      .filter(({ amount }) => amount > 0n)
    return spendLimit.length === 0 ? [] : [{ ...allocation, spendLimit }]
  })
}

/** A limit on one coin through any of these channels, as allocations; each has the whole limit. */
export const overChannels = (
  channels: readonly Pick<CoinsOfChannel, 'sourcePort' | 'sourceChannel'>[],
  coin: AllowedCoin,
): readonly Allocation[] => {
  if (coin.amount === 0n) return []
  return channels.map((channel) => ({ ...channel, spendLimit: [coin], allowList: [], allowedPacketData: ['*'] }))
}

/** The only channel with an allocation for a coin. Throws ChainError if there is none or more than one. */
export function onlyChannelOf(allocations: readonly Allocation[], denom: string): CoinsOfChannel {
  const [first, second] = allocations.filter((allocation) => limitOf(allocation, denom) !== undefined)
  if (first === undefined) throw reverted(`no matching allocation found for denom: ${denom}`)
  if (second !== undefined) throw reverted(`several channels have an allocation of ${denom}: use the ICS20 functions`)
  return { sourcePort: first.sourcePort, sourceChannel: first.sourceChannel, denom }
}

/** The sum of one denomination's limits over all channels, at most 2^256 - 1. */
export function totalLimit(allocations: readonly Allocation[], denom: string): bigint {
  const total = allocations.reduce((sum, allocation) => sum + (limitOf(allocation, denom) ?? 0n), 0n)
  return total > UNLIMITED ? UNLIMITED : total
}

/** Number of coins and texts in all lists. */
export const listedIn = (allocations: readonly Allocation[]): number =>
  allocations.reduce((sum, { spendLimit, allowList, allowedPacketData }) => {
    return sum + spendLimit.length + allowList.length + allowedPacketData.length
  }, 0)

const isThrough = (allocation: Allocation, { sourcePort, sourceChannel }: CoinsOfChannel): boolean =>
  allocation.sourcePort === sourcePort && allocation.sourceChannel === sourceChannel

const limitOf = ({ spendLimit }: Allocation, denom: string): bigint | undefined =>
  spendLimit.find((coin) => coin.denom === denom)?.amount
