// Statistics over rounds: median, extremes, and the ratio of two nodes.

export type Summary = { readonly median: number; readonly least: number; readonly most: number }

/** Throws RangeError for no values. */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  const least = sorted[0]
  const most = sorted.at(-1)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  if (least === undefined || most === undefined) throw new RangeError('no values')
  return { median: middle.reduce((sum, value) => sum + value, 0) / middle.length, least, most }
}

/** Factor by which `ours` is faster than `theirs`: above 1 is faster, for times and for rates. */
export const speedup = (ours: number, theirs: number, better: 'more' | 'less'): number =>
  better === 'more' ? ours / theirs : theirs / ours

/**
 * The ratio of the medians, and the extremes of the ratios of single rounds, in which both were measured in succession under
 * the same load of the machine. Throws RangeError for no rounds.
 */
export function compare(ours: readonly number[], theirs: readonly number[], better: 'more' | 'less'): Summary {
  const rounds = ours.slice(0, theirs.length).map((value, round) => speedup(value, theirs[round] ?? 0, better))
  const median = speedup(summarize(ours).median, summarize(theirs).median, better)
  return { ...summarize(rounds), median }
}

/** Formats with three significant digits, or all digits before the point if there are more. */
export const formatValue = (value: number): string =>
  value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

/** Microseconds as `26.5 µs`, `1.49 ms` or `1.3 s`. */
export const formatTime = (microseconds: number): string =>
  microseconds < 1000
    ? `${formatValue(microseconds)} µs`
    : microseconds < 1e6
      ? `${formatValue(microseconds / 1000)} ms`
      : `${formatValue(microseconds / 1e6)} s`

export const formatRatio = (ratio: number): string =>
  ratio >= 100
    ? ratio.toFixed(0)
    : ratio >= 10
      ? ratio.toFixed(1)
      : ratio >= 0.1
        ? ratio.toFixed(2)
        : ratio.toPrecision(2)
