// The Solidity interfaces in solidity/. The ABIs of the precompiles are generated from them; these tests compare what the
// compiler does not: addresses, message type URLs, documentation.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, getAddress, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { nativeTitle } from '../../src/contracts/native-sources.ts'
import { messageNamed } from '../../src/modules/authz/messages.ts'
import { precompilesWith } from '../../src/precompiles/index.ts'
import { NATIVE_INTERFACES } from '../../src/spec/chain-spec.ts'
import { compileSolidity } from '../support/solc.ts'

const folder = join(import.meta.dirname, '../../solidity')
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const sources = ['', 'cosmos-evm/'].flatMap((inside) =>
  readdirSync(join(folder, inside)).flatMap((name) => (name.endsWith('.sol') ? [inside + name] : [])),
)
/** The contracts of all interfaces, each once. */
const contracts = [...new Set(NATIVE_INTERFACES.flatMap(precompilesWith))].map((of) => ({
  of,
  name: join(of.folder, nativeTitle(of.name)),
}))

/** Entries by selector or topic. */
const byId = (abi: Abi): Record<string, unknown> => Object.fromEntries(abi.map((entry) => [idOf(entry), entry]))

function idOf(entry: Abi[number]): string {
  if (entry.type === 'function') return toFunctionSelector(entry)
  return entry.type === 'event' ? toEventSelector(entry) : entry.type
}

test('everything compiles without warnings, and the examples compile to code', () => {
  const { contracts, warnings } = compileSolidity()
  expect(warnings).toEqual([])
  for (const name of ['StakingManager', 'AutoCompounder', 'VestingVault', 'InterchainSender']) {
    expect(contracts.get(name)?.bytecode.length, name).toBeGreaterThan(1_000)
  }
})

test('every interface belongs to a precompile', () => {
  expect(sources.toSorted()).toEqual(['Types', ...contracts.map(({ name }) => name)].map((n) => `${n}.sol`).toSorted())
})

describe.each(contracts)('$name', ({ of, name }) => {
  it('has the ABI of the precompile, in the published file too', () => {
    const abi = compileSolidity().contracts.get(`${name}I`)?.abi ?? []
    // What receives coins without a function has no entry: callers need none.
    const named = abi.filter(({ type }) => type === 'function' || type === 'event')
    expect(byId(of.abi)).toEqual(byId(named))
    expect(JSON.parse(read(`abi/${name}.json`))).toEqual(of.abi)
  })

  it('has the address of the precompile', () => {
    const [, address] = /^address constant \w+_PRECOMPILE_ADDRESS = (0x\w{40});$/m.exec(read(`${name}.sol`)) ?? []
    expect(address).toBe(getAddress(of.address))
  })
})

test('the message constants are the type URLs', () => {
  const constants = [...read('Authorization.sol').matchAll(/^string constant (MSG_\w+) = "(.+)";$/gm)]
  expect(constants).toHaveLength(10)
  for (const [, name = '', url] of constants) expect(messageNamed(name)).toBe(url)
})

describe.each(sources)('%s', (name) => {
  const lines = read(name).split('\n')
  /** The documentation above a line. */
  const docOf = (at: number): string => {
    let first = at
    while (lines[first - 1]?.trim().startsWith('///')) first--
    return lines.slice(first, at).join('\n')
  }
  const declarations = lines.flatMap((line, at) =>
    /^\s*(function|event|struct|enum|interface) /.test(line) ? [{ line: line.trim(), doc: docOf(at) }] : [],
  )

  it('documents every declaration, parameter and return value', () => {
    expect(declarations.length).toBeGreaterThan(0)
    for (const { line, doc } of declarations) {
      expect(doc, line).toMatch(/@(notice|dev|title) \S/)
      const [inputs = '', outputs = ''] = [...line.matchAll(/\(([^()]*)\)/g)].map(([, list = '']) => list)
      const count = (list: string) => list.split(',').filter((part) => part.trim() !== '').length
      if (!/^(function|event) /.test(line)) continue
      expect(doc.match(/@param /g)?.length ?? 0, line).toBe(count(inputs))
      expect(doc.match(/@return /g)?.length ?? 0, line).toBe(count(outputs))
    }
  })
})
