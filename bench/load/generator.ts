// Load from a process of its own, so that signing and counting here take nothing from it. And the most that this client
// can do, measured against servers that do nothing: a node that comes near is faster than the figure says.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Counted, Job, Message } from './worker.ts'

export type Generator = {
  /**
   * Sends requests until the time is over, or each once. `began` is called when the first one is about to go. Throws
   * when a connection fails, an answer is an error, or all is not over after `LONGEST`.
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
        // It may still be at work.
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

/** What the worker says next. Throws when it failed or says nothing. */
async function next(worker: ChildProcess): Promise<Message> {
  const [message] = (await once(worker, 'message', { signal: AbortSignal.timeout(LONGEST) })) as [Message]
  if ('failed' in message) throw new Error(message.failed)
  return message
}

export type Ceiling = {
  /** Answers a second from a bare `node:http` server. */
  readonly http: number
  /** The same from a socket that answers everything with the same bytes. */
  readonly socket: number
}

/** What the generator reaches when nobody has to think, with the connections and for the seconds given. */
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
