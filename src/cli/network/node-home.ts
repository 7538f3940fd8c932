// The home of a network's node: `node.json` with flags of `start`, kestrel's genesis, the data directory and the CometBFT home.
// `start --home DIR` reads them; flags of the command line take precedence.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { options } from '../options.ts'

/** The parts of a node's home. */
export const homeFiles = (home: string) => ({
  flags: join(home, 'node.json'),
  genesis: join(home, 'genesis.json'),
  data: join(home, 'data'),
  engine: join(home, 'engine'),
})

/** Options of `start` by name, with the types of `startNode`. */
const flagsFile = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

/** Flags that a home cannot set: paths that follow from the home. */
const NOT_HERE = new Set(['home', 'datadir', 'genesis', 'engineHome'])

/**
 * The options of a command, merged with those of the home that it names. Throws ChainError `invalid-params` for a home without
 * a readable `node.json`.
 */
export function optionsWithHome(command: Command): Record<string, unknown> {
  const given: Record<string, unknown> = command.opts()
  const { home } = given
  if (typeof home !== 'string' || home === '') return given
  const files = homeFiles(home)
  const ofHome: Record<string, unknown> = {
    datadir: files.data,
    genesis: files.genesis,
    engineHome: files.engine,
    ...readFlags(files.flags),
  }
  for (const name of Object.keys(ofHome)) if (isOnCommandLine(command, name)) delete ofHome[name]
  return { ...given, ...ofHome }
}

function isOnCommandLine(command: Command, name: string): boolean {
  const source = command.getOptionValueSource(name)
  return source !== undefined && source !== 'default'
}

/** The flags of a home alone, as `kestrel testnet` has written them. Throws as `optionsWithHome`. */
export const optionsOfHome = (home: string): Record<string, unknown> => readFlags(homeFiles(home).flags)

function readFlags(path: string): Record<string, unknown> {
  const refuse = (problem: string) => new ChainError('invalid-params', `${path}: ${problem}`)
  let json: unknown
  const text = readFileSync(path, 'utf8')
  try {
    json = JSON.parse(text)
  } catch {
    throw refuse('expected JSON')
  }
  const parsed = flagsFile.safeParse(json)
  if (!parsed.success) throw refuse('expected an object with flags of `kestrel start`')
  const unknown = Object.keys(parsed.data).find((name) => !Object.hasOwn(options, name) || NOT_HERE.has(name))
  if (unknown !== undefined) throw refuse(`${unknown}: no flag that a home may set`)
  return parsed.data
}
