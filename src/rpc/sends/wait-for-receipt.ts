// Sends that are answered with the receipt (EIP-7966).
import type { Chain, MinedReceipt } from '../../chain/types.ts'
import type { Hash } from '../../lib/hex.ts'
import { RpcError } from '../errors.ts'

/** EIP-7966: the transaction is in the pool but was not mined in time; the error's data is its hash. */
const TIMEOUT_CODE = 4

/**
 * Submits and waits for the receipt, at most `timeout` milliseconds (default and maximum: `maxSeconds`).
 * Throws like `submit`, and RpcError 4 after the timeout.
 */
export async function waitForReceipt(
  chain: Chain,
  submit: () => Promise<Hash>,
  timeout: bigint | undefined,
  maxSeconds: number,
): Promise<MinedReceipt> {
  const max = maxSeconds * 1000
  const milliseconds = timeout !== undefined && timeout > 0n && timeout < BigInt(max) ? Number(timeout) : max
  const hash = await submit()
  return new Promise((resolve, reject) => {
    const check = () => {
      const receipt = chain.receipt(hash)
      if (receipt) settle(() => resolve(receipt))
    }
    const settle = (act: () => void) => {
      clearTimeout(timer)
      stop()
      act()
    }
    const timer = setTimeout(() => {
      const message = `The transaction was added to the transaction pool but wasn't processed in ${milliseconds} ms`
      settle(() => reject(new RpcError(TIMEOUT_CODE, message, hash)))
    }, milliseconds)
    const stop = chain.events.on('block', check)
    check()
  })
}
