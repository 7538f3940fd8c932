// Options of `start` that are given by name, by `startNode` or by another command line, with the same checks as flags.
import { Command, CommanderError } from 'commander'
import { ChainError } from '../lib/errors.ts'
import { optionsWithHome } from './network/node-home.ts'
import { entries, readStartFlags, type StartFlags, withStartFlags } from './start-flags.ts'

/** The options, checked as the command line checks its flags. Throws ChainError `invalid-params`. */
export function readOptions(given: Readonly<Record<string, unknown>>): StartFlags {
  const command = withStartFlags(new Command('start'))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  for (const [name, value] of Object.entries(given)) if (value !== undefined) setOption(command, name, value)
  try {
    // Without arguments, because only conflicts between options are left to find.
    command.parse([], { from: 'user' })
    return readStartFlags(optionsWithHome(command))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    throw new ChainError('invalid-params', error.message.replace(/^error: /, ''))
  }
}

/** Sets the value that a command's flag would set. */
function setOption(command: Command, name: string, value: unknown): void {
  const refuse = (problem: string) => new ChainError('invalid-params', `${name}: ${problem}`)
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
  if (entry === undefined) throw refuse('there is no such option')
  if ((typeof value === 'boolean') !== (entry.value === undefined) && entry.counts === undefined)
    throw refuse(entry.value === undefined ? 'expected a boolean' : 'expected a value')
  // A switch with the value that it has without its flag, such as `mining: true`, conflicts with no other option.
  if ((value === true && entry.help === undefined) || (value === false && entry.helpOff === undefined)) return
  command.setOptionValueWithSource(name, entry.repeats && !Array.isArray(value) ? [value] : value, 'cli')
}
