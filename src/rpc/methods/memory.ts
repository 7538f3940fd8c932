// Memory and garbage collection of the process, in the shapes of Go's `runtime.MemStats` and `debug.GCStats`: what
// go-ethereum's client decodes. Fields that V8 has no number for are 0. Closed in production, as `/metrics` is by default.
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { rpcMethod } from '../define.ts'

/** Pauses that Go keeps. */
const KEPT_PAUSES = 256
const NANOSECONDS = 1e6

type Pause = { readonly end: Date; readonly nanoseconds: number }
type Collections = { count: number; total: number; newest: Pause[] }

let collections: Collections | undefined

/** Collections since this was first asked: observing them costs a little, and few ask. */
function observed(): Collections {
  if (collections !== undefined) return collections
  const seen: Collections = { count: 0, total: 0, newest: [] }
  collections = seen
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const nanoseconds = Math.round(duration * NANOSECONDS)
      seen.count++
      seen.total += nanoseconds
      seen.newest.unshift({ end: new Date(performance.timeOrigin + startTime + duration), nanoseconds })
    }
    seen.newest.length = Math.min(seen.newest.length, KEPT_PAUSES)
  }).observe({ entryTypes: ['gc'] })
  return seen
}

/** Pauses, newest first, at the places of Go's ring: that of collection n stands at (n + 255) % 256. */
function ring({ count, newest }: Collections, of: (pause: Pause) => number): number[] {
  const places = new Array<number>(KEPT_PAUSES).fill(0)
  newest.forEach((pause, age) => {
    places[(count - age + KEPT_PAUSES - 1) % KEPT_PAUSES] = of(pause)
  })
  return places
}

const unixNanoseconds = ({ end }: Pause): number => end.getTime() * NANOSECONDS

function wireMemory(seen: Collections) {
  const heap = getHeapStatistics()
  const { rss, external } = process.memoryUsage()
  const inUse = heap.used_heap_size
  const [last] = seen.newest
  return {
    Alloc: inUse,
    TotalAlloc: inUse,
    Sys: rss,
    Lookups: 0,
    Mallocs: 0,
    Frees: 0,
    HeapAlloc: inUse,
    HeapSys: heap.total_heap_size,
    HeapIdle: heap.total_heap_size - inUse,
    HeapInuse: inUse,
    HeapReleased: 0,
    HeapObjects: 0,
    StackInuse: 0,
    StackSys: 0,
    MSpanInuse: 0,
    MSpanSys: 0,
    MCacheInuse: 0,
    MCacheSys: 0,
    BuckHashSys: 0,
    GCSys: 0,
    OtherSys: external,
    NextGC: heap.heap_size_limit,
    LastGC: last ? unixNanoseconds(last) : 0,
    PauseTotalNs: seen.total,
    PauseNs: ring(seen, ({ nanoseconds }) => nanoseconds),
    PauseEnd: ring(seen, unixNanoseconds),
    NumGC: seen.count,
    NumForcedGC: 0,
    GCCPUFraction: 0,
    EnableGC: true,
    DebugGC: false,
    BySize: [],
  }
}

export const debug_memStats = rpcMethod({
  summary: 'Memory of the process, as Go tells it; collections are counted from the first time that this is asked.',
  params: [],
  result: wireMemory,
  gate: 'development',
  handler: observed,
})

export const debug_gcStats = rpcMethod({
  summary: 'Garbage collections of the process since this was first asked, as Go tells them.',
  params: [],
  result: ({ count, total, newest }: Collections) => ({
    LastGC: (newest[0]?.end ?? new Date(0)).toISOString(),
    NumGC: count,
    PauseTotal: total,
    Pause: newest.map(({ nanoseconds }) => nanoseconds),
    PauseEnd: newest.map(({ end }) => end.toISOString()),
    PauseQuantiles: null,
  }),
  gate: 'development',
  handler: observed,
})
