// What Hardhat 2's client expects of a node that answers `hardhat_metadata`, on its network `localhost`: it sends with a fixed
// gas limit instead of an estimate, and its matchers (`revertedWith`) look for the revert in the error of the send. A send
// with a limit that a test has chosen is answered with the hash: such tests look for the receipt.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import type { RpcContext } from './define.ts'
import { revertError } from './revert.ts'

/** Least gas of the fixed limit: hardhat-ethers sends 2^24 since 3.1.3, and 30,000,000 before. */
const FIXED_GAS = 2n ** 24n

/** Whether a request's `user-agent` is Hardhat's, as in `hardhat 2.22.19`. */
export const isHardhat = (userAgent: string | undefined): boolean => userAgent?.startsWith('hardhat ') ?? false

/**
 * Throws `execution-reverted` with the bytes of the revert, or `execution-failed` with `0x`, when a block has taken the
 * transaction, which has Hardhat's fixed gas limit, and it failed. A transaction that still waits has not failed.
 */
export async function requireSuccess(hash: Hash, { chain, queue }: RpcContext, caller: AbortSignal): Promise<void> {
  const mined = chain.receipt(hash)
  if (mined?.receipt.status !== 0 || mined.transaction.gasLimit < FIXED_GAS) return
  const { error, output } = await queue.run(caller, () => chain.traces.replayTransaction(hash, { caller }))
  throw error === undefined || error === 'execution reverted'
    ? revertError(output)
    : new ChainError('execution-failed', error, '0x')
}
