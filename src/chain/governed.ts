// What governance has decided about the next blocks: consensus parameters, the block gas limit, the upgrade that is due. All of it
// is in the state before the block.
import type { SealedHeader } from '../primitives/types.ts'
import { consensusParamsAfter, type GovernedParams, upgradesAfter } from '../runtime/module-queries.ts'
import { type ProgramUpgrades, requireProgram } from '../runtime/program-upgrades.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'
import { SKIPPED_UPGRADE } from '../spec/block-rules.ts'
import type { StateView } from '../state/types.ts'

/** The newest block and the state after it. */
type Head = { readonly head: SealedHeader; view(): StateView }

export class GovernedBlocks {
  readonly #runtime: Runtime
  readonly #canonical: Head
  readonly #upgrades: ProgramUpgrades

  constructor(runtime: Runtime, canonical: Head, upgrades: ProgramUpgrades) {
    this.#runtime = runtime
    this.#canonical = canonical
    this.#upgrades = upgrades
  }

  /** Consensus parameters after an executed block, or after the head; undefined: governance has set none. */
  params(after?: ExecutedBlock): GovernedParams | undefined {
    return consensusParamsAfter(this.#runtime, after?.view ?? this.#canonical.view())
  }

  /** The gas limit that the next block must have; undefined: governance has set none. */
  get gasLimit(): bigint | undefined {
    return this.#runtime.nextGasLimit(this.#canonical.head, this.#canonical.view())
  }

  /** The attributes of the next block that are not the producer's choice. Throws OtherProgramNeeded. */
  attributes(): Partial<PayloadAttributes> {
    const { gasLimit } = this
    const skips = this.requireProgram()
    return { ...(gasLimit !== undefined && { gasLimit }), ...(skips && { extraData: SKIPPED_UPGRADE }) }
  }

  /** Whether the next block skips an upgrade. Throws OtherProgramNeeded if this program may not make it. */
  requireProgram(): boolean {
    const { plan, last } = upgradesAfter(this.#runtime, this.#canonical.view())
    return requireProgram(plan, last, this.#canonical.head.number + 1n, this.#upgrades)
  }
}
