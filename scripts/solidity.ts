// The ABIs of the native contracts, compiled from the interfaces in solidity/ by solc: as a TypeScript module that types the
// precompiles, and as the JSON files that the package publishes.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Abi, AbiParameter } from 'abitype'
import solc from 'solc'

type Output = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, { readonly abi: Abi }>>>>
}

export type InterfaceFiles = {
  /** Text of a module with one constant for each interface: `stakingAbi` for `interface StakingI`. */
  readonly typed: string
  /** Texts of JSON files by the name of their interface: `Staking`. */
  readonly published: ReadonlyMap<string, string>
}

/**
 * Compiles every `.sol` file directly in `root`, or in its folder `inside`. Throws Error with the compiler's messages, including
 * warnings.
 */
export function interfaceFiles(root: string, inside = ''): InterfaceFiles {
  const filesIn = (folder: string) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.sol'))
  const names = filesIn(inside).map((name) => join(inside, name))
  const sources = Object.fromEntries(
    [...new Set([...filesIn(''), ...names])].map((name) => [name, { content: readFileSync(join(root, name), 'utf8') }]),
  )
  const settings = { outputSelection: { '*': { '*': ['abi'] } } }
  const output: Output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const { errors = [], contracts = {} } = output
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const abis = names.toSorted().flatMap((name) => {
    const title = basename(name, '.sol')
    const abi = contracts[name]?.[`${title}I`]?.abi
    return abi === undefined ? [] : [[title, abi] as const]
  })
  const constants = abis.map(([title, abi]) => `export const ${constantName(title)} = ${json(named(abi))} as const\n`)
  return {
    typed: [`// Generated from ${join('solidity', inside)}/*.sol. Do not edit.\n`, ...constants].join('\n'),
    published: new Map(
      abis.map(([title, abi]) => [title, `${json(Object.values(named(abi)).flatMap(Object.values))}\n`]),
    ),
  }
}

/** Functions and events by name; an overloaded function by its name with its Solidity types. */
function named(abi: Abi) {
  const functions = abi.filter((entry) => entry.type === 'function')
  const isOverloaded = (name: string) => functions.filter((other) => other.name === name).length > 1
  return {
    functions: Object.fromEntries(
      functions.map((entry) => [isOverloaded(entry.name) ? signature(entry.name, entry.inputs) : entry.name, entry]),
    ),
    events: Object.fromEntries(abi.flatMap((entry) => (entry.type === 'event' ? [[entry.name, entry]] : []))),
  }
}

/** `validatorSlashes(string,uint64,uint64,PageRequest)`. */
const signature = (name: string, inputs: readonly AbiParameter[]): string =>
  `${name}(${inputs.map(({ internalType = '' }) => internalType.replace(/^(struct|enum) /, '')).join(',')})`

/** `stakingAbi`, `ics20Abi`. */
const constantName = (title: string): string => `${title.replace(/^[A-Z]+/, (start) => start.toLowerCase())}Abi`

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)
