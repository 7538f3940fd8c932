// The program of the thread that reads artifacts.
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { ArtifactReader } from './artifact-reader.ts'
import type { ReaderData, ReaderOrder, ReaderReport } from './messages.ts'

/** Milliseconds from one look through the folders to the next. */
const SHORTEST_WAIT = 1_000
const LONGEST_WAIT = 10_000
/** The part of a core that looking takes is one of so many. */
const SHARE = 100

const { roots } = workerData as ReaderData
const send = (report: ReaderReport, owned: readonly ArrayBuffer[] = []) => parentPort?.postMessage(report, [...owned])
const reader = new ArtifactReader(roots, send)

parentPort?.on('message', (order: ReaderOrder) => {
  const { id } = order
  if (order.kind === 'sources') send({ kind: 'sources', id, sources: reader.sources(order.sought) })
  else send({ kind: 'added', id, hasContracts: reader.add(order.build) })
})

while (roots.length > 0) {
  const took = await reader.scan()
  await setTimeout(Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, SHARE * took)))
}
