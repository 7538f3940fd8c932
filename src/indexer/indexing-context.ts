// What the writers of readers' tables are given of a block, and what they tell each other. Sequences are those which the
// entries will have: a block's first transaction follows the last one of the chain.
import type { Address } from '../lib/hex.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import type { CallTree, ExecutedBlock } from '../runtime/types.ts'
import type { ChangedAccount } from '../state/types.ts'
import type { Role } from './tables.ts'

export type IndexingContext = {
  readonly executed: ExecutedBlock
  /** Accounts whose own fields the block changed. */
  readonly changed: readonly ChangedAccount[]
  readonly read: ReadContract
}

/** Which entries of a list belong to a transaction. */
export type EntryRange = { readonly first: number; readonly count: number }

/** By index of the transaction. */
export type IndexedCalls = readonly (EntryRange & { readonly hasError: boolean })[]
export type IndexedTokens = {
  readonly ranges: readonly EntryRange[]
  /** Contracts of this block that are tokens. */
  readonly created: ReadonlySet<Address>
}

/** A message that happened and stayed, or one that was undone with what was around it. */
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

export const isCreation = ({ type }: CallTree): boolean => type === 'CREATE' || type === 'CREATE2'

/** Whether a transaction is only the call that it itself is, as most are. */
export const hasNoInnerCalls = (root: CallTree): boolean => root.calls.length === 0 && !isCreation(root)

/** As `sidesOf`, of something that creates a contract. */
export const rolesOfCreation = (from: Address, created: Address | undefined): readonly (readonly [Address, Role])[] =>
  created === undefined
    ? [[from, 'out']]
    : [
        [from, 'out'],
        [created, 'created'],
      ]
