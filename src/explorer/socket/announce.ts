// What a block means to those who listen: a record is rendered only for topics that somebody has joined, in the same form
// in which the API answers. Topics name addresses and hashes in lower case.

import { FACT } from '../../indexer/facts.ts'
import { entriesBetween, OpenList } from '../../indexer/lists.ts'
import { membersFrom } from '../../indexer/ranking.ts'
import { coinRow, type TransferRow, transferRow } from '../../indexer/rows.ts'
import { LIST, RANKING, TOKEN_TYPES, type TokenType } from '../../indexer/tables.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import type { Block, Receipt } from '../../primitives/types.ts'
import { showCoinRow } from '../coin-history.ts'
import type { ExplorerContext } from '../define.ts'
import { showBalance } from '../holdings.ts'
import { showBlock } from '../shapes/block.ts'
import { showTransaction } from '../shapes/transaction.ts'
import { showTransfer } from '../shapes/transfer.ts'
import { averageBlockTime } from '../statistics.ts'
import type { Hub } from './hub.ts'

/** Records of one message; a page shows no more of what came at once. */
const MOST = 50
const ADDRESS = /^0x[0-9a-f]{40}$/

/** Tells the hub of the block at the context's head. */
export async function announceBlock(
  context: ExplorerContext,
  hub: Hub,
  { block, receipts }: { readonly block: Block; readonly receipts: readonly Receipt[] },
): Promise<void> {
  const number = Number(block.header.number)
  for (const topic of ['blocks:new_block', `blocks:${block.header.coinbase}`]) {
    if (!hub.hears(topic)) continue
    const average = String(await averageBlockTime(context))
    hub.push(topic, 'new_block', { average_block_time: average, block: await showBlock(context, number) })
  }
  if (block.transactions.length > 0) {
    hub.push('transactions:new_transaction', 'transaction', { transaction: block.transactions.length })
  }
  for (const { hash } of block.transactions) hub.push(`transactions:${hash}`, 'collated', {})
  const transfers = transfersOf(context, number)
  for (const token of heardAddresses(hub, 'tokens:')) announceToken(context, hub, token, transfers)
  for (const of of heardAddresses(hub, 'addresses:'))
    await announceAddress(context, hub, of, { block, receipts }, transfers)
}

const heardAddresses = (hub: Hub, prefix: string): Address[] =>
  hub.heard(prefix).flatMap((name) => (ADDRESS.test(name) ? [hexToAddress(name)] : []))

type Numbered = { readonly sequence: number; readonly transfer: TransferRow }

/** Transfers of a block, newest first. */
function transfersOf({ rows }: ExplorerContext, number: number): Numbered[] {
  const fact = FACT.block.get(rows, number)
  if (fact === undefined) return []
  const { firstTransfer, transfers } = fact
  const entries = entriesBetween(rows, LIST.transfers, firstTransfer, firstTransfer + transfers)
  return entries.map((entry, i) => ({ sequence: firstTransfer + i, transfer: transferRow.decode(entry) })).reverse()
}

function announceToken({ rows }: ExplorerContext, hub: Hub, token: Address, all: readonly Numbered[]): void {
  const own = all.filter(({ transfer }) => transfer.token === token)
  if (own.length === 0) return
  hub.push(`tokens:${token}`, 'token_transfer', { token_transfer: own.length })
  const supply = FACT.token.get(rows, token)?.supply
  if (supply !== undefined) hub.push(`tokens:${token}`, 'total_supply', { total_supply: supply.toString() })
}

async function announceAddress(
  context: ExplorerContext,
  hub: Hub,
  of: Address,
  { block, receipts }: { readonly block: Block; readonly receipts: readonly Receipt[] },
  all: readonly Numbered[],
): Promise<void> {
  const topic = `addresses:${of}`
  const number = Number(block.header.number)
  await announceBalance(context, hub, of, block)
  const first = FACT.block.get(context.rows, number)?.firstTransaction ?? 0
  const own = block.transactions.flatMap((transaction, i) => {
    const created = receipts[i]?.status === 0 ? null : (receipts[i]?.contractAddress ?? null)
    return [transaction.from, transaction.to, created].includes(of) ? [first + i] : []
  })
  if (own.length > 0) {
    const shown = own.reverse().slice(0, MOST)
    const transactions = await Promise.all(shown.map((sequence) => showTransaction(context, sequence)))
    hub.push(topic, 'transaction', { transactions })
  }
  const moved = all.filter(({ transfer }) => transfer.from === of || transfer.to === of)
  if (moved.length === 0) return
  const shown = moved.slice(0, MOST)
  const transfers = await Promise.all(shown.map(({ sequence }) => showTransfer(context, sequence)))
  hub.push(topic, 'token_transfer', { token_transfers: transfers })
  for (const type of TOKEN_TYPES) {
    if (moved.some(({ transfer }) => transfer.type === type)) await announceHoldings(context, hub, of, type)
  }
}

async function announceBalance(context: ExplorerContext, hub: Hub, of: Address, { header }: Block): Promise<void> {
  const { rows, view, options } = context
  const changes = new OpenList(rows, LIST.coins(of))
  const entry = changes.length === 0 ? undefined : changes.at(changes.length - 1)
  const block_number = Number(header.number)
  if (entry === undefined || coinRow.decode(entry).number !== block_number) return
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
  const members = await membersFrom(context.rows, RANKING.owned(of, type), 0, MOST + 1)
  const shown = members.slice(0, MOST)
  const token_balances = await Promise.all(shown.map((order) => showBalance(context, of, type, order)))
  hub.push(`addresses:${of}`, TOKEN_EVENT[type], { overflow: members.length > MOST, token_balances })
}
