// Load generator in a separate process, so that signing and counting do not slow it down. Its ceiling is measured against
// servers that do no work: a node that comes near the ceiling is faster than its figure says.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Counted, Job, Message } from './worker.ts'

export type Generator = {
  /**
   * Sends requests for a time, or each request once. Calls `began` before the first one. Throws when a connection fails, an
   * answer is an error, or the job takes longer than `LONGEST`.
   */
  run(job: Job, began?: () => void): Promise<Counted>
  close(): void
}

const LONGEST = 300_000

export function startGenerator(): Generator {
  const start = () => fork(join(import.meta.dirname, 'worker.ts'))
  let worker = start()
  const count = async (job: Job, began?: () => void): Promise<Counted> => {
    const ready = next(worker)
    worker.send(job)
    await ready
    const end = next(worker)
    began?.()
    worker.send('go')
    const message = await end
    if ('counted' in message) return message.counted
    throw new Error('the load generator did not count')
  }
  return {
    async run(job, began) {
      const counted = await count(job, began).catch((error: unknown) => {
        // The worker may still be running a job.
        worker.kill()
        worker = start()
        throw error
      })
      if (counted.errors > 0) throw new Error(`${counted.errors} errors, the first: ${counted.firstError}`)
      return counted
    },
    close: () => worker.kill(),
  }
}

/** The worker's next message. Throws when the worker failed or sends none in time. */
async function next(worker: ChildProcess): Promise<Message> {
  const [message] = (await once(worker, 'message', { signal: AbortSignal.timeout(LONGEST) })) as [Message]
  if ('failed' in message) throw new Error(message.failed)
  return message
}

export type Ceiling = {
  /** Answers per second of a bare `node:http` server. */
  readonly http: number
  /** Answers per second of a socket that sends constant bytes. */
  readonly socket: number
}

/** The rates that the generator reaches against servers that do no work. */
export async function measureCeiling(generator: Generator, connections: number, seconds: number): Promise<Ceiling> {
  const server = fork(join(import.meta.dirname, 'constant.ts'))
  try {
    const [urls] = (await once(server, 'message')) as [Record<keyof Ceiling, string>]
    const bodies = [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })]
    const rate = async (url: string): Promise<number> => {
      await generator.run({ url, bodies, connections, seconds: seconds / 4 })
      const counted = await generator.run({ url, bodies, connections, seconds })
      return counted.answers / counted.seconds
    }
    return { http: await rate(urls.http), socket: await rate(urls.socket) }
  } finally {
    server.disconnect()
  }
}
