// Starts a node from the flags of `kestrel start`. An existing chain on disk is not changed; flags decide how it runs. The
// command and the library share this code, so it prints nothing and handles no signals.
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Forking, ForkStart } from '../chain/fork.ts'
import { toolFolders } from '../explorer/contracts/compiler-files.ts'
import type { CompilerPlaces } from '../explorer/contracts/compilers.ts'
import { readPrices } from '../explorer/statistics/prices.ts'
import type { ForkBlock } from '../fork/forked-chain.ts'
import { ANY, originsOf } from '../http/access.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import { type Node, type NodeOptions, startNode } from '../node.ts'
import type { CallMeter } from '../rpc/define.ts'
import { type ChainSpec, type GenesisAllocation, type GenesisSpec, withoutAllocation } from '../spec/chain-spec.ts'
import { Wallet } from '../wallet/wallet.ts'
import {
  type ChainFlags,
  checkAgrees,
  developmentWallet,
  forkWallet,
  fundsKnownOperators,
  holdValidatorKeys,
  newChain,
} from './choose-chain.ts'
import { writeConfig } from './config-out.ts'
import {
  chainFolder,
  compilersFolder,
  keystoreFolder,
  requireFolder,
  type StoredChain,
  withStoredChain,
} from './datadir.ts'
import { refuseFlag, wrongFlag } from './flags.ts'
import { askPassword, readPasswords } from './password.ts'
import { readModules } from './proposal-modules.ts'
import { type StartFlags, settingsOf } from './start-flags.ts'
import { withStateFile, writingState } from './state-file.ts'
import { VERSION } from './version.ts'

export type Launched = {
  readonly node: Node
  /** The given flags; with --mnemonic-random the mnemonic, too. */
  readonly flags: StartFlags
  /** The development accounts whose keys may be shown; none in production. */
  readonly development: Wallet
  /** Operators of validators with public development keys, for whom the node signs too. */
  readonly operators: readonly Address[]
  /** Whether genesis funds accounts with public keys or the public mnemonic. */
  readonly hasKnownKeys: boolean
}

/**
 * Opens or creates the chain and starts the node. Throws WrongCommandLine for flags that conflict with each other, ChainError
 * for flags that contradict the chain on disk, otherwise as `startNode`. `meter`: counts the requests.
 */
export async function launch(given: StartFlags, log: Logger, meter?: CallMeter): Promise<Launched> {
  const flags = await withRandomMnemonic(given)
  refuseExposure(flags)
  refuseAnyPage(flags)
  for (const folder of [namedCompilers(flags), flags.keystore]) if (folder !== undefined) requireFolder(folder)
  if (flags.vyper !== undefined && !existsSync(flags.vyper)) throw wrongFlag('vyper', `${flags.vyper}: no such file`)
  const chainFlags = { ...flags, appState: await (await cometBftOf(flags))?.appStateOf(flags) }
  const stored = flags.inMemory
    ? undefined
    : await withStoredChain(flags.datadir, (chain, head, fork) => storedChain(chainFlags, chain, head, fork))
  if (stored === undefined && flags.forkUrl.length === 0) refuseKnownKeys(chainFlags)
  // A genesis file that is given again may name opcode proposals that the stored chain lacks.
  if (stored !== undefined && flags.loadState !== undefined)
    throw refuseFlag('loadState', `${flags.datadir} holds a chain already; choose another --datadir, or --in-memory`)
  const { known, hasKnownOperators, fork, ...chosen } =
    stored === undefined || flags.genesis !== undefined ? await chainOfFlags(chainFlags, stored === undefined) : stored
  const { spec, loaded } =
    stored === undefined ? await withStateFile(flags, chosen.spec) : { ...chosen, loaded: undefined }
  const modules = await readModules(flags.proposal)
  const development = flags.production ? new Wallet() : known
  const wallet = await withUnlocked(development, flags)
  const operators = flags.production ? [] : holdValidatorKeys(wallet, spec)
  const options = await nodeOptions(flags, spec, wallet, log)
  const network = await (await cometBftOf(flags))?.networkOptions(flags, spec, log)
  const continuesClock = options.continuesClock === true || fork !== undefined
  // A fork that takes the place of one with native modules has them too.
  const native = flags.native || (fork !== undefined && spec.native !== undefined)
  const started = await startNode({
    ...options,
    meter,
    continuesClock,
    fork,
    loaded,
    forking: flags.production ? undefined : lateForking({ ...flags, native }, development),
    modules,
    namesModules: !flags.production,
    network: network?.options,
  })
  const node = writingState(started, flags, log)
  if (network !== undefined) log.info({ room: 'consensus' }, network.line)
  const hasKnownKeys = (flags.mnemonic === undefined && known.addresses().length > 0) || hasKnownOperators
  if (flags.configOut !== undefined) await writeConfig(flags.configOut, node, flags, development)
  return { node, flags, development, operators, hasKnownKeys }
}

async function withRandomMnemonic(flags: StartFlags): Promise<StartFlags> {
  if (flags.mnemonicRandom === undefined) return flags
  const { randomMnemonic } = await import('../wallet/mnemonic.ts')
  return { ...flags, mnemonic: randomMnemonic(Number(flags.mnemonicRandom)) }
}

/** CometBFT's part of a start; undefined on a chain of one node, which does not load it. */
const cometBftOf = async ({ consensus }: StartFlags) =>
  consensus === undefined ? undefined : import('./network/launch-cometbft.ts')

/** `hasKnownOperators`: whether a network's genesis funds operators with public keys. */
type ChosenChain = {
  readonly spec: ChainSpec
  readonly known: Wallet
  readonly hasKnownOperators: boolean
  readonly fork?: ForkStart | undefined
}

/** Loaded when a chain is forked. */
const loadForks = () => import('./fork.ts')

/** Forks that clients ask for while the node runs. */
const lateForking = (flags: StartFlags, accounts: Wallet): Forking => ({
  connect: async (url) => (await loadForks()).forkingOf(flags, accounts.addresses()).connect(url),
  start: async (target) => (await loadForks()).forkingOf(flags, accounts.addresses()).start(target),
})

/** The chain that the flags describe, with its development accounts. `isNew`: it is not on disk yet. */
async function chainOfFlags(flags: StartFlags & ChainFlags, isNew: boolean): Promise<ChosenChain> {
  if (flags.forkUrl.length > 0) {
    const known = await forkWallet(flags)
    const fork = await (await loadForks()).newFork(flags, known.addresses())
    return { spec: fork.begin.spec, known, hasKnownOperators: false, fork }
  }
  const spec = await newChain(flags)
  refuseForkFlags(flags, spec)
  if (isNew) await (await cometBftOf(flags))?.prepareCometBft(flags, spec)
  return { spec, ...(await knownKeys(flags, spec)) }
}

/** The chain on disk, with its development accounts. Throws ChainError `invalid-params` when a flag contradicts it. */
async function storedChain(
  flags: StartFlags & ChainFlags,
  chain: StoredChain,
  head: bigint,
  at: ForkBlock | undefined,
): Promise<ChosenChain> {
  if (flags.mnemonicRandom !== undefined)
    throw refuseFlag('mnemonicRandom', `${flags.datadir} holds a chain; name its accounts with --mnemonic`)
  if (at !== undefined) {
    if (flags.chainId !== undefined && flags.chainId !== chain.chainId)
      throw refuseFlag('chainId', `${flags.datadir} holds a fork with id ${chain.chainId}`)
    const fork = (await loadForks()).storedFork(flags, at, chain)
    return { spec: withoutAllocation(chain), known: await forkWallet(flags), hasKnownOperators: false, fork }
  }
  if (flags.forkUrl.length > 0)
    throw refuseFlag('forkUrl', `${flags.datadir} holds a chain of its own; choose another --datadir, or --in-memory`)
  refuseForkFlags(flags, chain)
  await checkAgrees(flags, chain, flags.datadir)
  await (await cometBftOf(flags))?.prepareCometBft(flags, chain, head)
  return { spec: withoutAllocation(chain), ...(await knownKeys(flags, chain)) }
}

/** Throws WrongCommandLine for flags that say more about a fork when there is none. A native chain may become one later. */
function refuseForkFlags(flags: StartFlags, { native }: ChainSpec): void {
  if (flags.native && native === undefined) throw wrongFlag('native', 'only with --fork-url, or a genesis with modules')
  for (const name of ['forkBlockNumber', 'forkBlockHash', 'forkTransactionHash', 'forkSources'] as const)
    if (flags[name] !== undefined) throw wrongFlag(name, 'only with --fork-url')
}

async function knownKeys(flags: StartFlags & ChainFlags, spec: GenesisSpec<GenesisAllocation>) {
  // A network's genesis is often derived from a preset's, with another mnemonic but the preset's operators.
  const hasKnownOperators = flags.consensus !== undefined && (await fundsKnownOperators(spec))
  return { known: await developmentWallet(flags, spec), hasKnownOperators }
}

async function nodeOptions(flags: StartFlags, spec: ChainSpec, wallet: Wallet, log: Logger): Promise<NodeOptions> {
  const { production, mining, mixedMining, blockTime, order, gasPrice } = flags
  const prices = flags.prices === undefined ? undefined : await readPrices(flags.prices)
  return {
    ...settingsOf(flags, 'node'),
    datadir: flags.inMemory ? undefined : chainFolder(flags.datadir),
    spec,
    limits: { gasCap: flags.callGasCap, time: flags.callTimeout },
    work: {
      running: flags.maxHeavyCalls,
      waiting: flags.maxQueuedCalls,
      waitingPerClient: Math.ceil(flags.maxQueuedCalls / 2),
    },
    pool: { minTip: flags.minTip ?? defaultMinTip(spec), allowUnprotected: flags.allowUnprotected, order, gasPrice },
    log,
    automine: mining && (blockTime === undefined || mixedMining),
    blockTime: blockTime ?? 0,
    continuesClock: flags.timestamp !== undefined,
    wallet,
    ipc: flags.ipc === 'auto' ? join(flags.inMemory ? tmpdir() : flags.datadir, 'kestrel.ipc') : flags.ipc,
    rpc: {
      ...settingsOf(flags, 'rpc'),
      development: !production,
      testing: flags.testingApi,
      version: VERSION,
    },
    explorer: {
      ...settingsOf(flags, 'explorer'),
      version: VERSION,
      compilers: compilerPlaces(flags),
      compileTime: flags.compileTimeout,
      prices,
      ipfsGateway: flags.ipfsGateway === 'none' ? undefined : flags.ipfsGateway,
    },
    http: {
      ...settingsOf(flags, 'http'),
      origins: originsOf(flags.corsOrigins, flags.unlock.length > 0),
      // The user chose the address to listen on, so it is an allowed host.
      hosts: [...flags.hosts, flags.host.toLowerCase()],
    },
  }
}

/** Wei per gas. Networks use geth's `--txpool.pricelimit`; otherwise 0, because development tools send without a tip. */
const defaultMinTip = ({ native }: ChainSpec): bigint => (native?.consensus === undefined ? 0n : 1n)

/** The folder of --compilers; undefined for the words that name no folder. */
const namedCompilers = ({ compilers }: StartFlags): string | undefined =>
  compilers === 'auto' || compilers === 'none' ? undefined : compilers

/** `none` leaves only the bundled compiler; otherwise compilers that other tools have downloaded are used too. */
const compilerPlaces = (flags: StartFlags): CompilerPlaces => ({
  folders:
    flags.compilers === 'none' ? [] : [namedCompilers(flags) ?? compilersFolder(flags.datadir), ...toolFolders()],
  vyper: flags.vyper,
})

/** The wallet with the accounts of --unlock. Throws ChainError for a wrong password or an account that has no key file. */
async function withUnlocked(wallet: Wallet, flags: StartFlags): Promise<Wallet> {
  const { keystore = keystoreFolder(flags.datadir), passwordFile } = flags
  if (flags.unlock.length === 0) return wallet
  const { unlock: decryptKey } = await import('../wallet/keystore.ts')
  const all = new Wallet()
  for (const account of wallet.addresses()) all.add(wallet.privateKey(account))
  const passwords = passwordFile === undefined ? undefined : await readPasswords(passwordFile)
  for (const [index, account] of flags.unlock.entries()) {
    const password = passwords?.(index) ?? (await askPassword(`Password of ${account}`))
    try {
      all.add(await decryptKey(keystore, account, password))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      throw refuseFlag('unlock', `${account}: ${error.message} (keystore ${keystore})`)
    }
  }
  return all
}

/** Refuses a public port with unlocked accounts or development methods: any caller could spend coins or set balances. */
function refuseExposure({ host, unsafeExpose, production, unlock }: StartFlags): void {
  if (unsafeExpose || isLoopback(host) || (production && unlock.length === 0)) return
  const what = production ? 'unlocked accounts' : 'unlocked accounts and development methods'
  throw wrongFlag('host', `${host} would open ${what} to others; add --unsafe-expose to do so anyway`)
}

/**
 * With an unlocked keystore account a web page could sign and pay, so only explicitly listed origins may call. The
 * `hosts` list must not contain `*` either, because DNS rebinding lets a page reach this machine under its own host name.
 */
function refuseAnyPage({ corsOrigins = [], hosts, unlock }: StartFlags): void {
  if (unlock.length === 0) return
  const wide = corsOrigins.find((origin) => !origin.includes('://'))
  if (wide !== undefined)
    throw wrongFlag('corsOrigins', `${wide} would let pages use the unlocked accounts; name the origins that may`)
  if (hosts.includes(ANY))
    throw wrongFlag('hosts', `${ANY} would let pages use the unlocked accounts; name the hosts of this node`)
}

/** Refuses a production chain with the preset's accounts, whose keys are public. */
function refuseKnownKeys({
  production,
  genesis,
  appState,
  mnemonic,
  preset,
  consensus,
}: StartFlags & ChainFlags): void {
  if (appState !== undefined) return
  if (consensus !== undefined && genesis === undefined)
    throw wrongFlag(
      'consensus',
      "a new node needs the network's genesis: --genesis FILE; `kestrel testnet` makes networks",
    )
  if (!production || genesis !== undefined || mnemonic !== undefined || preset !== undefined) return
  throw wrongFlag(
    'production',
    'a new chain needs initial accounts and validators: give --genesis FILE, --mnemonic WORDS, or --preset NAME for public development keys',
  )
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
