// Two meters of calls as one.
import type { CallMeter } from './define.ts'

/** One meter that counts for both; undefined if there is none. */
export function meters(first: CallMeter | undefined, second: CallMeter | undefined): CallMeter | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return {
    ended(...call) {
      first.ended(...call)
      second.ended(...call)
    },
    refused(code) {
      first.refused(code)
      second.refused(code)
    },
  }
}
