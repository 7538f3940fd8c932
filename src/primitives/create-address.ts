// Addresses of created contracts: CREATE's from the creator's nonce (Yellow Paper 7), CREATE2's from a salt and the init code
// (EIP-1014).
import { type Address, bigToBytes, fromHex, toAddress } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { concatBytes, encodeRlp } from './rlp.ts'

const CREATE2_PREFIX = Uint8Array.of(0xff)

/** CREATE's address. `nonce`: the creator's nonce before the creation. */
export const createAddress = (creator: Address, nonce: bigint): Address =>
  toAddress(keccak256(encodeRlp([fromHex(creator), bigToBytes(nonce)])).subarray(12))

/** CREATE2's address. `salt`: 32 bytes. */
export const create2Address = (creator: Address, salt: Uint8Array, initCode: Uint8Array): Address =>
  toAddress(keccak256(concatBytes([CREATE2_PREFIX, fromHex(creator), salt, keccak256(initCode)])).subarray(12))
