// The JSON-RPC face as one Fastify plugin: POST and WebSocket, at `/rpc` and at `/`, and its description at
// `/rpc/openrpc.json`.
// Every JSON-RPC error travels with HTTP 200: wallets take 4xx and 5xx for a dead endpoint and stop asking. Only what the
// guard refuses is a 403.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../http/access.ts'
import { AccessDenied } from '../http/access.ts'
import type { Connections } from '../http/connections.ts'
import { connectionSignal } from '../lib/connection-signal.ts'
import type { RpcContext, RpcServices } from './define.ts'
import { serveDirectly } from './direct.ts'
import { answer, answerInPieces, refusal } from './dispatch.ts'
import { INVALID_REQUEST, PARSE_ERROR } from './errors.ts'
import { isHardhat } from './hardhat.ts'
import { methods } from './methods/index.ts'
import { openRpc } from './openrpc.ts'
import { serveSocket } from './socket.ts'
import { TextBudget } from './text-budget.ts'

const PATHS = ['/rpc', '/']
const HINT = 'This is a JSON-RPC 2.0 endpoint: POST a request here, or open a WebSocket.\n'

/** What a browser is shown that opens the endpoint at `/`; others get a line of text. */
export type RpcFace = RpcServices & {
  readonly landing?: (reply: FastifyReply) => FastifyReply
  /** The guard's judgement, for requests that do not pass Fastify. */
  readonly access: Access
  readonly connections: Connections
}

/** Registers the face. The instance must already carry @fastify/websocket and the guard. */
export async function rpcPlugin(
  app: FastifyInstance,
  { landing, access, connections, ...services }: RpcFace,
): Promise<void> {
  const { options } = services
  const context: RpcContext = {
    ...services,
    methods,
    texts: new TextBudget(options.maxTextInWork),
    settled: (transaction) => services.producer.settled(transaction),
  }

  const headers = ['vary: Origin', 'x-content-type-options: nosniff']
  const plain = { paths: PATHS, maxBody: options.maxRequestSize, access, headers, connections }
  const endIdle = serveDirectly(app.server, plain, (body, caller) => answerInPieces(body, context, caller))
  app.addHook('preClose', async () => endIdle())

  // The body is JSON whatever the header says: many a curl command says nothing.
  app.addHook('onRequest', async (request) => {
    request.headers['content-type'] = 'application/json'
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, String(body)),
  )

  app.setErrorHandler((error: { code?: string }, request, reply) => {
    if (error instanceof AccessDenied) {
      return sendJson(reply, refusal(INVALID_REQUEST, error.message), error.statusCode)
    }
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      return sendJson(
        reply,
        refusal(INVALID_REQUEST, `request too large, want at most ${options.maxRequestSize} bytes`),
      )
    }
    services.log.debug({ err: error, url: request.url }, 'request refused')
    return sendJson(reply, refusal(PARSE_ERROR, 'parse error: the body cannot be read'))
  })

  const post = async (request: FastifyRequest, reply: FastifyReply) => {
    const fitting = isHardhat(request.headers['user-agent']) ? { ...context, tellsFailures: true } : context
    const text = await answer((request.body as string | undefined) ?? '', fitting, connectionSignal(request.raw.socket))
    return text === undefined ? reply.code(204).send() : sendJson(reply, text)
  }

  app.get('/rpc/openrpc.json', (_request, reply) => sendJson(reply, JSON.stringify(openRpc(methods, options))))

  for (const url of PATHS) {
    app.route({ method: 'POST', url, bodyLimit: options.maxRequestSize, handler: post })
    app.route({
      method: 'GET',
      url,
      handler(request, reply) {
        const isBrowser = url === '/' && (request.headers.accept ?? '').includes('text/html')
        if (isBrowser && landing !== undefined) return landing(reply)
        return reply.type('text/plain; charset=utf-8').send(HINT)
      },
      wsHandler: (socket) => serveSocket(socket, context),
    })
  }
}

const sendJson = (reply: FastifyReply, text: string, status = 200) =>
  reply.code(status).type('application/json').send(text)
