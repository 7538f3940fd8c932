// Queries of the native modules' state after a block: broken invariants, the signers of the next block, and the validators in
// CometBFT's form.

import type { Address, Hash } from '../lib/hex.ts'
import { consensusParamsOn } from '../modules/consensus-params.ts'
import { isNativeCode } from '../modules/module.ts'
import type { ConsensusParams, UpgradePlan } from '../modules/params.ts'
import { type BondedValidator, stakingLayout } from '../modules/staking/layout.ts'
import { type DoneUpgrade, doneUpgradesOn, type ListChange, listChangeOf, upgradePlanOn } from '../modules/upgrade.ts'
import { precompilesOf } from '../precompiles/index.ts'
import type { Header } from '../primitives/types.ts'
import { consensusAddress, MODULE_NAME, moduleAddress, NATIVE_CONTRACT, WERC20 } from '../spec/addresses.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/**
 * The broken invariants, each as a text that begins with the module's name; empty on a plain chain. `held`: base coins that the
 * supply counts, of all accounts; undefined: not known. They may be fewer than the supply, because SELFDESTRUCT burns coins without
 * the bank, but never more.
 */
export function brokenInvariants(
  runtime: Runtime,
  header: Header,
  view: StateView,
  held: bigint | undefined,
): string[] {
  const modules = runtime.modules(view, runtime.env(header), 'read')
  if (modules === undefined) return []
  const { bank, staking, distribution, transfer, ibc, gov } = modules
  const supply = bank.supply()
  const conserved =
    held === undefined || held <= supply ? [] : [`bank: accounts hold ${held}, and the supply is ${supply}`]
  const books = [staking, distribution, transfer, ...(ibc === undefined ? [] : [ibc]), gov].flatMap((module) =>
    module.invariants().map((broken) => `${module.name}: ${broken}`),
  )
  return [...conserved, ...books]
}

/** A validator that was bonded at the end of the previous block. */
export type Signer = BondedValidator

/** Signers of the block after `header`, by voting power, largest first. `view`: the state after `header`. None on a plain chain. */
export const nextSigners = (runtime: Runtime, header: Header, view: StateView): readonly Signer[] =>
  runtime.modules(view, runtime.env(header), 'read')?.staking.bondedValidators() ?? []

/** An account with a name for people. */
export type NamedAccount = { readonly address: Address; readonly name: string }

/** The accounts whose code is native, in the state after a block: native contracts, module accounts, contracts of coins. */
export function nativeAccounts(runtime: Runtime, header: Header, view: StateView): readonly NamedAccount[] {
  const pairs = runtime.modules(view, runtime.env(header), 'read')?.erc20.pairs() ?? []
  const named = [
    ...precompilesOf(runtime.spec.native).map(({ address, name }) => ({
      address,
      name,
    })),
    ...Object.values(MODULE_NAME).map((name) => ({ address: moduleAddress(name), name })),
    ...pairs.filter(({ token }) => token !== WERC20).map(({ token }) => ({ address: token, name: 'voucher' })),
  ]
  return named.filter(({ address }) => isNativeCode(view.code(address)))
}

/** Operators of the bonded validators in a state, strongest first. */
export const bondedOperators = (view: StateView): readonly Address[] =>
  stakingLayout
    .open(view.slots(NATIVE_CONTRACT.staking, 'read'))
    .bonded.get()
    .map(({ operator }) => operator)

/** A bonded validator by its consensus key. */
export type ConsensusValidator = { readonly key: Hash; readonly power: bigint }

/** The bonded validators after a block, with the keys that sign: those of a promoted chain change with its first network block. */
export function consensusValidators(runtime: Runtime, header: Header, view: StateView): readonly ConsensusValidator[] {
  const staking = runtime.modules(view, runtime.env(header), 'read')?.staking
  const adopted = adoptedKeys(runtime, header)
  return (staking?.bondedValidators() ?? []).flatMap(({ operator, power }) => {
    const key = adopted.get(operator) ?? staking?.validator(operator)?.consensusKey
    return key === undefined ? [] : [{ key, power }]
  })
}

/** Parameters of consensus that governance has set; zero and false: not this one. */
export type GovernedParams = ConsensusParams

/** undefined: governance has set none. */
export const consensusParamsAfter = ({ spec }: Runtime, view: StateView): GovernedParams | undefined =>
  consensusParamsOn(spec.native, view)

/** The scheduled upgrade, those that have happened in order, and the last one of the program among them. */
export type GovernedUpgrades = {
  /** `change`: of the list of opcode proposals; undefined: it is an upgrade of the program. */
  readonly plan: (UpgradePlan & { readonly change: ListChange | undefined }) | undefined
  readonly done: readonly DoneUpgrade[]
  readonly last: DoneUpgrade | undefined
}

export function upgradesAfter({ spec: { native } }: Runtime, view: StateView): GovernedUpgrades {
  const done = native === undefined ? [] : doneUpgradesOn(native, view)
  const plan = upgradePlanOn(native, view)
  return {
    plan: plan && { ...plan, change: listChangeOf(plan) },
    done,
    last: done.findLast(({ isProgram }) => isProgram),
  }
}

/** Operator of a validator that is or was bonded in a network, in the state after a block; undefined: unknown address. */
export function operatorOfSigner(
  runtime: Runtime,
  header: Header,
  view: StateView,
  signer: Address,
): Address | undefined {
  for (const [operator, key] of adoptedKeys(runtime, header)) if (consensusAddress(key) === signer) return operator
  return runtime.modules(view, runtime.env(header), 'read')?.slashing?.operatorByConsensusAddress(signer)
}

/** Consensus keys of validators from the next block on. */
function adoptedKeys({ spec }: Runtime, { number }: Header): ReadonlyMap<Address, Hash> {
  const consensus = spec.native?.consensus
  const keys = consensus?.initialHeight === number + 1n ? consensus.keys : []
  return new Map(keys.map(({ operator, consensusKey }) => [operator, consensusKey]))
}
