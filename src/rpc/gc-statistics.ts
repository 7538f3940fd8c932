// Garbage collections of the process, for debug_memStats and debug_gcStats. Observing them costs a little, and few clients need
// them: the observer starts with the first request and ends with the node.
import { PerformanceObserver } from 'node:perf_hooks'

/** Number of stored pauses: the length of Go's ring (`runtime.MemStats.PauseNs`). */
export const REMEMBERED_PAUSES = 256
const NANOSECONDS = 1e6

export type GcPause = { readonly end: Date; readonly nanoseconds: number }
/** Number of collections, the sum of their pauses in nanoseconds, and the newest pauses, newest first. */
export type Collections = { count: number; total: number; newest: GcPause[] }

export class GcStatistics {
  readonly #collections: Collections = { count: 0, total: 0, newest: [] }
  #observer: PerformanceObserver | undefined

  /** Collections since the first call. */
  read(): Collections {
    this.#observer ??= this.#observe()
    return this.#collections
  }

  close(): void {
    this.#observer?.disconnect()
  }

  #observe(): PerformanceObserver {
    const collections = this.#collections
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        const nanoseconds = Math.round(duration * NANOSECONDS)
        collections.count++
        collections.total += nanoseconds
        collections.newest.unshift({ end: new Date(performance.timeOrigin + startTime + duration), nanoseconds })
      }
      collections.newest.length = Math.min(collections.newest.length, REMEMBERED_PAUSES)
    })
    observer.observe({ entryTypes: ['gc'] })
    return observer
  }
}
