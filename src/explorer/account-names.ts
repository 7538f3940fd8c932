// The name of an address: that of its contract, token, module or validator.
import { type ContractsContext, contractName } from '../contracts/abi.ts'
import type { Address } from '../lib/hex.ts'
import { visibleText } from '../lib/visible-text.ts'
import { stakingLayout } from '../modules/staking/layout.ts'
import { MODULE_ACCOUNT, MODULE_NAME, NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { KvReader, StateView } from '../state/types.ts'
import { tokenName } from './shapes/token.ts'

/** Module accounts by address, under their names in the Cosmos SDK: `bonded_tokens_pool`. */
const MODULES: ReadonlyMap<Address, string> = new Map(
  (Object.keys(MODULE_NAME) as (keyof typeof MODULE_NAME)[]).map((key) => [MODULE_ACCOUNT[key], MODULE_NAME[key]]),
)

/** undefined: the address has no name. Contracts come first: their names are verified, monikers are not. */
export function accountName(known: ContractsContext & { readonly rows: KvReader }, of: Address): string | undefined {
  return contractName(known, of) ?? tokenName(known, of) ?? moduleName(known, of) ?? moniker(known, of)
}

/** The name of the module whose account this is. */
export const moduleName = ({ spec }: Pick<ContractsContext, 'spec'>, of: Address): string | undefined =>
  spec.native === undefined ? undefined : MODULES.get(of)

/** The moniker of the validator with this operator; undefined for other accounts and empty monikers. */
export function moniker({ spec, view }: Pick<ContractsContext, 'spec' | 'view'>, of: Address): string | undefined {
  if (spec.native === undefined) return undefined
  const { operators, validators } = openStaking(view)
  return operators.has(of) ? visibleText(validators.at(of).member('description').moniker) : undefined
}

const openStaking = (view: StateView) => stakingLayout.open(view.slots(NATIVE_CONTRACT.staking, 'read'))

export type NamedAccount = { readonly address: Address; readonly name: string }

/** Module accounts and validators by name, for the search. */
export function* namedAccounts({ spec, view }: Pick<ContractsContext, 'spec' | 'view'>): Generator<NamedAccount> {
  if (spec.native === undefined) return
  for (const [address, name] of MODULES) yield { address, name }
  const { operators, validators } = openStaking(view)
  for (const address of operators.keys()) {
    const name = visibleText(validators.at(address).member('description').moniker)
    if (name !== undefined) yield { address, name }
  }
}
