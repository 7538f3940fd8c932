// Limits of a chain and their defaults, which the command line shows: a file of its own, because every command loads it.
import { defaultWorkLimits, type WorkLimits } from '../lib/work-queue.ts'
import type { CallLimits } from '../runtime/call.ts'

/** Minimum of `--prune`, as go-ethereum's `TriesInMemory`. */
export const FEWEST_STATES = 128

/** Blocks between two state snapshots. */
export const SNAPSHOT_INTERVAL = 1_000n

export const defaultLimits: CallLimits = { gasCap: 50_000_000n, time: 5_000 }

/** Heavy calls of a fork that run at the same time: most of their time may be that of the forked chain. */
const FORK_CALLS = 64

/** The limits of heavy calls on a fork, unless the operator has set another number. */
export const forkWork = (work: Partial<WorkLimits> | undefined): Partial<WorkLimits> =>
  work?.running === undefined || work.running === defaultWorkLimits.running ? { ...work, running: FORK_CALLS } : work
