// The stress build, for fuzzing: with KESTREL_STRESS=<seed> in the environment every turn of the engine ends after a random
// amount of gas, down to 1, all code is compiled when it is loaded, and codes, values of slots and the engine's warm slots are
// dropped at random. None of this may change a result, so that each suite can run under it.

export type Stress = {
  /** A random integer from 1 to `most`, uniform in its logarithm, so that small numbers are frequent. */
  upTo(most: number): number
  /** True once in `outOf` times. */
  pick(outOf: number): boolean
}

/** Mulberry32 by Tommy Ettinger: 32 bits of state are enough to choose places. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function stressOf(seed: number): Stress {
  const random = randomFrom(seed)
  return {
    upTo: (most) => Math.max(1, Math.floor(most ** random())),
    pick: (outOf) => random() * outOf < 1,
  }
}

const seed = process.env['KESTREL_STRESS']

/** undefined: an ordinary run. */
export const stress: Stress | undefined = seed === undefined || seed === '' ? undefined : stressOf(Number(seed) || 1)
