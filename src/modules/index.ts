// The registry of native modules: constructs all of them over one context, connects their hooks, and lists the order in
// which they begin a block, end a block and write the genesis.
import type { Address } from '../lib/hex.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../spec/addresses.ts'
import { hasIbc } from '../spec/block-rules.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { Authz } from './authz/authz.ts'
import { Bank } from './bank.ts'
import { Distribution, readDistributionGenesis } from './distribution/distribution.ts'
import { Erc20, readErc20Genesis } from './erc20/erc20.ts'
import { Gov } from './gov/gov.ts'
import { readGovGenesis } from './gov/params.ts'
import { Ibc, readIbcGenesis } from './ibc/ibc.ts'
import { Inflation, readInflationGenesis } from './inflation.ts'
import { type BlockInfo, createNativeAccount, type ModuleContext, type NativeModule } from './module.ts'
import { Params } from './params.ts'
import { readSlashingGenesis, Slashing } from './slashing/slashing.ts'
import { readStakingGenesis } from './staking/genesis.ts'
import { Staking } from './staking/staking.ts'
import { PORT, readTransferGenesis } from './transfer/genesis.ts'
import { Transfer } from './transfer/transfer.ts'
import { Upgrades } from './upgrade.ts'
import { Vesting } from './vesting/vesting.ts'

export type Modules = {
  readonly bank: Bank
  readonly params: Params
  readonly upgrades: Upgrades
  readonly authz: Authz
  readonly staking: Staking
  /** undefined: the genesis does not have the module. */
  readonly slashing: Slashing | undefined
  readonly distribution: Distribution
  readonly inflation: Inflation
  readonly vesting: Vesting
  readonly erc20: Erc20
  readonly transfer: Transfer
  /** undefined: the genesis does not have the module. */
  readonly ibc: Ibc | undefined
  readonly gov: Gov
}

const hasSlashing = ({ modules }: NativeSpec): boolean => modules.slashing !== undefined

export function openModules(context: ModuleContext): Modules {
  const bank = new Bank(context)
  const params = new Params(context)
  const vesting = new Vesting(context, bank, (account) => gov.isContested(account))
  bank.addSendRestriction(vesting.requireSpendable)
  bank.setDelegationRule(vesting.delegations)
  const distribution = new Distribution(
    context,
    bank,
    () => staking,
    (address) => slashing?.operatorByConsensusAddress(address),
  )
  const slashing = hasSlashing(context.spec) ? new Slashing(context, () => staking) : undefined
  const staking = new Staking(context, bank, {
    ...distribution.hooks,
    beforeDelegationSharesModified(delegator, operator) {
      gov.beforeDelegationChanges(delegator)
      distribution.hooks.beforeDelegationSharesModified(delegator, operator)
    },
    afterValidatorBonded: (operator) => slashing?.afterValidatorBonded(operator),
  })
  const authz = new Authz(context, {
    openValidators: () => staking.openOperators(),
    channels: () =>
      transfer.channels.ends().map(([{ port, channel }]) => ({ sourcePort: port, sourceChannel: channel })),
  })
  const inflation = new Inflation(context, bank, (from, amount) => distribution.fundCommunityPool(from, amount))
  const erc20 = new Erc20(context, bank, (account) => vesting.spendable(account))
  const ibc = hasIbc(context.spec) ? new Ibc(context, new Map([[PORT, () => transfer.port]])) : undefined
  const transfer = new Transfer(context, bank, erc20, ibc)
  const upgrades = new Upgrades(context, params)
  const governed = { params, upgrades, erc20, staking, slashing, distribution, vesting, inflation, transfer, ibc }
  const gov = new Gov(context, bank, staking, governed)
  return {
    bank,
    params,
    upgrades,
    authz,
    staking,
    slashing,
    distribution,
    inflation,
    vesting,
    erc20,
    transfer,
    ibc,
    gov,
  }
}

type Hooks = Pick<NativeModule<never>, 'name' | 'beginBlock' | 'endBlock'>
const beginOrder = ({
  params,
  upgrades,
  bank,
  inflation,
  slashing,
  distribution,
  authz,
}: Modules): readonly Hooks[] => [
  params,
  upgrades,
  bank,
  inflation,
  // Before distribution, so that a validator slashed for the votes of a block does not earn with its former stake.
  ...(slashing === undefined ? [] : [slashing]),
  distribution,
  authz,
]
const endOrder = ({ gov, staking, transfer, ibc, bank, params }: Modules): readonly Hooks[] => [
  gov,
  staking,
  transfer,
  // After what sends packets.
  ...(ibc === undefined ? [] : [ibc]),
  bank,
  params,
]

/** Runs the modules' begin-block hooks. */
export function beginBlock(modules: Modules): void {
  for (const module of beginOrder(modules)) module.beginBlock?.()
}

/** Runs the modules' end-block hooks. */
export function endBlock(modules: Modules): void {
  for (const module of endOrder(modules)) module.endBlock?.()
}

/** Module accounts, and contracts with modules' storage. The genesis creates them. */
const MODULE_CONTRACTS: readonly Address[] = [
  ...Object.values(MODULE_ACCOUNT),
  NATIVE_CONTRACT.bank,
  NATIVE_CONTRACT.staking,
  NATIVE_CONTRACT.distribution,
  NATIVE_CONTRACT.ics20,
  NATIVE_CONTRACT.gov,
]
/** Those of modules that chains with cosmos/evm's interfaces do not use: nothing is stored there. */
const EVMOS_CONTRACTS: readonly Address[] = [NATIVE_CONTRACT.authorization, NATIVE_CONTRACT.vesting]

/**
 * Writes the modules' genesis state to a view that has the genesis accounts already. `supply`: the sum of their balances in
 * base units.
 */
export function initGenesis(
  view: StateView,
  spec: NativeSpec,
  supply: bigint,
  block: BlockInfo,
  checkProposals?: ModuleContext['checkProposals'],
): void {
  const hasGrants = spec.interfaces !== 'cosmos-evm'
  for (const home of [...MODULE_CONTRACTS, ...(hasGrants ? EVMOS_CONTRACTS : [])]) createNativeAccount(view, home)
  if (hasSlashing(spec)) createNativeAccount(view, NATIVE_CONTRACT.slashing)
  if (hasIbc(spec)) createNativeAccount(view, NATIVE_CONTRACT.ibc)
  const modules = openModules({ spec, block, view, access: 'write', checkProposals })
  const { bank, params, authz, staking, slashing, distribution, inflation, erc20, transfer, ibc, gov } = modules
  bank.initGenesis({ supply })
  params.initGenesis({ ...spec.params, minBaseFee: spec.feeMarket.minBaseFee })
  if (hasGrants) authz.initGenesis(spec.modules.authz)
  distribution.initGenesis(readDistributionGenesis(spec.modules.distribution))
  inflation.initGenesis(readInflationGenesis(spec.modules.inflation))
  // Before staking, whose hooks report the first validators to slashing.
  slashing?.initGenesis(readSlashingGenesis(spec.modules.slashing))
  staking.initGenesis(readStakingGenesis(spec.validators, spec.modules.staking))
  erc20.initGenesis(readErc20Genesis(spec.modules.erc20))
  transfer.initGenesis(readTransferGenesis(spec.modules.transfer))
  ibc?.initGenesis(readIbcGenesis(spec.modules.ibc))
  gov.initGenesis(readGovGenesis(spec))
}
