// Modular exponentiation for large odd moduli by node:crypto: a Diffie-Hellman public key is generator^privateKey mod prime,
// and the prime is not tested. Three to nine times as fast as bigints.
import { createDiffieHellman } from 'node:crypto'
import { bytesToBig } from '../../lib/hex.ts'

/**
 * OpenSSL's bounds for a modulus, in bytes (512 and 10,000 bits). Below them, or with a short exponent, bigints are fast
 * enough.
 */
const LEAST_MODULUS = 64
const MOST_MODULUS = 1_250
const LEAST_EXPONENT = 8

/** base ^ exponent mod modulus, all big-endian; undefined if the caller should use bigints. */
export function powerModulo(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): bigint | undefined {
  if (modulus.length < LEAST_MODULUS || modulus.length > MOST_MODULUS || exponent.length < LEAST_EXPONENT)
    return undefined
  // Montgomery multiplication needs an odd modulus; a leading zero would hide its true size.
  if (((modulus[modulus.length - 1] ?? 0) & 1) === 0 || modulus[0] === 0) return undefined
  const reduced = bytesToBig(base) % bytesToBig(modulus)
  if (reduced < 2n || exponent.every((byte) => byte === 0)) return undefined
  try {
    const digits = reduced.toString(16)
    const scheme = createDiffieHellman(
      modulus,
      Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'),
    )
    scheme.setPrivateKey(exponent)
    return bytesToBig(scheme.generateKeys())
  } catch {
    return undefined
  }
}
