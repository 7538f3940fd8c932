// A developer's change of the state outside a block (anvil_setBalance and others). The bank's supply of the base coin changes by
// the same amount as the balances.
import type { Modules } from '../modules/index.ts'
import type { Header } from '../primitives/types.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/** A change of the state at the head. `modules` see the head's number and time; undefined on a plain chain. */
export type StateEdit = (view: StateView, modules: Modules | undefined) => void

/** Applies the change and adjusts the supply. Returns what was changed, without the supply. */
export function editState(runtime: Runtime, head: Header, view: StateView, change: StateEdit): TransactionDiff {
  const modules = runtime.modules(view, runtime.env(head), 'write')
  const bank = modules?.bank
  modules?.distribution.settle()
  view.beginTransaction()
  change(view, modules)
  const diff = view.transactionDiff()
  // A loaded dump (anvil_loadState) has set the supply itself.
  if (bank === undefined || diff.some(({ address }) => address === NATIVE_CONTRACT.bank)) return diff
  const made = diff.reduce((sum, { before, after }) => sum + (after?.balance ?? 0n) - (before?.balance ?? 0n), 0n)
  if (made !== 0n) bank.adjustSupply(made)
  return diff
}
