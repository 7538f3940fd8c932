// Storage of the slashing module, at its contract's address, and the records it speaks in. Validators are named by the
// address of their consensus key, which outlives the validator; times are unix seconds, fractions Decs (10^-18).
import type { Dec } from '../../lib/dec.ts'
import { enumerable, layout, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, u64, u256 } from '../../state/storage-types.ts'

export type SlashingParams = {
  /** Blocks of which a validator must have signed a part. */
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
  /** Votes counted since it was bonded first, or jailed for downtime. */
  readonly indexOffset: bigint
  /** May not be unjailed before; zero if it was never jailed for a fault. */
  readonly jailedUntil: bigint
  /** Jailed for ever. */
  readonly tombstoned: boolean
  /** Votes missed in the window. */
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
  /** Which votes of the window were missed: by consensus address, 256 to a word, the lowest bit first. */
  missed: mapping(address, mapping(u64, u256)),
})
export type SlashingState = ReturnType<typeof slashingLayout.open>
