// Upgrades of the program at a height (Cosmos SDK x/upgrade): a node stops before it makes a block that its program may not make.
// The chain has the plan (`modules/upgrade.ts`), the program the names that it knows; the words are the SDK's.
import { ChainError } from '../lib/errors.ts'
import { visibleText } from '../lib/visible-text.ts'
import type { UpgradePlan } from '../modules/params.ts'
import type { DoneUpgrade } from '../modules/upgrade.ts'
import { PROGRAM_UPGRADES } from '../spec/program-upgrades.ts'
import type { GovernedUpgrades } from './module-queries.ts'

/** What a program knows of upgrades, and the heights whose upgrade its operator skips. */
export type ProgramUpgrades = { readonly known: ReadonlySet<string>; readonly skipped: ReadonlySet<bigint> }

/** `skipped`: heights in digits. */
export const programUpgrades = (skipped: readonly string[] = []): ProgramUpgrades => ({
  known: new Set(PROGRAM_UPGRADES),
  skipped: new Set(skipped.map(BigInt)),
})

/** Another version of the program has to make the next block. `plan`: an upgrade that needs a newer one. */
export class OtherProgramNeeded extends ChainError {
  readonly plan: UpgradePlan | undefined

  constructor(line: string, plan?: UpgradePlan) {
    super('not-allowed', line)
    this.plan = plan
  }
}

/** Throws OtherProgramNeeded if the chain's last upgrade of the program is not one of this program's. */
export function requireKnown(last: DoneUpgrade | undefined, known = programUpgrades().known): void {
  if (last === undefined || known.has(last.name)) return
  throw new OtherProgramNeeded(
    `the chain has had the upgrade "${last.name}" at height ${last.height}, which this version does not know: use a version that does`,
  )
}

/**
 * Whether block `next` skips the upgrade of its height. Throws OtherProgramNeeded if this program may not make the block. `plan` and
 * `last`, the newest upgrade of the program that has happened: of the state before the block.
 */
export function requireProgram(
  plan: GovernedUpgrades['plan'],
  last: DoneUpgrade | undefined,
  next: bigint,
  { known, skipped }: ProgramUpgrades,
): boolean {
  requireKnown(last, known)
  if (plan === undefined) return false
  if (plan.height <= next && skipped.has(next)) return true
  if (plan.change !== undefined) return false
  if (plan.height <= next && !known.has(plan.name))
    throw new OtherProgramNeeded(
      `UPGRADE "${plan.name}" NEEDED at height: ${plan.height}: ${visibleText(plan.info) ?? ''}`,
      plan,
    )
  if (plan.height > next && known.has(plan.name) && !skipped.has(plan.height))
    throw new OtherProgramNeeded(
      `BINARY UPDATED BEFORE TRIGGER! UPGRADE "${plan.name}" - in binary but not executed on chain. Downgrade your binary`,
    )
  return false
}
