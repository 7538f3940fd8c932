// A developer's change of the state outside any block. The bank's supply follows the change of the base coin's balances.
import type { Modules } from '../modules/index.ts'
import type { Header } from '../primitives/types.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

const MOST = 2n ** 256n - 1n

/** A change of the state at the head; the modules work in the head's block, and are undefined on a plain chain. */
export type StateEdit = (view: StateView, modules: Modules | undefined) => void

/** Applies the change; on a native chain the supply follows the balances, as far as a word can hold it. */
export function editState(runtime: Runtime, head: Header, view: StateView, change: StateEdit): void {
  const modules = runtime.modules(view, runtime.env(head), 'write')
  const bank = modules?.bank
  view.beginTransaction()
  change(view, modules)
  const diff = view.transactionDiff()
  // A loaded dump brings the supply with it.
  if (bank === undefined || diff.some(({ address }) => address === NATIVE_CONTRACT.bank)) return
  const made = diff.reduce((sum, { before, after }) => sum + (after?.balance ?? 0n) - (before?.balance ?? 0n), 0n)
  const supply = bank.supply() + made
  const kept = supply < 0n ? 0n : supply > MOST ? MOST : supply
  if (made !== 0n) bank.adjustSupply(kept - bank.supply())
}
