// The registry of endpoints: every export of these files. Add new files here.
import type { ExplorerRoute } from '../define.ts'
import * as activity from './activity.ts'
import * as addressLists from './address-lists.ts'
import * as addressTokens from './address-tokens.ts'
import * as addresses from './addresses.ts'
import * as advancedFilters from './advanced-filters.ts'
import * as blocks from './blocks.ts'
import * as config from './config.ts'
import * as contractInterface from './contract-interface.ts'
import * as exports from './exports.ts'
import * as mainPage from './main-page.ts'
import * as nativeAddresses from './native-addresses.ts'
import * as nativeChain from './native-chain.ts'
import * as nativeIbc from './native-ibc.ts'
import * as nativeNetwork from './native-network.ts'
import * as nativeProposals from './native-proposals.ts'
import * as nativeTransfers from './native-transfers.ts'
import * as nativeValidators from './native-validators.ts'
import * as search from './search.ts'
import * as smartContracts from './smart-contracts.ts'
import * as stats from './stats.ts'
import * as storage from './storage.ts'
import * as tokenInstances from './token-instances.ts'
import * as tokens from './tokens.ts'
import * as transactionParts from './transaction-parts.ts'
import * as transactions from './transactions.ts'
import * as userOperations from './user-operations.ts'
import * as validators from './validators.ts'
import * as verification from './verification.ts'
import * as withdrawals from './withdrawals.ts'

const modules = [
  activity,
  addressLists,
  addressTokens,
  addresses,
  advancedFilters,
  blocks,
  config,
  contractInterface,
  exports,
  mainPage,
  nativeAddresses,
  nativeChain,
  nativeIbc,
  nativeNetwork,
  nativeProposals,
  nativeTransfers,
  nativeValidators,
  search,
  smartContracts,
  stats,
  storage,
  tokenInstances,
  tokens,
  transactionParts,
  transactions,
  userOperations,
  validators,
  verification,
  withdrawals,
] satisfies readonly Readonly<Record<string, ExplorerRoute>>[]

type ValueOf<M> = M extends unknown ? M[keyof M] : never
/** All routes under /api/v2 with their types. */
export type ApiRoute = ValueOf<(typeof modules)[number]>

export const routes: readonly ExplorerRoute[] = modules.flatMap((module) => Object.values<ExplorerRoute>(module))
