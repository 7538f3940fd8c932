// Signatures by ed25519 as CometBFT verifies them: by the rules of ZIP-215. Consensus critical: every node must give the same
// verdict on every input, also on malformed points and keys of small order.
import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'

/** The SubjectPublicKeyInfo of an ed25519 key before its 32 bytes (RFC 8410). */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Whether `signature` is a signature of `message` by the key. Node.js' OpenSSL is tried first, because it takes a tenth of the
 * time: it checks the equation without the cofactor and wants a canonical R, so all that it accepts ZIP-215 accepts. What it refuses
 * is verified by ZIP-215's equation.
 */
export function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.length !== 32 || signature.length !== 64) return false
  return isAcceptedByOpenssl(key, message, signature) || isAcceptedByZip215(key, message, signature)
}

function isAcceptedByOpenssl(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([KEY_PREFIX, key]), format: 'der', type: 'spki' })
    return verify(null, message, publicKey, signature)
  } catch {
    return false
  }
}

function isAcceptedByZip215(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, key, { zip215: true })
  } catch {
    // It throws for a key or an R that is no point.
    return false
  }
}
