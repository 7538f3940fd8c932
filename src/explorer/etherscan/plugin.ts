// The Etherscan-style API at /api and /v2/api, for tools: `?module=…&action=…`, fields in the query or a form, the same body for
// every answer, always with status 200. `/v2/api` is Etherscan's form for many chains: `&chainid=` names one, here the node's.
// JSON-RPC is also at /api/eth-rpc, which Blockscout's pages call.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestRefused, refusalHead } from '../../http/request-refused.ts'
import { connectionSignal } from '../../lib/connection-signal.ts'
import { completely, withContext, withSources } from '../context.ts'
import type { Explorer } from '../explorer.ts'
import { acceptForms, LARGEST_UPLOAD } from '../uploads.ts'
import { account } from './account.ts'
import { block, gastracker, minedBlocks, stats, transaction } from './chain.ts'
import { contract } from './contract.ts'
import { type Action, type EtherscanAnswer, type Fields, refusal } from './define.ts'
import { callJsonRpc, requestOf } from './json-rpc.ts'
import { legacyPaths } from './legacy.ts'
import { logs } from './logs.ts'
import { token, tokensOfAccount } from './token.ts'

const MODULES: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  account: { ...account, ...minedBlocks, ...tokensOfAccount },
  block,
  contract,
  gastracker,
  logs,
  stats,
  transaction,
  // Some of the others' actions have this module in older explorers.
  token: { ...account, ...stats, ...token },
}

/** Registers both APIs below a prefix, on a server with JSON-RPC at /rpc, which answers some requests. */
export async function etherscanApi(app: FastifyInstance, { explorer }: { readonly explorer: Explorer }): Promise<void> {
  acceptForms(app)
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (error instanceof RequestRefused) {
      return sendJson(refusalHead(reply, error), refusal(`Error! ${error.message}`))
    }
    const isRefused = error.statusCode !== undefined && error.statusCode < 500
    if (!isRefused) explorer.log.error({ err: error, url: request.url }, 'explorer request failed')
    return sendJson(reply, refusal(isRefused ? 'Error! The request cannot be read' : 'Error! Internal server error'))
  })

  const ask = (module: string, action: string, request: FastifyRequest, fields = fieldsOf(request)) =>
    answer(explorer, { module, action, fields, client: request.ip, signal: connectionSignal(request.raw.socket) })
  app.route({
    method: ['GET', 'POST'],
    url: '',
    // Tools put the action into the query (Hardhat 3), or into the form before the sources (Foundry, Hardhat 2, Etherscan's
    // examples).
    bodyLimit: LARGEST_UPLOAD,
    config: { largeBody: /verifysourcecode/i },
    async handler(request, reply) {
      const fields = fieldsOf(request)
      const module = fields.module?.toLowerCase() ?? ''
      const action = fields.action?.toLowerCase() ?? ''
      if (request.method !== 'POST' && ACTIONS_BY_POST.has(action)) return sendJson(reply, POST_ONLY)
      if (!isOfThisChain(explorer, fields)) return sendJson(reply, OTHER_CHAIN)
      const rpcRequest = requestOf(module, action, fields)
      if (rpcRequest !== undefined) return sendText(reply, await callJsonRpc(app, rpcRequest))
      return sendJson(reply, await ask(module, action, request, fields))
    },
  })
  legacyPaths(app, ask, () => explorer.chain.head.number)
  app.post('/eth-rpc', { errorHandler: refuseRpc }, async (request, reply) =>
    sendText(reply, await callJsonRpc(app, JSON.stringify(request.body ?? null))),
  )
}

/** Errors at /api/eth-rpc are JSON-RPC's: -32600 invalid request, -32700 parse error. */
function refuseRpc(error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isRefused = error instanceof RequestRefused
  if (isRefused) refusalHead(reply, error)
  const answer = isRefused ? { code: -32600, message: error.message } : { code: -32700, message: 'parse error' }
  return sendText(reply, JSON.stringify({ jsonrpc: '2.0', id: null, error: answer }))
}

/**
 * Actions that cost processor time and store a result. They require POST: any page can make a browser send a GET without an
 * Origin header, for example as the URL of a picture. Raw transactions may be sent by GET, as at Etherscan, because they are
 * signed.
 */
const ACTIONS_BY_POST = new Set(['verifysourcecode'])
const POST_ONLY = refusal('Error! This action has to be sent with POST')
const UNKNOWN = refusal('Error! Missing Or invalid Module or Action name')

const OTHER_CHAIN = refusal('Missing or unsupported chainid parameter: this node has one chain, see eth_chainId')

/** Whether the request is for this chain; most do not say. */
const isOfThisChain = ({ chain: { spec } }: Explorer, { chainid }: Fields): boolean =>
  chainid === undefined || chainid === '' || chainid === spec.chainId.toString()

type ActionCall = {
  readonly module: string
  readonly action: string
  readonly fields: Fields
  readonly client: string
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal
}

async function answer(explorer: Explorer, call: ActionCall): Promise<EtherscanAnswer> {
  const { module, action, fields, client, signal } = call
  const actions = Object.hasOwn(MODULES, module) ? MODULES[module] : undefined
  const run = actions !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined
  if (run === undefined) return UNKNOWN
  // Before the context is opened, so that no reader is held while a compiler runs.
  if (action === 'checkverifystatus') await explorer.verification?.settled(fields.guid ?? '', signal)
  const how = ACTIONS_BY_POST.has(action) ? completely : withSources
  return withContext(explorer, async (context) => run(fields, context), { headers: {}, client }, signal, how)
}

const MOST_FIELDS = 1000

/** Fields of the query and the body, names in lower case. Fields of the body take precedence. Throws RequestRefused. */
function fieldsOf({ query, body }: FastifyRequest): Fields {
  const given = [...Object.entries(query ?? {}), ...(typeof body === 'object' ? Object.entries(body ?? {}) : [])]
  if (given.length > MOST_FIELDS) throw new RequestRefused(413, `the request has more than ${MOST_FIELDS} fields`)
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of given) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) {
      // Some tools send the compiler's input as an object in a JSON body instead of text.
      fields[name.toLowerCase()] = typeof last === 'object' ? JSON.stringify(last) : String(last)
    }
  }
  return fields
}

/** Answers a URL that cannot be decoded and therefore has no route. */
export const refuseEtherscanUrl = (reply: FastifyReply): FastifyReply =>
  sendJson(reply, refusal('Error! The request cannot be read'))

const sendJson = (reply: FastifyReply, value: EtherscanAnswer) => sendText(reply, JSON.stringify(value))
const sendText = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text)
