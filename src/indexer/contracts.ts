// Indexes contracts: each is listed once, even if it is created again, with its creator. Whether it is destroyed is read from
// the state, because a SELFDESTRUCT may have no effect (EIP-6780).
import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import { delegationOf } from '../primitives/delegation.ts'
import type { CallTree, ExecutedBlock } from '../runtime/types.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import { KEY } from '../state/keyspace.ts'
import type { Account, ChangedAccount, StateView } from '../state/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import type { AccountRecords } from './account-records.ts'
import { hasNoInnerCalls, isCreation, visitCalls } from './indexing-context.ts'
import { firstSeenEntry, LIST } from './tables.ts'

/** Records the contracts that a block's messages created. Call it before `indexCodes`. */
export function indexCreations(
  executed: ExecutedBlock,
  firstTransaction: number,
  overlay: Overlay,
  facts: AccountRecords,
): void {
  const creations: (Creation & { readonly transaction: number })[] = []
  for (const [i, root] of executed.callTrees.entries()) {
    if (hasNoInnerCalls(root)) continue
    for (const creation of creationsOf(root)) creations.push({ ...creation, transaction: firstTransaction + i })
  }
  if (creations.length === 0) return
  const before = accountsBefore(executed)
  for (const { creator, created, transaction } of creations) {
    const fact = facts.of(created)
    if (!wasListed(fact) && !isContract(codeBefore(overlay, before.get(created)))) list(overlay, created, facts.number)
    fact.creator = creator
    fact.createdIn = transaction
    fact.isDestroyed = !isContract(executed.view.code(created))
  }
}

/** Records code that appeared or vanished, whatever the cause: messages, genesis, native modules, development methods. */
export function indexCodes(
  changed: readonly ChangedAccount[],
  view: StateView,
  overlay: Overlay,
  facts: AccountRecords,
): void {
  for (const { address, before, after } of changed) {
    if (codeHashOf(before) === codeHashOf(after)) continue
    const was = isContract(codeBefore(overlay, before))
    const is = isContract(view.code(address))
    if (was === is) continue
    const fact = facts.of(address)
    if (is && !wasListed(fact)) list(overlay, address, facts.number)
    fact.isDestroyed = was
  }
}

/** Contracts without code after the block, and contracts created by a message; all others are recognized by their code. */
const wasListed = (fact: { createdIn: number | undefined; isDestroyed: boolean }): boolean =>
  fact.createdIn !== undefined || fact.isDestroyed

function list(overlay: Overlay, address: Address, number: number): void {
  overlay.append(LIST.contracts, firstSeenEntry.encode({ number, address }))
}

type Creation = { readonly creator: Address; readonly created: Address }

/** Creations that were not reverted and that left code. */
function creationsOf(root: CallTree): Creation[] {
  const creations: Creation[] = []
  for (const { call, isUndone } of visitCalls(root)) {
    if (!isCreation(call) || isUndone || call.error !== undefined) continue
    if (call.to !== null && call.output.length > 0) creations.push({ creator: call.from, created: call.to })
  }
  return creations
}

/** Accounts that transactions changed, with their state before the first transaction of the block. */
function accountsBefore({ diffs }: ExecutedBlock): ReadonlyMap<Address, Account | undefined> {
  const accounts = new Map<Address, Account | undefined>()
  for (const diff of diffs.toReversed()) for (const { address, before } of diff) accounts.set(address, before)
  return accounts
}

/** Whether an account has its own code; the delegation of an account with a key does not count (EIP-7702). */
const isContract = (code: Uint8Array): boolean => code.length > 0 && delegationOf(code) === undefined

const codeHashOf = (account: Account | undefined) => account?.codeHash ?? EMPTY_CODE_HASH

/** Code from before the version that is being indexed; it is in the store. */
const codeBefore = (overlay: Overlay, before: Account | undefined): Uint8Array =>
  overlay.get(KEY.code(codeHashOf(before))) ?? EMPTY_BYTES
