// Sources of contracts that a fork has from the forked chain: another server, which the operator names, has verified them
// there, and they are not compiled here. A contract is looked up when a request asks for its sources. What was found is a row
// of the kept rows; it is named by address and code, so it is never shown for other code. What was not found is remembered for
// a while.
import { LRUCache } from 'lru-cache'
import type { Chain } from '../../chain/types.ts'
import type { ForeignContract, ForeignContracts, ForeignSources } from '../../contracts/foreign-contracts.ts'
import { type Address, fromHex, type Hash } from '../../lib/hex.ts'
import type { Logger } from '../../lib/log.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { unlessMissing } from '../../state/partial-state.ts'
import type { StateView } from '../../state/types.ts'
import { type DocumentLimits, DocumentRequests, NoDocument } from '../metadata/document-request.ts'
import type { KeptRows } from '../metadata/kept-rows.ts'
import { TaskLanes } from '../metadata/task-lanes.ts'
import type { Hub } from '../socket/hub.ts'
import { sourceServer } from './source-servers.ts'

/** Large projects have some megabytes of sources. */
const LIMITS: DocumentLimits = { bytes: 8 << 20, time: 10_000, redirects: 3 }
const REQUESTS_AT_ONCE = 4
/** Milliseconds for which a contract without sources is not looked up again, and the number of these contracts. */
const ABSENT = 3_600_000
const MOST_ABSENT = 10_000
/** Milliseconds of the pause of all look-ups after a failure of the server; each further failure doubles it. */
const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 600_000
/** Most bytes of the rows whose contracts are in memory. */
const MOST_MEMORY = 64 << 20
/** Statuses that tell of one contract; others tell of the server. */
const ABOUT_CONTRACT: readonly (number | undefined)[] = [200, 400, 404]

type Parts = {
  readonly chain: Chain
  readonly kept: KeptRows
  /** Is told when sources were found. */
  readonly hub: Pick<Hub, 'push'>
  readonly options: { readonly version: string; readonly forkSources: URL | undefined }
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>
}

export class ForkSources implements ForeignContracts {
  readonly #parts: Parts
  readonly #server
  readonly #requests
  readonly #closing = new AbortController()
  readonly #tasks = new TaskLanes<void>(REQUESTS_AT_ONCE)
  readonly #contracts = new LRUCache<string, ForeignContract>({ maxSize: MOST_MEMORY })
  readonly #absent = new LRUCache<string, true>({ max: MOST_ABSENT, ttl: ABSENT })
  /** Failures of the server since its last answer. */
  #failures = 0
  #pausedUntil = 0

  constructor(parts: Parts) {
    const { version, forkSources: url } = parts.options
    this.#parts = parts
    this.#server = url && sourceServer(url)
    // The operator's own server may have a private address; its redirects may not lead to one.
    this.#requests = url && new DocumentRequests(`kestrel/${version}`, `${url.origin}${url.pathname}`, LIMITS)
  }

  /** The contract at an address, if its sources were found for the code that it has. */
  get(view: StateView, of: Address): ForeignContract | undefined {
    const codeHash = this.#codeHash(view, of)
    if (codeHash === undefined) return undefined
    const name = `${of} ${codeHash}`
    const known = this.#contracts.get(name)
    if (known !== undefined) return known
    const row = this.#parts.kept.get(keyOf(of, codeHash))
    if (row === undefined) return undefined
    const { input: _, ...contract } = decode(row)
    this.#contracts.set(name, contract, { size: row.length })
    return contract
  }

  /** As `get`, with its sources. */
  sources(view: StateView, of: Address): ForeignSources | undefined {
    const codeHash = this.#codeHash(view, of)
    const row = codeHash && this.#parts.kept.get(keyOf(of, codeHash))
    return row && decode(row)
  }

  /**
   * Looks contracts up, until a time of `performance.now()`; what takes longer goes on. Returns whether sources of one are there. Looks
   * up only contracts that have the code of the forked chain.
   */
  async lookUp(view: StateView, wanted: ReadonlySet<Address>, until: number): Promise<boolean> {
    const { missing } = this.#parts.chain
    if (this.#server === undefined || missing === undefined || wanted.size === 0 || this.#isPaused) return false
    const all = [...wanted]
    const work = async () => {
      await missing.fetch(all.map((account) => ({ account }))).catch(() => undefined)
      await Promise.all(all.flatMap((of) => this.#begin(view, of) ?? []))
    }
    await within(work().catch(this.#failed), until - performance.now())
    return all.some((of) => this.get(view, of) !== undefined)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#tasks.close()
  }

  get #isPaused(): boolean {
    return Date.now() < this.#pausedUntil
  }

  /** undefined: there is no code, it was not fetched, or this chain is no fork. */
  #codeHash(view: StateView, of: Address): Hash | undefined {
    if (this.#parts.chain.forked === undefined) return undefined
    const codeHash = unlessMissing(
      () => view.account(of)?.codeHash,
      () => undefined,
    )
    return codeHash === EMPTY_CODE_HASH ? undefined : codeHash
  }

  /** undefined: the contract is not looked up now. */
  #begin(view: StateView, of: Address): Promise<void> | undefined {
    const { forked, missing } = this.#parts.chain
    const codeHash = this.#codeHash(view, of)
    if (forked === undefined || codeHash === undefined || missing?.firstCode(of) !== codeHash) return undefined
    const code = view.code(of)
    const { chainId } = forked.at
    const name = `${chainId} ${of} ${codeHash}`
    if (this.#absent.has(name) || delegationOf(code) !== undefined) return undefined
    return this.#tasks.run(name, 'asked', () => this.#fetch(name, { chainId, of, codeHash, code }))
  }

  async #fetch(name: string, { chainId, of, codeHash, code }: Looked): Promise<void> {
    const { kept, hub, log } = this.#parts
    const server = this.#server
    if (this.#isPaused || server === undefined || this.#requests === undefined) return
    try {
      const { text } = await this.#requests.get(server.urlOf(chainId, of), this.#closing.signal)
      const found = server.read(text, code)
      this.#failures = 0
      if (found === undefined) {
        this.#absent.set(name, true)
        return
      }
      const sources: ForeignSources = { ...found, codeHash, verifiedBy: server.name }
      kept.set(keyOf(of, codeHash), Buffer.from(JSON.stringify(sources)))
      hub.push(`addresses:${of}`, 'smart_contract_was_verified', {})
    } catch (error) {
      if (!(error instanceof NoDocument) || this.#closing.signal.aborted) throw error
      const { message: reason, status } = error
      log.debug({ address: of, server: server.name, reason }, 'a contract has no sources')
      if (ABOUT_CONTRACT.includes(status)) this.#absent.set(name, true)
      else this.#pause(`${server.name}: ${reason}`)
    }
  }

  readonly #failed = (error: unknown): void => {
    if (!this.#closing.signal.aborted) this.#parts.log.error({ err: error }, 'sources of a contract could not be read')
  }

  #pause(reason: string): void {
    if (this.#isPaused) return
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE)
    this.#pausedUntil = Date.now() + pause
    if (this.#failures++ === 0) this.#parts.log.warn(`${reason}; contracts are shown without sources`)
  }
}

type Looked = {
  readonly chainId: bigint
  readonly of: Address
  readonly codeHash: Hash
  readonly code: Uint8Array
}

const keyOf = (of: Address, codeHash: Hash): Uint8Array =>
  Buffer.concat([Buffer.from('sources'), fromHex(of), fromHex(codeHash)])

const decode = (row: Uint8Array): ForeignSources => JSON.parse(Buffer.from(row).toString('utf8')) as ForeignSources

/** Waits for work, at most some milliseconds. */
const within = (work: Promise<unknown>, time: number): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, time).unref())])
