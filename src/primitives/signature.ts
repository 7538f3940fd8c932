// ECDSA over secp256k1 for 32-byte hashes; no other file uses the curve. It is libsecp256k1 where the package has a build for the
// platform (sign 35 µs, recover 50 µs), else @noble/curves (12 and 26 times as long). Both sign by RFC 6979 with low s, so
// their signatures are identical. The package's own fallback, elliptic, leaks keys (CVE-2025-14505) and is never loaded.
import { createRequire } from 'node:module'
import { secp256k1 as noble } from '@noble/curves/secp256k1.js'
import type * as Native from 'secp256k1'
import { type Address, bigToFixed, bytesToBig, toAddress } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { concatBytes } from './rlp.ts'

/** Order of the group. */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** The highest s that is not malleable (EIP-2). */
export const MAX_LOW_S = SECP256K1_N / 2n

export type Signature = { readonly r: bigint; readonly s: bigint; readonly yParity: 0 | 1 }

/** An implementation. Throws on a private key that is not 32 bytes in 1..n-1, a hash that is not 32 bytes, r or s out of range. */
export type Curve = {
  /** r and s as 64 bytes. */
  sign(hash: Uint8Array, privateKey: Uint8Array): { readonly compact: Uint8Array; readonly recovery: number }
  /** The public key, 65 bytes, uncompressed. Throws when no key has made the signature. */
  recover(hash: Uint8Array, compact: Uint8Array, recovery: number): Uint8Array
  publicKey(privateKey: Uint8Array): Uint8Array
}

export const nobleCurve: Curve = {
  sign(hash, privateKey) {
    const signature = noble.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { compact: signature.subarray(1), recovery: signature[0] ?? 0 }
  },
  recover(hash, compact, recovery) {
    const signature = concatBytes([Uint8Array.of(recovery), compact])
    const key = noble.recoverPublicKey(signature, hash, { prehash: false })
    return noble.Point.fromBytes(key).toBytes(false)
  },
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false),
}

/**
 * The file of the native bindings, for worker threads that load it themselves; undefined where the platform has no build.
 * `secp256k1/bindings.js` throws in that case, unlike the package's main file, which falls back to elliptic.
 */
export const NATIVE_BINDINGS: string | undefined = nativeBindings()

export const curve: Curve = NATIVE_BINDINGS === undefined ? nobleCurve : nativeCurve(NATIVE_BINDINGS)

/** A warning for the operator when the slow curve is in use. */
export const CURVE_WARNING: string | undefined =
  curve === nobleCurve
    ? 'no native secp256k1 for this platform: senders are recovered in JavaScript, about 25 times slower'
    : undefined

/** Signs a 32-byte hash. Throws when the key is not 32 bytes of 1..n-1. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const { compact, recovery } = curve.sign(hash, privateKey)
  return {
    r: bytesToBig(compact.subarray(0, 32)),
    s: bytesToBig(compact.subarray(32)),
    yParity: recovery === 1 ? 1 : 0,
  }
}

/** The account that made the signature; undefined when there is none or a value is out of range. A high s is accepted. */
export function recoverAddress(hash: Uint8Array, r: bigint, s: bigint, yParity: bigint): Address | undefined {
  if (yParity !== 0n && yParity !== 1n) return undefined
  if (!isScalar(r) || !isScalar(s)) return undefined
  const compact = concatBytes([bigToFixed(r, 32), bigToFixed(s, 32)])
  try {
    return publicKeyToAddress(curve.recover(hash, compact, Number(yParity)))
  } catch {
    return undefined
  }
}

/** The account of a private key. Throws when the key is not 32 bytes of 1..n-1. */
export const privateKeyToAddress = (privateKey: Uint8Array): Address => publicKeyToAddress(curve.publicKey(privateKey))

/** Whether a value is in 1..n-1, as r, s and private keys must be. */
export const isScalar = (value: bigint): boolean => value > 0n && value < SECP256K1_N

/** The account of an uncompressed public key: the last 20 bytes of the hash of its 64 bytes after the format byte. */
export const publicKeyToAddress = (key: Uint8Array): Address => toAddress(keccak256(key.subarray(1)).subarray(12))

function nativeBindings(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const path = require.resolve('secp256k1/bindings.js')
    require(path)
    return path
  } catch {
    return undefined
  }
}

function nativeCurve(path: string): Curve {
  const native: typeof Native = createRequire(import.meta.url)(path)
  return {
    sign(hash, privateKey) {
      const { signature, recid } = native.ecdsaSign(hash, privateKey)
      return { compact: signature, recovery: recid }
    },
    recover: (hash, compact, recovery) => native.ecdsaRecover(compact, recovery, hash, false),
    publicKey: (privateKey) => native.publicKeyCreate(privateKey, false),
  }
}
