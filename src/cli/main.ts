#!/usr/bin/env node
// The door: a list of commands, and how any failure leaves the program: one line on standard error. A stack trace is shown
// only to those who set KESTREL_TRACE, to hunt a bug.
// Exit codes: 0 done, 1 failed or refused, 2 the command line itself is wrong.
import { Command, CommanderError } from 'commander'
import { register as accounts } from './accounts.ts'
import { register as blocktest } from './blocktest.ts'
import { register as checking } from './check.ts'
import { explain } from './explain.ts'
import { register as exporting } from './export.ts'
import { WrongCommandLine } from './flags.ts'
import { register as genesis } from './genesis.ts'
import { register as gov } from './gov.ts'
import { register as importing } from './import.ts'
import { register as init } from './init.ts'
import { register as params } from './params.ts'
import { register as reindexing } from './reindex.ts'
import { register as start } from './start.ts'
import { register as statetest } from './statetest.ts'
import { register as verify } from './verify.ts'
import { asksAll, VERSION, versionLines } from './version.ts'

/** Every command, in the order of the help page. A new one gets a line here. */
const commands = [
  start,
  init,
  genesis,
  importing,
  exporting,
  accounts,
  gov,
  params,
  reindexing,
  checking,
  verify,
  statetest,
  blocktest,
]

const program = new Command('kestrel')
  .description('An EVM-compatible chain in one process: JSON-RPC, explorer API, stateful precompiles.')
  .version(VERSION)
  .showSuggestionAfterError()
  .exitOverride()
  .addHelpText(
    'after',
    '\n`kestrel start` runs a chain. `kestrel --version --verbose` says which engine runs contracts. `kestrel COMMAND --help` explains a command, with examples.',
  )
for (const register of commands) register(program)

// A reader that goes away (`kestrel start | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  if (asksAll(process.argv.slice(2))) process.stdout.write(versionLines())
  else await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong, or has shown what was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else {
    process.stderr.write(`kestrel: ${explain(error)}\n`)
    if (process.env.KESTREL_TRACE !== undefined) console.error(error)
    process.exitCode = error instanceof WrongCommandLine ? 2 : 1
  }
}
