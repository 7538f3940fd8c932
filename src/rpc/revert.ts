// A revert in geth's words: `execution reverted`, with the reason when the bytes are Solidity's Error(string) or
// Panic(uint256). Clients decode custom errors themselves, from the data.
import { ChainError } from '../lib/errors.ts'
import { fromHex, toHex } from '../lib/hex.ts'
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

/**
 * What a client is told when an estimate failed: a revert with its reason, anything else as it is. A revert without bytes
 * is no revert with data: geth answers -32000 here, and clients tell the two apart.
 */
export function estimateError(error: unknown): unknown {
  if (!(error instanceof ChainError) || error.code !== 'execution-reverted') return error
  const { data = '0x' } = error
  return data === '0x' ? new ChainError('execution-failed', 'execution reverted') : revertError(fromHex(data))
}
