// A revert in geth's words: `execution reverted`, with the reason when the bytes are Solidity's Error(string) or
// Panic(uint256). Clients decode custom errors themselves, from the data.
import { ChainError } from '../lib/errors.ts'
import { toHex } from '../lib/hex.ts'
import { revertReason } from '../primitives/revert-reason.ts'

/** The error of a call that reverted with these bytes. */
export function revertError(data: Uint8Array): ChainError {
  const reason = revertReason(data)
  return new ChainError(
    'execution-reverted',
    reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`,
    toHex(data),
  )
}
