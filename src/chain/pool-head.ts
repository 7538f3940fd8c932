// What the pool must know of the head: the next block's room and prices, and the senders' accounts as they are now.
import type { PoolHead } from '../pool/types.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Fees } from './types.ts'

/** `view` is the state at the head; `gasLimit` the next block's, if it is not to be the head's. */
export function poolHead(head: SealedHeader, view: StateView, fees: Fees, gasLimit = head.gasLimit): PoolHead {
  return {
    number: head.number,
    gasLimit,
    baseFeePerGas: fees.nextBaseFee() ?? 0n,
    blobBaseFee: fees.nextBlobBaseFee() ?? 0n,
    nonce: (of) => view.nonce(of),
    balance: (of) => view.balance(of),
    code: (of) => view.code(of),
  }
}
