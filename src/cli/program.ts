// The command line: all commands with their flags, and how a command that fails ends. The file of a command, and with it the
// rooms that it needs, is loaded when the command line names the command: loading all of them takes longer than most commands.
import { Command } from 'commander'
import { exitCodeOf, explain } from './explain.ts'
import { isVerboseVersion, VERSION, versionLines } from './version.ts'

type CommandEntry = {
  readonly name: string
  /** For the help page. */
  readonly description: string
  /** Loads the function that adds arguments, flags, subcommands and action. */
  readonly load: () => Promise<(command: Command) => void>
}

/** Every command, in the order of the help page. Add a new one here. */
const commands: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'run a chain: the one on disk, or a new one',
    load: async () => (await import('./start.ts')).register,
  },
  {
    name: 'anvil',
    description: "run a chain in memory by anvil's command line: its flags, its defaults",
    load: async () => (await import('./anvil.ts')).register,
  },
  {
    name: 'init',
    description: 'create a chain from a genesis file and print the hash of block 0',
    load: async () => (await import('./init.ts')).register,
  },
  {
    name: 'genesis',
    description: 'print a genesis file: of a preset with the flags below, or of the chain in a data directory',
    load: async () => (await import('./genesis.ts')).register,
  },
  {
    name: 'import',
    description: 'import blocks from a file; blocks that the chain has already are skipped',
    load: async () => (await import('./import.ts')).register,
  },
  {
    name: 'export',
    description: 'write blocks to a file',
    load: async () => (await import('./export.ts')).register,
  },
  {
    name: 'snapshot',
    description: 'write the state of a chain to a file, or begin a chain with such a file',
    load: async () => (await import('./snapshot/snapshot.ts')).register,
  },
  {
    name: 'accounts',
    description: 'manage encrypted key files (Web3 Secret Storage, as geth)',
    load: async () => (await import('./accounts.ts')).register,
  },
  {
    name: 'call',
    description: 'read from a native contract, or try a transaction without sending it',
    load: async () => (await import('./call.ts')).registerCall,
  },
  {
    name: 'send',
    description: 'call a function of a native contract in a transaction',
    load: async () => (await import('./call.ts')).registerSend,
  },
  {
    name: 'trace',
    description: 'what a transaction or a call did: the tree of its calls, with functions, places and failures',
    load: async () => (await import('./trace.ts')).registerTrace,
  },
  {
    name: 'profile',
    description: 'where the gas of a transaction or a call went: by function, for flame graphs, or by line',
    load: async () => (await import('./trace.ts')).registerProfile,
  },
  {
    name: 'gov',
    description: 'governance of a running chain: submit proposals, deposit, vote',
    load: async () => (await import('./gov/gov.ts')).register,
  },
  {
    name: 'params',
    description:
      "show the EVM's parameters on a running chain (active improvement proposals, floor of the base fee) or propose changes",
    load: async () => (await import('./params.ts')).register,
  },
  {
    name: 'testnet',
    description: 'make the homes of the nodes of a new network: keys, genesis, configuration',
    load: async () => (await import('./network/testnet.ts')).register,
  },
  {
    name: 'validator',
    description: "a network's validator: keys, create, edit, bond, unbond, unjail, status",
    load: async () => (await import('./network/validator.ts')).register,
  },
  {
    name: 'resync',
    description: "make a network's node that is stopped fetch the chain again: after damage, or with another state",
    load: async () => (await import('./network/resync.ts')).register,
  },
  {
    name: 'relay',
    description: 'carry IBC packets between two networks: make clients, relay, status',
    load: async () => (await import('./relay/relay.ts')).register,
  },
  {
    name: 'reindex',
    description: "rebuild the explorer's index by running all blocks again",
    load: async () => (await import('./reindex.ts')).register,
  },
  {
    name: 'rewind',
    description: 'remove the newest blocks of a chain',
    load: async () => (await import('./rewind.ts')).register,
  },
  {
    name: 'check',
    description: 'look for damage in the data directory and say how to repair it',
    load: async () => (await import('./check.ts')).register,
  },
]

/**
 * The command line with all commands, of which those that `isUsed` accepts are complete. Parsing throws CommanderError,
 * WrongCommandLine, or the command's error.
 */
export async function createProgram(isUsed: (name: string) => boolean): Promise<Command> {
  const program = new Command('kestrel')
    .description('An EVM-compatible chain in one process: JSON-RPC, explorer API, stateful precompiles.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      '\n`kestrel` alone, or with flags only, is `kestrel start`. `kestrel --version --verbose` shows which engine runs contracts. `kestrel COMMAND --help` explains a command, with examples.',
    )
  for (const { name, description, load } of commands) {
    const command = program.command(name).description(description)
    if (!isUsed(name)) continue
    const register = await load()
    register(command)
  }
  return program
}

/** The program's own flags, those of Commander: every other flag in the first place is one of `start`. */
const PROGRAM_FLAGS = ['-h', '--help', '-V', '--version']

/** Puts `start` before a command line that names no command, so that `npx kestrel-evm` alone runs a chain. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first = '-'] = args
  return first.startsWith('-') && !PROGRAM_FLAGS.includes(first) ? ['start', ...args] : args
}

/**
 * Runs a command line and returns its exit code. A failure is one line on standard error; with KESTREL_TRACE set, the stack trace
 * follows.
 */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  try {
    if (isVerboseVersion(given)) process.stdout.write(await versionLines())
    else {
      const args = withCommand(given)
      const program = await createProgram((name) => args.includes(name))
      await program.parseAsync(args, { from: 'user' })
    }
    return 0
  } catch (error) {
    const { code, isPrinted } = exitCodeOf(error)
    if (isPrinted) return code
    process.stderr.write(`kestrel: ${explain(error)}\n`)
    if (process.env.KESTREL_TRACE !== undefined) console.error(error)
    return code
  }
}
