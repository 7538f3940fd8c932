// Deterministic pseudo-random bytes: SHA-256 of a counter.
import { createHash } from 'node:crypto'
import { bytesToBig } from '../../../src/lib/hex.ts'

export type RandomSource = {
  bytes(size: number): Uint8Array
  big(size: number): bigint
  /** An integer of 0..limit-1. */
  below(limit: number): number
}

export function randomSource(seed: number): RandomSource {
  let count = 0
  const bytes = (size: number): Uint8Array => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, () =>
      createHash('sha256').update(`${seed} ${count++}`).digest(),
    )
    return new Uint8Array(Buffer.concat(blocks).subarray(0, size))
  }
  const big = (size: number): bigint => bytesToBig(bytes(size))
  return { bytes, big, below: (limit) => Number(big(6) % BigInt(limit)) }
}
