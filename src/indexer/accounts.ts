// Accounts: who has ever appeared, what each held after which block, who holds most, and the lists that hang on an
// account alone. Balances are told by the state's own differences, so nothing that moves coins can be missed.

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

/** To be called when the block's transactions are listed. */
export function indexAccounts({ executed, changed }: IndexingContext, draft: Overlay): void {
  const { block, diffs, view } = executed
  const facts = new AccountRecords(draft, Number(block.header.number))
  const firstTransaction = draft.length(LIST.transactions) - block.transactions.length
  indexTransactionParties(executed, facts)
  const lastChange = lastChanges(diffs)
  indexBalances(changed, draft, facts, (address) => {
    const index = lastChange.get(address)
    return index === undefined ? undefined : firstTransaction + index
  })
  indexCreations(executed, firstTransaction, draft, facts)
  indexCodes(changed, view, draft, facts)
  indexBlockParties(block, draft, facts)
  facts.write()
}

/** A change by hand: it has no transaction. Lists only grow, so a block may have several rows of an account's coins. */
export function indexEdit(changed: readonly ChangedAccount[], view: StateView, number: number, draft: Overlay): void {
  const facts = new AccountRecords(draft, number)
  indexBalances(changed, draft, facts, () => undefined)
  indexCodes(changed, view, draft, facts)
  facts.write()
}

/** Everyone who sent, received, was made or was called; and what gas that took. */
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

/** Balances as they are now, with what they were and which transaction changed them last. */
function indexBalances(
  changed: readonly ChangedAccount[],
  draft: Overlay,
  facts: AccountRecords,
  transactionOf: (address: Address) => number | undefined,
): void {
  for (const { address, before: was, after: is } of changed) {
    const fact = facts.of(address)
    const [before, after] = [was?.balance ?? 0n, is?.balance ?? 0n]
    if (before === after) continue
    const row = { number: facts.number, transaction: transactionOf(address), before, after }
    draft.append(LIST.balances(address), balanceEntry.encode(row))
    const last = fromHex(address)
    moveMember(draft, RANKING.accounts, orderBy(before, last), orderBy(after, last))
    fact.balance = after
    fact.changedAt = facts.number
  }
}

/** For each account whose balance a transaction changed, the index of the last one that did. */
function lastChanges(diffs: readonly TransactionDiff[]): ReadonlyMap<Address, number> {
  const last = new Map<Address, number>()
  for (const [index, diff] of diffs.entries()) {
    for (const { address, before, after } of diff) {
      if ((before?.balance ?? 0n) !== (after?.balance ?? 0n)) last.set(address, index)
    }
  }
  return last
}

/** Who made the block, and whom it paid withdrawals. */
function indexBlockParties({ header, withdrawals = [] }: Block, draft: Overlay, facts: AccountRecords): void {
  const { number } = facts
  draft.append(LIST.blocksOf(header.coinbase), positionEntry.encode({ number, index: 0 }))
  for (const [index, { address }] of withdrawals.entries()) {
    const place = positionEntry.encode({ number, index })
    facts.of(address)
    draft.append(LIST.withdrawals, place)
    draft.append(LIST.withdrawalsOf(address), place)
  }
  if (withdrawals.length === 0) return
  const paid = withdrawals.reduce((sum, withdrawal) => sum + withdrawnWei(withdrawal), 0n)
  RECORD.withdrawn.set(draft, { amount: (RECORD.withdrawn.get(draft)?.amount ?? 0n) + paid })
}
