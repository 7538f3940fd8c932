// The durations of JSON-RPC calls by method, as a Prometheus histogram. It records every call, also on the fast path, so it
// counts in plain arrays (0.1 µs per call; the library's histogram takes 0.5 µs) and computes its values on each read.
import type { Histogram, MetricValueWithName } from 'prom-client'

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
/** The label of calls of unknown or disabled methods: clients must not be able to add labels. */
const UNKNOWN = 'unknown'

type Row = { readonly method: string; readonly counts: number[]; sum: number }

/** The calls of one method: their numbers by bucket, and the sum of their seconds. */
export type CallCounts = {
  readonly method: string | undefined
  readonly counts: readonly number[]
  readonly sum: number
}

/** Calls, and errors by code, that a read thread has counted. */
export type CountedCalls = {
  readonly calls: readonly CallCounts[]
  readonly errors: readonly (readonly [code: number, count: number])[]
}

export class CallHistogram {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #rows = new Map<string | undefined, Row>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  /** Adds a call. `method`: undefined when no enabled method has that name. `began`: `performance.now()` at its start. */
  add(method: string | undefined, began: number): void {
    const row = this.#rows.get(method) ?? this.#addRow(method)
    const seconds = (performance.now() - began) / 1000
    let bucket = 0
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket++
    row.counts[bucket] = (row.counts[bucket] ?? 0) + 1
    row.sum += seconds
  }

  /** Returns the calls, and begins anew. */
  take(): CallCounts[] {
    const taken = [...this.#rows].map(([method, { counts, sum }]) => ({ method, counts, sum }))
    this.#rows.clear()
    return taken
  }

  /** Adds what another histogram has counted. */
  merge(taken: readonly CallCounts[]): void {
    for (const { method, counts, sum } of taken) {
      const row = this.#rows.get(method) ?? this.#addRow(method)
      for (const [bucket, count] of counts.entries()) row.counts[bucket] = (row.counts[bucket] ?? 0) + count
      row.sum += sum
    }
  }

  /** The values, for the registry. */
  async get() {
    const { name, help, type } = this
    const values = [...this.#rows.values()].flatMap(({ method, counts, sum }) =>
      histogramValues(name, { method }, { bounds: BOUNDS, counts, sum }),
    )
    return { name, help, type, values }
  }

  /** This histogram as the type that the library's registry takes. */
  asMetric(): Histogram<'method'> {
    // The registry uses only the name and `get`, but its types demand a class of the library.
    return this as unknown as Histogram<'method'>
  }

  #addRow(method: string | undefined): Row {
    const row: Row = { method: method ?? UNKNOWN, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 }
    this.#rows.set(method, row)
    return row
  }
}

/** Counts of each bucket and the sum of a histogram that has the upper bounds of all buckets but the last. */
type Counted = { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number }

/** The values of a histogram in Prometheus' cumulative form: each bucket includes all lower ones. */
export function histogramValues(
  name: string,
  labels: Readonly<Record<string, string>>,
  { bounds, counts, sum }: Counted,
): MetricValueWithName<string>[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
