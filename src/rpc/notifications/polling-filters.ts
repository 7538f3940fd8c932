// Polling filters (eth_newFilter, eth_getFilterChanges). The events of the chain are recorded once, in one list; a filter is a
// position in it, so a thousand filters take no more memory than one. Events that every filter has read are dropped.
import { randomBytes } from 'node:crypto'
import type { Chain, MinedLog } from '../../chain/types.ts'
import { Budget } from '../../lib/budget.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Hash, Hex } from '../../lib/hex.ts'
import type { FilterSource, Filters } from '../define.ts'
import { placesOf } from '../shapes/log-filter.ts'
import { wireLog, wireRemovedLog } from '../shapes/receipt.ts'
import { wireTransaction } from '../shapes/transaction.ts'
import { logMatcher, logsOfBlock } from './live-logs.ts'

/** Milliseconds without use after which a filter is closed. */
export const FILTER_LIFETIME = 5 * 60_000
/** Maximum number of filters of all clients; one with many addresses or topics counts as several (`placesOf`). */
export const MAX_FILTERS = 10_000
/** Maximum number of recorded events; beyond it, filters that have not read the older half are closed. */
export const MAX_EVENTS = 1_000_000

type FilterEvent =
  | { readonly kind: 'blocks'; readonly hash: Hash }
  | { readonly kind: 'transactions'; readonly hash: Hash }
  | { readonly kind: 'logs'; readonly log: MinedLog; readonly removed: boolean }

type Filter = {
  readonly source: FilterSource
  /** The event as wire values; empty when it does not match the filter. */
  readonly read: (event: FilterEvent) => unknown[]
  /** Returns its places. */
  readonly release: () => void
  position: number
  usedAt: number
}

type FilterChain = Pick<Chain, 'events' | 'pool' | 'transaction'>

/** The polling filters of all clients, watching one chain until `stop`. */
export class PollingFilters implements Filters {
  readonly #chain: FilterChain
  readonly #filters = new Map<Hex, Filter>()
  readonly #places = new Budget(MAX_FILTERS, MAX_FILTERS / 4)
  readonly #removeListeners: readonly (() => void)[]
  /** Position of the first recorded event. */
  #start = 0
  #events: FilterEvent[] = []

  constructor(chain: FilterChain) {
    this.#chain = chain
    this.#removeListeners = [
      chain.events.on('block', (executed) => {
        this.#record([{ kind: 'blocks', hash: executed.block.header.hash }])
        if (this.#filters.size > 0) {
          this.#record(logsOfBlock(executed).map((log) => ({ kind: 'logs', log, removed: false })))
        }
        this.#sweep()
      }),
      chain.events.on('removed', (_blocks, logs) => {
        this.#record(logs.map((log) => ({ kind: 'logs', log, removed: true })))
      }),
      chain.events.on('pending', ({ hash }) => this.#record([{ kind: 'transactions', hash }])),
    ]
  }

  open(source: FilterSource, client?: string): Hex {
    const places = source.kind === 'logs' ? placesOf(source.filter) : 1
    if (!this.#places.take(places, client)) {
      this.#sweep()
      if (!this.#places.take(places, client)) throw new ChainError('limit-exceeded', 'too many filters')
    }
    const id: Hex = `0x${randomBytes(16).toString('hex')}`
    const release = () => this.#places.give(places, client)
    this.#filters.set(id, {
      source,
      read: this.#reader(source),
      release,
      position: this.#end,
      usedAt: performance.now(),
    })
    return id
  }

  source(id: Hex): FilterSource {
    return this.#use(id).source
  }

  changes(id: Hex): readonly unknown[] {
    const filter = this.#use(id)
    const unread = this.#events.slice(filter.position - this.#start)
    filter.position = this.#end
    return unread.flatMap(filter.read)
  }

  close(id: Hex): boolean {
    this.#filters.get(id)?.release()
    return this.#filters.delete(id)
  }

  /** Removes the listeners and all filters. */
  stop(): void {
    for (const remove of this.#removeListeners) remove()
    this.#filters.clear()
    this.#events = []
  }

  get #end(): number {
    return this.#start + this.#events.length
  }

  #use(id: Hex): Filter {
    const filter = this.#filters.get(id)
    const now = performance.now()
    if (filter === undefined || now - filter.usedAt > FILTER_LIFETIME) {
      this.close(id)
      throw new ChainError('not-found', 'filter not found')
    }
    filter.usedAt = now
    return filter
  }

  #record(events: readonly FilterEvent[]): void {
    if (this.#filters.size === 0) return
    for (const event of events) this.#events.push(event)
    if (this.#events.length > MAX_EVENTS) this.#dropBefore(this.#end - MAX_EVENTS / 2)
  }

  /** Closes unused filters, and drops the events that all others have read. */
  #sweep(): void {
    const now = performance.now()
    let oldest = this.#end
    for (const [id, { usedAt, position }] of this.#filters) {
      if (now - usedAt > FILTER_LIFETIME) this.close(id)
      else if (position < oldest) oldest = position
    }
    this.#dropBefore(oldest)
  }

  #dropBefore(position: number): void {
    if (position <= this.#start) return
    this.#events = this.#events.slice(position - this.#start)
    this.#start = position
    for (const [id, filter] of this.#filters) if (filter.position < position) this.close(id)
  }

  #reader(source: FilterSource): (event: FilterEvent) => unknown[] {
    switch (source.kind) {
      case 'blocks':
        return (event) => (event.kind === 'blocks' ? [event.hash] : [])
      case 'transactions':
        return source.full
          ? (event) => (event.kind === 'transactions' ? this.#transaction(event.hash) : [])
          : (event) => (event.kind === 'transactions' ? [event.hash] : [])
      case 'logs': {
        const matches = logMatcher(source.filter)
        return (event) => {
          if (event.kind !== 'logs' || !matches(event.log)) return []
          return [event.removed ? wireRemovedLog(event.log) : wireLog(event.log)]
        }
      }
    }
  }

  /** The transaction from the pool in full; empty when it has been dropped since. */
  #transaction(hash: Hash): unknown[] {
    const transaction = this.#chain.pool.get(hash) ?? this.#chain.transaction(hash)?.transaction
    return transaction === undefined ? [] : [wireTransaction(transaction, undefined)]
  }
}
