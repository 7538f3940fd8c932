// Polling filters. What happens on the chain is written once into a journal; a filter is a position in it, so a
// thousand filters cost no more memory than one. The journal keeps only what some filter has not read yet.
import { randomBytes } from 'node:crypto'
import type { Chain, MinedLog } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import type { Hash, Hex } from '../lib/hex.ts'
import type { FilterSource, Filters } from './define.ts'
import { liveMatch, logsOfBlock } from './live-logs.ts'
import { wireLog, wireRemovedLog } from './shapes/receipt.ts'
import { wireTransaction } from './shapes/transaction.ts'

/** Milliseconds without use after which a filter is forgotten. */
export const FILTER_LIFETIME = 5 * 60_000
/** Filters of all clients together. */
export const MAX_FILTERS = 10_000
/** Journal entries; a filter that lags further behind is forgotten. */
export const MAX_JOURNAL = 1_000_000

type Entry =
  | { readonly kind: 'blocks'; readonly hash: Hash }
  | { readonly kind: 'transactions'; readonly hash: Hash }
  | { readonly kind: 'logs'; readonly log: MinedLog; readonly removed: boolean }

type Filter = {
  readonly source: FilterSource
  /** The entry's wire form, or nothing when the filter does not want it. */
  readonly read: (entry: Entry) => unknown[]
  position: number
  usedAt: number
}

type Watched = Pick<Chain, 'events' | 'pool' | 'transaction'>

/** The polling filters of all clients, watching one chain until `stop`. */
export class PollingFilters implements Filters {
  readonly #chain: Watched
  readonly #filters = new Map<string, Filter>()
  readonly #detach: readonly (() => void)[]
  /** Position of the journal's first entry. */
  #start = 0
  #journal: Entry[] = []

  constructor(chain: Watched) {
    this.#chain = chain
    this.#detach = [
      chain.events.on('block', (executed) => {
        this.#write([{ kind: 'blocks', hash: executed.block.header.hash }])
        if (this.#filters.size > 0) {
          this.#write(logsOfBlock(executed).map((log) => ({ kind: 'logs', log, removed: false })))
        }
        this.#sweep()
      }),
      chain.events.on('removed', (_blocks, logs) => {
        this.#write(logs.map((log) => ({ kind: 'logs', log, removed: true })))
      }),
      chain.events.on('pending', ({ hash }) => this.#write([{ kind: 'transactions', hash }])),
    ]
  }

  open(source: FilterSource): Hex {
    if (this.#filters.size >= MAX_FILTERS) this.#sweep()
    if (this.#filters.size >= MAX_FILTERS) throw new ChainError('limit-exceeded', 'too many filters')
    const id: Hex = `0x${randomBytes(16).toString('hex')}`
    this.#filters.set(id, { source, read: this.#reader(source), position: this.#end, usedAt: performance.now() })
    return id
  }

  source(id: Hex): FilterSource {
    return this.#use(id).source
  }

  changes(id: Hex): readonly unknown[] {
    const filter = this.#use(id)
    const news = this.#journal.slice(filter.position - this.#start)
    filter.position = this.#end
    return news.flatMap(filter.read)
  }

  close(id: Hex): boolean {
    return this.#filters.delete(id)
  }

  /** Detaches from the chain and forgets everything. */
  stop(): void {
    for (const detach of this.#detach) detach()
    this.#filters.clear()
    this.#journal = []
  }

  get #end(): number {
    return this.#start + this.#journal.length
  }

  #use(id: Hex): Filter {
    const filter = this.#filters.get(id)
    const now = performance.now()
    if (filter === undefined || now - filter.usedAt > FILTER_LIFETIME) {
      this.#filters.delete(id)
      throw new ChainError('not-found', 'filter not found')
    }
    filter.usedAt = now
    return filter
  }

  #write(entries: readonly Entry[]): void {
    if (this.#filters.size === 0) return
    for (const entry of entries) this.#journal.push(entry)
    if (this.#journal.length > MAX_JOURNAL) this.#dropBefore(this.#end - MAX_JOURNAL / 2)
  }

  /** Forgets filters that nobody used and entries that everybody has read. */
  #sweep(): void {
    const now = performance.now()
    let oldest = this.#end
    for (const [id, { usedAt, position }] of this.#filters) {
      if (now - usedAt > FILTER_LIFETIME) this.#filters.delete(id)
      else if (position < oldest) oldest = position
    }
    this.#dropBefore(oldest)
  }

  #dropBefore(position: number): void {
    if (position <= this.#start) return
    this.#journal = this.#journal.slice(position - this.#start)
    this.#start = position
    for (const [id, filter] of this.#filters) if (filter.position < position) this.#filters.delete(id)
  }

  #reader(source: FilterSource): (entry: Entry) => unknown[] {
    switch (source.kind) {
      case 'blocks':
        return (entry) => (entry.kind === 'blocks' ? [entry.hash] : [])
      case 'transactions':
        return source.full
          ? (entry) => (entry.kind === 'transactions' ? this.#transaction(entry.hash) : [])
          : (entry) => (entry.kind === 'transactions' ? [entry.hash] : [])
      case 'logs': {
        const wants = liveMatch(source.filter)
        return (entry) => {
          if (entry.kind !== 'logs' || !wants(entry.log)) return []
          return [entry.removed ? wireRemovedLog(entry.log) : wireLog(entry.log)]
        }
      }
    }
  }

  /** In full as it waited; nothing when it was dropped meanwhile. */
  #transaction(hash: Hash): unknown[] {
    const transaction = this.#chain.pool.get(hash) ?? this.#chain.transaction(hash)?.transaction
    return transaction === undefined ? [] : [wireTransaction(transaction, undefined)]
  }
}
