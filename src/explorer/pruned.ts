// Parts of an answer that need a state which may have been pruned: they are left out, and the rest is answered.
import { ChainError } from '../lib/errors.ts'

/** What was asked for; undefined where the state for it is not kept any more. */
export async function whereStateIs<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ChainError && error.code === 'state-not-available') return undefined
    throw error
  }
}
