// Storage of the slashing module, at its contract's address, and the types of its records. Validators are identified by
// the address of their consensus key, so that a record outlives its validator; times are unix seconds,
// fractions Decs (10^-18).
import type { Dec } from '../../lib/dec.ts'
import { enumerable, layout, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, u64, u256 } from '../../state/storage-types.ts'

export type SlashingParams = {
  /** Number of recent blocks of which a validator must have signed at least `minSignedPerWindow`. */
  readonly signedBlocksWindow: bigint
  readonly minSignedPerWindow: Dec
  /** Seconds. */
  readonly downtimeJailDuration: bigint
  readonly slashFractionDoubleSign: Dec
  readonly slashFractionDowntime: Dec
}

export type SigningInfo = {
  /** Block in which the validator was last bonded. */
  readonly startHeight: bigint
  /** Number of votes counted since it first bonded, or since it was last jailed for downtime. */
  readonly indexOffset: bigint
  /** Earliest time at which it may be unjailed; zero if it was never jailed for a fault. */
  readonly jailedUntil: bigint
  /** Whether it is jailed permanently. */
  readonly tombstoned: boolean
  /** Number of votes missed in the window. */
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
  infos: enumerable(
    address,
    struct<SigningInfo>({
      startHeight: u64,
      indexOffset: u64,
      jailedUntil: u64,
      tombstoned: bool,
      missedBlocksCounter: u64,
    }),
  ),
  /** Bitmap of the missed votes of the window, by consensus address: 256 votes in a word, the lowest bit first. */
  missed: mapping(address, mapping(u64, u256)),
  /**
   * In a network, the operator of each validator that has ever been bonded, by consensus address. Kept when the validator
   * is gone, because votes and evidence of its last blocks come later.
   */
  operators: mapping(address, address),
})
export type SlashingState = ReturnType<typeof slashingLayout.open>
