// The flags of `start`: their help texts, their schema, and the engine that they choose.
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { FEWEST_STATES } from '../chain/pruning.ts'
import { ENGINES, type EngineChoice, reportEngine } from '../evm/engine-selection.ts'
import { withDatadir } from './datadir.ts'
import {
  addresses,
  coins,
  hosts,
  integer,
  ipfsGateway,
  list,
  networks,
  oneOf,
  origins,
  path,
  readFlags,
  seconds,
  wholeNumber,
} from './flags.ts'
import { engineFlags, refuseAgainstEngine, withEngineFlags } from './network/engine-flags.ts'
import { proposalFlags, withProposals } from './proposal-flags.ts'

const MAX_UINT64 = 2n ** 64n - 1n
/** The last second that a JavaScript date can hold, in the year 275760: the explorer writes dates. */
const LAST_DATE = 8_640_000_000_000n
/** geth's smallest gas limit of a block. */
const MIN_GAS_LIMIT = 5000n

/** Names of proposals that are active on a new chain from block 0. */
export const activation = list.optional()

export const withActivation = (command: Command): Command =>
  command.option('--activate <names>', 'opcode proposals that are active from block 0, for example kestrel_0,kestrel_1')

export const chainFlags = {
  preset: oneOf('kestrel', 'evmos').optional(),
  // Libraries keep chain ids in doubles; above this they would round.
  chainId: integer(1n, BigInt(Number.MAX_SAFE_INTEGER)).optional(),
  accounts: wholeNumber(0, 1000).optional(),
  mnemonic: z.string().optional(),
  balance: coins.optional(),
  gasLimit: integer(MIN_GAS_LIMIT, MAX_UINT64 / 2n).optional(),
  preinstalls: z.boolean(),
  timestamp: integer(0n, LAST_DATE).optional(),
  activate: activation,
}

/** Adds the flags that describe a chain. */
export const withChainFlags = (command: Command): Command =>
  withActivation(command)
    .addOption(new Option('--preset <name>', 'kestrel (the default) or evmos').conflicts('genesis'))
    .addOption(new Option('--chain-id <id>', "chain id, instead of the preset's").conflicts('genesis'))
    .option('--accounts <number>', 'number of accounts of the mnemonic that have coins and are unlocked (default: 10)')
    .option('--mnemonic <words>', "BIP-39 mnemonic of the accounts (default: the preset's, which is public)")
    .addOption(
      new Option('--balance <coins>', "coins of each account (default: 10000, or the preset's)").conflicts('genesis'),
    )
    .option(
      '--gas-limit <gas>',
      'gas limit of blocks; an existing chain approaches it block by block (default: 36000000)',
    )
    .addOption(
      new Option(
        '--timestamp <seconds>',
        'date of block 0 in Unix seconds; the clock of a development node goes on from it (default: now)',
      ).conflicts('genesis'),
    )
    .addOption(new Option('--no-preinstalls', 'leave out the deployment factories and Multicall3').conflicts('genesis'))

const flags = z.object({
  ...chainFlags,
  ...proposalFlags,
  ...engineFlags,
  datadir: path,
  inMemory: z.boolean().default(false),
  prune: wholeNumber(FEWEST_STATES, 1_000_000_000).optional(),
  genesis: path.optional(),
  host: z.string().min(1, 'expected a host name or address'),
  port: wholeNumber(0, 65_535),
  blockTime: seconds.optional(),
  mining: z.boolean(),
  production: z.boolean().default(false),
  testingApi: z.boolean().default(false),
  metrics: z.boolean().optional(),
  jsTracers: z.boolean().optional(),
  corsOrigins: origins.optional(),
  hosts,
  maxConnections: wholeNumber(1, 1_000_000),
  maxConnectionsPerClient: wholeNumber(1, 1_000_000).optional(),
  trustedProxies: networks.default([]),
  maxRequestSize: wholeNumber(1024, 1 << 30),
  maxBatch: wholeNumber(1, 1_000_000),
  callGasCap: integer(21_000n, MAX_UINT64),
  callTimeout: wholeNumber(1, 3_600_000),
  maxHeavyCalls: wholeNumber(1, 1000),
  maxQueuedCalls: wholeNumber(1, 1_000_000),
  readThreads: wholeNumber(0, 64).optional(),
  engine: oneOf(...ENGINES).optional(),
  shadow: oneOf(...ENGINES).optional(),
  minTip: integer(0n, 2n ** 256n - 1n).optional(),
  allowUnprotected: z.boolean().optional(),
  compilers: path.default('auto'),
  vyper: path.optional(),
  compileTimeout: wholeNumber(1, 3_600_000),
  prices: path.optional(),
  nftMetadata: oneOf('chain', 'fetch'),
  ipfsGateway,
  keystore: path.optional(),
  unlock: addresses.default([]),
  passwordFile: path.optional(),
  unsafeExpose: z.boolean().default(false),
  silent: z.boolean().default(false),
  logLevel: oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace').optional(),
  jsonLogs: z.boolean().default(false),
})

export type StartFlags = z.output<typeof flags>

/** The engine that runs contracts; `library` when the WebAssembly engine is not built. */
export const engineOf = ({ engine }: StartFlags): EngineChoice => reportEngine(engine).engine

/** Reads the flags of `start`. Throws WrongCommandLine for one that is wrong or contradicts another. */
export function readStartFlags(given: unknown): StartFlags {
  const read = readFlags(flags, given)
  refuseAgainstEngine(read)
  // Neither the methods of one developer nor public keys have a place in a network.
  return read.consensus === undefined ? read : { ...read, production: true }
}

/** A flag with a default, which the help page shows as one types it. */
const withDefault = (flags: string, description: string, value: string): Option =>
  new Option(flags, description).default(value, value)

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

/** Adds every flag of `start`, in the order of the help page. */
export function withStartFlags(command: Command): Command {
  const withData = withDatadir(command.optionsGroup('Data:'))
    .option('--in-memory', 'keep nothing on disk')
    .option(
      '--prune <blocks>',
      `number of blocks whose states are kept, at least ${FEWEST_STATES}; blocks and index stay (default: all)`,
    )
    .optionsGroup('Chain (of a new one; an existing chain must agree):')
    .option('--genesis <file>', "genesis file, kestrel's or geth's")
  const withChain = withEngineFlags(withBlockFlags(withProposals(withChainFlags(withData))))
  return withOutputFlags(withKeyFlags(withExplorerFlags(withWorkFlags(withServerFlags(withChain)))))
}

const withBlockFlags = (command: Command): Command =>
  command
    .optionsGroup('Blocks:')
    .option('--block-time <seconds>', 'time between blocks, instead of a block at once for each transaction')
    .addOption(new Option('--no-mining', 'build blocks only on request (evm_mine)').conflicts('blockTime'))
    .option(
      '--min-tip <wei>',
      'smallest priority fee per gas that a transaction must offer (default: 0; 1 in a network)',
    )
    .option('--allow-unprotected', 'accept transactions without a chain id (default: with --dev)')
    .option('--no-allow-unprotected', 'refuse transactions without a chain id (default: with --production)')

/** Who may connect, and which methods are open. */
const withServerFlags = (command: Command): Command =>
  command
    .optionsGroup('Server:')
    .addOption(withDefault('--host <host>', 'address to listen on', '127.0.0.1'))
    .addOption(withDefault('--port <port>', 'port to listen on; 0 is any free one', '8545'))
    .addOption(
      new Option('--dev', 'development methods and public keys: the default').conflicts([
        'production',
        'consensus',
        'home',
      ]),
    )
    .option('--production', 'neither development methods nor keys, except those of --unlock')
    .option('--testing-api', 'open the testing_ methods')
    .option(
      '--cors-origins <list>',
      'origins of web pages that may call; `local`: pages of this machine and browser extensions, `*`: any, `none` (default: local; none with --unlock)',
    )
    .addOption(
      withDefault(
        '--hosts <list>',
        'host names under which the node may be called, besides localhost and IP addresses',
        'none',
      ),
    )
    .addOption(withDefault('--max-connections <number>', 'most connections at a time', '10000'))
    .option('--max-connections-per-client <number>', 'most connections of one address (default: a quarter of them)')
    .option(
      '--trusted-proxies <list>',
      'addresses or networks of proxies, whose X-Forwarded-For names the client, and which have no share of their own (default: none)',
    )
    .addOption(withDefault('--max-request-size <bytes>', 'largest size of a request', '5242880'))
    .addOption(withDefault('--max-batch <number>', 'most requests in a batch', '1000'))

/** Limits of calls, metrics and the engine; they continue the group of `withServerFlags`. */
const withWorkFlags = (command: Command): Command =>
  command
    .addOption(withDefault('--call-gas-cap <gas>', 'most gas of an eth_call or eth_estimateGas', '50000000'))
    .addOption(withDefault('--call-timeout <ms>', 'most CPU time of one, in milliseconds', '5000'))
    .addOption(withDefault('--max-heavy-calls <number>', 'most calls, traces, searches and dumps at a time', '4'))
    .addOption(withDefault('--max-queued-calls <number>', 'most of them in the queue; of one client half', '2000'))
    .addOption(
      new Option(
        '--read-threads <number>',
        'most threads that answer these beside the main one (default: 0)',
      ).conflicts('inMemory'),
    )
    .option('--js-tracers', 'run tracers that clients write in JavaScript (default: with --dev)')
    .option('--no-js-tracers', 'refuse such tracers (default: with --production)')
    .option('--metrics', 'serve metrics for Prometheus at /metrics (default: with --dev)')
    .option('--no-metrics', 'do not serve metrics (default: with --production)')
    .option('--engine <name>', 'engine of contracts: compiled (the default), wasm (our interpreter alone) or library')
    .option('--shadow <name>', 'another engine that runs every block again; the node stops when they differ')

const withExplorerFlags = (command: Command): Command =>
  command
    .optionsGroup('Explorer:')
    .addOption(
      withDefault(
        '--compilers <dir>',
        'folder with more compilers of Solidity and Vyper, beside those that Foundry and Hardhat have downloaded; none',
        'auto',
      ),
    )
    .option('--vyper <file>', 'a Vyper compiler')
    .addOption(
      withDefault('--compile-timeout <ms>', 'processor time that a compiler may take for one contract', '60000'),
    )
    .option('--prices <file>', 'prices for the explorer: JSON with coin, tokens and history')
    .addOption(
      withDefault(
        '--nft-metadata <source>',
        'metadata of token items: `chain`, only what is on the chain, or `fetch`, also documents from public addresses',
        'chain',
      ),
    )
    .addOption(
      withDefault('--ipfs-gateway <url>', 'gateway for ipfs:// metadata and pictures, or none', 'https://ipfs.io'),
    )

const withKeyFlags = (command: Command): Command =>
  command
    .optionsGroup('Keys:')
    .option('--keystore <dir>', 'folder of key files (default: keystore/ in the data directory)')
    .option('--unlock <address>', 'unlock an account of the keystore; may be repeated', collect)
    .option('--password-file <file>', 'passwords of the unlocked accounts, one per line (default: ask)')
    .option('--unsafe-expose', 'listen on other addresses than loopback although keys or development methods are open')

const withOutputFlags = (command: Command): Command =>
  command
    .optionsGroup('Output:')
    .addOption(new Option('--silent', 'print nothing but errors').conflicts('logLevel'))
    .option('--log-level <level>', 'silent, error, warn, info, debug or trace (default: info)')
    .option('--json-logs', 'one JSON object per line, for machines')
