// The table of options: one entry for each option of `kestrel start` and `startNode`. The flags, their help page, the types and
// checks of `startNode`, docs/cli.md (`npm run cli-docs`) and the refusals of a network are derived from it. Other commands use
// single entries (`withOptions`). Names are the flags in camel case.
import { defaultLimits, FEWEST_STATES, SNAPSHOT_INTERVAL } from '../chain/limits.ts'
import { ENGINES } from '../evm/engine-selection.ts'
import { defaultExplorerOptions } from '../explorer/options.ts'
import { defaultConnectionLimits } from '../http/connections.ts'
import { defaultWorkLimits } from '../lib/work-queue.ts'
import { defaultRpcOptions } from '../rpc/define.ts'
import { FORKS } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { PRESET_NAMES } from '../spec/presets.ts'
import {
  addresses,
  blockNumber,
  coins,
  durable,
  forkUrls,
  hash,
  headers,
  host,
  hosts,
  integer,
  ipfsGateway,
  list,
  networks,
  oneOf,
  origins,
  path,
  paths,
  peers,
  seconds,
  sourcesUrl,
  text,
  wholeNumber,
} from './flags.ts'
import {
  counted,
  developmentSwitch,
  optional,
  optionalValue,
  repeated,
  switchOff,
  switchOn,
  withDefault,
} from './option.ts'

const MAX_UINT64 = 2n ** 64n - 1n
/** The last second that a JavaScript date can hold, in the year 275760: the explorer writes dates. */
const LAST_DATE = 8_640_000_000_000n
/** The largest first block; numbers are stored as doubles in the index. */
const MAX_FIRST_BLOCK = 2n ** 48n
const MAX_CODE_SIZE = 2 ** 31
/** geth's smallest gas limit of a block. */
const MIN_GAS_LIMIT = 5000n
export const MAX_GAS_LIMIT = MAX_UINT64 / 2n
/** Milliseconds within which a block of a development chain is synced. */
export const DURABLE = 100
/** The number of development accounts. */
export const DEFAULT_ACCOUNTS = 10

const genesisOnly = 'a network begins with a genesis file: --genesis'
const connections = '[Limits](operating.md#limits).'

const data = {
  datadir: withDefault('<dir>', path, 'kestrel-data', 'data directory: the chain and its keys', {
    inLibrary: 'none, the chain is in memory',
  }),
  inMemory: switchOn('keep nothing on disk', {
    inLibrary: 'on without `datadir` and `home`',
    notInNetwork: 'the consensus engine keeps its blocks on disk, so the chain has to',
  }),
  state: optional(
    '<file>',
    path,
    'begin a new chain with a state file, if there is one, and write it when the node stops',
    {
      conflicts: ['loadState', 'dumpState'],
      notInNetwork: genesisOnly,
      more: "anvil's JSON. [State files](#state-files).",
    },
  ),
  loadState: optional('<file>', path, 'begin a new chain with a state file', { notInNetwork: genesisOnly }),
  dumpState: optional('<file>', path, 'write a state file when the node stops; in a folder, state.json', {
    notInNetwork: 'the file holds accounts of one node',
  }),
  stateInterval: optional('<seconds>', seconds, 'seconds between writes of the state file', {
    unset: 'only when the node stops',
    notInNetwork: 'the file holds accounts of one node',
  }),
  prune: optional(
    '<blocks>',
    wholeNumber(FEWEST_STATES, 1_000_000_000),
    `number of blocks whose states are kept, at least ${FEWEST_STATES}; blocks and index stay`,
    { unset: 'all', room: 'node' },
  ),
  durable: optional(
    '<when>',
    durable,
    'when a block is synced to disk: `block`, before it is announced, or at most this many milliseconds later',
    {
      unset: `${DURABLE}; block with --production`,
      conflicts: ['inMemory'],
      notInNetwork: 'a block of a network is synced before it is announced',
      room: 'node',
      more: '[What a power cut loses](operating.md#what-is-durable).',
    },
  ),
}

const notOfGenesis = { conflicts: ['genesis'], notInNetwork: genesisOnly } as const

const chain = {
  genesis: optional('<file>', path, "genesis file, kestrel's or geth's"),
  activate: optional(
    '<names>',
    list,
    'opcode proposals that are active from block 0, for example kestrel_0,kestrel_1',
    { notInNetwork: genesisOnly },
  ),
  preset: optional('<name>', oneOf(...PRESET_NAMES), `preset of the chain: ${PRESET_NAMES.join(' or ')}`, {
    unset: 'kestrel',
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
    more: "`evmos`: chain id, accounts and rules of Evmos' local network.",
  }),
  // Libraries store chain ids as doubles, which round larger numbers.
  chainId: optional('<id>', integer(1n, BigInt(Number.MAX_SAFE_INTEGER)), "chain id, instead of the preset's", {
    conflicts: ['genesis'],
    notInNetwork: genesisOnly,
    more: 'The preset `kestrel` has 125.',
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
    unset: '1000000000',
    conflicts: ['genesis', 'forkUrl'],
    notInNetwork: genesisOnly,
    more: 'Later ones follow from the gas that blocks use; 0 stays 0.',
  }),
  codeSizeLimit: optional('<bytes>', wholeNumber(0, MAX_CODE_SIZE), 'largest size of code; twice as much init code', {
    unset: "the fork's: 24576 before `amsterdam`, then 65536",
    ...notOfGenesis,
  }),
  transactionGasCap: optional('<gas>', integer(21_000n, MAX_UINT64), 'largest gas limit of a transaction', {
    unset: "none but the block's",
    conflicts: ['genesis', 'forkUrl'],
    notInNetwork: genesisOnly,
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

const fork = {
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

const blocks = {
  blockTime: optional('<seconds>', seconds, 'seconds between blocks, instead of a block at once for each transaction', {
    notInNetwork: 'the time between blocks of a network is in its genesis (kestrel.consensus.blockTimeMs)',
  }),
  mixedMining: switchOn('with --block-time also a block at once for each transaction', {
    notInNetwork: 'the validators make the blocks',
  }),
  mining: switchOff('build blocks only on request (evm_mine)', {
    conflicts: ['blockTime', 'mixedMining'],
    notInNetwork: 'the validators make the blocks',
  }),
  minTip: optional(
    '<wei>',
    integer(0n, 2n ** 256n - 1n),
    'smallest priority fee per gas that a transaction must offer',
    {
      unset: '0; 1 in a network',
      more: 'Only the pool requires it; blocks of other nodes may hold less ([networks.md](networks.md#gas-prices)).',
    },
  ),
  order: optional('<order>', oneOf('fees', 'fifo'), 'order of waiting transactions: by fees, or as they came (fifo)', {
    unset: 'fees',
    notInNetwork: 'the proposer of a block decides the order',
  }),
  slotsInAnEpoch: optional(
    '<number>',
    wholeNumber(0, 1_000_000_000),
    'blocks that `safe` is behind `latest`, and half of those that `finalized` is',
    { unset: '0: every block is final', room: 'node', notInNetwork: 'every block of a network is final' },
  ),
  allowUnprotected: developmentSwitch(
    'accept transactions without a chain id',
    'refuse transactions without a chain id',
  ),
}

const network = {
  home: optional(
    '<dir>',
    path,
    'home of a network node, as `kestrel testnet` writes it: flags, genesis, data and consensus engine',
  ),
  consensus: optional(
    '<engine>',
    oneOf('cometbft'),
    'the consensus engine, which decides blocks with other nodes: cometbft; implies --production',
  ),
  cometbft: optional('<file>', path, "the consensus engine's program", {
    unset: 'the variable COMETBFT, or cometbft on PATH',
    networkOnly: true,
    more: 'Version 0.40 or 0.38.',
  }),
  engineHome: optional('<dir>', path, "the consensus engine's home", {
    unset: 'engine/ in the data directory',
    networkOnly: true,
    more: 'It has keys, configuration and blocks, and is made when it is missing.',
  }),
  externalEngine: switchOn('the operator starts the consensus engine, not kestrel', {
    conflicts: ['cometbft', 'peers'],
    networkOnly: true,
  }),
  peers: optional('<list>', peers, 'ID@HOST:PORT of other nodes, separated by commas', {
    unset: "those of the consensus engine's home",
    networkOnly: true,
  }),
  retainBlocks: optional(
    '<number>',
    wholeNumber(1, 1_000_000_000),
    'number of blocks that the consensus engine keeps for its peers',
    { unset: 'all', networkOnly: true },
  ),
  snapshotInterval: optional(
    '<number>',
    wholeNumber(0, 1_000_000_000),
    'number of blocks from one state snapshot to the next, for nodes that join; 0 for none',
    { unset: String(SNAPSHOT_INTERVAL), networkOnly: true },
  ),
}

const server = {
  host: withDefault('<host>', host, '127.0.0.1', 'address to listen on', { room: 'node' }),
  port: withDefault('<port>', wholeNumber(0, 65_535), 8545, 'port to listen on; 0 is any free one', {
    room: 'node',
    inLibrary: '0',
  }),
  dev: switchOn('development methods and public keys: the default', { conflicts: ['production', 'consensus', 'home'] }),
  production: switchOn('neither development methods nor keys, except those of --unlock', {
    more: 'A new chain then needs `--genesis`, `--mnemonic` or `--preset`.',
  }),
  ipc: optionalValue('[path]', path, 'auto', 'also answer JSON-RPC at a Unix socket', {
    unset: 'none; without a path kestrel.ipc in the data directory',
    more: '[IPC](json-rpc.md#ipc).',
  }),
  autoImpersonate: switchOn(
    'take transactions from any account without its key, as anvil_autoImpersonateAccount does',
    {
      conflicts: ['production'],
      room: 'node',
      notInNetwork: 'a network has no development methods',
    },
  ),
  testingApi: switchOn('open the testing_ methods', { notInNetwork: 'a network has no development methods' }),
  corsOrigins: optional(
    '<list>',
    origins,
    'origins of web pages that may call; `local`: pages of this machine and browser extensions, `*`: any, `none`',
    { unset: 'local; none with --unlock', more: '[Web pages](operating.md#who-may-call).' },
  ),
  hosts: withDefault(
    '<list>',
    hosts,
    'none',
    'host names under which the node may be called, besides localhost and IP addresses',
  ),
  maxConnections: withDefault(
    '<number>',
    wholeNumber(1, 1_000_000),
    defaultConnectionLimits.maxConnections,
    'most connections at a time',
    { room: 'http', more: connections },
  ),
  maxConnectionsPerClient: optional('<number>', wholeNumber(1, 1_000_000), 'most connections of one address', {
    unset: 'a quarter of them',
    room: 'http',
    more: connections,
  }),
  trustedProxies: withDefault(
    '<list>',
    networks,
    'none',
    'addresses or networks of proxies, whose X-Forwarded-For names the client, and which have no share of their own',
    { room: 'http' },
  ),
  maxRequestSize: withDefault(
    '<bytes>',
    wholeNumber(1024, 1 << 30),
    defaultRpcOptions.maxRequestSize,
    'largest size of a request',
    { room: 'rpc', more: "The default is go-ethereum's." },
  ),
  maxBatch: withDefault('<number>', wholeNumber(1, 1_000_000), defaultRpcOptions.maxBatch, 'most requests in a batch', {
    room: 'rpc',
  }),
  callGasCap: withDefault(
    '<gas>',
    integer(21_000n, MAX_UINT64),
    defaultLimits.gasCap,
    'most gas of an eth_call or eth_estimateGas',
  ),
  callTimeout: withDefault(
    '<ms>',
    wholeNumber(1, 3_600_000),
    defaultLimits.time,
    'most CPU time of such a call, in milliseconds',
  ),
  maxHeavyCalls: withDefault(
    '<number>',
    wholeNumber(1, 1000),
    defaultWorkLimits.running,
    'most calls, traces, searches and dumps at a time',
  ),
  maxQueuedCalls: withDefault(
    '<number>',
    wholeNumber(1, 1_000_000),
    defaultWorkLimits.waiting,
    'most such calls in the queue; half of them may be of one client',
  ),
  readThreads: optional('<number>', wholeNumber(0, 64), 'most threads that answer reads beside the main one', {
    unset: 'half the cores from four on, with Node.js 22.12 on Linux; else 0',
    conflicts: ['inMemory'],
    room: 'node',
    more: '[Read threads](operating.md#read-threads).',
  }),
  jsTracers: developmentSwitch('run tracers that clients write in JavaScript', 'refuse such tracers', {
    room: 'node',
    more: '[Tracers](json-rpc.md#tracers).',
  }),
  // Load and memory figures are not public on a production node.
  metrics: developmentSwitch('serve metrics for Prometheus at /metrics', 'do not serve metrics', {
    room: 'node',
    more: '[Metrics](operating.md#metrics).',
  }),
  engine: optional(
    '<name>',
    oneOf(...ENGINES),
    'engine that executes contracts: compiled, wasm (our interpreter alone) or library',
    { unset: 'compiled', room: 'node', more: '`library` is the interpreter of @ethereumjs/evm.' },
  ),
}

const explorer = {
  artifacts: repeated(
    '<path>',
    paths,
    "outputs of the developer's compiler: Foundry's out, Hardhat's artifacts, or a file of standard JSON",
    { room: 'explorer', more: 'Their contracts have names everywhere. [Your build](debugging.md#your-build).' },
  ),
  compilers: withDefault(
    '<dir>',
    path,
    'auto',
    'folder with more compilers of Solidity and Vyper, beside those that Foundry and Hardhat have downloaded; none',
    { more: '`none`: the bundled compiler alone. [Compilers](explorer.md#compilers).' },
  ),
  vyper: optional('<file>', path, 'a Vyper compiler'),
  compileTimeout: withDefault(
    '<ms>',
    wholeNumber(1, 3_600_000),
    defaultExplorerOptions.compileTime,
    'processor time that a compiler may take for one contract, in milliseconds',
  ),
  prices: optional('<file>', path, 'prices for the explorer: JSON with coin, tokens and history'),
  nftMetadata: withDefault(
    '<source>',
    oneOf('chain', 'fetch'),
    'chain',
    'metadata of token items: `chain`, only what is on the chain, or `fetch`, also documents from public addresses',
    { room: 'explorer', more: '[NFTs](explorer.md#nfts).' },
  ),
  ipfsGateway: withDefault(
    '<url>',
    ipfsGateway,
    'https://ipfs.io',
    'gateway for ipfs:// metadata and pictures, or none',
  ),
}

const keys = {
  keystore: optional('<dir>', path, 'folder of key files', { unset: 'keystore/ in the data directory' }),
  unlock: repeated('<address>', addresses, 'unlock an account of the keystore'),
  passwordFile: optional('<file>', path, 'passwords of the unlocked accounts, one per line', { unset: 'ask' }),
  unsafeExpose: switchOn('listen on other addresses than loopback although keys or development methods are open'),
}

const output = {
  silent: switchOn('print nothing but errors', { conflicts: ['logLevel'] }),
  logLevel: optional(
    '<level>',
    oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace'),
    'what is logged on standard error: silent, error, warn, info, debug or trace',
    { unset: 'info', inLibrary: 'silent' },
  ),
  verbose: counted('v', 'also events and requests; `-vv` calls, `-vvv` changes of the state', {
    conflicts: ['silent'],
    more: '[The terminal](debugging.md#the-terminal).',
  }),
  consoleLog: switchOff('do not print what contracts print with console.log'),
  configOut: optional('<file>', path, 'write accounts, keys and settings to a file as JSON, as anvil does'),
  json: switchOn('one JSON object per line, for machines'),
  jsonLogs: switchOn('the same as --json'),
}

/** The groups of the help page, in order. */
export const optionGroups = {
  'Data:': data,
  'Chain (of a new one; an existing chain must agree):': chain,
  'Fork (docs/forks.md):': fork,
  'Blocks:': blocks,
  'Network (docs/networks.md):': network,
  'Server:': server,
  'Explorer:': explorer,
  'Keys:': keys,
  'Output:': output,
}

export const options = { ...data, ...chain, ...fork, ...blocks, ...network, ...server, ...explorer, ...keys, ...output }

/** The options that describe a new chain and have a flag on every command that makes one. */
export const chainOptions = [
  'activate',
  'preset',
  'chainId',
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
