// Indexes mined transactions: in the chain's order, by kind, by called method, and by address.
import { type Address, EMPTY_BYTES, equalBytes, type Hash, type Hex, toHex } from '../lib/hex.ts'
import { forEachYielding } from '../lib/scheduler.ts'
import type { Receipt } from '../primitives/types.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { Overlay } from '../tables/overlay.ts'
import {
  type IndexedCalls,
  type IndexedTokens,
  type IndexingContext,
  rolesOfCreation,
  selectorOf,
} from './indexing-context.ts'
import { KIND_BIT, LIST, rolesOf, sequenceEntry, transactionEntry } from './tables.ts'

/** The transaction type with authorizations (EIP-7702). */
const AUTHORIZING = 4
/** The call tree's error when there is revert data. */
const REVERTED = 'execution reverted'
/** Maximum bytes of stored revert data: enough for any reason, and small enough for pages of 50 entries. */
const KEPT_REVERT_DATA = 4096

const NO_CALLS = { first: 0, count: 0, hasError: false }

/** Lists a block's transactions. */
export async function indexTransactions(
  { executed }: IndexingContext,
  overlay: Overlay,
  calls: IndexedCalls,
  tokens: IndexedTokens,
): Promise<void> {
  const { block, receipts, callTrees } = executed
  const number = Number(block.header.number)
  const called = calledContracts(executed)
  // Most transactions have the kinds and selector of the one before, so its list ids are reused.
  let names: Names | undefined
  await forEachYielding(block.transactions.entries(), ([index, transaction]) => {
    const { from, to, value, data } = transaction
    const inner = calls[index] ?? NO_CALLS
    const moved = tokens.ranges[index] ?? NO_CALLS
    const isContractCall = called[index] === true
    const created = receipts[index]?.contractAddress ?? undefined
    let kinds = 0
    if (value > 0n) kinds |= KIND_BIT.coin_transfer
    if (isContractCall) kinds |= KIND_BIT.contract_call
    if (to === null) kinds |= KIND_BIT.contract_creation
    if (moved.count > 0) kinds |= KIND_BIT.token_transfer
    if (created !== undefined && tokens.created.has(created)) kinds |= KIND_BIT.token_creation
    const selector = isContractCall ? selectorOf(data) : EMPTY_BYTES
    const trace = callTrees[index]
    const row = transactionEntry.encode({
      number,
      index,
      kinds,
      selector,
      firstTransfer: moved.first,
      transfers: moved.count,
      firstCall: inner.first,
      calls: inner.count,
      error: trace?.error,
      revertData: trace?.error === REVERTED ? trace.output.subarray(0, KEPT_REVERT_DATA) : EMPTY_BYTES,
      hasInnerError: inner.hasError,
    })
    const entry = sequenceEntry.encode({ sequence: overlay.append(LIST.transactions, row) })
    if (names?.kinds !== kinds || !equalBytes(names.selector, selector)) names = namesOf(kinds, selector)
    for (const list of names.lists) overlay.append(list, entry)
    if (hasFailed(receipts[index], trace)) overlay.append(LIST.failedTransactions, entry)
    const sides = to === null ? rolesOfCreation(from, created) : rolesOf(from, to)
    for (const [of, side] of sides) overlay.append(LIST.transactionsOf(of, side), entry)
  })
}

/** Receipts before Byzantium have no status. */
export const hasFailed = (
  receipt: Receipt | undefined,
  of: { readonly error?: string | undefined } | undefined,
): boolean => (receipt?.status === undefined ? of?.error !== undefined : receipt.status === 0)

type Names = { readonly kinds: number; readonly selector: Uint8Array; readonly lists: readonly Hex[] }

/** The lists of the transactions with the same kinds and selector. */
const namesOf = (kinds: number, selector: Uint8Array): Names => ({
  kinds,
  selector,
  lists:
    selector.length === 0
      ? [LIST.transactionsByKinds(kinds)]
      : [LIST.transactionsByKinds(kinds), LIST.transactionsByMethod(toHex(selector), kinds)],
})

/**
 * For each transaction, whether its recipient had code at the time. Iterates backwards: an account's code before a transaction
 * is its former code in that transaction's state diff, or else its code after the block.
 */
function calledContracts({ block, diffs, view }: ExecutedBlock): boolean[] {
  const codes = new Map<Address, Hash>()
  const hasCode = (of: Address) => (codes.get(of) ?? view.account(of)?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH
  const { transactions } = block
  const found = transactions.map(() => false)
  for (let i = transactions.length - 1; i >= 0; i--) {
    const { to = null, type } = transactions[i] ?? {}
    const isAuthorizing = type === AUTHORIZING
    // Authorizations take effect before their own transaction runs; nothing else can give its recipient code before it.
    if (isAuthorizing) found[i] = to !== null && hasCode(to)
    for (const { address, before } of diffs[i] ?? []) codes.set(address, before?.codeHash ?? EMPTY_CODE_HASH)
    if (!isAuthorizing) found[i] = to !== null && hasCode(to)
  }
  return found
}
