// Waiting for a transaction to be mined (EIP-7966).
import type { Chain, MinedReceipt } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import { RpcError } from './errors.ts'

/** EIP-7966: the transaction is in the pool but was not mined in time; the error's data is its hash. */
const TIMEOUT = 4

/**
 * Submits and waits for the receipt, at most `timeout` milliseconds (default and cap: `longest` seconds).
 * Throws what `submit` throws, and RpcError 4 when the time is over.
 */
export async function waitForReceipt(
  chain: Chain,
  submit: () => Promise<Hash>,
  timeout: bigint | undefined,
  longest: number,
): Promise<MinedReceipt> {
  const limit = longest * 1000
  const patience = timeout !== undefined && timeout > 0n && timeout < BigInt(limit) ? Number(timeout) : limit
  const hash = await submit()
  return new Promise((resolve, reject) => {
    const look = () => {
      const receipt = chain.receipt(hash)
      if (receipt) settle(() => resolve(receipt))
    }
    const settle = (act: () => void) => {
      clearTimeout(timer)
      stop()
      act()
    }
    const timer = setTimeout(() => {
      const message = `The transaction was added to the transaction pool but wasn't processed in ${patience} ms`
      settle(() => reject(new RpcError(TIMEOUT, message, hash)))
    }, patience)
    const stop = chain.events.on('block', look)
    look()
  })
}
