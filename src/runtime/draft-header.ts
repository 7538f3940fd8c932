// The header of a block that is about to be built. What execution decides (roots, bloom, gas used) is zero in it until
// the block is sealed; every other field is final and follows the rules of the block's fork.
import { type Hex, ZERO_HASH } from '../lib/hex.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { nextBaseFee, nextExcessBlobGas } from '../primitives/fees.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import type { Header } from '../primitives/types.ts'
import { blobRulesOf, rulesOf } from './block-env.ts'
import { daoExtraData } from './dao-fork.ts'
import type { Runtime } from './runtime.ts'
import type { PayloadAttributes } from './types.ts'

const NO_NONCE: Hex = `0x${'00'.repeat(8)}`

/**
 * The header for a draft, before its transactions have run. Only simulated blocks (eth_simulateV1) have a proof-of-work
 * difficulty.
 */
export function draftHeader(runtime: Runtime, draft: PayloadAttributes, difficulty = 0n): Header {
  const { parent } = draft
  const position = { number: parent.number + 1n, timestamp: draft.timestamp, difficulty }
  const fork = runtime.forkOf(position)
  const rules = rulesOf(fork)
  const blobs = blobRulesOf(runtime.spec, fork)
  return {
    ...position,
    parentHash: parent.hash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    coinbase: draft.coinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    gasLimit: draft.gasLimit,
    gasUsed: 0n,
    extraData: daoExtraData(runtime.spec, fork, position.number, draft.extraData),
    mixHash: draft.prevRandao,
    nonce: NO_NONCE,
    baseFeePerGas: rules.london ? (draft.baseFeePerGas ?? nextBaseFee(parent)) : undefined,
    withdrawalsRoot: rules.shanghai ? ZERO_HASH : undefined,
    blobGasUsed: rules.cancun ? 0n : undefined,
    excessBlobGas: blobs && nextExcessBlobGas(parent, blobs),
    parentBeaconBlockRoot: rules.cancun ? draft.parentBeaconBlockRoot : undefined,
    requestsHash: rules.prague ? ZERO_HASH : undefined,
  }
}
