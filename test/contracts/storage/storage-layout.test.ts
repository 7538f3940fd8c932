// Layouts that are worked out from sources, compared with those that the compiler writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type StorageLayout, storageLayoutOf } from '../../../src/contracts/storage-layout.ts'
import { compile } from '../../support/solc.ts'

const path = 'contracts/layouts.sol'
const IMPORTS = {
  'contracts/vault.sol': `
    import { Base as Root, Side } from "./base/base.sol";
    import * as shapes from "@shapes/shapes.sol";
    import "../lib/units.sol";
    contract Vault is Root(5), Side { uint8 behind; shapes.Point[LENGTH] points; shapes.Tree.Leaf leaf; Cents cents; }`,
  'contracts/base/base.sol': `
    contract Base { uint24 first; constructor(uint256) {} }
    abstract contract Side { bool flag; address payable to; }`,
  'lib/shapes/src/shapes.sol': 'struct Point { uint8 x; uint8 y; } library Tree { struct Leaf { uint256 a; } }',
  'lib/units.sol': 'import "./cents.sol"; uint constant LENGTH = 1 minutes / 20;',
  'lib/cents.sol': 'type Cents is int64;',
}
const remappings = ['@shapes/=lib/shapes/src/']

/** By path and name: as the compiler writes them. */
function layoutsOf(sources: Readonly<Record<string, string>>) {
  const output = compile({
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([of, content]) => [of, { content }])),
    settings: { remappings, outputSelection: { '*': { '*': ['storageLayout'] } } },
  })
  return Object.entries(output.contracts ?? {}).flatMap(([of, contracts]) =>
    Object.entries(contracts).map(([name, contract]) => ({
      path: of,
      name,
      storageLayout: (contract as unknown as { storageLayout: unknown }).storageLayout,
    })),
  )
}

/** Variables with their types in full and without ids, which differ. */
function inFull({ storage, types }: StorageLayout) {
  // What a function takes and returns does not matter for storage.
  const plain = (label: string) => label.replace(/function .*?(?=\[|$)/, 'function')
  const typeOf = (id: string, within: readonly string[]): unknown => {
    const { label, base, key, value, members, encoding, numberOfBytes } = types[id] ?? {}
    if (within.includes(id)) return label
    const of = (part: string | undefined) => part && typeOf(part, [...within, id])
    return {
      encoding,
      label: plain(label ?? ''),
      numberOfBytes,
      parts: [base, key, value].map(of),
      members: members?.map(({ label, offset, slot, type }) => ({ label, offset, slot, type: of(type) })),
    }
  }
  return storage
    .filter(({ label }) => !label.startsWith('erc7201:'))
    .map(({ label, offset, slot, type }) => ({ label, offset, slot, type: typeOf(type, []) }))
}

describe('storage layouts', () => {
  const content = readFileSync(join(import.meta.dirname, 'layouts.sol'), 'utf8')
  const all = { [path]: content }

  it.each([
    ['every rule', all, 7],
    ['imports, aliases and remappings', IMPORTS, 4],
  ])('are as the compiler writes them: %s', (_, sources, count) => {
    const compiled = layoutsOf(sources)
    expect(compiled).toHaveLength(count)
    for (const { storageLayout, ...of } of compiled) {
      const read = storageLayoutOf({ ...of, sources, remappings })
      // Without sources the compiler's own is taken.
      const own = storageLayoutOf({ ...of, sources: {}, storageLayout })
      expect(read && inFull(read), of.name).toEqual(own && inFull(own))
    }
  })

  it('have names of enums, types behind value types and namespaces, also with the compiler’s own', () => {
    const [{ storageLayout } = {}] = layoutsOf(all).filter(({ name }) => name === 'Values')
    for (const compiled of [undefined, storageLayout]) {
      const read = storageLayoutOf({ path, name: 'Values', sources: all, storageLayout: compiled })
      const typeOf = (label: string) => Object.values(read?.types ?? {}).find((type) => type.label === label)
      expect(typeOf('enum Level')?.names).toEqual(['Low', 'Middle', 'High'])
      expect(typeOf('enum Root.Phase')?.names).toEqual(['Open', 'Closed'])
      const declared = (read?.storage ?? []).filter(({ label }) => label === 'shared')
      expect(declared.map(({ declaredIn }) => declaredIn)).toEqual(['Left', 'Right'])
      expect(typeOf('Price')?.underlying).toBe('uint128')
      // The example of ERC-7201.
      const at = read?.storage.find(({ label }) => label === 'erc7201:example.main')
      expect(at?.slot).toBe(0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500n)
      expect(read?.types[at?.type ?? '']?.members?.map(({ label, slot }) => [label, slot])).toEqual([
        ['x', 0n],
        ['y', 1n],
      ])
    }
  })

  it('follow C3 where bases have a common base', () => {
    // The compiler's documentation: from the most base-like to the most derived, each contract once.
    const source = `contract O { uint o; } contract A is O { uint a; } contract B is O { uint b; }
      contract C is A { uint c; } contract D is B, C { uint d; }`
    const read = storageLayoutOf({ path, name: 'D', sources: { [path]: source } })
    expect(read?.storage.map(({ label }) => label)).toEqual(['o', 'b', 'a', 'c', 'd'])
  })

  it('read old sources: fallback functions without a name, variables named as later words', () => {
    const source = `contract Old { function() public payable { x = 1; } function Old() public {} uint x;
      function() external payable callback; uint8 transient; uint8 layout; byte at; modifier m { _; } }`
    const read = storageLayoutOf({ path, name: 'Old', sources: { [path]: source } })
    expect(read?.storage.map(({ label, slot, offset }) => [label, slot, offset])).toEqual([
      ['x', 0n, 0],
      ['callback', 1n, 0],
      ['transient', 1n, 24],
      ['layout', 1n, 25],
      ['at', 1n, 26],
    ])
  })

  it.each([
    ['nothing', ''],
    ['no end', 'contract A { uint x;'],
    ['an unknown type', 'contract A { Missing x; }'],
    ['a base that is missing', 'contract A is B { uint x; }'],
    ['itself as base', 'contract A is A { uint x; }'],
    ['bases without an order', 'contract O {} contract P is O {} contract A is P, O {}'],
    ['a struct within itself', 'contract A { struct S { S s; } S s; }'],
    ['a constant that is itself', 'contract A { uint constant N = N; uint[N] x; }'],
    ['a length of zero', 'contract A { uint[5 - 5] x; }'],
    ['a number without end', 'contract A { uint[2 ** 2 ** 2 ** 2 ** 2 ** 2] x; }'],
    ['a storage that is too large', 'contract A { uint[2 ** 255] x; uint[2 ** 255] y; uint z; }'],
    ['words of prototypes', 'contract A { constructor x; toString[hasOwnProperty] y; }'],
    ['brackets within brackets', `contract A { uint[${'('.repeat(100_000)}1${')'.repeat(100_000)}] x; }`],
    ['types within types', `contract A { ${'mapping(uint => '.repeat(100_000)}uint${')'.repeat(100_000)} x; }`],
    ['arrays of arrays', `contract A { uint${'[2]'.repeat(100_000)} x; }`],
  ])('are not known for %s', (_, source) => {
    expect(storageLayoutOf({ path, name: 'A', sources: { [path]: source } })).toBeUndefined()
  })
})
