// Members of enums, read from sources, by the names that interfaces have for them.
import { expect, it } from 'vitest'
import { memberOf } from '../../src/contracts/enum-members.ts'
import { enumsIn, merged } from '../../src/contracts/enum-names.ts'

const SOURCES = {
  'a.sol': `
    enum Free { No, Yes }
    // enum Comment { A }
    contract Shop {
      string constant TEXT = "enum Text { A }";
      enum Mode { Closed, /* half */ Open }
      function f() external { uint enumeration = 1; }
    }`,
  'b.sol': 'library Shop2 { enum Mode { On, Off } } interface I { enum Mode { A } }',
  // Not Solidity.
  'c.sol': 'enum {{{ contract',
}

it('enums of files and contracts are found, with their contract before the name', () => {
  expect(Object.fromEntries(enumsIn(SOURCES))).toEqual({
    Free: ['No', 'Yes'],
    'Shop.Mode': ['Closed', 'Open'],
    'Shop2.Mode': ['On', 'Off'],
    'I.Mode': ['A'],
  })
})

it('of several enums of a name with other members there is none', () => {
  const both = { x: 'contract Shop { enum Mode { A } }', y: 'contract Shop { enum Mode { B } }' }
  expect(Object.fromEntries(enumsIn(both))).toEqual({ 'Shop.Mode': null })
  const same = merged([enumsIn(SOURCES), enumsIn({ z: 'contract Shop { enum Mode { Closed, Open } }' })])
  expect(same.get('Shop.Mode')).toEqual(['Closed', 'Open'])
})

it('a value has a member if its parameter is of the enum', () => {
  const enums = enumsIn(SOURCES)
  const of = (internalType: string, value: unknown, type = 'uint8') => memberOf(enums, { type, internalType }, value)
  expect(of('enum Shop.Mode', 1n)).toBe('Open')
  // An element of an array has its internal type.
  expect(of('enum Shop.Mode[2][]', '0')).toBe('Closed')
  expect([of('enum Shop.Mode', 2n), of('uint8', 1n), of('enum Shop', 1n), of('enum Shop.Mode', 1n, 'uint256')]).toEqual(
    [undefined, undefined, undefined, undefined],
  )
})

it('a source of 100,000 enums that do not end is read in time', () => {
  const began = performance.now()
  expect(enumsIn({ 'a.sol': 'enum a{'.repeat(100_000) }).size).toBe(0)
  // Time is the subject: a pattern of pairs of brackets took minutes.
  expect(performance.now() - began).toBeLessThan(5_000)
})
