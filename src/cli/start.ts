// `kestrel start`: a running node until somebody stops it. What is on the disk decides which chain it is; flags decide
// how it runs.
import { isIP } from 'node:net'
import type { Command } from 'commander'
import { reportEngine } from '../evm/engine-report.ts'
import type { EngineChoice } from '../evm/machine-options.ts'
import { readPrices } from '../explorer/prices.ts'
import { ANY, originsOf } from '../http/access.ts'
import { ChainError } from '../lib/errors.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { type NodeOptions, startNode } from '../node.ts'
import { CURVE_WARNING } from '../primitives/signature.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { unlock as decryptKey } from '../wallet/keystore.ts'
import { Wallet } from '../wallet/wallet.ts'
import { logActivity } from './activity.ts'
import { banner } from './banner.ts'
import { checkAgrees, developmentWallet, holdValidatorKeys, newChain } from './choose-chain.ts'
import { chainFolder, compilersFolder, keystoreFolder, readChainSpec } from './datadir.ts'
import { refuseFlag, wrongFlag } from './flags.ts'
import { askPassword, readPasswords } from './password.ts'
import { readModules } from './proposal-flags.ts'
import { engineOf, readStartFlags, type StartFlags, withStartFlags } from './start-flags.ts'
import { VERSION } from './version.ts'

/** One Ctrl-C under npm arrives twice, from the terminal and from npm: only a later one is a second wish. */
const SAME_KEYSTROKE = 500

export function register(program: Command): void {
  withStartFlags(program.command('start').description('run a chain: begin one, or go on with the one on disk'))
    .addHelpText(
      'after',
      `
Without flags the chain lives in ./kestrel-data, on http://127.0.0.1:8545. Starting again goes on where it stopped.

Examples:
  kestrel start --in-memory
  kestrel start --datadir mine --chain-id 777 --accounts 3 --balance 500
  kestrel start --block-time 5 --port 9545
  kestrel start --preset evmos
  kestrel start --genesis genesis.json --no-mining
  kestrel start --in-memory --proposal average.mjs --activate kestrel_0,kestrel_7
  kestrel start --shadow library
  kestrel start --production --unlock 0xADDRESS --password-file password.txt`,
    )
    .action((given) => start(readStartFlags(given)))
}

async function start(flags: StartFlags): Promise<void> {
  refuseExposure(flags)
  refuseSameEngine(flags)
  refuseAnyPage(flags)
  const stopped = stopSignal()
  const stored = flags.inMemory ? undefined : await readChainSpec(flags.datadir)
  if (stored !== undefined) await checkAgrees(flags, stored, flags.datadir)
  else refuseKnownKeys(flags)
  // A genesis file that is given again may name proposals that the chain does not know yet.
  const spec = stored === undefined || flags.genesis !== undefined ? await newChain(flags) : stored

  const modules = await readModules(flags.proposal)

  const development = developmentWallet(flags, spec)
  const shown = flags.production ? new Wallet() : development
  const wallet = await withUnlocked(shown, flags)
  const operators = flags.production ? [] : holdValidatorKeys(wallet, spec)

  const log = createLogger({ level: flags.silent ? 'error' : (flags.logLevel ?? 'info'), json: flags.jsonLogs })
  const node = await startNode({ ...nodeOptions(flags, spec, wallet, log), modules, namesModules: !flags.production })
  if (!flags.silent) process.stdout.write(await banner(node, flags, shown, operators))
  if (flags.production && flags.mnemonic === undefined && development.addresses().length > 0)
    log.warn('genesis gave coins to accounts whose keys everybody knows; begin with --genesis or --mnemonic instead')
  const { engine, warning } = reportEngine(flags.engine)
  log.info({ room: 'evm', engine, shadow: flags.shadow }, engineLine(engine, flags.shadow))
  if (warning !== undefined) log.warn({ room: 'evm' }, warning)
  if (CURVE_WARNING !== undefined) log.warn({ room: 'chain' }, CURVE_WARNING)
  logActivity(node.chain, log)
  const code = await Promise.race([stopped.then(() => 0), node.failed.then(() => 1)])
  log.info('closing; once more to stop at once')
  await node.close()
  // Nothing is left to do; what still waits (a timer of a library) must not hold the process.
  process.exit(node.shadow?.failure === undefined ? code : 1)
}

const engineLine = (engine: EngineChoice, shadow: EngineChoice | undefined): string =>
  shadow === undefined ? `engine: ${engine}` : `engine: ${engine}; every block runs again on ${shadow}`

function nodeOptions(flags: StartFlags, spec: ChainSpec, wallet: Wallet, log: Logger): NodeOptions {
  const { production, mining, blockTime } = flags
  return {
    datadir: flags.inMemory ? undefined : chainFolder(flags.datadir),
    spec,
    engine: flags.engine,
    limits: { gasCap: flags.callGasCap, time: flags.callTimeout },
    work: {
      running: flags.maxHeavyCalls,
      waiting: flags.maxQueuedCalls,
      waitingOfOne: Math.ceil(flags.maxQueuedCalls / 2),
    },
    pool: { minTip: flags.minTip, allowUnprotected: flags.allowUnprotected ?? !production },
    prune: flags.prune,
    log,
    host: flags.host,
    port: flags.port,
    automine: mining && blockTime === undefined,
    blockTime: blockTime ?? 0,
    gasLimit: flags.gasLimit,
    wallet,
    shadow: flags.shadow && { engine: flags.shadow, proposalFiles: flags.proposal },
    rpc: {
      development: !production,
      testing: flags.testingApi,
      version: VERSION,
      maxRequestSize: flags.maxRequestSize,
      maxBatch: flags.maxBatch,
    },
    explorer: {
      version: VERSION,
      compilers: flags.compilers ?? compilersFolder(flags.datadir),
      compileTime: flags.compileTimeout,
      prices: flags.prices === undefined ? undefined : readPrices(flags.prices),
    },
    // Figures of load and memory are not for everybody who may call a public node.
    metrics: flags.metrics ?? !production,
    http: {
      origins: originsOf(flags.corsOrigins, flags.unlock.length > 0),
      // The operator has named the address to listen on.
      hosts: [...flags.hosts, flags.host.toLowerCase()],
      maxConnections: flags.maxConnections,
    },
  }
}

/** The wallet with the accounts of --unlock. Throws ChainError for a wrong password or an account that has no key file. */
async function withUnlocked(wallet: Wallet, flags: StartFlags): Promise<Wallet> {
  const { keystore = keystoreFolder(flags.datadir), passwordFile } = flags
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

/** A second run on the engine of the first one would find no fault of that engine. */
function refuseSameEngine(flags: StartFlags): void {
  if (flags.shadow !== engineOf(flags)) return
  throw wrongFlag('shadow', `${flags.shadow} is what runs contracts already; choose another engine`)
}

/** Whoever reaches the port could spend the coins of unlocked accounts, or set balances at will. */
function refuseExposure({ host, unsafeExpose, production, unlock }: StartFlags): void {
  if (unsafeExpose || isLoopback(host) || (production && unlock.length === 0)) return
  const what = production ? 'unlocked accounts' : 'unlocked accounts and development methods'
  throw wrongFlag('host', `${host} would open ${what} to others; add --unsafe-expose if that is meant`)
}

/**
 * With an unlocked keystore account a page could sign and pay: only pages that are named one by one may call. A page whose
 * name is pointed at this machine comes under a host of its own.
 */
function refuseAnyPage({ corsOrigins = [], hosts, unlock }: StartFlags): void {
  if (unlock.length === 0) return
  const wide = corsOrigins.find((origin) => !origin.includes('://'))
  if (wide !== undefined)
    throw wrongFlag('corsOrigins', `${wide} would let pages use the unlocked accounts; name the origins that may`)
  if (hosts.includes(ANY))
    throw wrongFlag('hosts', `${ANY} would let pages use the unlocked accounts; name the hosts of this node`)
}

/** A production chain that begins with the preset's keys would belong to everybody who knows them. */
function refuseKnownKeys({ production, genesis, mnemonic, preset }: StartFlags): void {
  if (!production || genesis !== undefined || mnemonic !== undefined || preset !== undefined) return
  throw wrongFlag(
    'production',
    'a new chain needs to be told whose coins and validators it begins with: --genesis FILE, --mnemonic WORDS, or --preset NAME for keys that everybody knows',
  )
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Settles at the first signal to stop; the next one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = () => {
      if (first === undefined) {
        first = performance.now()
        resolve()
      } else if (performance.now() - first > SAME_KEYSTROKE) process.exit(130)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
}
