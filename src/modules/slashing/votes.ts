// A validator's votes in the window, as bits of which ones were missed. The window is a ring: a vote's place is its number
// among the validator's votes, modulo the window.
import type { Address } from '../../lib/hex.ts'
import type { SigningInfo, SlashingState } from './layout.ts'

const WORD_BITS = 256n

/** Counts one vote of a signer that has an info. Returns the info after it. */
export function noteVote(state: SlashingState, signer: Address, window: bigint, hasSigned: boolean): SigningInfo {
  const info = state.infos.get(signer)
  if (info === undefined) throw new Error(`no signing info of ${signer}, which votes`)
  const place = info.indexOffset % window
  const cell = state.missed.at(signer).at(place / WORD_BITS)
  const bit = 1n << (place % WORD_BITS)
  const word = cell.get()
  const hadMissed = (word & bit) !== 0n
  if (hadMissed === hasSigned) cell.set(word ^ bit)
  const change = hadMissed === hasSigned ? (hasSigned ? -1n : 1n) : 0n
  const missed = info.missedBlocksCounter + change
  // Bits may be left of a window that governance has made smaller and larger again: they are no misses of this one.
  const counted = { ...info, indexOffset: info.indexOffset + 1n, missedBlocksCounter: missed < 0n ? 0n : missed }
  state.infos.set(signer, counted)
  return counted
}

/** Forgets which votes of the window a signer has missed. */
export function forgetVotes(state: SlashingState, signer: Address, window: bigint): void {
  for (let word = 0n; word * WORD_BITS < window; word += 1n) state.missed.at(signer).at(word).set(0n)
}
