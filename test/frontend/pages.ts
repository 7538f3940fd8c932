// The pages of Blockscout's frontend over the full scenario, each with words that a reader must find on it. The words are of the
// chain, read by JSON-RPC or known from the scenario.
import type { Hex } from 'viem'
import type { Played } from '../explorer/full/script.ts'

type Words = readonly (string | RegExp)[]
export type Visited = {
  readonly path: string
  readonly words: Words
  /** Charts that have a line. */
  readonly charts?: number
  /** Statuses of requests that this page is expected to get. */
  readonly refused?: readonly number[]
  /** Whether the page shows sources: its editor is loaded from the web, which tests do not reach. */
  readonly isEditor?: boolean
}

type Facts = {
  readonly made: Played & {
    readonly operations: readonly { readonly hash: Hex; readonly sender: Hex }[]
    readonly bundle: Hex
    readonly paymaster: Hex
    readonly accountFactory: Hex
  }
  /** Number and hash of the newest block, and of one with many transactions. */
  readonly head: number
  readonly full: { readonly number: number; readonly hash: Hex; readonly transactions: number }
  /** Number of transactions and addresses. */
  readonly transactions: number
  readonly validators: readonly { readonly moniker: string; readonly address: Hex }[]
  /** A delegation, an ERC-20 transfer, one of items. */
  readonly hashes: { readonly delegation: Hex; readonly coin: Hex; readonly items: Hex; readonly art: Hex }
}

/** How the frontend shortens a hash. */
const short = (hash: string): RegExp => new RegExp(`${hash.slice(0, 6)}`, 'i')
const grouped = (number: number): string => number.toLocaleString('en-US')

export const pagesOf = (facts: Facts): readonly Visited[] => [
  ...chainPages(facts),
  ...blockPages(facts),
  ...transactionPages(facts),
  ...addressPages(facts),
  ...tokenPages(facts),
  ...operationPages(facts),
  ...filterPages(facts),
  ...unknownPages(facts),
]

function chainPages({ head, transactions, validators, made }: Facts): Visited[] {
  const monikers = validators.map(({ moniker }) => moniker)
  return [
    { path: '/', words: [grouped(head), 'Transactions yesterday', grouped(transactions)], charts: 1 },
    { path: '/blocks', words: [String(head), ...monikers.slice(0, 1)] },
    { path: '/blocks?tab=reorgs', words: [/There are no/] },
    { path: '/blocks?tab=uncles', words: [/There are no/] },
    { path: '/txs', words: ['Coin transfer', 'Success'] },
    { path: '/txs?tab=pending', words: [short(made.waiting[0] ?? '')] },
    { path: '/token-transfers', words: ['SLV', '0.000002'] },
    { path: '/internal-txs', words: ['Call', 'Success'] },
    { path: '/accounts', words: ['1', /%/] },
    { path: '/tokens', words: ['Silver Coin', 'ERC-20'] },
    { path: '/tokens?type=ERC-721', words: ['ERC-721'] },
    { path: '/tokens?q=silver', words: ['Silver Coin'] },
    { path: '/verified-contracts', words: ['Stage', 'Staking', /Solidity/i] },
    { path: '/contract-verification', words: [/Verify/] },
    { path: '/validators', words: [...monikers, String(validators.length), '%'] },
    { path: '/stats', words: ['Number of transactions', 'Total blocks', grouped(head + 1)], charts: 10 },
    { path: '/stats/newTxns', words: ['Number of transactions'], charts: 1 },
    { path: '/stats/newTxns?interval=oneYear&resolution=MONTH', words: ['Number of transactions'], charts: 1 },
    { path: '/stats/averageGasPrice', words: ['Average gas price'], charts: 1 },
    { path: '/stats/accountsGrowth?interval=all', words: ['Number of accounts'], charts: 1 },
    { path: '/gas-tracker', words: ['Gas tracker', /Gwei/i], charts: 1 },
    { path: '/search-results?q=silver', words: ['Silver Coin'] },
    { path: `/search-results?q=${made.coin.address}`, words: ['Silver Coin'] },
    { path: '/search-results?q=nothing-has-this-name', words: [/0/] },
    { path: '/api-docs', words: ['/blocks', '/transactions'] },
  ]
}

function blockPages({ head, full }: Facts): Visited[] {
  const transactions = `${full.transactions} txns`
  return [
    { path: '/block/0', words: ['Block #0', 'Gas limit'] },
    { path: `/block/${head}`, words: [`Block #${head}`, 'Gas used'] },
    { path: `/block/${full.number}`, words: [`Block #${full.number}`, transactions, 'Base fee per gas'] },
    { path: `/block/${full.hash}`, words: [`Block #${full.number}`, transactions] },
    { path: `/block/${full.number}?tab=txs`, words: ['Coin transfer', 'Token transfer'] },
    { path: `/block/countdown/${head + 1000}`, words: [String(head + 1000), '1000'] },
    { path: '/block/countdown', words: ['Block countdown'] },
  ]
}

function transactionPages({ made, hashes }: Facts): Visited[] {
  const { refused, refusedInWords, endless, failedCreation, delegated, ended, coin, stage } = made
  const of = (hash: Hex, tab: string) => `/tx/${hash}?tab=${tab}`
  const ofStage = stage.receipt.transactionHash
  return [
    { path: `/tx/${hashes.delegation}`, words: ['Success', short(hashes.delegation), 'delegated', '5 KEST'] },
    { path: of(hashes.delegation, 'logs'), words: ['Delegate', 'Topics'] },
    { path: of(hashes.delegation, 'state'), words: [/KEST/] },
    { path: of(hashes.delegation, 'internal'), words: [/./] },
    { path: of(hashes.delegation, 'raw_trace'), words: ['callType'] },
    { path: `/tx/${hashes.coin}`, words: ['Success', 'SLV', 'Token', /transfer/] },
    { path: of(hashes.coin, 'token_transfers'), words: ['SLV', 'ERC-20', '0.001234'] },
    { path: of(hashes.coin, 'logs'), words: ['Transfer', '1234'] },
    { path: of(hashes.coin, 'state'), words: ['SLV'] },
    { path: `/tx/${hashes.items}`, words: ['Success', 'minted', 'Tokens minted'] },
    { path: of(hashes.items, 'token_transfers'), words: ['ERC-1155'] },
    { path: of(hashes.items, 'state'), words: [/./] },
    { path: `/tx/${hashes.art}`, words: ['Success', 'minted', 'ART'] },
    { path: `/tx/${ofStage}`, words: ['Success', 'created the contract', 'Stage'] },
    { path: of(ofStage, 'internal'), words: [/./] },
    { path: `/tx/${refused.transactionHash}`, words: ['Failed', 'Refused', '42'] },
    { path: `/tx/${refusedInWords.transactionHash}`, words: ['Failed', /Error\(string/, 'not on this stage'] },
    { path: `/tx/${endless.transactionHash}`, words: [/out of gas/i] },
    { path: `/tx/${failedCreation.transactionHash}`, words: ['Failed', 'failed without a reason'] },
    { path: of(ended.transactionHash, 'internal'), words: [/Self-?destruct|Create/i] },
    { path: `/tx/${delegated.transactionHash}`, words: ['Success', 'Authorizations'] },
    { path: of(delegated.transactionHash, 'authorizations'), words: [/./] },
    { path: `/tx/${made.waiting[0]}`, words: ['Pending'] },
    { path: of(made.waiting[1] ?? '0x', 'logs'), words: [/pending/i] },
    { path: of(coin.receipt.transactionHash, 'logs'), words: ['Transfer'] },
  ]
}

function addressPages({ made, validators }: Facts): Visited[] {
  const { alice, bob, carol } = made.people
  const staking = '0x0000000000000000000000000000000000000800'
  const at = (address: string, tab?: string) => `/address/${address}${tab === undefined ? '' : `?tab=${tab}`}`
  return [
    { path: at(alice), words: ['Balance', 'Transactions', /KEST/] },
    { path: at(bob, 'txs'), words: ['Coin transfer'] },
    { path: at(bob, 'token_transfers'), words: ['ERC-1155', 'Art'] },
    { path: at(bob, 'tokens_erc20'), words: ['Silver Coin'] },
    { path: at(bob, 'tokens_nfts'), words: [/./] },
    { path: at(alice, 'internal_txns'), words: [/./] },
    { path: at(carol, 'coin_balance_history'), words: ['Balances', /KEST/], charts: 1 },
    { path: at(made.stage.address), words: ['Contract', 'Stage'] },
    { path: at(made.stage.address, 'contract'), words: ['Stage', 'Compiler version', 'MIT'], isEditor: true },
    { path: at(made.stage.address, 'read_contract'), words: [/./] },
    { path: at(made.stage.address, 'write_contract'), words: ['makeAt'] },
    { path: at(made.stage.address, 'logs'), words: ['Topics'] },
    { path: at(made.mortal.address, 'contract'), words: [/bytecode/i] },
    { path: at(made.coin.address), words: ['Silver Coin', 'SLV'] },
    { path: `/address/${made.lamp.address}/contract-verification`, words: ['New smart contract verification'] },
    { path: at(staking), words: ['Staking', 'Contract'] },
    { path: at(staking, 'contract'), words: ['Staking', 'Compiler version'], isEditor: true },
    { path: at(staking, 'logs'), words: ['Delegate'] },
    { path: at(validators[0]?.address ?? '0x'), words: ['Balance'] },
    { path: at(made.people.erin), words: ['Delegated to'] },
    // Never seen on this chain: zeros, not an error.
    { path: at('0x00000000000000000000000000000000DeaDBeef'), words: ['Balance', '0'] },
    { path: at(made.phantom.address), words: ['Balance', '0'] },
  ]
}

function tokenPages({ made }: Facts): Visited[] {
  const { coin, art, items } = made
  const at = (address: string, tab?: string) => `/token/${address}${tab === undefined ? '' : `?tab=${tab}`}`
  return [
    { path: at(coin.address), words: ['Silver Coin', 'Max total supply', 'SLV'] },
    { path: at(coin.address, 'token_transfers'), words: ['0.000002'] },
    { path: at(coin.address, 'holders'), words: [/%/] },
    { path: at(coin.address, 'contract'), words: [/bytecode/i] },
    { path: at(art.address), words: ['ERC-721', 'Inventory'] },
    { path: at(art.address, 'inventory'), words: ['250'] },
    { path: at(art.address, 'holders'), words: [/./] },
    { path: at(items.address), words: ['ERC-1155'] },
    { path: at(items.address, 'token_transfers'), words: ['ERC-1155'] },
    { path: `${at(art.address)}/instance/2`, words: ['Art #2', 'Owner'] },
    { path: `${at(items.address)}/instance/1`, words: ['ID 1'] },
    { path: `${at(items.address)}/instance/1?tab=holders`, words: [/./] },
  ]
}

function operationPages({ made }: Facts): Visited[] {
  const { operations, bundle, paymaster, accountFactory } = made
  const [good, bad] = operations
  const at = (hash: string | undefined, tab?: string) => `/op/${hash}${tab === undefined ? '' : `?tab=${tab}`}`
  const hashes = operations.map(({ hash }) => short(hash))
  return [
    { path: '/ops', words: [...hashes, 'Success', 'Failed'] },
    { path: at(good?.hash), words: ['Success', short(good?.sender ?? ''), 'Target', 'Entry point'] },
    { path: at(bad?.hash), words: ['Failed'] },
    { path: at(good?.hash, 'token_transfers'), words: [/There are no/] },
    { path: at(good?.hash, 'logs'), words: [/./] },
    { path: at(good?.hash, 'raw'), words: [/call_?data/i] },
    { path: `/tx/${bundle}?tab=user_ops`, words: hashes },
    { path: `/address/${good?.sender}?tab=user_ops`, words: [short(good?.hash ?? '')] },
    { path: `/address/${paymaster}`, words: ['Balance'] },
    { path: `/address/${accountFactory}`, words: ['Balance', 'Creator'] },
  ]
}

function filterPages({ made }: Facts): Visited[] {
  const { bob } = made.people
  return [
    { path: '/advanced-filter', words: ['Coin Transfer', 'SLV'] },
    { path: '/advanced-filter?transaction_types=ERC-721', words: ['ERC-721', 'ART'] },
    { path: `/advanced-filter?from_address_hashes_to_include=${bob}`, words: [short(bob)] },
    { path: '/advanced-filter?amount_from=999999999999', words: [/no|nothing/i] },
  ]
}

function unknownPages({ made, head }: Facts): Visited[] {
  const nothing = `0x${'ab'.repeat(32)}`
  return [
    { path: `/tx/${nothing}`, words: [/not found/i], refused: [404] },
    // The node forgets it after some minutes.
    { path: `/tx/${made.dropped}`, words: [/Failed|not found/i], refused: [404] },
    { path: `/block/${nothing}`, words: [/not found/i], refused: [404] },
    { path: `/block/${head + 5000}`, words: [/countdown|not found|later/i], refused: [404] },
    { path: '/tx/0x12', words: [/cannot be processed/i], refused: [422] },
    { path: `/token/${made.people.bob}`, words: [/not found/i], refused: [404] },
    { path: '/a/path/that/is/none', words: [/not found/i], refused: [404] },
  ]
}
