// Slashing's section of the genesis file, `kestrel.modules.slashing`: its parameters, any of which may be left out. A chain
// whose genesis has no such section, as those begun before there was one, has no slashing.
import { z } from 'zod'
import { ONE } from '../../lib/dec.ts'
import { fraction, readSection, seconds } from '../genesis-section.ts'
import type { SlashingParams } from './layout.ts'

const WINDOW = { error: 'expected a whole number of blocks from 1 to 1000000' }
const window = z
  .union([z.int(WINDOW).transform(String), z.string().regex(/^\d{1,7}$/, WINDOW)], WINDOW)
  .transform(BigInt)
  .refine((blocks) => blocks >= 1n && blocks <= 1_000_000n, WINDOW)

/** The Cosmos SDK's. */
const DEFAULTS: SlashingParams = {
  signedBlocksWindow: 100n,
  minSignedPerWindow: ONE / 2n,
  downtimeJailDuration: 600n,
  slashFractionDoubleSign: ONE / 20n,
  slashFractionDowntime: ONE / 100n,
}

const section = z.strictObject({
  signedBlocksWindow: window.default(DEFAULTS.signedBlocksWindow),
  minSignedPerWindow: fraction.default(DEFAULTS.minSignedPerWindow),
  downtimeJailDuration: seconds.default(DEFAULTS.downtimeJailDuration),
  slashFractionDoubleSign: fraction.default(DEFAULTS.slashFractionDoubleSign),
  slashFractionDowntime: fraction.default(DEFAULTS.slashFractionDowntime),
})

/** All parameters, as a proposal replaces them. */
export const slashingParams = z.strictObject({
  signedBlocksWindow: window,
  minSignedPerWindow: fraction,
  downtimeJailDuration: seconds,
  slashFractionDoubleSign: fraction,
  slashFractionDowntime: fraction,
})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readSlashingGenesis = (json: unknown): SlashingParams => readSection('slashing', section, json)
