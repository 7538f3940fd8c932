// The header of a block before it runs. Fields that execution determines (roots, bloom, gas used) are zero until the block
// is sealed; all others are final and follow the rules of the block's fork.
import { type Hex, ZERO_HASH } from '../lib/hex.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { nextExcessBlobGas } from '../primitives/fees.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import type { Header } from '../primitives/types.ts'
import { forkRules } from '../spec/fork-rules.ts'
import type { StateView } from '../state/types.ts'
import { blobRulesOf } from './block-env.ts'
import { daoExtraData } from './dao-fork.ts'
import type { Runtime } from './runtime.ts'
import type { PayloadAttributes } from './types.ts'

const NO_NONCE: Hex = `0x${'00'.repeat(8)}`

/**
 * The header that follows from payload attributes on the parent's state. Only simulated blocks (eth_simulateV1) have a
 * proof-of-work difficulty.
 */
export function draftHeader(runtime: Runtime, draft: PayloadAttributes, state: StateView, difficulty = 0n): Header {
  const { parent } = draft
  const position = { number: parent.number + 1n, timestamp: draft.timestamp, difficulty }
  const fork = runtime.forkOf(position)
  const rules = forkRules(fork)
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
    baseFeePerGas: rules.london ? (draft.baseFeePerGas ?? runtime.nextBaseFee(parent, state)) : undefined,
    withdrawalsRoot: rules.shanghai ? ZERO_HASH : undefined,
    blobGasUsed: rules.cancun ? 0n : undefined,
    excessBlobGas: blobs && nextExcessBlobGas(parent, blobs),
    parentBeaconBlockRoot: rules.cancun ? draft.parentBeaconBlockRoot : undefined,
    requestsHash: rules.prague ? ZERO_HASH : undefined,
    blockAccessListHash: rules.amsterdam ? ZERO_HASH : undefined,
    slotNumber: rules.amsterdam ? (draft.slotNumber ?? (parent.slotNumber ?? parent.number) + 1n) : undefined,
  }
}
