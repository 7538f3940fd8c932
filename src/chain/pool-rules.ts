// The rules a transaction must meet to wait for the block after a head: the fork's, and this node's own.

import type { Address } from '../lib/hex.ts'
import type { AdmissionRules } from '../pool/admission.ts'
import type { PoolHead } from '../pool/types.ts'
import { MAX_INITCODE_SIZE } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { blobRulesOf } from '../runtime/block-env.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { earliestTimestamp, transactionGasCap } from '../spec/block-rules.ts'
import { forkRules } from '../spec/fork-rules.ts'
import type { StateView } from '../state/types.ts'
import type { Fees } from './types.ts'

/** What this node, not the chain, decides about waiting transactions. */
export type PoolPolicy = {
  /** Wei per gas. */
  readonly minTip: bigint
  /** Legacy transactions without a chain id (EIP-155). */
  readonly allowUnprotected: boolean
}

/** Bytes of one transaction without its blobs; as geth has it. */
export const MAX_TRANSACTION_SIZE = 128 * 1024

export function admissionRules(runtime: Runtime, head: SealedHeader, policy: PoolPolicy): AdmissionRules {
  const { spec } = runtime
  const timestamp = earliestTimestamp(spec, head.timestamp)
  const fork = runtime.forkOf({ number: head.number + 1n, timestamp, difficulty: head.difficulty })
  return {
    ...forkRules(fork),
    ...policy,
    chainId: spec.chainId,
    transactionGasCap: transactionGasCap(spec, fork),
    maxInitcodeSize: MAX_INITCODE_SIZE,
    maxBlobs: Number(blobRulesOf(spec, fork)?.max ?? 0n),
    takesBlobs: spec.native?.consensus === undefined,
    maxSize: MAX_TRANSACTION_SIZE,
  }
}

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
    minBaseFee: fees.minBaseFee(),
    blobBaseFee: fees.nextBlobBaseFee() ?? 0n,
    nonce: (of) => view.nonce(of),
    balance: held === undefined ? (of) => view.balance(of) : (of) => spendable(view.balance(of), held(of)),
    code: (of) => view.code(of),
  }
}

const spendable = (balance: bigint, held: bigint): bigint => (balance > held ? balance - held : 0n)
