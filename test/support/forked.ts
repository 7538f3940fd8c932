// A chain to fork, behind a proxy that counts what a fork asks for and can spoil the answers.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningNode, type StartOptions, startNode } from '../../src/library.ts'

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown }

export type Proxy = AsyncDisposable & {
  readonly url: string
  /** HTTP requests since the last `forget`. */
  exchanges: number
  /** Methods of their calls. */
  methods: string[]
  forget(): void
  /** Ends the connections that are open. */
  disconnect(): void
  /** Milliseconds before each answer. */
  delay: number
  /** A method that is not answered. */
  silent: string | undefined
  /** Replaces the answer to a call; undefined leaves it. */
  spoil: (call: Call) => Partial<Answer> | undefined
  /** Status and body of every answer while it is set. */
  refusal: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> } | undefined
}

/** A proxy in front of a JSON-RPC server. */
export async function proxyTo(target: string): Promise<Proxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request)
      const parsed: Call | readonly Call[] = JSON.parse(body)
      const calls = Array.isArray(parsed) ? parsed : [parsed]
      proxy.exchanges++
      proxy.methods.push(...calls.map(({ method }) => method))
      await sleep(proxy.delay)
      if (calls.some(({ method }) => method === proxy.silent)) return
      const { refusal } = proxy
      if (refusal !== undefined) {
        response.writeHead(refusal.status, refusal.headers).end(refusal.body)
        return
      }
      const answered = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const answers = (await answered.json()) as Answer | readonly Answer[]
      const list = (Array.isArray(answers) ? answers : [answers]).map((answer: Answer) => {
        const spoilt = proxy.spoil(calls.find(({ id }) => id === answer.id) ?? { id: 0, method: '', params: [] })
        return spoilt === undefined ? answer : { jsonrpc: '2.0', id: answer.id, ...spoilt }
      })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(answers) ? list : list[0]))
    })().catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy: Proxy = {
    url: `http://127.0.0.1:${port}/a-secret-key`,
    exchanges: 0,
    methods: [],
    forget() {
      proxy.exchanges = 0
      proxy.methods = []
    },
    disconnect: () => server.closeAllConnections(),
    delay: 0,
    silent: undefined,
    spoil: () => undefined,
    refusal: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return proxy
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

export type Forked = AsyncDisposable & { readonly origin: RunningNode; readonly proxy: Proxy }

/** A node whose chain is forked, and the proxy in front of it. */
export async function chainToFork(options: StartOptions = {}): Promise<Forked> {
  const origin = await startNode({ chainId: 4242, ...options })
  const proxy = await proxyTo(origin.rpcUrl)
  return {
    origin,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await origin.stop()
    },
  }
}

/** A fork of the chain behind a proxy. Nothing is kept in the user's cache folder unless the options say so. */
export const forkOf = (proxy: Pick<Proxy, 'url'>, options: StartOptions = {}): Promise<RunningNode> =>
  startNode({ forkUrl: [proxy.url], storageCaching: false, forkRetries: 0, ...options })
