// The command line: all commands with their flags, and how a command that fails ends.
import { Command } from 'commander'
import { register as accounts } from './accounts.ts'
import { register as calling } from './call.ts'
import { register as checking } from './check.ts'
import { exitCodeOf, explain } from './explain.ts'
import { register as exporting } from './export.ts'
import { register as genesis } from './genesis.ts'
import { register as gov } from './gov/gov.ts'
import { register as importing } from './import.ts'
import { register as init } from './init.ts'
import { register as resync } from './network/resync.ts'
import { register as testnet } from './network/testnet.ts'
import { register as validator } from './network/validator.ts'
import { register as params } from './params.ts'
import { register as reindexing } from './reindex.ts'
import { register as rewinding } from './rewind.ts'
import { register as start } from './start.ts'
import { isVerboseVersion, VERSION, versionLines } from './version.ts'

/** Every command, in the order of the help page. Add a new one here. */
const commands = [
  start,
  init,
  genesis,
  importing,
  exporting,
  accounts,
  calling,
  gov,
  params,
  testnet,
  validator,
  resync,
  reindexing,
  rewinding,
  checking,
]

/** The whole command line; parsing throws CommanderError, WrongCommandLine, or the command's error. */
export function createProgram(): Command {
  const program = new Command('kestrel')
    .description('An EVM-compatible chain in one process: JSON-RPC, explorer API, stateful precompiles.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      '\n`kestrel start` runs a chain. `kestrel --version --verbose` shows which engine runs contracts. `kestrel COMMAND --help` explains a command, with examples.',
    )
  for (const register of commands) register(program)
  return program
}

/**
 * Runs a command line and returns its exit code. A failure is one line on standard error; with KESTREL_TRACE set, the stack trace
 * follows.
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    if (isVerboseVersion(args)) process.stdout.write(versionLines())
    else await createProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const { code, isPrinted } = exitCodeOf(error)
    if (isPrinted) return code
    process.stderr.write(`kestrel: ${explain(error)}\n`)
    if (process.env.KESTREL_TRACE !== undefined) console.error(error)
    return code
  }
}
