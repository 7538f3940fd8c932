import { ecrecover as reference } from '@ethereumjs/util'
import { secp256k1 as curve } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { customCrypto } from '../../src/evm/ethereumjs/custom-crypto.ts'
import { bigToFixed, bytesToBig } from '../../src/lib/hex.ts'

const { ecrecover, ecsign, keccak256, sha256: ourSha256 } = customCrypto
if (!ecrecover || !ecsign || !keccak256 || !ourSha256) throw new Error('a function is missing')

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

const attempt = (run: () => Uint8Array): string => {
  try {
    return Buffer.from(run()).toString('hex')
  } catch {
    return 'refused'
  }
}

describe('ecrecover', () => {
  it('agrees with the library on real signatures, also with high s', () => {
    fc.assert(
      fc.property(bytes32, fc.bigInt({ min: 1n, max: ORDER - 1n }), fc.boolean(), (hash, secret, high) => {
        const key = bigToFixed(secret, 32)
        const [recovery = 0, ...rest] = curve.sign(hash, key, { format: 'recovered', prehash: false })
        const r = Uint8Array.from(rest.slice(0, 32))
        const low = bytesToBig(Uint8Array.from(rest.slice(32)))
        const s = bigToFixed(high ? ORDER - low : low, 32)
        const parity = BigInt(high ? 1 - recovery : recovery)
        const expected = curve.getPublicKey(key, false).subarray(1)
        expect(ecrecover(hash, parity, r, s)).toEqual(expected)
        expect(ecrecover(hash, 27n + parity, r, s)).toEqual(expected)
        expect(ecrecover(hash, 35n + 2n * 125n + parity, r, s, 125n)).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })

  it('agrees with the library on random bytes', () => {
    const word = fc.oneof(
      fc.constantFrom(0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n, ORDER / 2n, ORDER / 2n + 1n),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    )
    fc.assert(
      fc.property(bytes32, fc.constantFrom(0n, 1n, 2n, 26n, 27n, 28n, 29n), word, word, (hash, v, r, s) => {
        const rBytes = bigToFixed(r, 32)
        const sBytes = bigToFixed(s, 32)
        expect(attempt(() => ecrecover(hash, v, rBytes, sBytes))).toBe(
          attempt(() => reference(hash, v, rBytes, sBytes)),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('accepts r and s without leading zeros', () => {
    // Search with noble for a key and hash that give an r with a leading zero byte.
    const key = bigToFixed(1n, 32)
    for (let i = 0; i < 2000; i++) {
      const hash = bigToFixed(BigInt(i), 32)
      const signature = ecsign(hash, key, {})
      const r = signature.subarray(1, 33)
      const s = signature.subarray(33)
      if (r[0] !== 0) continue
      expect(ecrecover(hash, BigInt(signature[0] ?? 9), r.subarray(1), s)).toEqual(
        curve.getPublicKey(key, false).subarray(1),
      )
      return
    }
    expect.fail('no such signature found')
  })
})

it('secp256k1 signs by RFC 6979, with low s', () => {
  fc.assert(
    fc.property(bytes32, fc.bigInt({ min: 1n, max: ORDER - 1n }), (hash, secret) => {
      const key = bigToFixed(secret, 32)
      expect(ecsign(hash, key, {})).toEqual(curve.sign(hash, key, { format: 'recovered', prehash: false }))
    }),
    { numRuns: 25 },
  )
})

it('keccak256 and sha256 equal those of the noble library', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
      expect(keccak256(message)).toEqual(keccak_256(message))
      expect(ourSha256(message)).toEqual(sha256(message))
    }),
    { numRuns: 50 },
  )
})
