// The rules of a fork: one boolean for each fork, true if it is active. All rooms use them. FORKS of chain-spec.ts lists the forks;
// `forkAt` of forks.ts finds a block's fork in the schedule of its chain. The rule of an EIP is named by the
// fork that includes it: `rules.berlin` for EIP-2929.
import { type ChainSpec, FORKS, type Fork } from './chain-spec.ts'

/** `rules.berlin`: `rules.fork` is Berlin or a later fork. `codeSizeLimit`: of a chain with a limit of its own. */
export type ForkRules = { readonly fork: Fork; readonly codeSizeLimit?: number | undefined } & {
  readonly [fork in Fork]: boolean
}

const created = {} as Record<Fork, ForkRules>
for (const [rank, fork] of FORKS.entries()) {
  const active = Object.fromEntries(FORKS.map((other, place) => [other, place <= rank])) as Record<Fork, boolean>
  created[fork] = Object.freeze({ fork, ...active })
}
const RULES: Readonly<Record<Fork, ForkRules>> = created

/** The rules of a fork; a frozen object, the same one at each call. */
export const forkRules = (fork: Fork): ForkRules => RULES[fork]

/** The rules of a fork on a chain. */
export const rulesOn = ({ codeSizeLimit }: Pick<ChainSpec, 'codeSizeLimit'>, fork: Fork): ForkRules =>
  codeSizeLimit === undefined ? RULES[fork] : { ...RULES[fork], codeSizeLimit }
