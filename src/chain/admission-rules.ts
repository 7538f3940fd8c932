// The rules a transaction must meet to wait for the block after a head: the fork's, and this node's own.
import type { AdmissionRules } from '../pool/admission.ts'
import { MAX_INITCODE_SIZE } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { blobRulesOf, rulesOf } from '../runtime/block-env.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { earliestTimestamp, transactionGasCap } from '../spec/block-rules.ts'

/** What this node, not the chain, decides about waiting transactions. */
export type PoolPolicy = {
  /** Wei per gas. */
  readonly minTip: bigint
  /** Legacy transactions without a chain id (EIP-155). */
  readonly allowUnprotected: boolean
}

/** Bytes of one transaction without its blobs; as geth has it. */
const MAX_TRANSACTION_SIZE = 128 * 1024

export function admissionRules(runtime: Runtime, head: SealedHeader, policy: PoolPolicy): AdmissionRules {
  const { spec } = runtime
  const timestamp = earliestTimestamp(spec, head.timestamp)
  const fork = runtime.forkOf({ number: head.number + 1n, timestamp, difficulty: head.difficulty })
  return {
    ...rulesOf(fork),
    ...policy,
    chainId: spec.chainId,
    transactionGasCap: transactionGasCap(spec, fork),
    maxInitcodeSize: MAX_INITCODE_SIZE,
    maxBlobs: Number(blobRulesOf(spec, fork)?.max ?? 0n),
    maxSize: MAX_TRANSACTION_SIZE,
  }
}
