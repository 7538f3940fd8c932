// ECDSA over secp256k1 for 32-byte hashes; no other file uses the curve. It uses libsecp256k1: the package's native build if
// the platform has one, otherwise WebAssembly (tiny-secp256k1, four times slower). Both sign by RFC 6979 with low s, so their
// signatures are identical. elliptic, to which secp256k1 falls back, leaks keys (CVE-2025-14505) and is never loaded.
import { createRequire } from 'node:module'
import type * as Native from 'secp256k1'
import type * as Tiny from 'tiny-secp256k1'
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
  /** The public key, 65 bytes, uncompressed. Throws when the signature has none. */
  recover(hash: Uint8Array, compact: Uint8Array, recovery: number): Uint8Array
  publicKey(privateKey: Uint8Array): Uint8Array
}

/** Which library is in use, and its file, for worker threads that load it themselves. */
export type CurveLibrary = { readonly isNative: boolean; readonly path: string }

/** `secp256k1/bindings.js` throws if the platform has no build, unlike the package's main file, which loads elliptic. */
const NATIVE_MODULE = 'secp256k1/bindings.js'
const WASM_MODULE = 'tiny-secp256k1'

export const curveLibrary: CurveLibrary = findLibrary()

export const curve: Curve = curveLibrary.isNative ? nativeCurve(curveLibrary.path) : wasmCurve()

/** A warning for the operator when the slower library is in use. */
export const CURVE_WARNING: string | undefined = curveLibrary.isNative
  ? undefined
  : 'no native secp256k1 for this platform: WebAssembly recovers senders, in about four times as long'

/** Signs a 32-byte hash. Throws when the key is not 32 bytes of 1..n-1. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const { compact, recovery } = curve.sign(hash, privateKey)
  return {
    r: bytesToBig(compact.subarray(0, 32)),
    s: bytesToBig(compact.subarray(32)),
    yParity: recovery === 1 ? 1 : 0,
  }
}

/** The account that signed; undefined when there is none or a value is out of range. A high s is accepted. */
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

function findLibrary(): CurveLibrary {
  const require = createRequire(import.meta.url)
  try {
    const path = require.resolve(NATIVE_MODULE)
    require(path)
    return { isNative: true, path }
  } catch {
    return { isNative: false, path: require.resolve(WASM_MODULE) }
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

/**
 * libsecp256k1 in WebAssembly, for every platform. Loading it takes 22 ms and 10 MB, so it is not loaded with a native build.
 */
export function wasmCurve(): Curve {
  const tiny: typeof Tiny = createRequire(import.meta.url)(WASM_MODULE)
  return {
    sign(hash, privateKey) {
      const { signature, recoveryId } = tiny.signRecoverable(hash, privateKey)
      return { compact: signature, recovery: recoveryId }
    },
    recover(hash, compact, recovery) {
      if (recovery !== 0 && recovery !== 1) throw new RangeError('not a parity')
      const key = tiny.recover(hash, compact, recovery, false)
      if (key === null) throw new Error('no key has made this signature')
      return key
    },
    publicKey(privateKey) {
      const key = tiny.pointFromScalar(privateKey, false)
      if (key === null) throw new Error('not a private key')
      return key
    },
  }
}
