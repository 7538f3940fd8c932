// The rules that a transaction must meet to enter the pool: those of the fork, and this node's policy.

import type { Address } from '../lib/hex.ts'
import type { AdmissionRules } from '../pool/admission.ts'
import type { Order } from '../pool/order.ts'
import type { PoolHead } from '../pool/types.ts'
import { maxInitCodeSize } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { blobRulesOf } from '../runtime/block-env.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { earliestTimestamp, executionGasCap, transactionGasCap } from '../spec/block-rules.ts'
import { rulesOn } from '../spec/fork-rules.ts'
import type { StateView } from '../state/types.ts'
import type { Fees } from './fee-types.ts'

/** This node's policy for the pool; not part of consensus. */
export type PoolPolicy = {
  /** Wei per gas. */
  readonly minTip: bigint
  /** Legacy transactions without a chain id (EIP-155). */
  readonly allowUnprotected: boolean
  /** Left out: by fees. */
  readonly order?: Order | undefined
  /** The price that is suggested before London, in wei per gas; left out: 10^9. */
  readonly gasPrice?: bigint | undefined
}

/** Maximum bytes of a transaction without its blobs, as in geth. */
export const MAX_TRANSACTION_SIZE = 128 * 1024

export function admissionRules(runtime: Runtime, head: SealedHeader, policy: PoolPolicy): AdmissionRules {
  const { spec } = runtime
  const timestamp = earliestTimestamp(spec, head.timestamp)
  const fork = runtime.forkOf({ number: head.number + 1n, timestamp, difficulty: head.difficulty })
  return {
    ...rulesOn(spec, fork),
    ...policy,
    chainId: spec.chainId,
    transactionGasCap: transactionGasCap(spec, fork),
    executionGasCap: executionGasCap(spec, fork),
    maxInitcodeSize: maxInitCodeSize(rulesOn(spec, fork)),
    maxBlobs: Number(blobRulesOf(spec, fork)?.max ?? 0n),
    takesBlobs: spec.native?.consensus === undefined,
    maxSize: MAX_TRANSACTION_SIZE,
  }
}

/**
 * `view`: the state at the head. `held`: the locked balance of each account, if there are any. `gasLimit`: that of the next
 * block, if it differs from the head's.
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
    minBaseFee: fees.minBaseFee(),
    blobBaseFee: fees.nextBlobBaseFee() ?? 0n,
    nonce: (of) => view.nonce(of),
    balance: held === undefined ? (of) => view.balance(of) : (of) => spendable(view.balance(of), held(of)),
    code: (of) => view.code(of),
  }
}

const spendable = (balance: bigint, held: bigint): bigint => (balance > held ? balance - held : 0n)
