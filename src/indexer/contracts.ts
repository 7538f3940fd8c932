// Which accounts are contracts: each is listed once, however often it is made again, and knows who made it. What became
// of it is read off the state: a SELFDESTRUCT that the rules ignored has changed nothing.
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

/** Contracts that a block's messages made. To be called before `indexCodes`. */
export function indexCreations(
  executed: ExecutedBlock,
  firstTransaction: number,
  draft: Overlay,
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
    if (!wasListed(fact) && !isContract(codeBefore(draft, before.get(created)))) list(draft, created, facts.number)
    fact.creator = creator
    fact.createdIn = transaction
    fact.isDestroyed = !isContract(executed.view.code(created))
  }
}

/** Code that appeared or went, by whomever: messages, the genesis, the native modules, someone by hand. */
export function indexCodes(
  changed: readonly ChangedAccount[],
  view: StateView,
  draft: Overlay,
  facts: AccountRecords,
): void {
  for (const { address, before, after } of changed) {
    if (codeHashOf(before) === codeHashOf(after)) continue
    const was = isContract(codeBefore(draft, before))
    const is = isContract(view.code(address))
    if (was === is) continue
    const fact = facts.of(address)
    if (is && !wasListed(fact)) list(draft, address, facts.number)
    fact.isDestroyed = was
  }
}

/** Contracts that have no code any more, and those that a message made: of others their code tells. */
const wasListed = (fact: { createdIn: number | undefined; isDestroyed: boolean }): boolean =>
  fact.createdIn !== undefined || fact.isDestroyed

function list(draft: Overlay, address: Address, number: number): void {
  draft.append(LIST.contracts, firstSeenEntry.encode({ number, address }))
}

type Creation = { readonly creator: Address; readonly created: Address }

/** Creations that stayed and left code. */
function creationsOf(root: CallTree): Creation[] {
  const creations: Creation[] = []
  for (const { call, isUndone } of visitCalls(root)) {
    if (!isCreation(call) || isUndone || call.error !== undefined) continue
    if (call.to !== null && call.output.length > 0) creations.push({ creator: call.from, created: call.to })
  }
  return creations
}

/** Accounts that transactions changed, as they were before the block's first one. */
function accountsBefore({ diffs }: ExecutedBlock): ReadonlyMap<Address, Account | undefined> {
  const accounts = new Map<Address, Account | undefined>()
  for (const diff of diffs.toReversed()) for (const { address, before } of diff) accounts.set(address, before)
  return accounts
}

/** An account whose code runs for itself; not one with a key that lets another's code run in its place (EIP-7702). */
const isContract = (code: Uint8Array): boolean => code.length > 0 && delegationOf(code) === undefined

const codeHashOf = (account: Account | undefined) => account?.codeHash ?? EMPTY_CODE_HASH

/** Code from before the version that is being indexed: it is on disk. */
const codeBefore = (draft: Overlay, before: Account | undefined): Uint8Array =>
  draft.get(KEY.code(codeHashOf(before))) ?? EMPTY_BYTES
