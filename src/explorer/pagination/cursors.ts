// Blockscout's cursors: the place of the last item of the former page, under names that differ from list to list. Each is mapped to
// a position, from which pages are then counted as from an `anchor`; `next_page_params` has that anchor. An incomplete cursor is
// refused (422), because answering the first page would let a client read it for ever.
import { z } from 'zod'
import { HOLDERS, LIST, positionEntry } from '../../indexer/tables.ts'
import { firstWhere } from '../../lib/bisect.ts'
import { type Address, bigToFixed, fromHex } from '../../lib/hex.ts'
import { ListReader } from '../../tables/list.ts'
import { complement, descending } from '../../tables/ranking.ts'
import { addressParam, hashParam, integer, tokenIdParam } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { invalidParameter } from '../errors.ts'
import { minedBlock } from '../shapes/indexed-transaction.ts'
import { callAtIndex, startOfTransaction, transferAtLog } from './places.ts'

const position = integer(0, 2 ** 40).optional()
const blockNumber = position.describe(
  'a cursor of Blockscout, alone or with others: of the last item of the former page',
)
const amount = z
  .string()
  .regex(/^\d{1,78}$/, 'Invalid format. Expected a decimal integer')
  .transform(BigInt)
  .optional()

export const blockCursor = z.object({ block_number: blockNumber })
/** Of transactions by their index within the block; of logs and withdrawals of a chain by theirs. */
export const placeCursor = z.object({ block_number: blockNumber, index: position })
export const transferCursor = placeCursor.extend({
  batch_log_index: position,
  batch_block_hash: hashParam.optional(),
  batch_transaction_hash: hashParam.optional(),
  index_in_batch: position,
})
export const callCursor = placeCursor.extend({ transaction_index: position })
export const withdrawalCursor = z.object({ index: position })
export const holderCursor = z.object({ address_hash: addressParam.optional(), value: amount })
export const accountCursor = z.object({ hash: addressParam.optional(), fetched_coin_balance: amount })
export const itemCursor = z.object({
  token_contract_address_hash: addressParam.optional(),
  token_id: tokenIdParam.optional(),
  token_type: z.string().optional(),
})

/** The part of a cursor that is the number of a row of Blockscout's database, which says nothing here. */
export const foreignCursor = z
  .string()
  .refine(() => false, 'Invalid value. This node has no such cursor: pass on `next_page_params`')
  .optional()

/** Throws 422 if some of the values are given, and others not. */
function complete<T extends Readonly<Record<string, unknown>>>(
  values: T,
): { [N in keyof T]: NonNullable<T[N]> } | undefined {
  const names = Object.keys(values)
  const missing = names.filter((name) => values[name] === undefined)
  if (missing.length === names.length) return undefined
  const [first] = missing
  if (first !== undefined) throw invalidParameter(first, `Invalid value. A cursor here has ${names.join(', ')}`)
  return values as { [N in keyof T]: NonNullable<T[N]> }
}

type Place = z.output<typeof placeCursor>
const placeOf = ({ block_number, index }: Place) => complete({ block_number, index })

/** The number of the block at which older ones begin, as a position among the chain's blocks. */
export const beforeBlock = ({ chain }: ExplorerContext, { block_number: number }: z.output<typeof blockCursor>) =>
  number === undefined ? undefined : Math.max(0, number - Number(chain.base))

/** The sequence of the cursor's transaction; all older ones are below. In ascending lists `after` is where the others begin. */
export function beforeTransaction(context: ExplorerContext, cursor: Place, after = 0): number | undefined {
  const place = placeOf(cursor)
  if (place === undefined) return undefined
  return startOfTransaction(context, { number: place.block_number, index: place.index + after }).transaction
}

/** The sequence of the cursor's transfer; `after` as above. Without `index_in_batch` all transfers of a log come together. */
export async function beforeTransfer(
  context: ExplorerContext,
  { batch_log_index, batch_block_hash: hash, index_in_batch = 0, ...cursor }: z.output<typeof transferCursor>,
  after = 0,
): Promise<number | undefined> {
  if (batch_log_index !== undefined && hash !== undefined) {
    const header = await context.chain.header({ hash })
    if (header === undefined) throw invalidParameter('batch_block_hash', 'Invalid value. There is no such block')
    return transferAtLog(context, Number(header.number), batch_log_index) + index_in_batch + after
  }
  const place = placeOf(cursor)
  return place && transferAtLog(context, place.block_number, place.index + after)
}

/** The sequence of the cursor's message; `after` as above. */
export function beforeCall(
  context: ExplorerContext,
  cursor: z.output<typeof callCursor>,
  after = 0,
): number | undefined {
  const { block_number, transaction_index, index } = cursor
  const place = complete({ block_number, transaction_index, index })
  return (
    place && callAtIndex(context, { number: place.block_number, index: place.transaction_index }, place.index + after)
  )
}

/** Whether an entry is older than the cursor. */
export type IsOlder = (entry: Uint8Array) => boolean

/** For lists of blocks, and of others whose entries begin with the number of a block. */
export const olderBlocks = ({ block_number: number }: z.output<typeof blockCursor>): IsOlder | undefined =>
  number === undefined ? undefined : isBefore(number, 0)

/** For lists of logs. */
export function olderLogs(cursor: Place): IsOlder | undefined {
  const place = placeOf(cursor)
  return place && isBefore(place.block_number, place.index)
}

const isBefore =
  (number: number, index: number): IsOlder =>
  (entry) => {
    const of = positionEntry.decode(entry)
    return of.number < number || (of.number === number && of.index < index)
  }

/** For lists of withdrawals, whose indices rise along the chain: finds the block of the cursor's one. */
export async function olderWithdrawals(
  context: ExplorerContext,
  { index }: z.output<typeof withdrawalCursor>,
): Promise<IsOlder | undefined> {
  if (index === undefined) return undefined
  const all = new ListReader(context.rows, LIST.withdrawals)
  const placeAt = (at: bigint) => {
    const entry = all.at(Number(at))
    return entry && positionEntry.decode(entry)
  }
  const first = await firstWhere(0n, BigInt(all.length), async (at) => {
    const place = placeAt(at)
    const withdrawal = place && (await minedBlock(context, place.number)).withdrawals?.[place.index]
    return withdrawal === undefined || withdrawal.index >= BigInt(index)
  })
  const place = placeAt(first)
  return place === undefined ? () => true : isBefore(place.number, place.index)
}

/** The place of a holder in a token's ranking of holders; among rows with ids behind all rows of the same amount. */
export function holderOrder(
  cursor: z.output<typeof holderCursor>,
  token: Address,
  hasIds = false,
): Uint8Array | undefined {
  const { address_hash, value } = cursor
  const place = complete({ address_hash, value })
  if (place === undefined) return undefined
  const last = HOLDERS.encode(token, place.address_hash)
  return descending(place.value, hasIds ? Buffer.concat([new Uint8Array(32).fill(0xff), last]) : last)
}

/** The place of an account in the ranking of accounts. */
export function accountOrder({ hash, fetched_coin_balance }: z.output<typeof accountCursor>): Uint8Array | undefined {
  const place = complete({ hash, fetched_coin_balance })
  return place && descending(place.fetched_coin_balance, fromHex(place.hash))
}

/** The place of an item in a ranking of an owner's items. */
export const itemOrder = (token: Address, id: bigint): Uint8Array => Buffer.concat([fromHex(token), bigToFixed(id, 32)])
/** The place of an item in the ranking of a token's items. */
export const instanceOrder = (id: bigint): Uint8Array => complement(bigToFixed(id, 32))

/** The number of entries up to the one that a cursor names; 422 if there is none. undefined without a cursor. */
export function passedIn<T, V>(
  all: readonly T[],
  value: V | undefined,
  isIt: (entry: T, value: V) => boolean,
  name: string,
): number | undefined {
  if (value === undefined) return undefined
  const at = all.findIndex((entry) => isIt(entry, value))
  if (at < 0) throw invalidParameter(name, 'Invalid value. The list has no such item')
  return at + 1
}
