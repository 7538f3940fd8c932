// The JSON-RPC interface in Fastify: POST and WebSocket at `/rpc` and at `/`, and its OpenRPC document at `/rpc/openrpc.json`. The
// fast path (`http/fast-path.ts`) answers plain POSTs, the routes here all others. JSON-RPC errors have HTTP status 200:
// wallets take 4xx and 5xx for a dead endpoint and stop asking. Only requests that the guard refuses get a 403.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestRefused } from '../http/request-refused.ts'
import { connectionSignal } from '../lib/connection-signal.ts'
import type { RpcContext, RpcServices } from './define.ts'
import { answer, refusal } from './dispatch.ts'
import { INVALID_REQUEST, LIMIT_EXCEEDED, PARSE_ERROR } from './errors.ts'
import { serveWebSocket } from './http/websocket.ts'
import { RPC_PATHS } from './paths.ts'
import { isHardhatClient } from './sends/hardhat-client.ts'

const HINT = 'This is a JSON-RPC 2.0 endpoint: POST a request here, or open a WebSocket.\n'

export type RpcFace = {
  readonly context: Omit<RpcContext, 'subscriber'>
  /** Answers a browser that opens `/`; other clients get a line of text. */
  readonly landing: (reply: FastifyReply) => FastifyReply
}

/** Registers JSON-RPC. The Fastify instance must already have @fastify/websocket and the guard. */
export async function rpcPlugin(app: FastifyInstance, { context, landing }: RpcFace): Promise<void> {
  const { options } = context
  readBodiesAsText(app)
  answerErrorsAsJsonRpc(app, context)
  app.get('/rpc/openrpc.json', (_request, reply) => sendJson(reply, JSON.stringify(context.openRpc())))

  const post = async (request: FastifyRequest, reply: FastifyReply) => {
    const isHardhat = isHardhatClient(request.headers['user-agent'])
    const requestContext = isHardhat ? { ...context, reportsFailedSends: true } : context
    const signal = connectionSignal(request.raw.socket)
    const text = await answer((request.body as string | undefined) ?? '', requestContext, signal)
    return text === undefined ? reply.code(204).send() : sendJson(reply, text)
  }
  for (const url of RPC_PATHS) {
    // Most clients are on this machine or near it, and many accept gzip without having been told to.
    const config = { uncompressed: true }
    app.route({ method: 'POST', url, bodyLimit: options.maxRequestSize, config, handler: post })
    app.route({
      method: 'GET',
      url,
      handler(request, reply) {
        const isBrowser = url === '/' && (request.headers.accept ?? '').includes('text/html')
        if (isBrowser) return landing(reply)
        return reply.type('text/plain; charset=utf-8').send(HINT)
      },
      wsHandler: (socket, request) => serveWebSocket(socket, connectionSignal(request.raw.socket), context),
    })
  }
}

/** Reads every body as text, whatever its content type, which many curl commands omit. */
function readBodiesAsText(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    request.headers['content-type'] = 'application/json'
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, String(body)),
  )
}

function answerErrorsAsJsonRpc(app: FastifyInstance, { options, log }: Pick<RpcServices, 'options' | 'log'>): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof RequestRefused) {
      const { statusCode: status, message } = error
      if (status === 503) return sendJson(reply, refusal(LIMIT_EXCEEDED, `limit exceeded: ${message}`))
      if (status !== 413) return sendJson(reply, refusal(INVALID_REQUEST, message), status)
      const words = `request too large, want at most ${options.maxRequestSize} bytes`
      return sendJson(reply, refusal(INVALID_REQUEST, words))
    }
    log.debug({ err: error, url: request.url }, 'request refused')
    return sendJson(reply, refusal(PARSE_ERROR, 'parse error: the body cannot be read'))
  })
}

/** Answers a URL that cannot be decoded and therefore matches no route. */
export const refuseRpcUrl = (reply: FastifyReply): FastifyReply =>
  sendJson(reply, refusal(INVALID_REQUEST, 'invalid request: the URL cannot be decoded'), 400)

const sendJson = (reply: FastifyReply, text: string, status = 200) =>
  reply.code(status).type('application/json').send(text)
