// Limits of a chain and their defaults, which the command line shows: a file of its own, because every command loads it.
import type { CallLimits } from '../runtime/call.ts'

/** Minimum of `--prune`, as go-ethereum's `TriesInMemory`. */
export const FEWEST_STATES = 128

/** Blocks between two state snapshots. */
export const SNAPSHOT_INTERVAL = 1_000n

export const defaultLimits: CallLimits = { gasCap: 50_000_000n, time: 5_000 }
