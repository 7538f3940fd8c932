// The published interfaces are those that the node answers: the files are the generator's, and the compiler reads from
// each of them the very ABI that the precompile runs on.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type AbiParameter, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { fileName, solidityFiles } from '../../scripts/solidity-source.ts'
import { PRECOMPILES } from '../../src/precompiles/index.ts'
import { compileSolidity } from '../support/solc.ts'

const folder = join(import.meta.dirname, '../../solidity')

/** Functions and events by selector and topic, by which callers know them. */
const byId = (abi: Abi): Record<string, unknown> => Object.fromEntries(abi.map((entry) => [idOf(entry), entry]))

function idOf(entry: Abi[number]): string {
  if (entry.type === 'function') return toFunctionSelector(entry)
  return entry.type === 'event' ? toEventSelector(entry) : entry.type
}

/** Without the names that types have in Solidity. */
const bare = (abi: Abi): Abi =>
  abi.map((entry) => {
    if (entry.type === 'function') {
      const { inputs, outputs, ...rest } = entry
      return { ...rest, inputs: inputs.map(bareParameter), outputs: outputs.map(bareParameter) }
    }
    if (entry.type !== 'event') return entry
    const inputs = entry.inputs.map((input) => ({ ...bareParameter(input), indexed: input.indexed === true }))
    return { type: entry.type, name: entry.name, inputs }
  })

const bareParameter = (parameter: AbiParameter): AbiParameter => ({
  name: parameter.name ?? '',
  type: parameter.type,
  ...('components' in parameter ? { components: parameter.components.map(bareParameter) } : {}),
})

describe('the files of solidity/', () => {
  const files = solidityFiles()

  it.each([...files])('%s is as generated (`npm run solidity`)', (path, text) => {
    const file = join(folder, path)
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'not there').toBe(text)
  })

  it('has no file that nothing generates', () => {
    const there = [...readdirSync(folder), ...readdirSync(join(folder, 'abi')).map((name) => `abi/${name}`)]
    expect(there.filter((path) => /\.(sol|json)$/.test(path) && !files.has(path))).toEqual([])
  })
})

test('everything compiles without a warning, the examples to code', () => {
  const { contracts, warnings } = compileSolidity()
  expect(warnings).toEqual([])
  for (const name of ['StakingManager', 'AutoCompounder', 'VestingVault', 'InterchainSender']) {
    expect(contracts.get(name)?.bytecode.length, name).toBeGreaterThan(1_000)
  }
})

describe.each(PRECOMPILES.map((of) => ({ of, name: fileName(of) })))('$name', ({ of, name }) => {
  const compiled = compileSolidity()
  const contract = compiled.contracts.get(`${name}I`)

  it('has, as the compiler reads it, the functions and events that the precompile runs on', () => {
    expect(byId(bare(contract?.abi ?? []))).toEqual(byId(bare(of.abi)))
  })

  it('has an ABI file that is what the compiler makes of the interface', () => {
    const published = JSON.parse(readFileSync(join(folder, `abi/${name}.json`), 'utf8')) as Abi
    expect(byId(published)).toEqual(byId(contract?.abi ?? []))
    expect(published).toHaveLength(contract?.abi.length ?? 0)
  })
})
