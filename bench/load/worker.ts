// The process that sends requests, one job at a time for its parent (`generator.ts`). It reports when its connections are open,
// starts on the parent's message, and reports its counts at the end.
import { once } from 'node:events'
import { type Connection, errorIn, openConnection, post } from './http.ts'

export type Job = {
  readonly url: string
  /** JSON-RPC requests, sent in this order and repeated while there is time. */
  readonly bodies: readonly string[]
  readonly connections: number
  /** Duration; undefined: until each body has been sent once. */
  readonly seconds: number | undefined
}

export type Counted = {
  readonly answers: number
  readonly seconds: number
  /** Number of answers with an error, and the first of them. */
  readonly errors: number
  readonly firstError: string | undefined
}

export type Message = { readonly ready: true } | { readonly counted: Counted } | { readonly failed: string }

/** The parent's message to start. */
export const GO = 'go'

async function run(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  seconds?: number,
): Promise<Counted> {
  let sent = 0
  let answers = 0
  let errors = 0
  let firstError: string | undefined
  const began = performance.now()
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : began + seconds * 1000
  const last = seconds === undefined ? requests.length : Number.POSITIVE_INFINITY

  const loop = async (connection: Connection) => {
    while (sent < last && performance.now() < end) {
      const request = requests[sent++ % requests.length]
      if (request === undefined) return
      const error = errorIn(await connection.ask(request))
      answers++
      if (error === undefined) continue
      errors++
      firstError ??= error
    }
  }
  await Promise.all(connections.map(loop))
  return { answers, seconds: (performance.now() - began) / 1000, errors, firstError }
}

const report = (message: Message) => process.send?.(message)

async function work({ url, bodies, connections: count, seconds }: Job): Promise<void> {
  const connections: Connection[] = []
  try {
    const requests = bodies.map((body) => post(url, body))
    while (connections.length < count) connections.push(await openConnection(url))
    const start = once(process, 'message')
    report({ ready: true })
    await start
    report({ counted: await run(connections, requests, seconds) })
  } catch (error) {
    report({ failed: String(error) })
  } finally {
    for (const connection of connections) connection.close()
  }
}

process.on('message', (message: Job | typeof GO) => {
  if (message !== GO) void work(message)
})
process.on('disconnect', () => process.exit(0))
