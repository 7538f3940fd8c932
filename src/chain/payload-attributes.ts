// The default payload attributes of a block.
import { fromHex, ZERO_ADDRESS, ZERO_HASH } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { unixNow } from '../lib/unix-time.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { PayloadAttributes } from '../runtime/types.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'

/** Complete attributes of a block on `parent`; later overrides win over earlier ones. */
export function completeAttributes(
  spec: ChainSpec,
  parent: SealedHeader,
  ...overrides: readonly Partial<PayloadAttributes>[]
): PayloadAttributes {
  const time = unixNow()
  const earliest = earliestTimestamp(spec, parent.timestamp)
  return Object.assign(
    {
      parent,
      timestamp: time > earliest ? time : earliest,
      gasLimit: parent.gasLimit,
      coinbase: ZERO_ADDRESS,
      // Without a beacon chain the randomness comes from the parent's hash, so it differs in each block.
      prevRandao: keccakHash(fromHex(parent.hash)),
      extraData: '0x' as const,
      parentBeaconBlockRoot: ZERO_HASH,
      withdrawals: [],
      baseFeePerGas: undefined,
    },
    ...overrides,
  )
}
