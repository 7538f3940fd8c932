// What the pool must know of the head: the next block's room and prices, and the senders' accounts as they are now.
import type { Address } from '../lib/hex.ts'
import type { PoolHead } from '../pool/types.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Fees } from './fee-types.ts'

/**
 * `view` is the state at the head; `held` what an account must keep of its balance, if any must; `gasLimit` the next
 * block's, if it is not to be the head's.
 */
export function poolHead(
  head: SealedHeader,
  view: StateView,
  fees: Fees,
  held: ((of: Address) => bigint) | undefined,
  gasLimit = head.gasLimit,
): PoolHead {
  return {
    number: head.number,
    gasLimit,
    baseFeePerGas: fees.nextBaseFee() ?? 0n,
    blobBaseFee: fees.nextBlobBaseFee() ?? 0n,
    nonce: (of) => view.nonce(of),
    balance: held === undefined ? (of) => view.balance(of) : (of) => spendable(view.balance(of), held(of)),
    code: (of) => view.code(of),
  }
}

const spendable = (balance: bigint, held: bigint): bigint => (balance > held ? balance - held : 0n)
