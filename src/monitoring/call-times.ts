// How long JSON-RPC methods take, as a Prometheus histogram. It is told of every call, also of those on the short path, so it
// counts in plain arrays (0.1 µs a call; the library's histogram takes 0.5 µs) and is written out only when it is read.
import type { Histogram, MetricValueWithName } from 'prom-client'

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
/** The label of calls whose method does not exist or is closed: names that clients make up must not become labels. */
const UNKNOWN = 'unknown'

type Row = { readonly method: string; readonly counts: number[]; sum: number }
type Values = MetricValueWithName<'method' | 'le'>[]

export class CallTimes {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #rows = new Map<string | undefined, Row>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  /** Adds a call. `method` is the name of an open method, else undefined; `began` is what `performance.now()` was. */
  add(method: string | undefined, began: number): void {
    const row = this.#rows.get(method) ?? this.#open(method)
    const seconds = (performance.now() - began) / 1000
    let bucket = 0
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket++
    row.counts[bucket] = (row.counts[bucket] ?? 0) + 1
    row.sum += seconds
  }

  /** What the registry reads. */
  async get() {
    const { name, help, type } = this
    return { name, help, type, values: [...this.#rows.values()].flatMap((row) => this.#valuesOf(row)) }
  }

  /** The same as what the library's registry takes. */
  asMetric(): Histogram<'method'> {
    // It asks a metric for no more than its name and its values, but its types name the classes of the library.
    return this as unknown as Histogram<'method'>
  }

  #open(method: string | undefined): Row {
    const row: Row = { method: method ?? UNKNOWN, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 }
    this.#rows.set(method, row)
    return row
  }

  #valuesOf({ method, counts, sum }: Row): Values {
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      return { metricName: `${this.name}_bucket`, labels: { method, le: BOUNDS[index] ?? '+Inf' }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: { method }, value: sum },
      { metricName: `${this.name}_count`, labels: { method }, value: total },
    ]
  }
}
