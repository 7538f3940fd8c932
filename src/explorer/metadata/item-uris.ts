// The URIs of token items, as returned by their contracts. Blocks do not wait for them: a drawing on the chain may cost as much
// gas as a block has. An answer is valid as long as the block after which it was read is canonical; a burnt item is read on the
// state before its burning.
import { LRUCache } from 'lru-cache'
import type { Chain } from '../../chain/types.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry, sequenceEntry, transactionEntry, transferEntry } from '../../indexer/tables.ts'
import { abiString } from '../../indexer/token-names.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToFixed, fromHex, type Hash, hexToHash } from '../../lib/hex.ts'
import type { WorkQueue } from '../../lib/work-queue.ts'
import type { KvReader } from '../../state/types.ts'
import { entryAt, listLength } from '../../tables/list.ts'
import type { KeptRows } from './kept-rows.ts'

/** Maximum gas of one call; the operator's limit may be lower. */
const GAS = 50_000_000n
/** Maximum bytes of an answer; a longer one is ignored. */
const LONGEST_ANSWER = 2 << 20
/** An answer that took more gas is cached on disk, and read again only if the contract says that it changed. */
const CHEAP = 500_000
/** Maximum bytes of the answers in memory. */
const MOST_MEMORY = 32 << 20
/** Milliseconds before a call that took too long is tried again. */
const RETRY = 600_000

const SELECTOR = {
  /** tokenURI(uint256) */
  'ERC-721': fromHex('0xc87b56dd'),
  /** uri(uint256) */
  'ERC-1155': fromHex('0x0e89341c'),
} as const

/** Events about changed metadata: ERC-4906's for one item and for several, ERC-1155's. */
export const CHANGE_EVENTS: readonly Hash[] = [
  '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7',
  '0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c',
  '0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b',
].map(hexToHash)

/** A reader's index and head number. */
export type At = { readonly rows: Pick<KvReader, 'get'>; readonly head: { readonly number: bigint } }

export type UriAnswer = {
  /** undefined: the contract has none, or gave no usable answer. */
  readonly uri: string | undefined
  /** The block after which it was read. */
  readonly block: number
  readonly hash: Hash
  readonly gasUsed: number
  /** When to try a slow call again, in milliseconds since 1970. */
  readonly retryAt?: number
}

type Parts = { readonly chain: Chain; readonly queue: WorkQueue; readonly kept: KeptRows; readonly signal: AbortSignal }

export class ItemUris {
  readonly #parts: Parts
  readonly #memory = new LRUCache<string, UriAnswer>({
    maxSize: MOST_MEMORY,
    sizeCalculation: ({ uri = '' }) => 200 + 2 * uri.length,
  })

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The last valid answer, and whether it is still current. */
  known(at: At, token: Address, id: bigint): { readonly answer: UriAnswer; readonly isFresh: boolean } | undefined {
    const answer = this.#former(keyOf(token, id))
    return answer && { answer, isFresh: isFresh(at, token, id, answer) }
  }

  /** Calls the contract on the newest state. If that takes too long, an earlier answer stays. */
  async read(token: Address, id: bigint): Promise<UriAnswer | undefined> {
    let asked = await this.#ask(token, id)
    // Its block may have been removed meanwhile.
    while (asked !== undefined && !this.#isCanonical(asked)) asked = await this.#ask(token, id)
    if (asked === undefined) return undefined
    const key = keyOf(token, id)
    const answer = asked.retryAt === undefined ? asked : { ...asked, uri: this.#former(key)?.uri }
    this.#memory.set(hexOf(key), answer)
    if (answer.gasUsed > CHEAP && answer.retryAt === undefined) {
      this.#parts.kept.set(key, Buffer.from(JSON.stringify(answer)))
    }
    return answer
  }

  /** The last answer, if the block after which it was read is still canonical. */
  #former(key: Uint8Array): UriAnswer | undefined {
    const answer = this.#memory.get(hexOf(key)) ?? this.#kept(key)
    return answer !== undefined && this.#isCanonical(answer) ? answer : undefined
  }

  #isCanonical({ block, hash }: UriAnswer): boolean {
    return this.#parts.chain.canonicalHash(BigInt(block)) === hash
  }

  async #ask(token: Address, id: bigint): Promise<UriAnswer | undefined> {
    const { chain, queue, signal } = this.#parts
    const type = RECORD.token.get(chain.store, token)?.type
    if (type === undefined || type === 'ERC-20') return undefined
    const at = await chain.header({ number: readableBlock(chain, token, id) })
    if (at === undefined) return undefined
    const { hash, number } = at
    const block = { block: Number(number), hash }
    const data = Buffer.concat([SELECTOR[type], bigToFixed(id, 32)])
    try {
      const call = { to: token, data, gas: GAS }
      const read = () => chain.call(call, { hash }, { signal })
      const { returnData, gasUsed, error } = await queue.run(signal, read, chain.missing !== undefined)
      return { ...block, uri: error === undefined ? textOf(returnData) : undefined, gasUsed: Number(gasUsed) }
    } catch (error) {
      if (!(error instanceof ChainError) || error.code === 'cancelled' || error.code === 'overloaded') throw error
      return { ...block, uri: undefined, gasUsed: Number(GAS), retryAt: Date.now() + RETRY }
    }
  }

  #kept(key: Uint8Array): UriAnswer | undefined {
    const row = this.#parts.kept.get(key)
    const answer: UriAnswer | undefined = row && JSON.parse(Buffer.from(row).toString('utf8'))
    if (answer !== undefined) this.#memory.set(hexOf(key), answer)
    return answer
  }
}

const keyOf = (token: Address, id: bigint): Uint8Array => Buffer.concat([fromHex(token), bigToFixed(id, 32)])
const hexOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')

function textOf(output: Uint8Array): string | undefined {
  const bytes = output.length <= LONGEST_ANSWER ? abiString(output) : undefined
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes).replaceAll('\0', '').trim()
  return text === '' ? undefined : text
}

/** The head; for a burnt item the block before its burning. */
function readableBlock({ store, head }: Chain, token: Address, id: bigint): bigint {
  const isBurnt = RECORD.instance.get(store, token, id)?.supply === 0n
  const last = isBurnt ? lastTransfer(store, token, id) : undefined
  return last === undefined || last === 0 ? head.number : BigInt(last - 1)
}

function isFresh(at: At, token: Address, id: bigint, { block, gasUsed, retryAt }: UriAnswer): boolean {
  if (retryAt !== undefined) return Date.now() < retryAt
  if (BigInt(block) >= at.head.number) return true
  const moved = lastTransfer(at.rows, token, id) ?? 0
  if (RECORD.instance.get(at.rows, token, id)?.supply === 0n) return block === moved - 1
  return gasUsed > CHEAP && block >= moved && block >= lastChange(at.rows, token)
}

/** Block of the last transfer of an item. */
function lastTransfer(rows: Pick<KvReader, 'get'>, token: Address, id: bigint): number | undefined {
  const sequence = lastEntry(rows, LIST.transfersOfInstance(token, id))
  const transfer = sequence && entryAt(rows, LIST.transfers, sequenceEntry.decode(sequence).sequence)
  const mined = transfer && entryAt(rows, LIST.transactions, transferEntry.decode(transfer).transaction)
  return mined && transactionEntry.decode(mined).number
}

/** Block of the last event about changed metadata of the token; 0 without one. */
const lastChange = (rows: Pick<KvReader, 'get'>, token: Address): number =>
  Math.max(
    ...CHANGE_EVENTS.map((topic) => {
      const position = lastEntry(rows, LIST.logsOfWith(token, topic))
      return position === undefined ? 0 : positionEntry.decode(position).number
    }),
  )

function lastEntry(rows: Pick<KvReader, 'get'>, list: ReturnType<typeof LIST.logsOf>): Uint8Array | undefined {
  const length = listLength(rows, list)
  return length === 0 ? undefined : entryAt(rows, list, length - 1)
}
