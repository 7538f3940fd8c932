// `kestrel anvil`: takes anvil's command line as it is. Each of anvil's flags is an entry of a table, which says what it is here;
// docs/anvil.md shows the table.
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { ANY } from '../http/access.ts'
import { FORKS } from '../spec/chain-spec.ts'
import { anvilBanner } from './anvil-banner.ts'
import { WrongCommandLine } from './explain.ts'
import { oneOf, path, readFlags, wholeNumber, wrongFlag } from './flags.ts'
import { kebab } from './option.ts'
import { start } from './start.ts'
import type { StartFlags } from './start-flags.ts'
import { readOptions } from './start-options.ts'

/** Options of `start` by name, as its command line would give them. */
type Given = Readonly<Record<string, unknown>>

export type AnvilFlag = {
  /** As commander writes it: `-a, --accounts <num>`. */
  readonly flag: string
  readonly aliases?: readonly string[]
  /** Whether the flag may be given several times. */
  readonly repeats?: true
  /** The variable of the environment that has the value if the flag is left out. */
  readonly env?: string
  /**
   * The option of `start` that gets the value, or a function that makes options of the value. Left out: the flag is accepted and has no
   * effect. The function throws WrongCommandLine for a value that this node cannot honour.
   */
  readonly to?: string | ((value: never) => Given)
  /** What the flag without its value stands for. */
  readonly alone?: string
  /** The values of a flag without effect; left out: whole numbers. */
  readonly takes?: z.ZodType
  /** What differs from anvil, or why there is no effect. */
  readonly differs?: string
}

const ALWAYS_TRACED = 'every transaction can be traced, at any time'
const NO_ARCHIVE =
  'states are on disk or in memory as long as the chain is; `kestrel start --prune` bounds their number'

/** In the order of `anvil --help`. */
export const anvilFlags: readonly AnvilFlag[] = [
  { flag: '-a, --accounts <num>', to: 'accounts' },
  { flag: '-b, --block-time <seconds>', aliases: ['--blockTime'], to: 'blockTime' },
  { flag: '--balance <num>', to: 'balance', differs: 'may have decimals' },
  { flag: '--config-out <file>', to: 'configOut', differs: 'only its owner may read the file' },
  { flag: '--derivation-path <path>', to: 'derivationPath' },
  { flag: '--dump-state <path>', to: 'dumpState', differs: 'the new file replaces the former one when it is whole' },
  {
    flag: '--hardfork <hardfork>',
    to: (name: string) => ({ hardfork: forkOf(name) }),
    differs: 'from `spuriousDragon` on; native modules from `paris` on',
  },
  { flag: '--init <path>', to: 'genesis' },
  {
    flag: '--ipc [path]',
    aliases: ['--ipcpath'],
    to: 'ipc',
    alone: '/tmp/anvil.ipc',
    differs: 'only its owner may use the socket',
  },
  {
    flag: '-j, --threads <threads>',
    aliases: ['--jobs'],
    differs: 'a chain has one writer; `kestrel start --read-threads` sets its readers',
  },
  { flag: '--load-state <path>', to: 'loadState', differs: 'the blocks too are read, with receipts and logs' },
  { flag: '-m, --mnemonic <mnemonic>', to: 'mnemonic' },
  { flag: '--max-persisted-states <number>', differs: NO_ARCHIVE },
  { flag: '--max-transactions <number>', differs: "the block's gas limit bounds the number" },
  { flag: '--mixed-mining', to: 'mixedMining' },
  {
    flag: '--mnemonic-random [words]',
    to: 'mnemonicRandom',
    alone: '12',
  },
  {
    flag: '--mnemonic-seed-unsafe <seed>',
    to: refused('mnemonicSeedUnsafe', 'give the phrase itself with --mnemonic'),
    differs: 'refused: a phrase for `--mnemonic` does the same',
  },
  { flag: '--no-mining', aliases: ['--no-mine'], to: () => ({ mining: false }) },
  { flag: '--number <num>', to: 'number' },
  { flag: '--order <order>', to: 'order' },
  { flag: '-p, --port <num>', to: 'port' },
  {
    flag: '--preserve-historical-states',
    differs: 'a file has the state after its last block only; `kestrel start` keeps all on disk',
  },
  { flag: '--prune-history [states]', differs: NO_ARCHIVE },
  { flag: '-s, --state-interval <seconds>', to: 'stateInterval' },
  { flag: '--slots-in-an-epoch <slots>', to: 'slotsInAnEpoch' },
  { flag: '--state <path>', to: 'state' },
  { flag: '--timestamp <num>', to: 'timestamp' },
  { flag: '--transaction-block-keeper <number>', differs: 'all blocks are kept' },
  {
    flag: '--color <color>',
    takes: oneOf('auto', 'always', 'never'),
    differs: 'colour is used on a terminal, unless NO_COLOR is set',
  },
  { flag: '--json', to: 'json' },
  { flag: '--md', differs: 'there is no Markdown' },
  { flag: '-q, --quiet', aliases: ['--silent'], to: 'silent' },
  {
    flag: '-v, --verbosity',
    repeats: true,
    to: 'verbose',
    differs: 'levels of `kestrel start`: events, calls, state changes',
  },
  {
    flag: '--allow-origin <origin>',
    to: 'corsOrigins',
    differs: 'without it pages of this machine and extensions may call, not every page',
  },
  { flag: '--cache-path <path>', takes: path, differs: NO_ARCHIVE },
  {
    flag: '--host <address>',
    env: 'ANVIL_IP_ADDR',
    to: (host: string) => (isLoopback(host) ? { host } : { host, unsafeExpose: true, hosts: [ANY] }),
  },
  { flag: '--no-cors', to: () => ({ corsOrigins: 'none' }) },
  { flag: '--no-request-size-limit', to: () => ({ maxRequestSize: 2 ** 30 }), differs: '1 GiB' },
  { flag: '--compute-units-per-second <number>', differs: 'the speed is bounded by `kestrel start --fork-rate`' },
  {
    flag: '-f, --fork-url <url>',
    aliases: ['--rpc-url'],
    repeats: true,
    to: 'forkUrl',
    differs: 'further URLs serve when the first fails',
  },
  { flag: '--fork-block-number <block>', to: 'forkBlockNumber' },
  {
    flag: '--fork-chain-id <chain>',
    to: 'chainId',
    differs: 'the id of the new chain; what was fetched is in the cache, as on anvil',
  },
  { flag: '--fork-header <header>', repeats: true, to: 'forkHeader' },
  { flag: '--fork-retry-backoff <backoff>', differs: 'waits grow by themselves, and as the server asks' },
  {
    flag: '--fork-transaction-hash <hash>',
    to: 'forkTransactionHash',
    differs: 'begins before the transaction, with those of its block before it',
  },
  {
    flag: '--no-rate-limit',
    aliases: ['--no-rpc-rate-limit'],
    differs: 'there is no limit unless `--fork-rate` sets one',
  },
  { flag: '--no-storage-caching', to: () => ({ storageCaching: false }) },
  { flag: '--retries <retries>', to: 'forkRetries' },
  { flag: '--timeout <timeout>', to: 'forkTimeout' },
  {
    flag: '--block-base-fee-per-gas <fee>',
    aliases: ['--base-fee'],
    to: 'baseFee',
    differs: 'not on a fork: `anvil_setNextBlockBaseFeePerGas` sets it there',
  },
  { flag: '--chain-id <id>', to: 'chainId' },
  { flag: '--code-size-limit <bytes>', to: 'codeSizeLimit' },
  { flag: '--disable-block-gas-limit', to: 'disableBlockGasLimit', differs: 'the limit is 2^63 - 1' },
  { flag: '--disable-code-size-limit', to: () => ({ codeSizeLimit: 2 ** 31 }), differs: '2 GiB' },
  {
    flag: '--disable-min-priority-fee',
    aliases: ['--no-priority-fee'],
    differs: 'no tip is required; one is only suggested',
  },
  { flag: '--enable-tx-gas-limit', aliases: ['--tx-gas-limit'], to: () => ({ transactionGasCap: 16_777_216 }) },
  { flag: '--gas-limit <gas>', to: 'gasLimit' },
  { flag: '--gas-price <price>', to: 'gasPrice' },
  { flag: '--auto-impersonate', aliases: ['--auto-unlock'], to: 'autoImpersonate' },
  { flag: '--disable-console-log', aliases: ['--no-console-log'], to: () => ({ consoleLog: false }) },
  {
    flag: '--disable-default-create2-deployer',
    aliases: ['--no-create2'],
    to: () => ({ preinstalls: false }),
    differs: 'Multicall3 and the other factories are left out, too',
  },
  { flag: '--disable-pool-balance-checks', differs: 'the pool takes what the sender can pay for' },
  { flag: '--memory-limit <bytes>', differs: 'gas bounds memory; answers and traces have limits of their own' },
  { flag: '--print-traces', aliases: ['--enable-trace-printing'], to: () => ({ verbose: 2 }) },
  { flag: '--steps-tracing', aliases: ['--tracing'], differs: ALWAYS_TRACED },
  { flag: '--celo', to: refused('celo', 'this node has no Celo'), differs: 'refused' },
  {
    flag: '-n, --network <network>',
    to: (name: string) => (name === 'ethereum' ? {} : refused('network', `${name} is not supported`)()),
    differs: 'only `ethereum`',
  },
  { flag: '--preset <name>', to: 'preset', differs: 'not a flag of anvil: the local chain of another project' },
]

function refused(name: string, why: string): () => never {
  return () => {
    throw wrongFlag(name, why)
  }
}

/** What anvil's command line is without flags. */
const defaults: Given = { inMemory: true, chainId: 31_337, gasLimit: 30_000_000 }
/** Options that decide in place of a default. */
const decidedBy: Readonly<Record<string, readonly string[]>> = {
  chainId: ['forkUrl', 'genesis', 'preset'],
  gasLimit: ['forkUrl', 'genesis', 'preset', 'disableBlockGasLimit', 'loadState'],
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** anvil's name of a fork here. Throws WrongCommandLine. */
function forkOf(name: string): string | undefined {
  const wanted = name.toLowerCase()
  if (wanted === 'latest') return undefined
  const found = FORKS.find((fork) => fork.toLowerCase() === (others[wanted] ?? wanted))
  if (found === undefined) throw wrongFlag('hardfork', `there is no fork ${name}`)
  return found
}
const others: Readonly<Record<string, string>> = {
  merge: 'paris',
  tangerine: 'tangerinewhistle',
  frontier: 'chainstart',
}

export function register(command: Command): void {
  for (const entry of anvilFlags) {
    command.addOption(optionOf(entry))
    for (const alias of entry.aliases ?? [])
      command.addOption(optionOf({ ...entry, flag: aliasFlag(alias, entry) }).hideHelp())
  }
  command
    .addHelpText(
      'after',
      "\nanvil's flags and what differs: docs/anvil.md. The chain is in memory; `kestrel start` keeps one on disk.",
    )
    .action((given: Given) => start(flagsOfAnvil(given), anvilBanner))
}

/** An alias with the value of its flag: `--rpc-url <url>`. */
const aliasFlag = (alias: string, { flag }: AnvilFlag): string => `${alias}${/ [<[].*$/.exec(flag)?.[0] ?? ''}`

function optionOf({ flag, repeats, env, alone, to, differs = '' }: AnvilFlag): Option {
  const option = new Option(flag, to === undefined ? `no effect: ${differs}` : differs)
  if (env !== undefined) option.env(env)
  if (alone !== undefined) option.preset(alone)
  if (!repeats) return option
  return flag.includes('<')
    ? option.argParser((value: string, before: readonly string[] = []) => [...before, value])
    : option.argParser((_: string, before: number = 0) => before + 1)
}

/** The flags of `start` that anvil's are. Throws WrongCommandLine. */
export function flagsOfAnvil(given: Given): StartFlags {
  const chosen: Record<string, unknown> = {}
  /** The flag that was given for each option. */
  const flags = new Map<string, string>()
  for (const { flag, aliases = [], to, takes = wholeNumber(0, Number.MAX_SAFE_INTEGER) } of anvilFlags) {
    const name = [flag, ...aliases].find((name) => givenValue(name, given) !== undefined)
    if (name === undefined) continue
    const value = givenValue(name, given)
    const long = new Option(name).long?.slice(2) ?? name
    if (typeof to === 'string') {
      chosen[to] = value
      flags.set(kebab(to), long)
    } else if (to !== undefined) Object.assign(chosen, to(value as never))
    else if (value !== true) readFlags(z.object({ [long]: takes }), { [long]: value })
  }
  const free = Object.entries(defaults).filter(
    ([name]) => !(decidedBy[name] ?? []).some((other) => chosen[other] !== undefined),
  )
  try {
    return readOptions({ ...Object.fromEntries(free), ...chosen })
  } catch (error) {
    if (!(error instanceof WrongCommandLine)) throw error
    const [, option = '', problem = ''] = /^--([a-z-]+): (.*)$/s.exec(error.message) ?? []
    const flag = flags.get(option)
    throw flag === undefined ? error : new WrongCommandLine('invalid-params', `--${flag}: ${problem}`)
  }
}

/** The value of a flag; true for a switch that is given. commander names `--no-mining` for what it turns off, and gives false. */
function givenValue(flag: string, given: Given): unknown {
  const option = new Option(flag)
  const value = given[option.attributeName()]
  return option.negate ? value === false || undefined : value
}
