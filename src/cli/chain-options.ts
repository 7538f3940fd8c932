// Entries of the table of options (options.ts): what a new chain is, or the chain that it is a fork of.
import { FORKS } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { CHAIN_NAMES } from '../spec/genesis-schema.ts'
import { PRESET_NAMES } from '../spec/presets.ts'
import {
  blockNumber,
  coins,
  forkUrls,
  hash,
  headers,
  integer,
  list,
  matching,
  oneOf,
  path,
  paths,
  sourcesUrl,
  text,
  wholeNumber,
} from './flags.ts'
import { optional, optionalValue, repeated, switchOff, switchOn, withDefault } from './option.ts'

const MAX_UINT64 = 2n ** 64n - 1n
/** The last second that a JavaScript date can hold, in the year 275760: the explorer writes dates. */
const LAST_DATE = 8_640_000_000_000n
/** The largest first block; numbers are stored as doubles in the index. */
const MAX_FIRST_BLOCK = 2n ** 48n
const MAX_CODE_SIZE = 2 ** 31
/** geth's smallest gas limit of a block. */
const MIN_GAS_LIMIT = 5000n
export const MAX_GAS_LIMIT = MAX_UINT64 / 2n
/** The number of development accounts. */
export const DEFAULT_ACCOUNTS = 10

export const genesisOnly = 'a network begins with a genesis file: --genesis'

const ofPreset = { conflicts: ['genesis', 'forkUrl'], notInNetwork: genesisOnly } as const
const notOfGenesis = { conflicts: ['genesis'], notInNetwork: genesisOnly } as const

export const chain = {
  genesis: optional('<file>', path, "genesis file, kestrel's or geth's"),
  activate: optional(
    '<names>',
    list,
    'opcode proposals that are active from block 0, for example kestrel_0,kestrel_1',
    { notInNetwork: genesisOnly },
  ),
  preset: optional('<name>', oneOf(...PRESET_NAMES), `preset of the chain: ${PRESET_NAMES.join(', ')}`, {
    unset: 'kestrel',
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
    more: "`evmos`: chain id, accounts and rules of Evmos' local network. `cosmos-evm`: those of its successor's, with its [contracts](precompiles.md#chains-of-cosmosevms-interfaces).",
  }),
  // Libraries store chain ids as doubles, which round larger numbers.
  chainId: optional('<id>', integer(1n, BigInt(Number.MAX_SAFE_INTEGER)), "chain id, instead of the preset's", {
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
    more: 'The preset `kestrel` has 125, `evmos` 9000, `cosmos-evm` 262144.',
  }),
  textChainId: optional('<id>', matching(...CHAIN_NAMES.textChainId), 'chain id as Cosmos writes it', {
    unset: 'NAME_ID-1; 9001 of the preset cosmos-evm',
    ...ofPreset,
  }),
  bech32Prefix: optional('<prefix>', matching(...CHAIN_NAMES.bech32Prefix), 'prefix of bech32 addresses', {
    unset: "the preset's",
    ...ofPreset,
  }),
  denom: optional('<name>', matching(...CHAIN_NAMES.denom), 'denomination of the base unit, 10^-18 coins', {
    unset: "the preset's",
    ...ofPreset,
  }),
  symbol: optional('<name>', matching(...CHAIN_NAMES.symbol), 'symbol of the coin', {
    unset: 'the denomination without its prefix `a`, in capitals',
    ...ofPreset,
  }),
  // Earlier forks have no transactions with a chain id (EIP-155), which is what this node signs.
  hardfork: optional(
    '<fork>',
    oneOf(...FORKS.filter((fork) => forkRules(fork).spuriousDragon)),
    "Ethereum's fork by whose rules blocks are made",
    {
      unset: "bpo2, or the forked chain's",
      conflicts: ['genesis'],
      notInNetwork: genesisOnly,
      more: 'The forks before it are active too, all from block 0 on. Before `paris` a new chain has no native modules, and, as on anvil, no proof of work.',
    },
  ),
  number: optional('<block>', integer(0n, MAX_FIRST_BLOCK), 'number of the first block', {
    unset: '0',
    ...notOfGenesis,
  }),
  accounts: optional(
    '<number>',
    wholeNumber(0, 1000),
    'number of accounts of the mnemonic that have coins and are unlocked',
    { unset: String(DEFAULT_ACCOUNTS), notInNetwork: genesisOnly },
  ),
  mnemonic: optional('<words>', text, 'BIP-39 mnemonic of the accounts', {
    unset: "the preset's, which is public",
    notInNetwork: genesisOnly,
  }),
  mnemonicRandom: optionalValue(
    '[words]',
    oneOf('12', '15', '18', '21', '24'),
    '12',
    'accounts of a new random mnemonic',
    {
      conflicts: ['mnemonic'],
      notInNetwork: genesisOnly,
      more: 'It is printed. Only for a new chain.',
    },
  ),
  derivationPath: optional('<path>', text, "BIP-32 path of the accounts, to which an account's index is added", {
    unset: "m/44'/60'/0'/0/",
    notInNetwork: genesisOnly,
  }),
  balance: optional('<coins>', coins, 'coins of each account', {
    unset: "10000, or the preset's",
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
  }),
  gasLimit: optional(
    '<gas>',
    integer(MIN_GAS_LIMIT, MAX_GAS_LIMIT),
    'gas limit of blocks; an existing chain approaches it block by block',
    {
      unset: '36000000',
      room: 'node',
      notInNetwork: 'the gas limit of a network is in its genesis',
      more: 'Each step is less than 1/1024 of the limit, which import accepts.',
    },
  ),
  disableBlockGasLimit: switchOn('give blocks the largest gas limit, 2^63 - 1', {
    conflicts: ['gasLimit', 'genesis', 'forkUrl'],
    notInNetwork: genesisOnly,
  }),
  gasPrice: optional('<wei>', integer(0n, MAX_UINT64), 'gas price that eth_gasPrice answers before London', {
    unset: '1000000000',
    more: 'Later the base fee decides it, as on anvil.',
  }),
  baseFee: optional('<wei>', integer(0n, MAX_UINT64), 'base fee of the first block, in wei per gas', {
    unset: "1000000000, or the preset's",
    ...ofPreset,
    more: 'Later ones follow from the gas that blocks use; 0 stays 0.',
  }),
  codeSizeLimit: optional('<bytes>', wholeNumber(0, MAX_CODE_SIZE), 'largest size of code; twice as much init code', {
    unset: "the fork's: 24576 before `amsterdam`, then 65536",
    ...notOfGenesis,
  }),
  transactionGasCap: optional('<gas>', integer(21_000n, MAX_UINT64), 'largest gas limit of a transaction', {
    unset: "none but the block's",
    ...ofPreset,
    more: "Ethereum's (EIP-7825) is 16777216.",
  }),
  timestamp: optional(
    '<seconds>',
    integer(0n, LAST_DATE),
    'date of block 0 in Unix seconds; the clock of a development node goes on from it',
    { unset: 'now', conflicts: ['genesis'], notInNetwork: genesisOnly, more: '[Below](#the-date-of-block-0).' },
  ),
  preinstalls: switchOff('leave out the deployment factories and Multicall3', {
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
  }),
  proposal: repeated('<file>', paths, 'module with your own opcode proposals', {
    more: 'Needed at every start of a chain that names it.',
  }),
}

const noFork = 'the nodes of a network agree on its state'

export const fork = {
  forkUrl: repeated(
    '<url>',
    forkUrls,
    'begin with the state of another chain: its JSON-RPC, http(s) or ws(s), with @BLOCK or not',
    {
      conflicts: ['genesis', 'preset', 'timestamp'],
      notInNetwork: noFork,
      more: 'Further ones serve when the first fails. [Forks](forks.md).',
    },
  ),
  forkBlockNumber: optional('<number>', blockNumber, 'block to begin at; a negative number counts from the head', {
    unset: 'the head',
    notInNetwork: noFork,
  }),
  forkBlockHash: optional('<hash>', hash, 'hash that this block must have', { notInNetwork: noFork }),
  forkTransactionHash: optional('<hash>', hash, 'begin before this transaction', {
    conflicts: ['forkBlockNumber'],
    notInNetwork: noFork,
    more: 'The transactions before it in its block are executed.',
  }),
  forkHeader: repeated('<header>', headers, 'HTTP header for the forked chain, such as "Authorization: Bearer KEY"'),
  forkTimeout: withDefault(
    '<ms>',
    wholeNumber(1, 3_600_000),
    45_000,
    'most milliseconds for an answer of the forked chain',
  ),
  forkRetries: withDefault(
    '<number>',
    wholeNumber(0, 1000),
    5,
    'further attempts after a failure that passes by itself',
  ),
  forkRate: optional('<number>', wholeNumber(1, 1_000_000), 'most requests to the forked chain in a second', {
    unset: 'no limit',
  }),
  forkVerify: switchOn('believe the forked chain only what a proof shows (eth_getProof)', { notInNetwork: noFork }),
  forkSources: optional(
    '<url>',
    sourcesUrl,
    "fetch sources of the forked chain's contracts: a Sourcify, or an Etherscan-like server",
    {
      unset: 'none are fetched',
      room: 'explorer',
      notInNetwork: noFork,
      more: '[Sources](forks.md#sources-of-contracts).',
    },
  ),
  storageCaching: switchOff("keep nothing that was fetched in the user's cache folder"),
  native: switchOn('give the fork the native modules of the preset kestrel', { notInNetwork: noFork }),
}

/** The options that describe a new chain and have a flag on every command that makes one. */
export const chainOptions = [
  'activate',
  'preset',
  'chainId',
  'textChainId',
  'bech32Prefix',
  'denom',
  'symbol',
  'hardfork',
  'number',
  'accounts',
  'mnemonic',
  'derivationPath',
  'balance',
  'gasLimit',
  'disableBlockGasLimit',
  'baseFee',
  'codeSizeLimit',
  'transactionGasCap',
  'timestamp',
  'preinstalls',
  'proposal',
] as const
