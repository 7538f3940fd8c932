// Metadata documents of the web by URL: a cache on disk of fetched documents. Failures are cached, too, and tried again after a
// pause that doubles.
import { LRUCache } from 'lru-cache'
import { keccak256 } from '../../lib/keccak.ts'
import { type DocumentRequests, NoDocument } from './document-request.ts'
import type { KeptRows } from './kept-rows.ts'

/** Milliseconds of the pause after the first failure; each further one doubles it. */
const FIRST_PAUSE = 60_000
const LONGEST_PAUSE = 86_400_000
/** Minimum milliseconds between two requests of a URL: a node must not be usable to flood a server. */
const LEAST_PAUSE = 5_000

export type StoredDocument = {
  /** Content type; undefined if there is no document. */
  readonly type: string | undefined
  /** The URL that answered, after redirects. */
  readonly url: string
  readonly text: string
  readonly failures: number
  /** When to try again, in milliseconds since 1970. */
  readonly retryAt: number
}

type Parts = {
  readonly kept: KeptRows
  /** undefined: documents are not fetched. */
  readonly requests: DocumentRequests | undefined
  readonly signal: AbortSignal
  readonly log: { debug(facts: object, message: string): void }
}

export class Documents {
  readonly #parts: Parts
  readonly #recent = new LRUCache<string, true>({ max: 10_000, ttl: LEAST_PAUSE })

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether documents are fetched. */
  get areFetched(): boolean {
    return this.#parts.requests !== undefined
  }

  known(url: string): StoredDocument | undefined {
    const row = this.#parts.kept.get(keyOf(url))
    const stored: StoredDocument | undefined = row && JSON.parse(Buffer.from(row).toString('utf8'))
    return stored
  }

  /** Whether fetching now is allowed and may change the result. */
  isDue(url: string): boolean {
    const stored = this.known(url)
    return this.areFetched && (stored === undefined || (stored.type === undefined && Date.now() >= stored.retryAt))
  }

  /** Fetches a document. After a failure an earlier one stays cached. */
  async fetch(url: string): Promise<StoredDocument | undefined> {
    const { requests, signal, log, kept } = this.#parts
    if (requests === undefined) return undefined
    const before = this.known(url)
    if (this.#recent.has(url)) return before
    this.#recent.set(url, true)
    try {
      const found = await requests.get(url, signal)
      const stored = { ...found, failures: 0, retryAt: 0 }
      kept.set(keyOf(url), Buffer.from(JSON.stringify(stored)))
      return stored
    } catch (error) {
      if (!(error instanceof NoDocument) || signal.aborted) throw error
      log.debug({ url, reason: error.message }, 'the metadata of a token item could not be fetched')
      if (before?.type !== undefined) return before
      const failures = (before?.failures ?? 0) + 1
      const pause = Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE)
      const stored = { type: undefined, url, text: '', failures, retryAt: Date.now() + pause }
      kept.set(keyOf(url), Buffer.from(JSON.stringify(stored)))
      return stored
    }
  }
}

const keyOf = (url: string): Uint8Array => Buffer.concat([Buffer.from('url'), keccak256(Buffer.from(url))])
