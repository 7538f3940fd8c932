// Metadata of token items: the URI from the contract, then the JSON in it or at it. Reading happens outside of blocks, on
// request or shortly after an item appears; a request waits for a moment and then returns what is available.
import type { Chain } from '../../chain/types.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST, transferEntry } from '../../indexer/tables.ts'
import { type Address, bytesToBig, ZERO_ADDRESS } from '../../lib/hex.ts'
import type { Logger } from '../../lib/log.ts'
import type { WorkQueue } from '../../lib/work-queue.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { entriesBetween, listLength } from '../../tables/list.ts'
import type { Hub } from '../socket/hub.ts'
import { DocumentRequests } from './document-request.ts'
import { Documents, type StoredDocument } from './documents.ts'
import { type At, CHANGE_EVENTS, ItemUris, type UriAnswer } from './item-uris.ts'
import type { KeptRows } from './kept-rows.ts'
import { ipfsRoot, jsonObject, type Metadata, readUri, withId } from './metadata-uri.ts'
import { TaskLanes } from './task-lanes.ts'

/** Maximum parallel contract calls, and maximum parallel requests to the web. */
const CALLS_AT_ONCE = 2
const REQUESTS_AT_ONCE = 6
/** Milliseconds from a block to the reading of its new items, so that a series of blocks is not slowed down. */
const DELAY = 200
/** Maximum new items that are read ahead after a pause; the others are read on request. */
const MOST_AHEAD = 500

export type MetadataOptions = {
  readonly version: string
  /** `fetch`: also fetch documents of the web; `chain`: only metadata on the chain. */
  readonly nftMetadata: 'chain' | 'fetch'
  /** `https://ipfs.io`; undefined: IPFS is not available. */
  readonly ipfsGateway: string | undefined
  /** For tests: the requests to the web. */
  readonly documentRequests?: DocumentRequests | undefined
}

type Parts = {
  readonly chain: Chain
  readonly queue: WorkQueue
  readonly hub: Hub
  readonly options: MetadataOptions
  /** What has been read. */
  readonly kept: KeptRows
  readonly log: Pick<Logger, 'debug' | 'warn'>
}

export class TokenMetadata {
  readonly #parts: Parts
  readonly #closing = new AbortController()
  readonly #uris: ItemUris
  readonly #documents: Documents
  readonly #calls = new TaskLanes<UriAnswer | undefined>(CALLS_AT_ONCE)
  readonly #fetches = new TaskLanes<StoredDocument | undefined>(REQUESTS_AT_ONCE)
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined
  /** The first transfer not yet searched for new items. */
  #firstUnseen: number | undefined
  #changed = new Map<string, Item>()

  constructor(parts: Parts) {
    const { chain, queue, options, kept, log } = parts
    const { signal } = this.#closing
    this.#parts = parts
    this.#uris = new ItemUris({ chain, queue, kept, signal })
    this.#documents = new Documents({ kept, requests: requestsOf(options), signal, log })
    this.#stopListening = chain.events.on('block', (executed) => this.#collectItems(executed))
  }

  /**
   * The metadata of an item as available when `patience` resolves; null if there is none. Reading continues afterwards, and its
   * result is pushed to the subscribers of the token's items.
   */
  async of(at: At, token: Address, id: bigint, patience: Promise<void>): Promise<Metadata | null> {
    const known = this.#uris.known(at, token, id)
    const isFresh = known?.isFresh === true
    const asked = isFresh ? known.answer : await within(this.#read(token, id, 'asked'), patience)
    const uri = (asked ?? known?.answer)?.uri
    if (uri === undefined) return null
    const content = this.#contentOf(token, id, uri)
    if (content?.kind !== 'document') return content?.metadata ?? null
    const { url } = content
    const stored = this.#documents.isDue(url) ? await within(this.#fetch(url, token, id), patience) : undefined
    return metadataIn(stored ?? this.#documents.known(url), id)
  }

  /** Reads an item's metadata again and notifies the subscribers. Returns at once. */
  refetch(token: Address, id: bigint): void {
    void this.#readAll(token, id).catch(this.#failed)
  }

  /** Drops waiting tasks. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#closing.abort()
    await Promise.all([this.#calls.close(), this.#fetches.close()])
  }

  async #readAll(token: Address, id: bigint): Promise<void> {
    const uri = (await this.#read(token, id, 'asked'))?.uri
    const content = uri === undefined ? undefined : this.#contentOf(token, id, uri)
    if (content?.kind === 'document') await this.#fetch(content.url, token, id)
    else this.#announce(token, id, content?.metadata ?? null)
  }

  #read(token: Address, id: bigint, lane: 'asked' | 'ahead'): Promise<UriAnswer | undefined> | undefined {
    return this.#calls.run(`${token} ${id}`, lane, () => this.#uris.read(token, id))
  }

  #fetch(url: string, token: Address, id: bigint): Promise<StoredDocument | undefined> | undefined {
    return this.#fetches.run(url, 'asked', async () => {
      const stored = await this.#documents.fetch(url)
      this.#announce(token, id, metadataIn(stored, id))
      return stored
    })
  }

  #contentOf(token: Address, id: bigint, uri: string) {
    const isErc1155 = RECORD.token.get(this.#parts.chain.store, token)?.type === 'ERC-1155'
    return readUri(isErc1155 ? withId(uri, id) : uri, this.#parts.options.ipfsGateway)
  }

  #announce(token: Address, id: bigint, metadata: Metadata | null): void {
    const topic = `token_instances:${token}`
    const { hub } = this.#parts
    if (!hub.hasListeners(topic)) return
    const token_id = id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id.toString()
    if (metadata !== null) hub.push(topic, 'fetched_token_instance_metadata', { token_id, fetched_metadata: metadata })
    else hub.push(topic, 'not_fetched_token_instance_metadata', { token_id, reason: 'no metadata' })
  }

  #collectItems({ block, receipts }: ExecutedBlock): void {
    this.#firstUnseen ??= RECORD.block.get(this.#parts.chain.store, Number(block.header.number))?.firstTransfer
    for (const { logs } of receipts) {
      for (const { address, topics, data } of logs) {
        const [topic, indexed] = topics
        // Events for one item: ERC-1155's has the id indexed, ERC-4906's in the data.
        if (topic === CHANGE_EVENTS[2] && indexed !== undefined) this.#collectItem(address, BigInt(indexed))
        else if (topic === CHANGE_EVENTS[0] && data.length === 32) this.#collectItem(address, bytesToBig(data))
      }
    }
    this.#timer ??= setTimeout(() => this.#readAhead(), DELAY).unref()
  }

  #collectItem(token: Address, id: bigint): void {
    if (this.#changed.size < MOST_AHEAD) this.#changed.set(`${token} ${id}`, { token, id })
  }

  /** Reads the items that are new since the last time, and changed ones. */
  #readAhead(): void {
    this.#timer = undefined
    const { store } = this.#parts.chain
    const length = listLength(store, LIST.transfers)
    const from = Math.max(Math.min(this.#firstUnseen ?? length, length), length - MOST_AHEAD)
    this.#firstUnseen = undefined
    for (const entry of entriesBetween(store, LIST.transfers, from, length)) {
      const { token, id, from: sender } = transferEntry.decode(entry)
      if (id !== undefined && sender === ZERO_ADDRESS) this.#collectItem(token, id)
    }
    const items = this.#changed
    this.#changed = new Map()
    for (const { token, id } of items.values()) this.#readItemAhead(token, id).catch(this.#failed)
  }

  /** An answer that a request has read meanwhile is not read again. */
  async #readItemAhead(token: Address, id: bigint): Promise<void> {
    const { store, head } = this.#parts.chain
    if (RECORD.instance.get(store, token, id) === undefined) return
    const known = this.#uris.known({ rows: store, head }, token, id)
    const answer = known?.isFresh === true ? known.answer : await this.#read(token, id, 'ahead')
    const uri = answer?.uri
    const content = uri === undefined ? undefined : this.#contentOf(token, id, uri)
    if (content?.kind === 'metadata') this.#announce(token, id, content.metadata)
    else if (content !== undefined && this.#documents.isDue(content.url)) await this.#fetch(content.url, token, id)
  }

  readonly #failed = (error: unknown): void => {
    if (!this.#closing.signal.aborted)
      this.#parts.log.debug({ err: error }, 'metadata of a token item could not be read')
  }
}

type Item = { readonly token: Address; readonly id: bigint }

function requestsOf({ version, nftMetadata, ipfsGateway, documentRequests }: MetadataOptions) {
  if (nftMetadata === 'chain') return undefined
  return documentRequests ?? new DocumentRequests(`kestrel/${version}`, ipfsGateway && ipfsRoot(ipfsGateway))
}

/** The metadata in a fetched document; a picture is itself metadata. */
function metadataIn(stored: StoredDocument | undefined, id: bigint): Metadata | null {
  if (stored?.type === undefined) return null
  const isMedium = /^(?:image|video|audio)\//.test(stored.type)
  if (isMedium) return stored.type.startsWith('image/') ? { image: stored.url } : { animation_url: stored.url }
  return jsonObject(withId(stored.text, id)) ?? null
}

/** The result of `work` if it settles before `patience` resolves; undefined if the work fails. */
const within = <T>(work: Promise<T> | undefined, patience: Promise<void>): Promise<T | undefined> | undefined =>
  work && Promise.race([work.catch(() => undefined), patience.then(() => undefined)])
