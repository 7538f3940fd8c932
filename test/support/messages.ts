// Top-level messages for tests that run a machine without a chain.
import type { BlockContext, OuterMessage } from '../../src/evm/message.ts'
import { type Address, EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../src/lib/hex.ts'

/** Block 1, one second after the epoch. */
export const BLOCK: BlockContext = {
  number: 1n,
  timestamp: 1n,
  coinbase: ZERO_ADDRESS,
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: ZERO_HASH,
  baseFeePerGas: 0n,
  blobBaseFee: 1n,
  slotNumber: 0n,
}

/** A message without value; `given` overrides its fields. */
export const messageTo = (
  to: Address | null,
  given: Partial<OuterMessage> & Pick<OuterMessage, 'from'>,
): OuterMessage => ({
  to,
  value: 0n,
  data: EMPTY_BYTES,
  gasLimit: 1_000_000n,
  reservoir: 0n,
  gasPrice: 0n,
  blobVersionedHashes: [],
  isStatic: false,
  refund: 0n,
  block: BLOCK,
  ...given,
})
