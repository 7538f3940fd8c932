// Entries of the table of options (options.ts): their type, the constructors of their kinds (a value, a repeatable value, a
// switch), and their flags for commander.
import { Option } from 'commander'
import { z } from 'zod'

/** Facts of an option besides its value, default and help text. */
export type Facts = {
  /** The room whose settings have a field of the same name and type; it gets the value without further code. */
  readonly room?: 'node' | 'http' | 'rpc' | 'explorer'
  /** For the help page: the default that the program computes. */
  readonly unset?: string
  /** For the documentation: the default of `startNode`, if it differs from the command's. */
  readonly inLibrary?: string
  /** Options that may not be given together with this one. */
  readonly conflicts?: readonly string[]
  /** Why a node of a network refuses the option. */
  readonly notInNetwork?: string
  /** The option needs a network: --consensus or --home. */
  readonly networkOnly?: true
  /** A further sentence for docs/cli.md, in Markdown. */
  readonly more?: string
}

export type OptionEntry = Facts & {
  /** Reads a value of the command line or `startNode`. */
  readonly schema: z.ZodType
  /** The TypeScript type that `startNode` takes. */
  readonly type: string
  /** The value's name on the help page, such as `<dir>`, or `[dir]` if it may be left out; a switch has none. */
  readonly value?: string
  /** What the option without its value stands for. */
  readonly alone?: string
  /** The default as typed on the command line. */
  readonly standard?: string
  readonly repeats?: true
  /** A switch that counts: `-vv`. The letter of its short flag. */
  readonly counts?: string
  /** The switch is on in development and off in production unless it is given. */
  readonly inDevelopment?: true
  /** What the option, or the switch when it is on, does; left out: the switch can only be turned off. */
  readonly help?: string
  /** What `--no-…` does; left out: there is no such flag. */
  readonly helpOff?: string
}

const typeOf = (schema: z.ZodType): string => String(schema.meta()?.type)
const onOff = z.boolean('expected a boolean')

/** An option with a value; undefined if left out. */
export const optional = <S extends z.ZodType, const F extends Facts>(
  value: string,
  schema: S,
  help: string,
  facts?: F,
) => describe({ value, help, type: typeOf(schema), schema: schema.optional() }, facts)

/** An option whose value may be left out; it is `alone` then. undefined if the option is left out. */
export const optionalValue = <S extends z.ZodType, const F extends Facts>(
  value: string,
  schema: S,
  alone: string,
  help: string,
  facts?: F,
) => describe({ value, alone, help, type: typeOf(schema), schema: schema.optional() }, facts)

/** An option with a value and a default. */
export const withDefault = <S extends z.ZodType, const F extends Facts>(
  value: string,
  schema: S,
  standard: string | number | bigint,
  help: string,
  facts?: F,
) => describe({ value, help, type: typeOf(schema), schema, standard: String(standard) }, facts)

/** A repeatable option; `schema` reads the array of its values, and has a default. */
export const repeated = <S extends z.ZodType, const F extends Facts>(
  value: string,
  schema: S,
  help: string,
  facts?: F,
) => describe({ value, help, type: typeOf(schema), schema, repeats: true as const }, facts)

/** A switch that is off unless it is given. */
export const switchOn = <const F extends Facts>(help: string, facts?: F) =>
  describe({ help, type: 'boolean', schema: onOff.default(false) }, facts)

/** A switch that may be given several times and has a short flag: the number of times. */
export const counted = <const F extends Facts>(letter: string, help: string, facts?: F) =>
  describe({ help, type: 'number', schema: z.number().default(0), counts: letter }, facts)

/** A switch that is on unless `--no-…` is given. */
export const switchOff = <const F extends Facts>(helpOff: string, facts?: F) =>
  describe({ helpOff, type: 'boolean', schema: onOff.default(true) }, facts)

/** A switch that is on in development and off in production unless it is given. */
export const developmentSwitch = <const F extends Facts>(help: string, helpOff: string, facts?: F) =>
  describe(
    { help, helpOff, type: 'boolean', schema: onOff.optional(), unset: 'with --dev', inDevelopment: true as const },
    facts,
  )

const describe = <E extends object, F extends Facts>(entry: E, facts: F | undefined): E & F => ({
  ...(facts as F),
  ...entry,
})

/** `gasLimit` as a flag: `gas-limit`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The default on the help page; empty if there is none. */
export const shownDefault = ({ standard, unset }: OptionEntry): string => standard ?? unset ?? ''

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

/** The flags of an option: one, or `--name` and `--no-name`. */
export function flagsOf(name: string, entry: OptionEntry): Option[] {
  const { value, alone, help, helpOff, standard, unset, repeats, counts, conflicts = [] } = entry
  const flag = (words: string, text: string, shown: string | undefined) =>
    new Option(words, shown === undefined ? text : `${text} (default: ${shown})`).conflicts([...conflicts])
  const off = helpOff === undefined ? [] : [flag(`--no-${kebab(name)}`, helpOff, help && 'with --production')]
  if (help === undefined) return off
  const text = repeats ? `${help}; may be repeated` : help
  const short = counts === undefined ? '' : `-${counts}, `
  const on = flag(`${short}--${kebab(name)}${value === undefined ? '' : ` ${value}`}`, text, unset)
  if (standard !== undefined) on.default(standard, standard)
  if (alone !== undefined) on.preset(alone)
  if (repeats) on.argParser(collect)
  if (counts !== undefined) on.argParser((_: string, before: number = 0) => before + 1)
  return [on, ...off]
}
