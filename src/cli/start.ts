// `kestrel start`: runs a node until a signal stops it.
import type { Command } from 'commander'
import { debugSources, stackOfTransaction } from '../contracts/transaction-stack.ts'
import { SHORT } from '../contracts/words.ts'
import { reportEngine } from '../evm/engine-selection.ts'
import { moduleName, moniker } from '../explorer/account-names.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { CURVE_WARNING } from '../primitives/signature.ts'
import { OtherProgramNeeded } from '../runtime/program-upgrades.ts'
import { banner } from './banner.ts'
import { type Launched, launch } from './launch.ts'
import { optionsWithHome } from './network/node-home.ts'
import { readStartFlags, type StartFlags, withStartFlags } from './start-flags.ts'
import { dieOf, stopSignal } from './stop-signal.ts'
import { logActivity } from './terminal/activity.ts'
import { RequestCounts } from './terminal/request-counts.ts'
import { writeUpgradeInfo } from './upgrade-info.ts'

export function register(command: Command): void {
  withStartFlags(command)
    .addHelpText(
      'after',
      `
Without flags the chain is stored in ./kestrel-data and served on http://127.0.0.1:8545. The next start continues it.

Examples:
  kestrel start --in-memory
  kestrel start --datadir mine --chain-id 777 --accounts 3 --balance 500
  kestrel start --block-time 5 --port 9545
  kestrel start --preset evmos
  kestrel start --genesis genesis.json --no-mining
  kestrel start --in-memory --proposal average.mjs --activate kestrel_0,kestrel_7
  kestrel start --home net/node0
  kestrel start --consensus cometbft --genesis genesis.json --peers ID@HOST:26656
  kestrel start --production --unlock 0xADDRESS --password-file password.txt`,
    )
    .action(() => start(readStartFlags(optionsWithHome(command))))
}

/** Runs a node until a signal stops it. `shown`: the text that is printed when it listens. */
export async function start(flags: StartFlags, shown: (launched: Launched) => Promise<string> = banner): Promise<void> {
  const signal = stopSignal()
  const isJson = flags.json || flags.jsonLogs
  const log = createLogger({ level: flags.silent ? 'error' : (flags.logLevel ?? 'info'), json: isJson })
  const counts = flags.verbose > 0 ? new RequestCounts(log) : undefined
  const launching = launch(flags, log, counts).catch((error) => stopForProgram(error, flags))
  const launched = await Promise.race([launching, signal])
  // A start may hang, for example on a dead network disk. Its writes are atomic, so killing it is safe.
  if (typeof launched === 'string') return dieOf(launched)
  const { node, hasKnownKeys } = launched
  if (!flags.silent) process.stdout.write(await shown(launched))
  if (flags.production && hasKnownKeys)
    log.warn(
      flags.consensus === undefined
        ? 'genesis gave coins to accounts whose private keys are public; create the chain with --genesis or --mnemonic instead'
        : 'genesis gave coins to accounts whose private keys are public: this network is for trials only',
    )
  const { engine, warning } = reportEngine(flags.engine)
  log.info({ room: 'evm', engine }, `engine: ${engine}`)
  if (warning !== undefined) log.warn({ room: 'evm' }, warning)
  if (CURVE_WARNING !== undefined) log.warn({ room: 'chain' }, CURVE_WARNING)
  const flushActivity = showActivity(launched, log, { ...flags, isBounded: !isJson })
  const why = await Promise.race([signal.then(() => undefined), node.failed])
  flushActivity()
  log.info('stopping; send the signal again to stop at once')
  await node.close()
  // The last sync may have failed. `process.exit`, because a library's timer must not keep the process alive.
  process.exit(exitCodeFor(await Promise.race([node.failed, why]), flags))
}

/** Exit code when the next block needs another version of the program. */
const OTHER_PROGRAM = 3

/** `why` a node ends; undefined: a signal. Tells the program that watches over this one which version is needed. */
function exitCodeFor(why: string | OtherProgramNeeded | undefined, { datadir, inMemory }: StartFlags): number {
  if (typeof why !== 'object') return why === undefined ? 0 : 1
  // Last, because cosmovisor may miss a file that it sees before this process has ended.
  if (why.plan !== undefined && !inMemory) writeUpgradeInfo(datadir, why.plan)
  return OTHER_PROGRAM
}

function stopForProgram(error: unknown, flags: StartFlags): never {
  if (!(error instanceof OtherProgramNeeded)) throw error
  process.stderr.write(`kestrel: ${error.message}\n`)
  process.exit(exitCodeFor(error, flags))
}

/** Shows transactions until the chain closes. Returns a function that writes what is only counted. */
function showActivity(
  { node, development }: Launched,
  log: Logger,
  {
    production,
    verbose,
    consoleLog,
    isBounded,
  }: Pick<StartFlags, 'production' | 'verbose' | 'consoleLog'> & {
    readonly isBounded: boolean
  },
): () => void {
  const { chain, contracts } = node
  const indices = new Map(development.addresses().map((account, index) => [account, `account ${index}`]))
  return logActivity(chain, log, {
    contracts,
    isBounded,
    verbosity: verbose,
    prints: !production && consoleLog,
    stackOf: (hash) => stackOfTransaction(chain.traces, debugSources(chain, contracts), hash, { style: SHORT }),
    nameOf: (of, view) => indices.get(of) ?? moduleName(chain, of) ?? moniker({ spec: chain.spec, view }, of),
  })
}
