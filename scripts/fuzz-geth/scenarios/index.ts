// Every kind of scenario, with its frequency and its forks.
import type { Kind } from '../scenario.ts'
import { creations, creationTransactions, recursion, selfDestructs, stores } from './accounts.ts'
import { codeEnds, memoryEdges, stackLimits } from './code-ends.ts'
import { graphs, opcodeOutcomes } from './control-flow.ts'
import { delegations } from './delegations.ts'
import { arithmetic, gasLadders, precompiles, programs } from './programs.ts'
import { exactGas, stackIndices, stateGas } from './state-gas.ts'

export type NamedKind = {
  readonly name: string
  readonly make: Kind
  /** Its share of the sum of all weights. */
  readonly weight: number
  /** The first fork for which it is useful. */
  readonly since: string
}

export const KINDS: readonly NamedKind[] = [
  { name: 'programs', make: programs, weight: 20, since: 'Frontier' },
  { name: 'dense', make: arithmetic, weight: 12, since: 'Cancun' },
  { name: 'precompiles', make: precompiles, weight: 10, since: 'Frontier' },
  { name: 'gas-ladders', make: gasLadders, weight: 6, since: 'Frontier' },
  { name: 'control-flow', make: graphs, weight: 14, since: 'Frontier' },
  { name: 'opcode-outcomes', make: opcodeOutcomes, weight: 8, since: 'Berlin' },
  { name: 'code-ends', make: codeEnds, weight: 16, since: 'Frontier' },
  { name: 'stack-limits', make: stackLimits, weight: 4, since: 'Frontier' },
  { name: 'memory-edges', make: memoryEdges, weight: 8, since: 'Frontier' },
  { name: 'creations', make: creations, weight: 10, since: 'Frontier' },
  { name: 'creation-transactions', make: creationTransactions, weight: 5, since: 'Frontier' },
  { name: 'self-destructs', make: selfDestructs, weight: 8, since: 'Frontier' },
  { name: 'stores', make: stores, weight: 8, since: 'Frontier' },
  { name: 'recursion', make: recursion, weight: 2, since: 'Frontier' },
  { name: 'delegations', make: delegations, weight: 12, since: 'Prague' },
  { name: 'exact-gas', make: exactGas, weight: 8, since: 'Osaka' },
  { name: 'state-gas', make: stateGas, weight: 24, since: 'Cancun' },
  { name: 'stack-indices', make: stackIndices, weight: 6, since: 'Amsterdam' },
]
