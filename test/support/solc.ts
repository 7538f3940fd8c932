// Compiles the Solidity sources of `solidity/` with the compiler's JavaScript build. That takes seconds, so results are cached
// in node_modules until a source, a setting or the compiler changes.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/solc')

export type Contract = { readonly abi: Abi; readonly bytecode: Hex }
export type Compiled = {
  /** By name, those of `solidity/cosmos-evm` by path and name; interfaces have no bytecode. */
  readonly contracts: ReadonlyMap<string, Contract>
  readonly warnings: readonly string[]
}

type Compiler = { version(): string; compile(input: string): string }
type Message = { readonly severity: string; readonly formattedMessage: string }
export type Output = {
  readonly errors?: readonly Message[]
  readonly contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

/** Compiles all sources below a folder; paths are relative to it. Throws the compiler's errors. */
export function compileSolidity(below = 'solidity'): Compiled {
  const folder = join(ROOT, below)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sol'))
  const sources = paths.sort().map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')])
  return compiled('Solidity', Object.fromEntries(sources.map(([path, content]) => [path, { content }])))
}

/** Compiles a Yul source, which has no ABI. Throws the compiler's errors. */
export function compileYul(content: string): Hex {
  const [contract] = compiled('Yul', { 'source.yul': { content } }).contracts.values()
  if (contract === undefined) throw new Error('no object in the source')
  return contract.bytecode
}

function compiled(language: 'Solidity' | 'Yul', sources: Record<string, { readonly content: string }>): Compiled {
  const output = compile({
    language,
    sources,
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'prague',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  })
  const messages = output.errors ?? []
  const errors = messages.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contracts = Object.entries(output.contracts ?? {}).flatMap(([path, file]) =>
    Object.entries(file).map(([title, { abi, evm }]) => {
      const name = path.startsWith('cosmos-evm/') ? `cosmos-evm/${title}` : title
      return [name, { abi, bytecode: `0x${evm.bytecode.object}` as const }] as const
    }),
  )
  return {
    contracts: new Map(contracts),
    warnings: messages.map(({ formattedMessage }) => formattedMessage),
  }
}

export function compile(input: object): Output {
  const text = JSON.stringify(input)
  const require = createRequire(import.meta.url)
  const { version } = require('solc/package.json') as { version: string }
  const name = createHash('sha256').update(version).update(text).digest('hex')
  const file = join(CACHE, `${name}.json`)
  const kept = readIfThere(file)
  if (kept !== undefined) return JSON.parse(kept) as Output
  // Loads the compiler only when needed, because that takes a second. Its types lack `compile`.
  const solc = require('solc') as Compiler
  const output = solc.compile(text)
  mkdirSync(CACHE, { recursive: true })
  // Writes to a temporary name and renames it, because another worker may read the file.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, output)
  renameSync(draft, file)
  return JSON.parse(output) as Output
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
