// References: ethers, @noble/curves, and arithmetic on the curve; both implementations are compared with each other.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { SigningKey } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigToFixed, bytesToBig, toHex } from '../../src/lib/hex.ts'
import {
  CURVE_WARNING,
  type Curve,
  curve,
  curveLibrary,
  privateKeyToAddress,
  recoverAddress,
  SECP256K1_N,
  signHash,
  wasmCurve,
} from '../../src/primitives/signature.ts'
import { bytes, privateKey } from './arbitraries.ts'

test('signatures equal those of ethers, and the signer is recovered', () => {
  fc.assert(
    fc.property(bytes(32), privateKey, (hash, key) => {
      const { r, s, yParity } = signHash(hash, key)
      const reference = new SigningKey(key).sign(hash)
      expect({ r, s, yParity }).toEqual({ r: BigInt(reference.r), s: BigInt(reference.s), yParity: reference.yParity })
      expect(recoverAddress(hash, r, s, BigInt(yParity))).toBe(privateKeyToAddress(key))
    }),
    { numRuns: 50 },
  )
})

const wasm = wasmCurve()
const noble: Curve = {
  sign(hash, privateKey) {
    const [recovery = 9, ...compact] = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { compact: Uint8Array.from(compact), recovery }
  },
  recover(hash, compact, recovery) {
    const key = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...compact), hash, { prehash: false })
    return secp256k1.Point.fromBytes(key).toBytes(false)
  },
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false),
}

/** The public key in hex; undefined if recovery fails. */
function recovered(by: Curve, hash: Uint8Array, r: bigint, s: bigint, recovery: number): string | undefined {
  try {
    return toHex(by.recover(hash, Uint8Array.of(...bigToFixed(r, 32), ...bigToFixed(s, 32)), recovery))
  } catch {
    return undefined
  }
}

test('the native and the WebAssembly curve sign like @noble/curves', () => {
  expect(curveLibrary.isNative).toBe(true)
  expect(CURVE_WARNING).toBeUndefined()
  fc.assert(
    fc.property(bytes(32), privateKey, (hash, key) => {
      const signature = noble.sign(hash, key)
      const publicKey = noble.publicKey(key)
      for (const ours of [curve, wasm]) {
        expect(ours.sign(hash, key)).toEqual(signature)
        expect(ours.publicKey(key)).toEqual(publicKey)
        expect(ours.recover(hash, signature.compact, signature.recovery)).toEqual(publicKey)
      }
    }),
    { numRuns: 50 },
  )
})

const scalar = fc.bigInt({ min: 1n, max: SECP256K1_N - 1n })

test('@noble/curves and both libraries recover random r and s to the same key, or all to none', () => {
  fc.assert(
    fc.property(bytes(32), scalar, scalar, fc.constantFrom(0, 1), (hash, r, s, recovery) => {
      const expected = recovered(noble, hash, r, s, recovery)
      expect(recovered(curve, hash, r, s, recovery)).toBe(expected)
      expect(recovered(wasm, hash, r, s, recovery)).toBe(expected)
    }),
    { numRuns: 100 },
  )
})

test('native code and WebAssembly recover 2,000 random signatures to the same keys, half of them to none', () => {
  let found = 0
  fc.assert(
    fc.property(bytes(32), scalar, scalar, fc.constantFrom(0, 1), (hash, r, s, recovery) => {
      const key = recovered(wasm, hash, r, s, recovery)
      expect(key).toBe(recovered(curve, hash, r, s, recovery))
      if (key !== undefined) found++
    }),
    { numRuns: 2000 },
  )
  // Half of all values are the x of a point: 1,000 of 2,000 with a standard deviation of 22.
  expect(found).toBeGreaterThan(800)
  expect(found).toBeLessThan(1200)
})

describe.each([
  ['native', curve],
  ['WebAssembly', wasm],
])('recovery by the %s curve', (_, ours) => {
  const hash = new Uint8Array(32).fill(7)
  const G_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

  test.each([0n, SECP256K1_N, SECP256K1_N + 1n, 2n ** 256n - 1n])('refuses %s as r and as s', (value) => {
    expect(recovered(ours, hash, G_X, 1n, 0)).toBeDefined()
    expect(recovered(ours, hash, value, 1n, 0)).toBeUndefined()
    expect(recovered(ours, hash, G_X, value, 0)).toBeUndefined()
  })

  test('accepts a high s, with the other parity', () => {
    const { compact, recovery } = ours.sign(hash, new Uint8Array(32).fill(1))
    const r = bytesToBig(compact.subarray(0, 32))
    const s = bytesToBig(compact.subarray(32))
    const key = toHex(ours.publicKey(new Uint8Array(32).fill(1)))
    expect(recovered(ours, hash, r, s, recovery)).toBe(key)
    expect(recovered(ours, hash, r, SECP256K1_N - s, 1 - recovery)).toBe(key)
  })

  test('accepts a hash of zero: with r = s = x of G the key is G', () => {
    // The key is (s R - hash G) / r, here R; G has an even y (SEC 2, 2.4.1).
    expect(recovered(ours, new Uint8Array(32), G_X, G_X, 0)).toBe(toHex(ours.publicKey(bigToFixed(1n, 32))))
  })

  test('recovers no key when it would be the point at infinity', () => {
    // With R = G and hash = s the key would be (s G - s G) / r; a hash one higher gives -G / r.
    expect(recovered(ours, bigToFixed(5n, 32), G_X, 5n, 0)).toBeUndefined()
    expect(recovered(ours, bigToFixed(6n, 32), G_X, 5n, 0)).toBeDefined()
  })

  test('recovers no key when r is not the x of a point', () => {
    // 5³ + 7 is not a square modulo the field's prime; 1 + 7 is.
    expect(recovered(ours, hash, 5n, 1n, 0)).toBeUndefined()
    expect(recovered(ours, hash, 1n, 1n, 0)).toBeDefined()
  })

  test.each([-1, 4])('refuses %i as a recovery number', (recovery) => {
    expect(recovered(ours, hash, 1n, 1n, recovery)).toBeUndefined()
  })
})

test('the account of the first well-known development key', () => {
  // Account 0 of the mnemonic `test test … junk`, as every development node prints it.
  const key = bigToFixed(0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80n, 32)
  expect(privateKeyToAddress(key)).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test.each([0n, SECP256K1_N, 2n ** 256n - 1n])('no key: %s', (value) => {
  expect(() => signHash(new Uint8Array(32), bigToFixed(value, 32))).toThrow()
  expect(() => privateKeyToAddress(bigToFixed(value, 32))).toThrow()
})

test('values out of range recover to no account', () => {
  const hash = new Uint8Array(32).fill(7)
  const { r, s, yParity } = signHash(hash, new Uint8Array(32).fill(1))
  const parity = BigInt(yParity)
  expect(recoverAddress(hash, 0n, s, parity)).toBeUndefined()
  expect(recoverAddress(hash, r, 0n, parity)).toBeUndefined()
  expect(recoverAddress(hash, r + SECP256K1_N, s, parity)).toBeUndefined()
  expect(recoverAddress(hash, r, s + SECP256K1_N, parity)).toBeUndefined()
  expect(recoverAddress(hash, r, s, 2n)).toBeUndefined()
  expect(recoverAddress(hash, r, s, -1n)).toBeUndefined()
})
