// Names of slots by layouts that compilers do not write, as a file of a build may have them.
import { expect, it } from 'vitest'
import { Preimages, SlotNames } from '../../src/contracts/slot-names.ts'
import type { LayoutType, StorageLayout } from '../../src/contracts/storage-layout.ts'
import { ContractStorage } from '../../src/contracts/storage-values.ts'
import { bigToWord } from '../../src/lib/hex.ts'

const WORD = { encoding: 'inplace', label: 'uint256', numberOfBytes: 32n } as const

const namesAt = (slot: bigint, type: string, types: Readonly<Record<string, LayoutType>>): readonly string[] => {
  const layout: StorageLayout = {
    storage: [{ label: 'x', offset: 0, slot: 0n, type }],
    types: { word: WORD, ...types },
  }
  const names = new SlotNames(new ContractStorage(layout), new Preimages())
  return names.at(bigToWord(slot), bigToWord(7n)).map(({ name, value }) => `${name} = ${value}`)
}

it('a struct within itself, an array of nothing and a type that is not there have no end that is waited for', () => {
  const own = { encoding: 'inplace', label: 'struct S', numberOfBytes: 64n } as const
  const members = [
    { label: 'own', offset: 0, slot: 0n, type: 'own' },
    { label: 'y', offset: 0, slot: 1n, type: 'word' },
  ]
  expect(namesAt(1n, 'own', { own: { ...own, members } })).toContain('x.y = 7')
  const list = { encoding: 'inplace', label: 'struct S[3]', numberOfBytes: 0n, base: 'list' } as const
  expect(namesAt(0n, 'list', { list })).toEqual([])
  expect(namesAt(0n, 'gone', {})).toEqual(['x = 0x0000000000000000000000000000000000000000000000000000000000000007'])
})

it('elements of a long array of a fixed length have their index, also the last one', () => {
  // 2^40 elements of 8 bytes, four of a slot.
  const list = { encoding: 'inplace', label: 'uint64[1099511627776]', numberOfBytes: 2n ** 43n, base: 'part' } as const
  const part = { encoding: 'inplace', label: 'uint64', numberOfBytes: 8n } as const
  expect(namesAt(2n ** 38n - 1n, 'list', { list, part })).toEqual([
    'x[1099511627772] = 7',
    'x[1099511627773] = 0',
    'x[1099511627774] = 0',
    'x[1099511627775] = 0',
  ])
  expect(namesAt(2n ** 38n, 'list', { list, part })).toEqual([])
})
