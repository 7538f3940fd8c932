// Reference: ethers, and the two implementations side by side.
import { SigningKey } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigToFixed, toHex } from '../../src/lib/hex.ts'
import {
  CURVE_WARNING,
  curve,
  nobleCurve,
  privateKeyToAddress,
  recoverAddress,
  SECP256K1_N,
  signHash,
} from '../../src/primitives/signature.ts'
import { bytes, privateKey } from './arbitraries.ts'

test('signs as ethers does, and the signer is found again', () => {
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

test('the native and the portable implementation agree on every bit', () => {
  expect(curve).not.toBe(nobleCurve)
  expect(CURVE_WARNING).toBeUndefined()
  fc.assert(
    fc.property(bytes(32), privateKey, (hash, key) => {
      const signature = curve.sign(hash, key)
      expect(nobleCurve.sign(hash, key)).toEqual(signature)
      const publicKey = nobleCurve.recover(hash, signature.compact, signature.recovery)
      expect(publicKey).toEqual(curve.recover(hash, signature.compact, signature.recovery))
      expect(nobleCurve.publicKey(key)).toEqual(publicKey)
    }),
    { numRuns: 50 },
  )
})

test('recovery from random r and s finds the same key in both implementations, or none', () => {
  const scalar = fc.bigInt({ min: 1n, max: SECP256K1_N - 1n })
  const attempt = (run: () => Uint8Array) => {
    try {
      return toHex(run())
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(bytes(32), scalar, scalar, fc.constantFrom(0, 1), (hash, r, s, recovery) => {
      const compact = Uint8Array.of(...bigToFixed(r, 32), ...bigToFixed(s, 32))
      expect(attempt(() => nobleCurve.recover(hash, compact, recovery))).toBe(
        attempt(() => curve.recover(hash, compact, recovery)),
      )
    }),
    { numRuns: 50 },
  )
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

test('recovery refuses values out of range', () => {
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
