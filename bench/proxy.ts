// A proxy in front of a JSON-RPC server that delays each exchange and counts them.
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type DelayingProxy = {
  readonly url: string
  /** HTTP requests since the last time that it was set to 0. */
  exchanges: number
  close(): void
}

/** `delay`: milliseconds before each request is passed on; 0: at once. */
export async function openProxy(target: string, delay: number): Promise<DelayingProxy> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, answer) => {
    proxy.exchanges++
    const pass = async () => {
      const body = await bytesOf(asked)
      if (delay > 0) await sleep(delay)
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const passed = request(target, { method: 'POST', agent, headers }).end(body)
      const [from] = (await once(passed, 'response')) as [IncomingMessage]
      const answered = await bytesOf(from)
      answer.writeHead(from.statusCode ?? 502, { ...headers, 'content-length': answered.length }).end(answered)
    }
    pass().catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const proxy: DelayingProxy = {
    url: `http://127.0.0.1:${address.port}/`,
    exchanges: 0,
    close() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
  return proxy
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
