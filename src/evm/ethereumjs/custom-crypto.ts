// Hash and curve functions for the ethereumjs packages instead of their pure JavaScript ones: keccak in WebAssembly and
// libsecp256k1, 6 to 30 times as fast. They must agree with the originals on every input, including which inputs throw, because
// the ecrecover precompile turns an exception into an empty result.
import { hash as hashAtOnce } from 'node:crypto'
import type { CustomCrypto } from '@ethereumjs/common'
import { padLeft } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import { curve } from '../../primitives/signature.ts'

/** Public key of a signature (64 bytes, without the leading 0x04); `v` is a parity, 27/28 or EIP-155. */
function ecrecover(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array, chainId?: bigint): Uint8Array {
  const parity = v === 0n || v === 1n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)
  if (parity !== 0n && parity !== 1n) throw new RangeError('invalid signature v value')
  const signature = new Uint8Array(64)
  signature.set(padLeft(r, 32), 0)
  signature.set(padLeft(s, 32), 32)
  return curve.recover(hash, signature, Number(parity)).subarray(1)
}

/** Deterministic (RFC 6979) low-s signature as recovery byte, r, s: noble's `recovered` format. */
function ecsign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const { compact, recovery } = curve.sign(hash, privateKey)
  const out = new Uint8Array(65)
  out[0] = recovery
  out.set(compact, 1)
  return out
}

export const customCrypto: CustomCrypto = {
  keccak256,
  ecrecover,
  ecsign,
  sha256: (message) => new Uint8Array(hashAtOnce('sha256', message, 'buffer')),
}
