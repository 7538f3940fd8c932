// Whether the native modules' books are in order after a block.
import type { Header } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/** What is wrong, in words that begin with the module's name; empty when all is well, and on a plain chain. */
export function brokenInvariants(runtime: Runtime, header: Header, view: StateView): string[] {
  const modules = runtime.modules(view, runtime.env(header), 'read')
  if (modules === undefined) return []
  const { staking, distribution, transfer } = modules
  return [staking, distribution, transfer].flatMap((module) =>
    module.invariants().map((broken) => `${module.name}: ${broken}`),
  )
}
