// Three actions at paths of their own, in the form in which Blockscout moves them from `/api` to `/api/legacy`.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toQuantity } from '../../lib/hex.ts'
import type { EtherscanAnswer } from './define.ts'

type Ask = (module: string, action: string, request: FastifyRequest) => Promise<EtherscanAnswer>

/** The same answer; one that failed has no result. */
const shown = ({ status, message, result }: EtherscanAnswer, show: (result: unknown) => unknown = (same) => same) =>
  status === '1'
    ? { status, message, result: show(result) }
    : { status, message: messageOf(message, result), result: null }

/** Etherscan puts the reason of some failures into the result. */
const messageOf = (message: string, result: unknown): string => (typeof result === 'string' ? result : message)

/** Registers the paths. `ask`: runs an action of the Etherscan-style API; `head`: the number of the newest block. */
export function legacyPaths(app: FastifyInstance, ask: Ask, head: () => bigint): void {
  app.get('/legacy/logs/get-logs', async (request) => shown(await ask('logs', 'getlogs', request)))
  app.get('/legacy/block/get-block-number-by-time', async (request) =>
    shown(await ask('block', 'getblocknobytime', request), (blockNumber) => ({ blockNumber })),
  )
  app.get<{ Querystring: { readonly id?: string } }>('/legacy/block/eth-block-number', async ({ query: { id } }) => ({
    jsonrpc: '2.0',
    id: id === undefined ? 1 : /^\d{1,15}$/.test(id) ? Number(id) : id,
    result: toQuantity(head()),
  }))
}
