// What the pages read: the node's own /api/v2. The types of the answers are those of the routes' schemas.
import { useEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import { type ExplorerClient, explorerClient } from '../client/explorer.js'
import type { internalTransactions } from '../src/explorer/routes/activity.ts'
import type { addressTokenBalances } from '../src/explorer/routes/address-tokens.ts'
import type { address, addressCoinHistory, addresses, addressTabsCounters } from '../src/explorer/routes/addresses.ts'
import type { block } from '../src/explorer/routes/blocks.ts'
import type { nativeAddress, nativeAddressGrants, nativeAddressVotes } from '../src/explorer/routes/native-addresses.ts'
import type {
  nativeModules,
  nativeOpcodeProposals,
  nativeParameters,
  nativeParametersHistory,
  nativePool,
} from '../src/explorer/routes/native-chain.ts'
import type { nativeBlockCommit, nativeNetwork, nativeValidatorVotes } from '../src/explorer/routes/native-network.ts'
import type {
  nativeProposal,
  nativeProposalDeposits,
  nativeProposalVotes,
} from '../src/explorer/routes/native-proposals.ts'
import type { nativeDenominations, nativeTransfers } from '../src/explorer/routes/native-transfers.ts'
import type {
  nativeValidator,
  nativeValidatorDelegations,
  nativeValidatorRedelegations,
  nativeValidatorUnbondings,
} from '../src/explorer/routes/native-validators.ts'
import type { search, searchCheckRedirect } from '../src/explorer/routes/search.ts'
import type { smartContract, smartContracts } from '../src/explorer/routes/smart-contracts.ts'
import type { stats, transactionChart } from '../src/explorer/routes/stats.ts'
import type { tokenInstances } from '../src/explorer/routes/token-instances.ts'
import type { token, tokenHolders, tokenTransfers } from '../src/explorer/routes/tokens.ts'
import type {
  transactionLogs,
  transactionRawTrace,
  transactionStateChanges,
} from '../src/explorer/routes/transaction-parts.ts'
import type { transaction } from '../src/explorer/routes/transactions.ts'
import type { verificationConfig } from '../src/explorer/routes/verification.ts'
import type { withdrawals } from '../src/explorer/routes/withdrawals.ts'
import type { line, lines } from '../src/explorer/v1/routes.ts'

export { useBlockVersion, useHead, useLive } from './live.ts'

type Answer<Route extends { readonly response: z.ZodType }> = z.output<Route['response']>
type Item<Route extends { readonly response: z.ZodType<List<unknown>> }> = Answer<Route>['items'][number]

export type List<T> = {
  items: T[]
  next_page_params: { page: number; items_count: number; anchor?: number | undefined } | null
  total_count?: number | undefined
}

export type Account = Answer<typeof address>
export type AccountCounters = Answer<typeof addressTabsCounters>
export type Block = Answer<typeof block>
export type Chart = Answer<typeof transactionChart>
export type ChartLine = Answer<typeof line>
export type ChartSections = Answer<typeof lines>
export type CoinChange = Item<typeof addressCoinHistory>
export type Delegation = Item<typeof nativeValidatorDelegations>
export type Commit = Answer<typeof nativeBlockCommit>
export type Contract = Answer<typeof smartContract>
export type Holder = Item<typeof tokenHolders>
export type InternalTransaction = Item<typeof internalTransactions>
export type Log = Item<typeof transactionLogs>
export type NativeAccount = Answer<typeof nativeAddress>
export type Grant = Item<typeof nativeAddressGrants>
export type CastVote = Item<typeof nativeAddressVotes>
export type ModuleAccount = Item<typeof nativeModules>
export type OpcodeProposal = Item<typeof nativeOpcodeProposals>
export type Parameters = Answer<typeof nativeParameters>
export type ParameterChange = Item<typeof nativeParametersHistory>
export type Network = Answer<typeof nativeNetwork>
export type Pool = Answer<typeof nativePool>
export type Denomination = Item<typeof nativeDenominations>
export type Packet = Item<typeof nativeTransfers>
export type Proposal = Answer<typeof nativeProposal>
export type ProposalDeposit = Item<typeof nativeProposalDeposits>
export type ProposalVote = Item<typeof nativeProposalVotes>
export type Redelegation = Item<typeof nativeValidatorRedelegations>
export type Redirect = Answer<typeof searchCheckRedirect>
export type SearchHit = Item<typeof search>
export type StateChange = Item<typeof transactionStateChanges>
export type Stats = Answer<typeof stats>
export type Token = Answer<typeof token>
export type TokenBalance = Answer<typeof addressTokenBalances>[number]
export type TokenInstance = Item<typeof tokenInstances>
export type TopAccounts = Answer<typeof addresses>
export type Trace = Answer<typeof transactionRawTrace>[number]
export type Transaction = Answer<typeof transaction>
export type Transfer = Item<typeof tokenTransfers>
export type Unbonding = Item<typeof nativeValidatorUnbondings>
export type Validator = Answer<typeof nativeValidator>
export type ValidatorVote = Item<typeof nativeValidatorVotes>
export type ValidatorRef = Delegation['validator']
export type VerifiedContract = Item<typeof smartContracts>
export type VerificationConfig = Answer<typeof verificationConfig>
export type Withdrawal = Item<typeof withdrawals>

/** An address within another record. */
export type EmbeddedAddress = Transaction['from']
/** A token within another record: its decimals are text there, and a number in the record of the token itself. */
export type EmbeddedToken = Transfer['token']
export type Decoded = NonNullable<Transaction['decoded_input']>

export class NotFound extends Error {}

/** The typed client of the node that serves this page. */
export const explorer = explorerClient(location.origin, {
  // Answers may be cached for a second; a page that reads again because of a new block must not get the answer before it.
  cache: 'no-cache',
})

/** Throws NotFound for a record that does not exist, or whose path is not valid. */
function requireSuccess({ ok, status, url }: Response): void {
  if (status === 404 || status === 422) throw new NotFound(new URL(url).pathname)
  if (!ok) throw new Error(`The node answered with status ${status}.`)
}

/** A record by its path below the base, `/blocks/1`. Throws as `requireSuccess`. */
export async function read<T>(path: string, base = '/api/v2'): Promise<T> {
  const response = await fetch(`${base}${path}`, { cache: 'no-cache' })
  requireSuccess(response)
  return (await response.json()) as T
}

/** The data of a request of the typed client. Throws as `requireSuccess`. */
export async function answered<T>(request: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data, response } = await request
  requireSuccess(response)
  if (data === undefined) throw new Error('The node answered without a body.')
  return data
}

export type Reading<T> = { data: T | undefined; error: Error | undefined }

/**
 * What a function loads, again whenever its key or the version changes; nothing without a key. After a new version, the old
 * data is shown until the new one arrives.
 */
function useLoaded<T>(key: string | undefined, version: number, load: () => Promise<T>): Reading<T> {
  const [reading, setReading] = useState<Reading<T> & { key: string | undefined }>({
    key,
    data: undefined,
    error: undefined,
  })
  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    load().then(
      (data) => isCurrent && setReading({ key, data, error: undefined }),
      (error: Error) => isCurrent && setReading({ key, data: undefined, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, version])
  return reading.key === key ? reading : { data: undefined, error: undefined }
}

/** A record by its path below the base, as `useLoaded`. */
export const useRead = <T>(path: string | undefined, version = 0, base = '/api/v2'): Reading<T> =>
  useLoaded(path && `${base}${path}`, version, () => read<T>(path ?? '', base))

/** A request of the typed client, as `useLoaded`: `useAnswer('stats', (api) => api.GET('/stats'), version)`. */
export const useAnswer = <T>(
  key: string | undefined,
  request: (api: ExplorerClient) => Promise<{ data?: T; response: Response }>,
  version = 0,
): Reading<T> => useLoaded(key, version, () => answered(request(explorer)))
