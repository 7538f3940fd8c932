// The reason in revert data, when it is Solidity's Error(string) or Panic(uint256).
import { decodeErrorResult } from 'viem'
import { toHex } from '../lib/hex.ts'

/** geth's messages for Solidity's panic codes. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** The reason; undefined when the data is neither Error(string) nor Panic(uint256). */
export function revertReason(data: Uint8Array): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ data: toHex(data) })
    const [detail] = args as readonly [string | bigint]
    if (errorName === 'Error') return String(detail)
    return PANICS.get(BigInt(detail)) ?? `unknown panic code: 0x${BigInt(detail).toString(16)}`
  } catch {
    return undefined
  }
}
