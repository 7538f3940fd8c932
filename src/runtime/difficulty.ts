// Proof-of-work difficulty as the chain's rules demand it: yellow paper, EIP-2, EIP-100 and the delays of the ice age.
// Seals are not checked: chains that are imported here were made by other clients, often without one.

import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import type { Header } from '../primitives/types.ts'
import type { Fork } from '../spec/chain-spec.ts'
import { atLeast } from '../spec/forks.ts'

const MINIMUM = 131_072n
const ADJUSTMENT_QUOTIENT = 2048n
const BOMB_PERIOD = 100_000n
/** EIP-649, 1234, 2384, 3554, 4345, 5133: by how many blocks the bomb is set back. Newest first. */
const BOMB_DELAYS: readonly (readonly [Fork, bigint])[] = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['byzantium', 3_000_000n],
]

/** The difficulty of a block with this number and timestamp after its parent. */
export function requiredDifficulty(fork: Fork, parent: Header, timestamp: bigint): bigint {
  const step = parent.difficulty / ADJUSTMENT_QUOTIENT
  let difficulty = parent.difficulty + step * adjustment(fork, parent, timestamp - parent.timestamp)
  if (difficulty < MINIMUM) difficulty = MINIMUM
  const delay = BOMB_DELAYS.find(([since]) => atLeast(fork, since))?.[1] ?? 0n
  const number = parent.number + 1n
  const period = (number > delay ? number - delay : 0n) / BOMB_PERIOD
  if (period > 1n) difficulty += 2n ** (period - 2n)
  return difficulty
}

function adjustment(fork: Fork, parent: Header, seconds: bigint): bigint {
  if (atLeast(fork, 'byzantium')) {
    const uncles = parent.sha3Uncles === EMPTY_UNCLES_HASH ? 1n : 2n
    return max(uncles - seconds / 9n, -99n)
  }
  if (atLeast(fork, 'homestead')) return max(1n - seconds / 10n, -99n)
  return seconds < 13n ? 1n : -1n
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
