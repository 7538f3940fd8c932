// Addresses of created contracts, by the keccak of this house: CREATE's from the creator's nonce, CREATE2's (EIP-1014)
// from a salt and the init code, which may be long.
import { type Address, bigToBytes, fromHex, toAddress } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { concatBytes, encodeRlp } from './rlp.ts'

const CREATE2_PREFIX = Uint8Array.of(0xff)

/** `nonce`: the creator's when it creates. */
export const createAddress = (creator: Address, nonce: bigint): Address =>
  toAddress(keccak256(encodeRlp([fromHex(creator), bigToBytes(nonce)])).subarray(12))

/** `salt`: 32 bytes. */
export const create2Address = (creator: Address, salt: Uint8Array, initCode: Uint8Array): Address =>
  toAddress(keccak256(concatBytes([CREATE2_PREFIX, fromHex(creator), salt, keccak256(initCode)])).subarray(12))
