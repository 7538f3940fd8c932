// Storage of the slashing module, at its contract's address, and the types of its records. Validators are identified by their
// consensus address, so a record outlives its validator; times are unix seconds, fractions Decs (10^-18).
import type { Dec } from '../../lib/dec.ts'
import { enumerable, layout, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, u64, u256 } from '../../state/storage-types.ts'

export type SlashingParams = {
  /** Size of the window in blocks. A validator must sign at least the fraction `minSignedPerWindow` of it. */
  readonly signedBlocksWindow: bigint
  readonly minSignedPerWindow: Dec
  /** Seconds. */
  readonly downtimeJailDuration: bigint
  readonly slashFractionDoubleSign: Dec
  readonly slashFractionDowntime: Dec
}

export type SigningInfo = {
  /** Block at whose end the validator was last bonded. */
  readonly startHeight: bigint
  /** Number of votes since it was first bonded or last jailed for downtime. */
  readonly indexOffset: bigint
  /** Earliest time at which it can be unjailed; zero: it was never jailed for misbehaviour. */
  readonly jailedUntil: bigint
  /** Whether it is jailed permanently, after a double sign. */
  readonly tombstoned: boolean
  /** Number of missed votes in the window. */
  readonly missedBlocksCounter: bigint
}

export const slashingLayout = layout({
  params: struct<SlashingParams>({
    signedBlocksWindow: u64,
    minSignedPerWindow: dec,
    downtimeJailDuration: u64,
    slashFractionDoubleSign: dec,
    slashFractionDowntime: dec,
  }),
  /** By consensus address. */
  signingInfos: enumerable(
    address,
    struct<SigningInfo>({
      startHeight: u64,
      indexOffset: u64,
      jailedUntil: u64,
      tombstoned: bool,
      missedBlocksCounter: u64,
    }),
  ),
  /** Missed votes of the window, by consensus address: 256 votes in a word, the lowest bit first. */
  missedBlockBitmap: mapping(address, mapping(u64, u256)),
  /**
   * In a network, the operator of each validator that was ever bonded, by consensus address. The record of a removed validator
   * stays, because votes and evidence of its last blocks arrive later.
   */
  operators: mapping(address, address),
})
export type SlashingState = ReturnType<typeof slashingLayout.open>
