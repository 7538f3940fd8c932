// The rules a transaction must meet to wait for the block after a head: the fork's, and this node's own.
import type { AdmissionRules } from '../pool/admission.ts'
import { MAX_INITCODE_SIZE } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { blobRulesOf, rulesOf } from '../runtime/block-env.ts'
import type { Runtime } from '../runtime/runtime.ts'

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
  const next = { number: head.number + 1n, timestamp: head.timestamp + 1n, difficulty: head.difficulty }
  const fork = runtime.forkOf(next)
  return {
    ...rulesOf(fork),
    ...policy,
    chainId: runtime.spec.chainId,
    maxInitcodeSize: MAX_INITCODE_SIZE,
    maxBlobs: Number(blobRulesOf(runtime.spec, fork)?.max ?? 0n),
    maxSize: MAX_TRANSACTION_SIZE,
  }
}
