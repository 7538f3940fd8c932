// EIP-7702's delegation designator: code of an account, `0xef0100` and an address, that makes calls run that address's code.
import { type Address, fromHex, toAddress } from '../lib/hex.ts'

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const SIZE = PREFIX.length + 20

/** The address that a code delegates to; undefined for any other code. */
export function delegationOf(code: Uint8Array): Address | undefined {
  const delegates = code.length === SIZE && PREFIX.every((byte, at) => code[at] === byte)
  return delegates ? toAddress(code.subarray(PREFIX.length)) : undefined
}

/** The designator for an address. */
export const delegationTo = (account: Address): Uint8Array => Buffer.concat([PREFIX, fromHex(account)])
