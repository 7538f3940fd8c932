// Gas of state access beyond a function's price, computed by hand. The price covers 100 gas a read and 500 a change. Beyond
// that a read costs 200, a change 22,100 or 5,000 as in SSTORE (EIP-2929, EIP-3529), and clearing a slot 1,000.
import { describe, expect, it } from 'vitest'
import { GasMeter, MeteredView, OutOfGas, workPrices } from '../../src/precompiles/metered-view.ts'
import { alice, bob, emptyView, nativeSpec } from '../support/native.ts'

async function metered(price: bigint, limit = 10n ** 9n) {
  const view = await emptyView()
  for (const [slot, word] of [
    [1n, 7n],
    [2n, 7n],
    [3n, 7n],
  ] as const) {
    view.setStorage(alice, slot, word)
  }
  const meter = new GasMeter(limit)
  meter.charge(price)
  return { view, meter, slots: new MeteredView(view, meter).slots(alice, 'write') }
}

describe('the gas of state access in a precompile', () => {
  it('is part of the function’s price up to a bound for each read and change', async () => {
    const { meter, slots } = await metered(1_000n)
    for (let i = 0; i < 5; i++) slots.load(1n)
    slots.store(9n, 1n)
    // 5 * 100 + 500
    expect(meter.used).toBe(1_000n)
    slots.load(1n)
    expect(meter.used).toBe(1_200n)
  })

  it('is that of SSTORE beyond the function’s price', async () => {
    const { meter, slots } = await metered(0n)
    slots.store(9n, 1n)
    expect(meter.used).toBe(22_100n)
    slots.store(1n, 8n)
    expect(meter.used).toBe(27_100n)
    slots.store(2n, 0n)
    expect(meter.used).toBe(28_100n)
  })

  it('is that of a read when the value is unchanged or this call changed the slot before', async () => {
    const { meter, slots } = await metered(0n)
    slots.store(3n, 7n)
    expect(meter.used).toBe(200n)
    slots.store(1n, 8n)
    slots.store(1n, 9n)
    expect(meter.used).toBe(200n + 5_000n + 200n)
  })

  it('is charged for accounts too', async () => {
    const { view, meter } = await metered(0n)
    view.setBalance(alice, 5n)
    const counted = new MeteredView(view, meter)
    counted.transfer(alice, bob, 2n)
    expect([view.balance(alice), view.balance(bob), meter.used]).toEqual([3n, 2n, 10_000n])
    expect(counted.balance(bob)).toBe(2n)
    expect(meter.used).toBe(10_200n)
  })

  it('is charged before the access', async () => {
    const { view, slots } = await metered(0n, 22_099n)
    expect(() => slots.store(9n, 1n)).toThrow(OutOfGas)
    expect(view.storage(alice, 9n)).toBe(0n)
  })
})

describe('the gas of work in a precompile', () => {
  const meterOf = (nativeGas: 1 | 2 | undefined, limit = 10n ** 9n) =>
    new GasMeter(limit, workPrices({ ...nativeSpec, nativeGas }))

  it.each([1, undefined] as const)('costs nothing with the rule %s', (nativeGas) => {
    const meter = meterOf(nativeGas)
    meter.begin(320)
    meter.encoded(320)
    expect(meter.used).toBe(0n)
  })

  it('is what a call costs if it is more than the prices', () => {
    const meter = meterOf(2)
    meter.charge(9_000n)
    // 8,000 for the call and 300 for each of three words, the last one begun.
    meter.begin(65)
    expect(meter.used).toBe(9_000n)
    // 650 for each of five words: 8,900 + 3,250.
    meter.encoded(160)
    expect(meter.used).toBe(12_150n)
    // 700 for a read, 5,500 for a change, 1,200 for another one of the same slot.
    meter.read()
    expect(meter.used).toBe(12_850n)
    meter.write(alice, 1n, 'fresh')
    expect(meter.used).toBe(18_350n)
    meter.write(alice, 1n, 'changed')
    expect(meter.used).toBe(19_550n)
  })

  it('is not less than prices of a state beyond ordinary size', () => {
    const meter = meterOf(2)
    meter.write(alice, 1n, 'fresh')
    expect(meter.used).toBe(22_100n)
  })

  it('comes to the gas of another contract’s call', () => {
    const meter = meterOf(2)
    meter.begin(0)
    meter.spendInner(1_000n)
    expect(meter.used).toBe(9_000n)
    expect(meter.left).toBe(10n ** 9n - 9_000n)
  })

  it('ends the call at its limit', () => {
    expect(() => meterOf(2, 8_299n).begin(32)).toThrow(OutOfGas)
    expect(meterOf(2, 8_300n).begin(32)).toBeUndefined()
  })
})
