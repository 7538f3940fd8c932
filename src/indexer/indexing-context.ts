// The input of the functions that index a block, and the values that they pass to each other. A sequence is the position that
// an entry will have in its list: the first transaction of a block follows the last one of the chain.
import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import type { CallTree, ExecutedBlock } from '../runtime/types.ts'
import type { ChangedAccount } from '../state/types.ts'
import type { CallEntry, Role } from './tables.ts'

export type IndexingContext = {
  readonly executed: ExecutedBlock
  /** Accounts whose fields (not storage) the block changed. */
  readonly changed: readonly ChangedAccount[]
  readonly read: ReadContract
  /** Whether the accounts are part of the state that the chain begins with, so that all of them are new. */
  readonly isBeginning?: boolean
}

/** The entries of a list for one transaction. */
export type EntryRange = { readonly first: number; readonly count: number }

/** One element for each transaction of the block. */
export type IndexedCalls = readonly (EntryRange & { readonly hasError: boolean })[]
export type IndexedTokens = {
  readonly ranges: readonly EntryRange[]
  /** Contracts created in this block that are tokens. */
  readonly created: ReadonlySet<Address>
}

/** A message of a transaction; `isUndone` when a message around it failed. */
export type VisitedCall = { readonly call: CallTree; readonly index: number; readonly isUndone: boolean }

/** Every message of a transaction in call order, the transaction's own first. */
export function* visitCalls(root: CallTree): Generator<VisitedCall> {
  const waiting = [{ call: root, isUndone: false }]
  for (let index = 0; ; index++) {
    const next = waiting.pop()
    if (next === undefined) return
    yield { ...next, index }
    const isUndone = next.isUndone || next.call.error !== undefined
    for (const call of next.call.calls.toReversed()) waiting.push({ call, isUndone })
  }
}

const SELECTOR_SIZE = 4
/** The first four bytes of a call's input; empty if it is shorter. */
export const selectorOf = (input: Uint8Array): Uint8Array =>
  input.length < SELECTOR_SIZE ? EMPTY_BYTES : input.subarray(0, SELECTOR_SIZE)

export const isCreation = ({ type }: Pick<CallEntry, 'type'>): boolean => type === 'CREATE' || type === 'CREATE2'

/** Whether a transaction is a single call without inner messages and native transfers, as most are. */
export const hasNoInnerCalls = (root: CallTree): boolean =>
  root.calls.length === 0 && root.coinTransfers === undefined && !isCreation(root)

/** Like `rolesOf`, for a creation. */
export const rolesOfCreation = (from: Address, created: Address | undefined): readonly (readonly [Address, Role])[] =>
  created === undefined
    ? [[from, 'out']]
    : [
        [from, 'out'],
        [created, 'created'],
      ]
