// EIP-7702: the code of an account that lets another account's code run in its place.
import { type Address, fromHex, toAddress } from '../lib/hex.ts'

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const SIZE = PREFIX.length + 20

/** The account a code delegates to, if it is a delegation. */
export function delegationOf(code: Uint8Array): Address | undefined {
  const delegates = code.length === SIZE && PREFIX.every((byte, at) => code[at] === byte)
  return delegates ? toAddress(code.subarray(PREFIX.length)) : undefined
}

/** The code that delegates to an account. */
export const delegationTo = (account: Address): Uint8Array => Buffer.concat([PREFIX, fromHex(account)])
