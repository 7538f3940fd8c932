// Requests to a node: one after another on one connection, or from the load generator over many, each with the CPU that the
// node's process used for one of them.
import type { Sample } from './bench.ts'
import type { Generator } from './load/generator.ts'
import { errorIn, openConnection, post } from './load/http.ts'
import { summarize } from './statistics.ts'
import type { Target } from './target.ts'

/** A JSON-RPC request as bytes. */
export const request = (target: Target, method: string, params: readonly unknown[]): Buffer =>
  post(target.url, bodyOf(method, params))

export const bodyOf = (method: string, params: readonly unknown[], id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Does the work, which returns its number of pieces. */
export async function cpuOf(target: Target, work: () => Promise<number>): Promise<number | undefined> {
  const before = target.cpuTime()
  const pieces = await work()
  const after = target.cpuTime()
  return before === undefined || after === undefined ? undefined : (after - before) / pieces
}

/** How long to repeat: this many times, and until the milliseconds are over. */
export type Repeat = { readonly times: number; readonly time?: number }

/** The milliseconds of each piece of work, and the mean CPU of one in microseconds. */
export type Waits = { readonly waits: readonly number[]; readonly cpu: number | undefined }

export const median = ({ waits, cpu }: Waits): Sample => ({ value: summarize(waits).median, cpu })
export const mean = ({ waits, cpu }: Waits): Sample => ({
  value: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
  cpu,
})

/** Sends the request of each index on one connection. Throws when an answer is an error. */
export async function oneByOne(
  target: Target,
  of: (index: number) => Buffer,
  { times, time = 0 }: Repeat,
): Promise<Waits> {
  const connection = await openConnection(target.url)
  const waits: number[] = []
  try {
    const cpu = await cpuOf(target, async () => {
      const end = performance.now() + time
      for (let index = 0; index < times || performance.now() < end; index++) {
        const asked = of(index)
        const began = performance.now()
        const error = errorIn(await connection.ask(asked))
        waits.push(performance.now() - began)
        if (error !== undefined) throw new Error(error)
      }
      return waits.length
    })
    return { waits, cpu }
  } finally {
    connection.close()
  }
}

export type Load = {
  readonly generator: Generator
  readonly bodies: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Pieces of work in one body: the calls of a batch. */
  readonly perBody?: number
}

/** Sends the bodies in turn over all connections; the value is the rate per second. */
export async function rateOf(target: Target, load: Load): Promise<Sample> {
  const { generator, bodies, connections, seconds, perBody = 1 } = load
  let value = 0
  const cpu = await cpuOf(target, async () => {
    const counted = await generator.run({ url: target.url, bodies, connections, seconds })
    value = (perBody * counted.answers) / counted.seconds
    return perBody * counted.answers
  })
  return { value, cpu }
}
