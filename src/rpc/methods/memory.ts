// Memory and garbage collection of the process, in the shapes of Go's `runtime.MemStats` and `debug.GCStats`, which
// go-ethereum's client decodes. Fields for which V8 has no number are 0. Development only, as `/metrics` is off by default.
import { getHeapStatistics } from 'node:v8'
import { rpcMethod } from '../define.ts'
import { type Collections, type GcPause, REMEMBERED_PAUSES } from '../gc-statistics.ts'

const NANOSECONDS = 1e6

/** Go's ring buffer of pauses: that of collection n is at index (n + 255) % 256. */
function ring({ count, newest }: Collections, numberOf: (pause: GcPause) => number): number[] {
  const entries = new Array<number>(REMEMBERED_PAUSES).fill(0)
  newest.forEach((pause, age) => {
    entries[(count - age + REMEMBERED_PAUSES - 1) % REMEMBERED_PAUSES] = numberOf(pause)
  })
  return entries
}

const unixNanoseconds = ({ end }: GcPause): number => end.getTime() * NANOSECONDS

function wireMemory(collections: Collections) {
  const heap = getHeapStatistics()
  const { rss, external } = process.memoryUsage()
  const inUse = heap.used_heap_size
  const [last] = collections.newest
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
    PauseTotalNs: collections.total,
    PauseNs: ring(collections, ({ nanoseconds }) => nanoseconds),
    PauseEnd: ring(collections, unixNanoseconds),
    NumGC: collections.count,
    NumForcedGC: 0,
    GCCPUFraction: 0,
    EnableGC: true,
    DebugGC: false,
    BySize: [],
  }
}

export const debug_memStats = rpcMethod({
  summary:
    'Memory of the process in the shape of Go’s runtime.MemStats. Collections are counted from the first call on.',
  params: [],
  result: wireMemory,
  gate: 'development',
  handler: (_, { gcStatistics }) => gcStatistics.read(),
})

export const debug_gcStats = rpcMethod({
  summary: 'Garbage collections of the process since the first call, in the shape of Go’s debug.GCStats.',
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
  handler: (_, { gcStatistics }) => gcStatistics.read(),
})
