// Signatures for which ecrecover answers an address of the developer's choice (anvil_impersonateSignature). They are slots of the
// precompile's own account, which no transaction can write. So they are part of the state like any edit: snapshots, reverts,
// restarts, replays and read threads need no code for them. The account has a nonce then: without one it would be empty, and
// removed with its storage when it is touched (EIP-161).
import { type Address, bytesToBig } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'

export const ECRECOVER = `0x${'0'.repeat(39)}1` as Address

/** r, s and v (27 or 28). */
export const SIGNATURE_LENGTH = 65

/** The slot of ECRECOVER that has the address; zero: the signature is not impersonated. */
export const slotOfSignature = (signature: Uint8Array): bigint => bytesToBig(keccak256(signature))
