// The name under which an address is shown: of its contract, its token, its module or its validator.
import type { Address } from '../lib/hex.ts'
import { visibleText } from '../lib/visible-text.ts'
import { stakingLayout } from '../modules/staking/layout.ts'
import { MODULE_ACCOUNT, MODULE_NAME, NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { StateView } from '../state/types.ts'
import { type ContractsContext, contractName } from './contracts/abi.ts'
import { tokenName } from './shapes/token.ts'

/** Module accounts by address, under their names in the Cosmos SDK: `bonded_tokens_pool`. */
const MODULES: ReadonlyMap<Address, string> = new Map(
  (Object.keys(MODULE_NAME) as (keyof typeof MODULE_NAME)[]).map((key) => [MODULE_ACCOUNT[key], MODULE_NAME[key]]),
)

/** undefined: nothing gives the address a name. Contracts come first: their names were verified, monikers were not. */
export function accountName(known: ContractsContext, of: Address): string | undefined {
  return contractName(known, of) ?? tokenName(known, of) ?? moduleName(known, of) ?? moniker(known, of)
}

/** The name of the module whose account this is. */
export const moduleName = ({ spec }: Pick<ContractsContext, 'spec'>, of: Address): string | undefined =>
  spec.native === undefined ? undefined : MODULES.get(of)

/** What the operator of a validator calls it; undefined for other accounts, and where the operator gave no name. */
function moniker({ spec, view }: Pick<ContractsContext, 'spec' | 'view'>, of: Address): string | undefined {
  if (spec.native === undefined) return undefined
  const { operators, validators } = openStaking(view)
  return operators.has(of) ? visibleText(validators.at(of).member('description').moniker) : undefined
}

const openStaking = (view: StateView) => stakingLayout.open(view.slots(NATIVE_CONTRACT.staking, 'read'))

export type NamedAccount = { readonly address: Address; readonly name: string }

/** Module accounts and validators, by name: what a search for names goes through besides tokens and contracts. */
export function* namedAccounts({ spec, view }: Pick<ContractsContext, 'spec' | 'view'>): Generator<NamedAccount> {
  if (spec.native === undefined) return
  for (const [address, name] of MODULES) yield { address, name }
  const { operators, validators } = openStaking(view)
  for (const address of operators.keys()) {
    const name = visibleText(validators.at(address).member('description').moniker)
    if (name !== undefined) yield { address, name }
  }
}
