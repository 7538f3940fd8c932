// The command line: all commands with their flags.
import { Command } from 'commander'
import { register as accounts } from './accounts.ts'
import { register as calling } from './call.ts'
import { register as checking } from './check.ts'
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
import { VERSION } from './version.ts'

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
