// The table of options: one entry for each option of `kestrel start` and `startNode`. The flags, their help page, the types and
// checks of `startNode`, docs/cli.md (`npm run cli-docs`) and the refusals of a network are derived from it. Other commands use
// single entries (`withOptions`). Names are the flags in camel case.
import { defaultLimits, FEWEST_STATES, SNAPSHOT_INTERVAL } from '../chain/limits.ts'
import { ENGINES } from '../evm/engine-selection.ts'
import { defaultExplorerOptions } from '../explorer/options.ts'
import { defaultConnectionLimits } from '../http/connections.ts'
import { defaultWorkLimits } from '../lib/work-queue.ts'
import { defaultRpcOptions } from '../rpc/define.ts'
import { chain, fork, genesisOnly } from './chain-options.ts'
import {
  addresses,
  durable,
  heights,
  host,
  hosts,
  integer,
  ipfsGateway,
  networks,
  oneOf,
  origins,
  path,
  paths,
  peers,
  seconds,
  signer,
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
/** Milliseconds within which a block of a development chain is synced. */
export const DURABLE = 100

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
      more: "anvil's JSON. [State files](anvil.md#state-files).",
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
  skipUpgrades: optional(
    '<heights>',
    heights,
    'heights at which a scheduled upgrade of the program is not carried out; all nodes must skip the same',
    { room: 'node', more: '[Upgrades at a height](networks.md#upgrades-at-a-height).' },
  ),
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
  enginePortBase: optional(
    '<port>',
    wholeNumber(1, 65_533),
    "peers' port of a new engine home; RPC and metrics follow, and nodes may share an address",
    {
      unset: '26656, with RPC on 26657 and metrics on 26660',
      networkOnly: true,
      more: 'A home that exists keeps its ports, and the start is refused if they are others.',
    },
  ),
  engineSigner: optional('<address>', signer, 'where a new engine home waits for the remote signer of its blocks', {
    unset: 'the consensus key is in the home',
    networkOnly: true,
    more: '`tcp://HOST:PORT`, `unix:///PATH` or `noise://PEER@HOST:PORT`: [Remote signer](networks.md#remote-signer).',
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
