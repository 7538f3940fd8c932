// testing_buildBlockV1 in the shapes of the engine API. Input: payload attributes. Output: the payload, its value and its
// blobs.
import { z } from 'zod'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { effectiveTip } from '../../primitives/gas.ts'
import type { BlobSidecar } from '../../primitives/types.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { address, hash, uint64 } from '../codec.ts'
import { wireBlock, withdrawal } from './block.ts'

/** PayloadAttributesV3, and V4's fields. */
export const payloadAttributes = z.object(
  {
    timestamp: uint64,
    prevRandao: hash,
    suggestedFeeRecipient: address,
    withdrawals: z.array(withdrawal, { error: 'expected a list of withdrawals' }).nullish(),
    parentBeaconBlockRoot: hash.nullish(),
    slotNumber: uint64.nullish(),
    targetGasLimit: uint64.nullish(),
  },
  { error: 'expected payload attributes' },
)

export type BuiltPayload = { readonly executed: ExecutedBlock; readonly sidecars: readonly BlobSidecar[] }

/** The result of engine_getPayloadV4, from Amsterdam on of V6. */
export function wirePayload({ executed, sidecars }: BuiltPayload) {
  const hexOf = (part: 'commitments' | 'proofs' | 'blobs') => sidecars.flatMap((sidecar) => sidecar[part].map(toHex))
  return {
    executionPayload: wireExecutionPayload(executed),
    blockValue: toQuantity(blockValue(executed)),
    blobsBundle: { commitments: hexOf('commitments'), proofs: hexOf('proofs'), blobs: hexOf('blobs') },
    executionRequests: executed.requests.map(toHex),
    shouldOverrideBuilder: false,
  }
}

function wireExecutionPayload({ block, accessList }: ExecutedBlock) {
  const wire = wireBlock(block, 'hashes')
  return {
    parentHash: wire.parentHash,
    feeRecipient: wire.miner,
    stateRoot: wire.stateRoot,
    receiptsRoot: wire.receiptsRoot,
    logsBloom: wire.logsBloom,
    prevRandao: wire.mixHash,
    blockNumber: wire.number,
    gasLimit: wire.gasLimit,
    gasUsed: wire.gasUsed,
    timestamp: wire.timestamp,
    extraData: wire.extraData,
    baseFeePerGas: wire.baseFeePerGas ?? null,
    blockHash: wire.hash,
    transactions: block.transactions.map(({ raw }) => toHex(raw)),
    withdrawals: wire.withdrawals ?? null,
    blobGasUsed: wire.blobGasUsed ?? null,
    excessBlobGas: wire.excessBlobGas ?? null,
    ...(accessList && { blockAccessList: toHex(accessList), slotNumber: wire.slotNumber }),
  }
}

/** The tips for the block's fee recipient, in wei. */
function blockValue({ block, receipts }: ExecutedBlock): bigint {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return block.transactions.reduce(
    (sum, transaction, index) => sum + effectiveTip(transaction, baseFee) * (receipts[index]?.gasUsed ?? 0n),
    0n,
  )
}
