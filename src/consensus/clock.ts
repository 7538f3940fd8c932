// The timestamp of the next block: the requested one, else a fixed distance from the newest block, else the machine's clock
// plus an offset. All timestamps, also requested ones, obey the chain's rule (`kestrel.clock`).

import { ChainError } from '../lib/errors.ts'
import { unixNow } from '../lib/unix-time.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { BlockProducer } from './block-producer.ts'

/** The parts of a producer that determine the time; all times are Unix seconds. */
export type Clock = {
  readonly spec: ChainSpec
  /** Timestamp of the newest block. */
  readonly head: bigint
  readonly settings: Pick<BlockProducer['settings'], 'timestampInterval' | 'timeOffset'>
  readonly next: Pick<BlockProducer['next'], 'timestamp'>
}

/** A header's timestamp has 64 bits. */
const LAST = 2n ** 64n - 1n

/** The timestamp of a block that is made now; `asked` is the requested one, if any. */
export function timestampOf({ spec, head, settings }: Clock, asked: bigint | undefined): bigint {
  const { timestampInterval: interval, timeOffset } = settings
  const wanted = asked ?? (interval === undefined ? unixNow() + timeOffset : head + interval)
  return latest(wanted > LAST ? LAST : wanted, earliestTimestamp(spec, head))
}

/**
 * Moves the clock forward: the next block is at least `seconds` after the newest one, or after the present time if that is
 * later. A timestamp that was set for the next block stays; the clock continues from it.
 * Throws ChainError `invalid-params` for a time beyond 64 bits.
 */
export function increaseTime({ head, settings, next }: Clock, seconds: bigint): void {
  // With a fixed interval the offset has no effect, so the next timestamp is set instead.
  const isFixed = settings.timestampInterval !== undefined
  const time = latest(isFixed ? (next.timestamp ?? head) : unixNow() + settings.timeOffset, head) + seconds
  if (time > LAST) throw new ChainError('invalid-params', `the time ${time} does not fit 64 bits`)
  if (isFixed) next.timestamp = time
  else settings.timeOffset = time - unixNow()
}

/** Sets the clock, which continues from there. A timestamp that was set for the next block is dropped. */
export function setTime({ settings, next }: Clock, time: bigint): void {
  settings.timeOffset = time - unixNow()
  next.timestamp = settings.timestampInterval === undefined ? undefined : time
}

const latest = (one: bigint, other: bigint): bigint => (one > other ? one : other)
