// The events of a new block. Records are rendered only for joined topics, in the form of the API's answers. Topics have
// addresses and hashes in lower case. The work grows with the changes of the block, not with the number of joined topics, and
// yields to requests.

import { RECORD } from '../../indexer/records.ts'
import {
  balanceEntry,
  LIST,
  RANKING,
  TOKEN_TYPES,
  type TokenType,
  type TransferEntry,
  transferEntry,
} from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { Block } from '../../primitives/types.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { entriesBetween, ListReader } from '../../tables/list.ts'
import { membersFrom } from '../../tables/ranking.ts'
import type { ExplorerContext } from '../context.ts'
import { showBlock } from '../shapes/block.ts'
import { showCoinRow } from '../shapes/coin-history.ts'
import { showBalance } from '../shapes/token-balances.ts'
import { showTransaction } from '../shapes/transaction.ts'
import { showTransfer } from '../shapes/transfer.ts'
import { averageBlockTime } from '../statistics/block-times.ts'
import type { Hub } from './hub.ts'

/** Maximum records of one event: a page shows no more. */
const MOST_RECORDS = 50

/** Notifies the pages of pending transactions that are in the block. Renders nothing, so it can be done for every block. */
export function announceCollated(hub: Hub, { block }: ExecutedBlock): void {
  for (const { hash } of block.transactions) hub.push(`transactions:${hash}`, 'collated', {})
}

/**
 * Notifies pages that blocks were removed: sends the remaining head as a new block, and its number for pages that must reload.
 */
export async function announceRemoval(context: ExplorerContext, hub: Hub): Promise<void> {
  const height = Number(context.head.number)
  hub.push('blocks:new_block', 'removed_blocks', { height })
  if (!hub.hasListeners('blocks:new_block')) return
  const average = String(await averageBlockTime(context))
  hub.push('blocks:new_block', 'new_block', { average_block_time: average, block: await showBlock(context, height) })
}

/** Pushes the events of a block except `announceCollated`. The context's head is this block or a later one. */
export async function announceBlock(context: ExplorerContext, hub: Hub, executed: ExecutedBlock): Promise<void> {
  const { block } = executed
  // The block was removed while it waited; the removal is announced after it.
  if (block.header.number > context.head.number) return
  const number = Number(block.header.number)
  for (const topic of ['blocks:new_block', `blocks:${block.header.coinbase}`]) {
    if (!hub.hasListeners(topic)) continue
    const average = String(await averageBlockTime(context))
    hub.push(topic, 'new_block', { average_block_time: average, block: await showBlock(context, number) })
  }
  if (block.transactions.length > 0) {
    hub.push('transactions:new_transaction', 'transaction', { transaction: block.transactions.length })
  }
  const transfers = transfersOf(context, number)
  announceTokens(context, hub, transfers)
  const pause = yieldToEventLoop('light')
  for (const [of, changes] of joinedChanges(context, hub, executed, transfers)) {
    await announceAddress(context, hub, of, { block, ...changes })
    await pause()
  }
}

type NumberedTransfer = { readonly sequence: number; readonly transfer: TransferEntry }

/** Transfers of a block, newest first. */
function transfersOf({ rows }: ExplorerContext, number: number): NumberedTransfer[] {
  const fact = RECORD.block.get(rows, number)
  if (fact === undefined) return []
  const { firstTransfer, transfers } = fact
  const entries = entriesBetween(rows, LIST.transfers, firstTransfer, firstTransfer + transfers)
  return entries.map((entry, i) => ({ sequence: firstTransfer + i, transfer: transferEntry.decode(entry) })).reverse()
}

function announceTokens({ rows }: ExplorerContext, hub: Hub, transfers: readonly NumberedTransfer[]): void {
  const counts = new Map<Address, number>()
  for (const { transfer } of transfers) counts.set(transfer.token, (counts.get(transfer.token) ?? 0) + 1)
  for (const [token, count] of counts) {
    if (!hub.hasListeners(`tokens:${token}`)) continue
    hub.push(`tokens:${token}`, 'token_transfer', { token_transfer: count })
    const supply = RECORD.token.get(rows, token)?.supply
    if (supply !== undefined) hub.push(`tokens:${token}`, 'total_supply', { total_supply: supply.toString() })
  }
}

/** A block's changes for one address: sequences of its transactions, and its transfers, newest first. */
type Changes = { readonly transactions: number[]; readonly transfers: NumberedTransfer[] }

/** Addresses that the block changed and whose topic is joined, with the changes. */
function joinedChanges(
  { rows }: ExplorerContext,
  hub: Hub,
  { block, receipts, view }: ExecutedBlock,
  transfers: readonly NumberedTransfer[],
): ReadonlyMap<Address, Changes> {
  const joined = new Map<Address, Changes>()
  const changesOf = (address: Address | null): Changes | undefined => {
    if (address === null) return undefined
    const known = joined.get(address)
    if (known !== undefined || !hub.hasListeners(`addresses:${address}`)) return known
    const changes = { transactions: [], transfers: [] }
    joined.set(address, changes)
    return changes
  }
  for (const { address } of view.changedAccounts()) changesOf(address)
  const first = RECORD.block.get(rows, Number(block.header.number))?.firstTransaction ?? 0
  for (const [i, { from, to }] of [...block.transactions.entries()].reverse()) {
    const created = receipts[i]?.status === 0 ? null : (receipts[i]?.contractAddress ?? null)
    for (const party of new Set([from, to, created])) changesOf(party)?.transactions.push(first + i)
  }
  for (const numbered of transfers) {
    const { from, to } = numbered.transfer
    for (const party of new Set([from, to])) changesOf(party)?.transfers.push(numbered)
  }
  return joined
}

async function announceAddress(
  context: ExplorerContext,
  hub: Hub,
  of: Address,
  { block, transactions: own, transfers: moved }: Changes & { readonly block: Block },
): Promise<void> {
  const topic = `addresses:${of}`
  await announceBalance(context, hub, of, block)
  if (own.length > 0) {
    const transactions = await Promise.all(
      own.slice(0, MOST_RECORDS).map((sequence) => showTransaction(context, sequence)),
    )
    hub.push(topic, 'transaction', { transactions })
  }
  if (moved.length === 0) return
  const shown = moved.slice(0, MOST_RECORDS)
  const transfers = await Promise.all(shown.map(({ sequence }) => showTransfer(context, sequence)))
  hub.push(topic, 'token_transfer', { token_transfers: transfers })
  for (const type of TOKEN_TYPES) {
    if (moved.some(({ transfer }) => transfer.type === type)) await announceHoldings(context, hub, of, type)
  }
}

async function announceBalance(context: ExplorerContext, hub: Hub, of: Address, { header }: Block): Promise<void> {
  const { rows, view, options } = context
  const changes = new ListReader(rows, LIST.balances(of))
  const entry = changes.length === 0 ? undefined : changes.at(changes.length - 1)
  const block_number = Number(header.number)
  if (entry === undefined || balanceEntry.decode(entry).number !== block_number) return
  const balance = view.balance(of).toString()
  const exchange_rate = options.prices?.coin ?? null
  hub.push(`addresses:${of}`, 'balance', { balance, block_number, exchange_rate })
  hub.push(`addresses:${of}`, 'current_coin_balance', { coin_balance: balance, block_number, exchange_rate })
  hub.push(`addresses:${of}`, 'coin_balance', { coin_balance: await showCoinRow(context, entry) })
}

const TOKEN_EVENT: Readonly<Record<TokenType, string>> = {
  'ERC-20': 'updated_token_balances_erc_20',
  'ERC-721': 'updated_token_balances_erc_721',
  'ERC-1155': 'updated_token_balances_erc_1155',
}

async function announceHoldings(context: ExplorerContext, hub: Hub, of: Address, type: TokenType): Promise<void> {
  const members = await membersFrom(context.rows, RANKING.owned(of, type), 0, MOST_RECORDS + 1)
  const shown = members.slice(0, MOST_RECORDS)
  const token_balances = await Promise.all(shown.map((order) => showBalance(context, of, type, order)))
  hub.push(`addresses:${of}`, TOKEN_EVENT[type], { overflow: members.length > MOST_RECORDS, token_balances })
}
