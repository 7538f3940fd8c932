// Reference: @ethereumjs/tx, and worked numbers from the EIPs.
import { Common, type Hardfork, Mainnet } from '@ethereumjs/common'
import { createTx, getCalldataFloorGas } from '@ethereumjs/tx'
import { createZeroAddress } from '@ethereumjs/util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Hash, toAddress, toHash, toHex } from '../../src/lib/hex.ts'
import { effectiveTip, gasBounds, upfrontCost } from '../../src/primitives/gas.ts'
import type { AccessList } from '../../src/primitives/types.ts'

const order = [
  'chainstart',
  'homestead',
  'byzantium',
  'istanbul',
  'berlin',
  'london',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
]
const forksAt = (fork: string) => {
  const since = (name: string) => order.indexOf(fork) >= order.indexOf(name)
  return {
    homestead: since('homestead'),
    istanbul: since('istanbul'),
    berlin: since('berlin'),
    shanghai: since('shanghai'),
    prague: since('prague'),
    amsterdam: false,
  }
}
const commonAt = (fork: string) => new Common({ chain: Mainnet, hardfork: fork as Hardfork })

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress)
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash)
const data = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 })), { maxLength: 300 })
  .map((bytes) => Uint8Array.from(bytes))
const accessList: fc.Arbitrary<AccessList> = fc.array(
  fc.record({ address, storageKeys: fc.array(word, { maxLength: 4 }) }),
  { maxLength: 4 },
)

/** The transaction types that a fork has. */
const typesAt = (fork: string): number[] => {
  const since = (name: string) => order.indexOf(fork) >= order.indexOf(name)
  return [0, ...(since('berlin') ? [1] : []), ...(since('london') ? [2] : []), ...(since('prague') ? [4] : [])]
}

type Case = {
  fork: string
  type: number
  to: Address | null
  data: Uint8Array
  accessList: AccessList
  authorities: Address[]
}
const anyCase: fc.Arbitrary<Case> = fc.constantFrom(...order).chain((fork) =>
  fc.constantFrom(...typesAt(fork)).chain((type) =>
    fc.record({
      fork: fc.constant(fork),
      type: fc.constant(type),
      to: type === 4 ? address : fc.option(address),
      data,
      accessList: type === 0 ? fc.constant([]) : accessList,
      authorities: type === 4 ? fc.array(address, { minLength: 1, maxLength: 3 }) : fc.constant([]),
    }),
  ),
)

const reference = ({ fork, type, to, data, accessList, authorities }: Case) => {
  const fields = {
    type,
    chainId: 1n,
    gasLimit: 10_000_000n,
    data,
    ...(to === null ? {} : { to }),
    ...(type === 0 ? {} : { accessList: accessList.map((item) => ({ ...item, storageKeys: [...item.storageKeys] })) }),
    ...(type === 4
      ? {
          authorizationList: authorities.map((authority) => ({
            chainId: '0x1' as const,
            address: authority,
            nonce: '0x' as const,
            yParity: '0x' as const,
            r: '0x01' as const,
            s: '0x01' as const,
          })),
        }
      : {}),
  }
  return createTx(fields, { common: commonAt(fork) })
}

const bare = {
  to: `0x${'11'.repeat(20)}` as Address,
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  authorizationList: [],
}

describe('the intrinsic gas', () => {
  test('equals that of @ethereumjs/tx at every fork and for every type', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const authorizationList = given.authorities.map((authority) => ({
          chainId: 1n,
          address: authority,
          nonce: 0n,
          yParity: 0n,
          r: 1n,
          s: 1n,
        }))
        const gas = gasBounds({ ...given, value: 0n, authorizationList }, forksAt(given.fork)).intrinsic
        expect(gas).toBe(reference(given).getIntrinsicGas())
      }),
      { numRuns: 500 },
    )
  })

  const key = `0x${'22'.repeat(32)}` as Hash
  const { to } = bare
  const authorization = { chainId: 1n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n }

  test.each([
    ['a transfer', 'chainstart', bare, 21_000n],
    ['a creation before EIP-2', 'chainstart', { ...bare, to: null }, 21_000n],
    ['a creation', 'homestead', { ...bare, to: null }, 53_000n],
    ['a zero and a one before EIP-2028', 'byzantium', { ...bare, data: Uint8Array.of(0, 1) }, 21_072n],
    ['a zero and a one', 'istanbul', { ...bare, data: Uint8Array.of(0, 1) }, 21_020n],
    // 53,000 + 33 * 4 + 2 words at 2 each
    ['33 bytes of initcode', 'shanghai', { ...bare, to: null, data: new Uint8Array(33) }, 53_136n],
    [
      'an address with two keys',
      'berlin',
      { ...bare, accessList: [{ address: to, storageKeys: [key, key] }] },
      27_200n,
    ],
    ['two authorizations', 'prague', { ...bare, authorizationList: [authorization, authorization] }, 71_000n],
  ])('%s', (_, fork, message, gas) => {
    expect(gasBounds(message, forksAt(fork)).intrinsic).toBe(gas)
  })
})

describe('the floor of EIP-7623', () => {
  const floorOf = (data: Uint8Array, fork: Parameters<typeof forksAt>[0]) =>
    gasBounds({ ...bare, data }, forksAt(fork)).floor

  test('equals that of @ethereumjs/tx', () => {
    fc.assert(
      fc.property(data, (bytes) => {
        const common = commonAt('prague')
        const tx = createTx({ to: createZeroAddress(), data: toHex(bytes), gasLimit: 10_000_000n }, { common })
        expect(floorOf(bytes, 'prague')).toBe(getCalldataFloorGas(tx))
      }),
    )
  })

  test('is ten gas a token, with four tokens for a nonzero byte', () => {
    expect(floorOf(Uint8Array.of(0, 0, 1), 'prague')).toBe(21_060n)
  })

  test('is 0 before Prague', () => {
    expect(floorOf(Uint8Array.of(0, 0, 1), 'cancun')).toBe(0n)
  })
})

describe('upfrontCost', () => {
  test('adds gas, value and blob gas at their caps', () => {
    const blobVersionedHashes = [`0x01${'00'.repeat(31)}`, `0x01${'11'.repeat(31)}`] as Hash[]
    const message = { gasLimit: 21_000n, maxFeePerGas: 7n, value: 5n, blobVersionedHashes, maxFeePerBlobGas: 3n }
    // 147,000 + 5 + 2 * 131,072 * 3
    expect(upfrontCost(message)).toBe(933_437n)
  })
})

describe('effectiveTip', () => {
  test.each([
    ['a fee cap that covers the whole tip', 100n, 10n, 90n, 10n],
    ['a fee cap that covers part of the tip', 100n, 10n, 95n, 5n],
    ['a cap below the base fee', 100n, 10n, 103n, -3n],
  ])('%s', (_, maxFeePerGas, maxPriorityFeePerGas, baseFee, tip) => {
    expect(effectiveTip({ maxFeePerGas, maxPriorityFeePerGas }, baseFee)).toBe(tip)
  })
})
