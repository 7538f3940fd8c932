// What Hardhat 2's client expects of a node that answers `hardhat_metadata`, on its network `localhost`: it sends with a fixed
// gas limit instead of an estimate, and its matchers (`revertedWith`) look for the revert in the error of the send.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import type { RpcContext } from './define.ts'
import { revertError } from './revert.ts'

/** Whether a request's `user-agent` is Hardhat's, as in `hardhat 2.22.19`. */
export const isHardhat = (userAgent: string | undefined): boolean => userAgent?.startsWith('hardhat ') ?? false

/**
 * Throws `execution-reverted` with the bytes of the revert, or `execution-failed` with `0x`, when a block has taken the
 * transaction and it failed. A transaction that still waits has not failed.
 */
export async function requireSuccess(hash: Hash, { chain, queue }: RpcContext, caller: AbortSignal): Promise<void> {
  if (chain.receipt(hash)?.receipt.status !== 0) return
  const { error, output } = await queue.run(caller, () => chain.traces.replayTransaction(hash, { caller }))
  throw error === undefined || error === 'execution reverted'
    ? revertError(output)
    : new ChainError('execution-failed', error, '0x')
}
