// Formats of amounts on the pages: exact, and in units that show their digits.
import { describe, expect, it } from 'vitest'
import { coins, onScale, scaleOf } from '../../web/format.ts'

const COIN = 10n ** 18n
const GWEI = 10n ** 9n

describe('an amount of coins', () => {
  it.each([
    [0n, 4, '0', 'coin'],
    [(3n * COIN) / 2n, 4, '1.5', 'coin'],
    // 0.0001 is the least that four decimals show; less is in gwei.
    [COIN / 10_000n, 4, '0.0001', 'coin'],
    [COIN / 10_000n - 1n, 4, '99,999.999', 'gwei'],
    [21_000n * GWEI, 6, '0.000021', 'coin'],
    [8n, 6, '8', 'wei'],
    [-7n, 6, '-7', 'wei'],
    // Exact where all decimals are asked for, and without a row of zeros.
    [168_000_000n, 18, '0.168', 'gwei'],
    [1_000n * COIN + 1n, 18, '1,000.000000000000000001', 'coin'],
  ])('of %s wei with %s decimals is %s %s', (wei, digits, amount, unit) => {
    expect(coins(wei.toString(), digits)).toEqual({ amount, unit })
  })
})

describe('the amounts of a column', () => {
  const column = (...amounts: bigint[]) => {
    const texts = amounts.map(String)
    const scale = scaleOf(texts)
    return [scale.unit, ...texts.map((text) => onScale(text, scale))]
  }

  it('are in the unit in which the least one has digits, with equal decimals', () => {
    expect(column(21_000n * GWEI, 1_188_000n * GWEI)).toEqual(['gwei', '21,000', '1,188,000'])
    expect(column(COIN / 1000n, COIN / 4n, 2n * COIN)).toEqual(['coin', '0.001000', '0.250000', '2.000000'])
    expect(column(21_000n * 8n, 90_000n * 8n)).toEqual(['wei', '168,000', '720,000'])
    expect(column(GWEI / 2n, 3n * GWEI)).toEqual(['gwei', '0.500', '3.000'])
  })

  it('do not follow zeros', () => {
    expect(column(0n, COIN)).toEqual(['coin', '0.000000', '1.000000'])
    expect(column(0n)).toEqual(['coin', '0.000000'])
    expect(column()).toEqual(['coin'])
  })
})
