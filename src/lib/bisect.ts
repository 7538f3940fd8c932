// Binary search for the first number from which on a condition holds.

/**
 * The first number from `low` to `high` for which the condition holds; `high` when it holds for none below. Tests about
 * log2(high - low) numbers, and never `high` itself.
 */
export async function firstWhere(
  low: bigint,
  high: bigint,
  holds: (number: bigint) => boolean | Promise<boolean>,
): Promise<bigint> {
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) / 2n
    if (await holds(middle)) to = middle
    else from = middle + 1n
  }
  return from
}
