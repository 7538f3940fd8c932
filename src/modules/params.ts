// The EVM's parameters as state: which improvement proposals are active, in the order in which they are applied.
// Being state, they answer for every block with what held there. Whether this binary knows a name is not asked here.
import { ChainError } from '../lib/errors.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import { layout, list } from '../state/layout.ts'
import { text } from '../state/words.ts'
import type { ModuleContext, NativeModule } from './module.ts'

/** Storage of the `evm` module account. */
export const paramsLayout = layout({
  activeProposals: list(text),
})

export type ParamsGenesis = { readonly activeProposals: readonly string[] }

export class Params implements NativeModule<ParamsGenesis> {
  readonly name = 'params'
  readonly #context: ModuleContext
  readonly #state: ReturnType<typeof paramsLayout.open>

  constructor(context: ModuleContext) {
    const { view, access } = context
    this.#context = context
    this.#state = paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, access))
  }

  initGenesis({ activeProposals }: ParamsGenesis): void {
    this.setActiveProposals(activeProposals)
  }

  /** The specification's upgrades of this height; they hold for the block's own transactions. */
  beginBlock(): void {
    const { spec, block } = this.#context
    for (const upgrade of spec.upgrades) {
      if (upgrade.height !== block.number) continue
      for (const name of upgrade.addProposals) this.addProposal(name)
      for (const name of upgrade.removeProposals) this.removeProposal(name)
    }
  }

  /** Names in order of application: `kestrel_0`. */
  activeProposals(): readonly string[] {
    return this.#state.activeProposals.get()
  }

  /** Replaces the list. Throws ChainError on a malformed or repeated name; then the old list stands. */
  setActiveProposals(names: readonly string[]): void {
    for (const [i, name] of names.entries()) {
      if (!isProposalName(name)) throw new ChainError('invalid-params', `EIP ${name} name is not valid`)
      if (names.indexOf(name) !== i) throw new ChainError('invalid-params', `found duplicate EIP: ${name}`)
    }
    this.#state.activeProposals.set(names)
  }

  /** Adds a name at the end; one that is active already stays where it is. */
  addProposal(name: string): void {
    const active = this.activeProposals()
    if (!active.includes(name)) this.setActiveProposals([...active, name])
  }

  /** Takes a name out; one that is not active is no error. */
  removeProposal(name: string): void {
    this.setActiveProposals(this.activeProposals().filter((active) => active !== name))
  }
}

const LONGEST_NAME = 64

/** `<chain name>_<number>`: lower case, the number up to 2^31 - 1 without leading zeros. */
export function isProposalName(name: string): boolean {
  const number = /^[a-z][a-z0-9-]*_(0|[1-9][0-9]*)$/.exec(name)?.[1]
  return number !== undefined && name.length <= LONGEST_NAME && BigInt(number) < 2n ** 31n
}
