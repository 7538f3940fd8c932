// Gas and refunds of SSTORE in every fork: the test cases of EIP-1283 and EIP-2200, and the same codes with the numbers of
// EIP-2929, EIP-3529 and the Yellow Paper.
import { describe, expect, test } from 'vitest'
import { DIRTY_COUNT, OUT_OF_GAS, REFUND, S_STORAGE, S_VALUE, STOPPED, STORAGE } from '../../../src/evm/wasm/layout.ts'
import type { Fork } from '../../../src/spec/chain-spec.ts'
import { BareEngine, type BareHost } from './bare-engine.ts'

/** PUSH1 value, PUSH1 0, SSTORE for each value, as in the cases of both EIPs. */
const storing = (values: readonly number[]): number[] => values.flatMap((value) => [0x60, value, 0x60, 0, 0x55])
const PUSHES = 6n

/** A host whose slot 0 initially holds `original`, and is cold or warm. */
function slotOf(original: number, isCold: boolean): { host: BareHost; engine: { current: BareEngine | undefined } } {
  const engine: { current: BareEngine | undefined } = { current: undefined }
  const accessSlot = (slot = 0): number => {
    engine.current?.bytes.set([original], slot + S_VALUE + 31)
    engine.current?.words.set([engine.current.words[STORAGE / 4] ?? 0], (slot + S_STORAGE) / 4)
    return isCold ? 1 : 0
  }
  return { host: { accessSlot }, engine }
}

function store(fork: Fork, original: number, values: readonly number[], { gas = 1_000_000n, isCold = false } = {}) {
  const { host, engine } = slotOf(original, isCold)
  const bare = new BareEngine(storing(values), gas, { fork, host })
  engine.current = bare
  const reason = bare.exports.run()
  return { bare, reason, used: gas - bare.gas, refund: BigInt.asIntN(64, bare.limbs[REFUND / 8] ?? 0n) }
}

type Figures = readonly [gas: number, refund: number]
/** Original value, values stored; then gas and refund by EIP-1283, by EIP-2200, and by EIP-2929 with EIP-3529. */
type Case = readonly [original: number, values: readonly number[], Figures, Figures, Figures]

// The last column follows from the EIPs' numbers on a warm slot: 100 for an unchanged value or a second write, 20,000 from
// zero, 2,900 for other first writes; refunds 4,800 for clearing, 19,900 and 2,800 for restoring the original value.
const CASES: readonly Case[] = [
  [0, [0, 0], [412, 0], [1_612, 0], [212, 0]],
  [0, [0, 1], [20_212, 0], [20_812, 0], [20_112, 0]],
  [0, [1, 0], [20_212, 19_800], [20_812, 19_200], [20_112, 19_900]],
  [0, [1, 2], [20_212, 0], [20_812, 0], [20_112, 0]],
  [0, [1, 1], [20_212, 0], [20_812, 0], [20_112, 0]],
  [1, [0, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 4_800]],
  [1, [0, 1], [5_212, 4_800], [5_812, 4_200], [3_012, 2_800]],
  [1, [0, 2], [5_212, 0], [5_812, 0], [3_012, 0]],
  [1, [2, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 4_800]],
  [1, [2, 3], [5_212, 0], [5_812, 0], [3_012, 0]],
  [1, [2, 1], [5_212, 4_800], [5_812, 4_200], [3_012, 2_800]],
  [1, [2, 2], [5_212, 0], [5_812, 0], [3_012, 0]],
  [1, [1, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 4_800]],
  [1, [1, 2], [5_212, 0], [5_812, 0], [3_012, 0]],
  [1, [1, 1], [412, 0], [1_612, 0], [212, 0]],
  [0, [1, 0, 1], [40_218, 19_800], [40_818, 19_200], [40_118, 19_900]],
  [1, [0, 1, 0], [10_218, 19_800], [10_818, 19_200], [5_918, 7_600]],
]

describe.each([
  ['constantinople', 0],
  ['istanbul', 1],
  ['london', 2],
] as const)('SSTORE in %s', (fork, column) => {
  test.each(CASES)('%i: %j', (original, values, early, istanbul, london) => {
    const [gas, refund] = [early, istanbul, london][column] ?? early
    const { reason, ...found } = store(fork, original, values)
    expect(reason).toBe(STOPPED)
    expect([found.used, found.refund]).toEqual([BigInt(gas), BigInt(refund)])
  })
})

// Yellow Paper, appendix G: 20,000 from zero to another value, else 5,000; a refund of 15,000 for clearing. Petersburg removed
// EIP-1283.
describe.each(['chainstart', 'byzantium', 'petersburg'] as const)('SSTORE before net gas metering, in %s', (fork) => {
  test.each(CASES)('%i: %j', (original, values) => {
    let gas = 0n
    let refund = 0n
    let current = original
    for (const value of values) {
      gas += PUSHES + (current === 0 && value !== 0 ? 20_000n : 5_000n)
      if (current !== 0 && value === 0) refund += 15_000n
      current = value
    }
    const found = store(fork, original, values)
    expect([found.reason, found.used, found.refund]).toEqual([STOPPED, gas, refund])
  })
})

test('SSTORE to a cold slot costs 2,100 more, once (EIP-2929)', () => {
  expect(store('london', 1, [2, 3], { isCold: true }).used).toBe(2n * PUSHES + 2_100n + 2_900n + 100n)
})

test('SSTORE reads a slot from the host once, and writes it once', () => {
  let reads = 0
  const { host, engine } = slotOf(1, true)
  const accessSlot = (slot: number) => {
    reads++
    return host['accessSlot']?.(slot)
  }
  const bare = new BareEngine(storing([2, 3, 4]), 1_000_000n, { host: { accessSlot } })
  engine.current = bare
  expect([bare.exports.run(), reads, bare.words[DIRTY_COUNT / 4]]).toEqual([STOPPED, 1, 1])
})

describe('SSTORE without enough gas', () => {
  // A cold slot from zero: 22,100.
  test('reports the missing gas', () => {
    const { reason, bare, refund } = store('london', 0, [1], { gas: PUSHES + 22_099n, isCold: true })
    expect([reason, bare.missing, refund]).toEqual([OUT_OF_GAS, 1n, 0n])
    expect(bare.words[DIRTY_COUNT / 4]).toBe(0)
  })

  test('fails with 2,300 gas or less at any price, from Istanbul on (EIP-2200)', () => {
    expect(store('istanbul', 1, [1], { gas: PUSHES + 2_300n })).toMatchObject({ reason: OUT_OF_GAS })
    expect(store('istanbul', 1, [1], { gas: PUSHES + 2_301n })).toMatchObject({ reason: STOPPED, used: PUSHES + 800n })
    expect(store('constantinople', 1, [1], { gas: PUSHES + 200n })).toMatchObject({ reason: STOPPED })
    expect(store('istanbul', 1, [1], { gas: PUSHES + 2_300n }).bare.missing).toBe(0n)
  })
})
