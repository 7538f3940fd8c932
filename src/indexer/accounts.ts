// Indexes accounts: all addresses in order of appearance, their balance history, their ranking by balance, and lists of single
// accounts. Balances come from the state changes of the block, so no transfer of coins can be missed.

import { type Address, fromHex } from '../lib/hex.ts'
import { withdrawnWei } from '../primitives/block.ts'
import type { Block } from '../primitives/types.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { ChangedAccount, StateView, TransactionDiff } from '../state/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import { moveMember, orderBy } from '../tables/ranking.ts'
import { AccountRecords } from './account-records.ts'
import { indexCodes, indexCreations } from './contracts.ts'
import { hasNoInnerCalls, type IndexingContext, visitCalls } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { balanceEntry, LIST, positionEntry, RANKING } from './tables.ts'

/** Indexes the accounts of a block. Call it after `indexTransactions`. */
export function indexAccounts({ executed, changed }: IndexingContext, overlay: Overlay): void {
  const { block, diffs, view } = executed
  const facts = new AccountRecords(overlay, Number(block.header.number))
  const firstTransaction = overlay.length(LIST.transactions) - block.transactions.length
  indexTransactionParties(executed, facts)
  const lastChange = lastChanges(diffs)
  indexBalances(changed, overlay, facts, (address) => {
    const index = lastChange.get(address)
    return index === undefined ? undefined : firstTransaction + index
  })
  indexCreations(executed, firstTransaction, overlay, facts)
  indexCodes(changed, view, overlay, facts)
  indexBlockParties(block, overlay, facts)
  facts.write()
}

/** Indexes a change of the state by a development method. Each adds entries, so a block may have several per balance. */
export function indexEdit(changed: readonly ChangedAccount[], view: StateView, number: number, overlay: Overlay): void {
  const facts = new AccountRecords(overlay, number)
  indexBalances(changed, overlay, facts, () => undefined)
  indexCodes(changed, view, overlay, facts)
  facts.write()
}

/** Registers every sender, recipient and created account, and adds up their gas. */
function indexTransactionParties({ block, receipts, callTrees }: ExecutedBlock, facts: AccountRecords): void {
  for (const [i, { from, to }] of block.transactions.entries()) {
    const { gasUsed = 0n, contractAddress = null } = receipts[i] ?? {}
    facts.of(from).gasSpent += Number(gasUsed)
    if (to !== null) facts.of(to).gasServed += Number(gasUsed)
    if (contractAddress !== null) facts.of(contractAddress)
    const root = callTrees[i]
    if (root === undefined || hasNoInnerCalls(root)) continue
    for (const { call } of visitCalls(root)) {
      facts.of(call.from)
      if (call.to !== null) facts.of(call.to)
    }
  }
}

/** Records new balances, with the former balance and the last transaction that changed it. */
function indexBalances(
  changed: readonly ChangedAccount[],
  overlay: Overlay,
  facts: AccountRecords,
  transactionOf: (address: Address) => number | undefined,
): void {
  for (const { address, before: was, after: is } of changed) {
    const fact = facts.of(address)
    const before = was?.balance ?? 0n
    const after = is?.balance ?? 0n
    if (before === after) continue
    const row = { number: facts.number, transaction: transactionOf(address), before, after }
    overlay.append(LIST.balances(address), balanceEntry.encode(row))
    const last = fromHex(address)
    // An account of a forked chain had a balance before, and no place in the ranking.
    moveMember(overlay, RANKING.accounts, orderBy(fact.balance, last), orderBy(after, last))
    fact.balance = after
    fact.changedAt = facts.number
  }
}

/** For each account whose balance a transaction changed: the index of the last such transaction. */
function lastChanges(diffs: readonly TransactionDiff[]): ReadonlyMap<Address, number> {
  const last = new Map<Address, number>()
  for (const [index, diff] of diffs.entries()) {
    for (const { address, before, after } of diff) {
      if ((before?.balance ?? 0n) !== (after?.balance ?? 0n)) last.set(address, index)
    }
  }
  return last
}

/** Lists the block under its coinbase, and its withdrawals under their recipients. */
function indexBlockParties({ header, withdrawals = [] }: Block, overlay: Overlay, facts: AccountRecords): void {
  const { number } = facts
  overlay.append(LIST.blocksOf(header.coinbase), positionEntry.encode({ number, index: 0 }))
  for (const [index, { address }] of withdrawals.entries()) {
    const place = positionEntry.encode({ number, index })
    facts.of(address)
    overlay.append(LIST.withdrawals, place)
    overlay.append(LIST.withdrawalsOf(address), place)
  }
  if (withdrawals.length === 0) return
  const paid = withdrawals.reduce((sum, withdrawal) => sum + withdrawnWei(withdrawal), 0n)
  RECORD.withdrawn.set(overlay, { amount: (RECORD.withdrawn.get(overlay)?.amount ?? 0n) + paid })
}
