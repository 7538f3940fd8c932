// The errors that Hardhat 2's client expects from a node that implements `hardhat_metadata` (its network `localhost`). It sends
// with a fixed gas limit instead of an estimate, and its matchers (`revertedWith`) look for the revert in the error of the
// send. A send with another gas limit, chosen by a test, returns the hash: such tests read the receipt.
import { ChainError } from '../../lib/errors.ts'
import type { Hash } from '../../lib/hex.ts'
import type { RpcContext } from '../define.ts'
import { revertError } from '../errors.ts'

/** The lowest fixed limit: hardhat-ethers sends 2^24 since 3.1.3, and 30,000,000 before. */
const FIXED_GAS = 2n ** 24n

/** Whether a request's `user-agent` is Hardhat's, such as `hardhat 2.22.19`. */
export const isHardhatClient = (userAgent: string | undefined): boolean => userAgent?.startsWith('hardhat ') ?? false

/**
 * Throws `execution-reverted` with the revert data, or `execution-failed` with `0x`, when the transaction is mined, has
 * Hardhat's fixed gas limit, and failed. A pending transaction has not failed.
 */
export async function requireSuccess(
  hash: Hash,
  { chain, queue, revertWords }: RpcContext,
  signal: AbortSignal,
): Promise<void> {
  const mined = chain.receipt(hash)
  if (mined?.receipt.status !== 0 || mined.transaction.gasLimit < FIXED_GAS) return
  const { error, output } = await queue.run(signal, () => chain.traces.replayTransaction(hash, { signal }))
  if (error !== undefined && error !== 'execution reverted') throw new ChainError('execution-failed', error, '0x')
  throw revertError(output, await revertWords(output, mined.transaction.to))
}
