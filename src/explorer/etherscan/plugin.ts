// The Etherscan-style API at /api, which tools know: `?module=…&action=…`, fields in the query or a form, and one body for
// every answer, always with status 200. And JSON-RPC at /api/eth-rpc, where explorers' pages look for it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessDenied } from '../../http/access.ts'
import { connectionSignal } from '../../lib/connection-signal.ts'
import { openMoment } from '../context.ts'
import type { ExplorerServices } from '../define.ts'
import { acceptForms } from '../forms.ts'
import { account } from './account.ts'
import { block, stats, transaction } from './chain.ts'
import { contract } from './contract.ts'
import { type Action, type Answer, type Fields, refusal } from './define.ts'
import { logs } from './logs.ts'
import { askRpc, requestOf } from './proxy.ts'

const MODULES: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  account,
  block,
  contract,
  logs,
  stats,
  transaction,
  // Explorers of an older generation say so.
  token: { ...account, ...stats },
}

/** Registers the face, to be mounted with the prefix /api; the instance must carry JSON-RPC at /rpc for what is handed on to it. */
export async function etherscanApi(app: FastifyInstance, services: ExplorerServices): Promise<void> {
  await acceptForms(app)
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (error instanceof AccessDenied) return sendJson(reply.code(error.statusCode), refusal(`Error! ${error.message}`))
    const isRefused = error.statusCode !== undefined && error.statusCode < 500
    if (!isRefused) services.log.error({ err: error, url: request.url }, 'explorer request failed')
    return sendJson(reply, refusal(isRefused ? 'Error! The request cannot be read' : 'Error! Internal server error'))
  })

  app.route({
    method: ['GET', 'POST'],
    url: '',
    async handler(request, reply) {
      const fields = fieldsOf(request)
      const [module, action] = [fields.module?.toLowerCase() ?? '', fields.action?.toLowerCase() ?? '']
      if (request.method !== 'POST' && ACTIONS_BY_POST.has(action)) return sendJson(reply, POST_ONLY)
      if (module !== 'proxy') {
        const asked = { module, action, fields, client: request.ip, caller: connectionSignal(request.raw.socket) }
        return sendJson(reply, await answer(services, asked))
      }
      const asked = requestOf(action, fields)
      return asked === undefined ? sendJson(reply, UNKNOWN) : sendText(reply, await askRpc(app, asked))
    },
  })
  app.post('/eth-rpc', { errorHandler: refuseRpc }, async (request, reply) =>
    sendText(reply, await askRpc(app, JSON.stringify(request.body ?? null))),
  )
}

/** Refusals at /api/eth-rpc are JSON-RPC's, with its codes: invalid request, parse error. */
function refuseRpc(error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isDenied = error instanceof AccessDenied
  if (isDenied) reply.code(error.statusCode)
  const told = isDenied ? { code: -32600, message: error.message } : { code: -32700, message: 'parse error' }
  return sendText(reply, JSON.stringify({ jsonrpc: '2.0', id: null, error: told }))
}

/**
 * Actions that have the node work and store the result. They need POST, because a page can have the browser GET any address
 * as a picture, and the browser then sends no Origin. Raw transactions may come by GET, as Etherscan has it: they are signed.
 */
const ACTIONS_BY_POST = new Set(['verifysourcecode'])
const POST_ONLY = refusal('Error! This action has to be sent with POST')
const UNKNOWN = refusal('Error! Missing Or invalid Module or Action name')

type Asked = {
  readonly module: string
  readonly action: string
  readonly fields: Fields
  readonly client: string
  readonly caller: AbortSignal
}

async function answer(services: ExplorerServices, { module, action, fields, client, caller }: Asked): Promise<Answer> {
  const actions = Object.hasOwn(MODULES, module) ? MODULES[module] : undefined
  const run = actions !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined
  if (run === undefined) return UNKNOWN
  const moment = await openMoment(services, { headers: {}, client }, caller)
  try {
    return await run(fields, moment.context)
  } finally {
    await moment.close()
  }
}

/** Fields of the query and the body by their names in lower case; those of the body count when both are given. */
function fieldsOf({ query, body }: FastifyRequest): Fields {
  const given = [...Object.entries(query ?? {}), ...(typeof body === 'object' ? Object.entries(body ?? {}) : [])]
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of given) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) {
      // Some send the compiler's input within a JSON body as the object that it is.
      fields[name.toLowerCase()] = typeof last === 'object' ? JSON.stringify(last) : String(last)
    }
  }
  return fields
}

const sendJson = (reply: FastifyReply, value: Answer) => sendText(reply, JSON.stringify(value))
const sendText = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text)
