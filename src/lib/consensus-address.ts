// The address of a consensus key: how votes, evidence and signing infos name a validator (CometBFT).
import { createHash } from 'node:crypto'
import { type Address, fromHex, type Hash, toAddress } from './hex.ts'

/** The first 20 bytes of SHA-256 of a public ed25519 key. */
export const consensusAddress = (key: Hash): Address =>
  toAddress(createHash('sha256').update(fromHex(key)).digest().subarray(0, 20))
