import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatDec,
  fromInt,
  mul,
  mulInt,
  mulTruncate,
  ONE,
  parseDec,
  quo,
  quoInt,
  quoRoundUp,
  quoTruncate,
  truncateInt,
} from '../../src/lib/dec.ts'

const half = ONE / 2n

describe('Dec', () => {
  it('rounds a product to even on a tie, else to the nearest', () => {
    // 0.5 units, 1.5 units, 2.5 units of 10^-18
    expect([mul(1n, half), mul(3n, half), mul(5n, half)]).toEqual([0n, 2n, 2n])
    expect([mul(1n, half + 1n), mul(1n, half - 1n)]).toEqual([1n, 0n])
    expect([mulTruncate(3n, half), mulTruncate(1n, ONE - 1n)]).toEqual([1n, 0n])
  })

  it('divides in every direction', () => {
    const third = 333_333_333_333_333_333n
    expect([quo(ONE, fromInt(3n)), quoTruncate(ONE, fromInt(3n)), quoRoundUp(ONE, fromInt(3n))]).toEqual([
      third,
      third,
      third + 1n,
    ])
    expect([quo(fromInt(2n), fromInt(3n)), quoTruncate(fromInt(2n), fromInt(3n))]).toEqual([
      2n * third + 1n,
      2n * third,
    ])
    // A tie in the quotient: 10^-18 / 2 and 3 * 10^-18 / 2.
    expect([quo(1n, fromInt(2n)), quo(3n, fromInt(2n))]).toEqual([0n, 2n])
    // Exact quotients are not rounded up; digits beyond 36 decimals are ignored.
    expect([
      quoRoundUp(fromInt(6n), fromInt(3n)),
      quoRoundUp(1n, fromInt(10n ** 18n)),
      quoRoundUp(1n, fromInt(10n ** 19n)),
    ]).toEqual([fromInt(2n), 1n, 0n])
    expect(quoInt(fromInt(1n), 3n)).toBe(third)
    expect(() => quo(1n, 0n)).toThrow(RangeError)
  })

  it('computes shares after a slash (V11)', () => {
    const tokens = 2_970_000_000_000_000_000n
    const shares = fromInt(3n * ONE)
    const minted = quoInt(mulInt(shares, ONE), tokens)
    expect(minted).toBe(1_010_101_010_101_010_101_010_101_010_101_010_101n)
    const all = [tokens + ONE, shares + minted] as const
    expect(quo(mulInt(minted, all[0]), all[1])).toBe(fromInt(ONE))
    expect(quoTruncate(mulInt(minted, all[0]), all[1])).toBe(fromInt(ONE) - 1n)
  })

  it('splits a block reward in three (V7)', () => {
    const fraction = quoTruncate(1n, 3n)
    expect(fraction).toBe(333_333_333_333_333_333n)
    const reward = mulTruncate(mulTruncate(fromInt(1_000n), parseDec('0.98')), fraction)
    expect(formatDec(reward)).toBe('326.666666666666666340')
    expect(formatDec(mul(reward, parseDec('0.1')))).toBe('32.666666666666666634')
  })

  it('agrees with exact fractions', () => {
    const dec = fc.bigInt(0n, 10n ** 40n)
    fc.assert(
      fc.property(dec, fc.bigInt(1n, 10n ** 40n), (x, y) => {
        const near = (raw: bigint, numerator: bigint, denominator: bigint) => {
          const error = 2n * (raw * denominator - numerator)
          return (error < 0n ? -error : error) <= denominator
        }
        const product = mul(x, y)
        expect(near(product, x * y, ONE)).toBe(true)
        expect(product - mulTruncate(x, y)).toBeLessThanOrEqual(1n)
        // The quotient loses one part in 10^18 of a unit before it is rounded.
        expect(quo(x, y) - quoTruncate(x, y)).toBeLessThanOrEqual(1n)
        expect(quoTruncate(x, y) * y).toBeLessThanOrEqual(x * ONE)
        expect((quoTruncate(x, y) + 1n) * y).toBeGreaterThan(x * ONE)
        expect(quoRoundUp(x, y) - quoTruncate(x, y)).toBeLessThanOrEqual(1n)
        expect(truncateInt(fromInt(y) + (x % ONE))).toBe(y)
      }),
    )
  })

  it('parses and formats decimals', () => {
    expect([parseDec('0.05'), parseDec('12'), parseDec('1.000000000000000001')]).toEqual([
      5n * 10n ** 16n,
      12n * ONE,
      ONE + 1n,
    ])
    expect([formatDec(5n * 10n ** 16n), formatDec(12n * ONE)]).toEqual([
      '0.050000000000000000',
      '12.000000000000000000',
    ])
    for (const text of ['', '.5', '1.', '-1', '1e3', '0.0000000000000000001', '٣'])
      expect(() => parseDec(text)).toThrow('not a decimal number')
  })
})
