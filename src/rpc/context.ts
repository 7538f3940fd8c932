// The context of all requests, with the caches of JSON-RPC. A node makes one, and so does each of its read threads.

import { Budget } from '../lib/budget.ts'
import { KeyedMutex } from '../lib/mutex.ts'
import { effectiveOptions, type RpcContext, type RpcServices } from './define.ts'
import { GcStatistics } from './gc-statistics.ts'
import { LogSearch } from './log-search.ts'
import { methods } from './methods/index.ts'
import { openRpcDocument } from './openrpc.ts'
import { LoggedRequests } from './request-reports.ts'
import { revertWords } from './revert-words.ts'

/** Maximum number of subscriptions of all WebSockets; one without a filter takes 8 KB. */
const MAX_SUBSCRIPTIONS = 20_000

/** The context of all requests, with the caches of JSON-RPC. */
export function rpcContext(services: RpcServices): RpcContext {
  const options = effectiveOptions(services)
  const reports = services.reports ?? new LoggedRequests({ ...services, options })
  services.readers?.reportTo(reports)
  return {
    ...services,
    reports,
    options,
    methods,
    settled: (transaction) => services.producer.settled(transaction),
    revertWords: services.revertWords ?? revertWords(services),
    textBudget: new Budget(options.maxTextInWork, options.maxTextInWork, services.counters?.counter('text')),
    subscriptions: new Budget(MAX_SUBSCRIPTIONS, MAX_SUBSCRIPTIONS / 4),
    logSearch: new LogSearch(services.chain, services.index),
    sendLocks: new KeyedMutex(),
    openRpc: openRpcDocument(methods, options),
    gcStatistics: new GcStatistics(),
  }
}
