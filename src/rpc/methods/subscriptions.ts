// eth_subscribe and eth_unsubscribe. The connection holds the subscriptions (`http/websocket.ts`); their events come from
// `notifications/subscription-feeds.ts`.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Hash, Hex } from '../../lib/hex.ts'
import { bool, hash, string } from '../codec.ts'
import { type RpcContext, rpcMethod, type Subscriber } from '../define.ts'
import * as feeds from '../notifications/subscription-feeds.ts'
import { logFilter, placesOf } from '../shapes/log-filter.ts'

/** Maximum transactions of one `transactionReceipts` subscription (as in geth). */
const MAX_RECEIPTS = 200

const receiptsQuery = z.object({ transactionHashes: z.array(hash).nullish() })
/** One schema for both kinds of object: a union would accept `transactionHashes` with an invalid hash as a log filter. */
const option = z
  .union([bool, z.intersection(logFilter, receiptsQuery)], { error: 'expected true, false or a filter object' })
  .optional()
type Option = z.output<typeof option>

export const eth_subscribe = rpcMethod({
  summary:
    'Subscribes to newHeads, logs (with a filter), newPendingTransactions (true: in full), transactionReceipts (all, or those of transactionHashes) or syncing. WebSocket only.',
  params: [string, option],
  names: ['subscription', 'options'],
  result: string.describe('subscription id'),
  handler: ([name, option], context) =>
    subscriber(context).open(feed(name, option, context), placesOf(isObject(option) ? option : {})),
})

export const eth_unsubscribe = rpcMethod({
  summary: 'Ends a subscription of this connection.',
  params: [string.describe('subscription id')],
  names: ['subscriptionId'],
  result: bool,
  handler([id], context) {
    if (subscriber(context).close(id.toLowerCase() as Hex)) return true
    throw new ChainError('not-found', 'subscription not found')
  },
})

function subscriber({ subscriber }: RpcContext): Subscriber {
  if (subscriber === undefined) throw new ChainError('not-allowed', 'notifications not supported')
  return subscriber
}

function feed(name: string, option: Option, { chain, network }: RpcContext): feeds.Feed {
  switch (name) {
    case 'newHeads':
      return feeds.newHeads(chain)
    case 'logs':
      return feeds.logs(chain.events, isObject(option) ? option : {})
    case 'newPendingTransactions':
      return feeds.newPendingTransactions(chain.events, option === true ? 'full' : 'hashes')
    case 'transactionReceipts':
      return feeds.transactionReceipts(chain.events, wantedReceipts(option))
    case 'syncing':
      return feeds.syncing(network)
    default:
      throw new ChainError('not-allowed', `no "${name.slice(0, 100)}" subscription in eth namespace`)
  }
}

const isObject = <T>(value: T): value is T & object => typeof value === 'object'

/** Empty: the receipts of all transactions. */
function wantedReceipts(option: Option): readonly Hash[] {
  const hashes = (isObject(option) && option.transactionHashes) || []
  if (hashes.length <= MAX_RECEIPTS) return hashes
  throw new ChainError(
    'invalid-params',
    'exceed max number of transaction hashes allowed per transactionReceipts subscription',
  )
}
