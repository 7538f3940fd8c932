// Notifications over a WebSocket: the connection keeps the subscriptions (socket.ts), the feeds are in subscriptions.ts.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hex.ts'
import { bool, string } from '../codec.ts'
import { type RpcContext, rpcMethod, type Subscriber } from '../define.ts'
import { type LogFilter, logFilter } from '../shapes/filter.ts'
import * as feeds from '../subscriptions.ts'

const option = z.union([bool, logFilter], { error: 'expected true, false or a filter object' }).optional()

export const eth_subscribe = rpcMethod({
  summary:
    'Subscribes to newHeads, logs (with a filter), newPendingTransactions (true: in full) or syncing. WebSocket only.',
  params: [string, option],
  names: ['subscription', 'options'],
  result: string.describe('subscription id'),
  handler: ([name, option], context) => subscriber(context).open(feed(name, option, context)),
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

function feed(name: string, option: boolean | LogFilter | undefined, { chain }: RpcContext): feeds.Feed {
  switch (name) {
    case 'newHeads':
      return feeds.newHeads(chain)
    case 'logs':
      return feeds.logs(chain.live, typeof option === 'object' ? option : {})
    case 'newPendingTransactions':
      return feeds.newPendingTransactions(chain.live, option === true ? 'full' : 'hashes')
    case 'syncing':
      return feeds.syncing
    default:
      throw new ChainError('not-allowed', `no "${name.slice(0, 100)}" subscription in eth namespace`)
  }
}
