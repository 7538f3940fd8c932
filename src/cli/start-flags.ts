// Uses of the table of options (options.ts): flags of a command, parsed values, and the settings of rooms.
import type { Command } from 'commander'
import { z } from 'zod'
import { type EngineChoice, reportEngine } from '../evm/engine-selection.ts'
import type { Durable } from '../state/late-sync.ts'
import { readFlags, wrongFlag } from './flags.ts'
import { flagsOf, type OptionEntry } from './option.ts'
import { DURABLE, optionGroups, options } from './options.ts'

type Table = typeof options
export type OptionName = keyof Table

export const entries: Readonly<Record<string, OptionEntry>> = options

/** The schema of each option, for the schemas of commands: `z.object({ datadir: schemas.datadir })`. */
export const schemas = Object.fromEntries(Object.entries(entries).map(([name, { schema }]) => [name, schema])) as {
  readonly [Name in OptionName]: Table[Name]['schema']
}

/** The schemas of some options. */
export const schemasOf = <Name extends OptionName>(names: readonly Name[]): Pick<typeof schemas, Name> =>
  Object.fromEntries(names.map((name) => [name, schemas[name]])) as Pick<typeof schemas, Name>

/** Adds the flags of some options to a command. */
export function withOptions(command: Command, ...names: readonly OptionName[]): Command {
  for (const name of names) for (const flag of flagsOf(name, options[name])) command.addOption(flag)
  return command
}

/** Adds every flag of `start`, in the groups and the order of the help page. */
export function withStartFlags(command: Command): Command {
  for (const [title, group] of Object.entries(optionGroups)) {
    command.optionsGroup(title)
    for (const [name, entry] of Object.entries<OptionEntry>(group))
      for (const flag of flagsOf(name, entry)) command.addOption(flag)
  }
  return command
}

const flags = z.object(schemas)

/** The options of `startNode`. Its declaration in the package is `scripts/option-texts.ts`. */
export type StartOptions = {
  readonly [Name in Exclude<OptionName, 'dev' | 'silent' | 'verbose'>]?: z.input<typeof flags>[Name]
}

/** The switches that are on in development and off in production. */
type DevelopmentSwitch = {
  [Name in OptionName]: Table[Name] extends { inDevelopment: true } ? Name : never
}[OptionName]
type Given = z.output<typeof flags>
export type StartFlags = Omit<Given, DevelopmentSwitch | 'durable'> & {
  readonly [Name in DevelopmentSwitch]: boolean
} & { readonly durable: Durable }

/** Reads the options of a node. Throws WrongCommandLine for a wrong option or options that conflict. */
export function readStartFlags(given: unknown): StartFlags {
  const read = readFlags(flags, given)
  refuseAgainstNetwork(read)
  // A network's node has neither development methods nor public keys.
  const production = read.production || read.consensus !== undefined
  const switches = Object.entries(entries)
    .filter(([, { inDevelopment }]) => inDevelopment)
    .map(([name]) => name)
  const set = Object.fromEntries(switches.map((name) => [name, read[name as DevelopmentSwitch] ?? !production]))
  const durable = read.durable ?? (production ? 'block' : DURABLE)
  return { ...read, production, durable, ...(set as Record<DevelopmentSwitch, boolean>) }
}

/** All nodes of a network decide together when and how blocks are made, so options of one node must not change it. */
function refuseAgainstNetwork(given: Given): void {
  const isNetwork = given.consensus !== undefined
  for (const [name, value] of Object.entries(given)) {
    const { helpOff, help, notInNetwork, networkOnly } = entries[name] ?? {}
    const isOff = help === undefined && helpOff !== undefined
    if (value === undefined || value === isOff || (Array.isArray(value) && value.length === 0)) continue
    if (isNetwork && notInNetwork !== undefined)
      throw wrongFlag(isOff ? `no-${name}` : name, `not with --consensus: ${notInNetwork}`)
    if (!isNetwork && networkOnly) throw wrongFlag(name, 'only with --consensus cometbft, or --home')
  }
}

/** The engine that runs contracts; `library` when the WebAssembly engine is not built. */
export const engineOf = ({ engine }: StartFlags): EngineChoice => reportEngine(engine).engine

type Room = NonNullable<OptionEntry['room']>
type OfRoom<R extends Room> = { [Name in OptionName]: Table[Name] extends { room: R } ? Name : never }[OptionName]

/** The options that are settings of a room under the same names. */
export const settingsOf = <R extends Room>(flags: StartFlags, room: R): Pick<StartFlags, OfRoom<R>> =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => entries[name]?.room === room)) as Pick<
    StartFlags,
    OfRoom<R>
  >
