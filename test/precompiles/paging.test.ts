import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../src/lib/hex.ts'
import { byKey, byPlace, page } from '../../src/precompiles/paging.ts'

const request = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false } as const
const key = (place: number): Hex => `0x${place.toString(16).padStart(16, '0')}`

describe('a page of a query', () => {
  it('begins at a key or an offset', () => {
    const of = (change: object) => page({ ...request, ...change }, byPlace(5))
    expect(of({})).toEqual({ places: [0, 1, 2, 3, 4], response: { nextKey: '0x', total: 5n } })
    expect(of({ limit: 2n })).toEqual({ places: [0, 1], response: { nextKey: key(2), total: 0n } })
    expect(of({ limit: 2n, offset: 4n, countTotal: true })).toEqual({
      places: [4],
      response: { nextKey: '0x', total: 5n },
    })
    expect(of({ key: key(3), limit: 1n, countTotal: true })).toEqual({
      places: [3],
      response: { nextKey: key(4), total: 0n },
    })
    expect(of({ reverse: true, offset: 1n, limit: 2n })).toEqual({
      places: [3, 2],
      response: { nextKey: key(1), total: 0n },
    })
    expect(of({ offset: 2n ** 63n })).toEqual({ places: [], response: { nextKey: '0x', total: 5n } })
    expect(page({ ...request, limit: 2n ** 64n - 1n }, byPlace(1_500)).places).toHaveLength(1_000)
    expect(page(request, byPlace(1_500)).places).toHaveLength(100)
    expect(() => of({ key: key(1), offset: 1n })).toThrow('either offset or key is expected, got both')
    expect(() => of({ key: '0x01' })).toThrow('invalid page key: expected 8 bytes')
  })

  it('continues at a key that has been removed in between', () => {
    const list = byKey(['0x02', '0x04', '0x06'], 1)
    const from = (name: Hex, reverse: boolean) => page({ ...request, key: name, reverse }, list).places
    expect([from('0x03', false), from('0x03', true)]).toEqual([[1, 2], [0]])
    expect([from('0x07', false), from('0x07', true)]).toEqual([[], [2, 1, 0]])
    expect([from('0x01', false), from('0x01', true)]).toEqual([[0, 1, 2], []])
    expect([from('0x04', false), from('0x04', true)]).toEqual([
      [1, 2],
      [1, 0],
    ])
  })

  it('covers every item exactly once, forward and backward', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.bigInt(1n, 12n), fc.boolean(), (length, limit, reverse) => {
        const places: number[] = []
        let next: Hex = '0x'
        do {
          const found = page({ ...request, key: next, limit, reverse }, byPlace(length))
          places.push(...found.places)
          next = found.response.nextKey
        } while (next !== '0x')
        const all = Array.from({ length }, (_, place) => place)
        expect(places).toEqual(reverse ? all.reverse() : all)
      }),
    )
  })
})
