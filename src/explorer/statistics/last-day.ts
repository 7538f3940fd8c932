// Transactions and fees of the last 24 hours. The window moves with the head: fees of new blocks are added, those of expired
// blocks subtracted, so a request reads only the blocks that entered or left the window since the previous request.
import type { ChainReader } from '../../chain/types.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST } from '../../indexer/tables.ts'
import type { Hash } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import type { KvReader } from '../../state/types.ts'
import { listLength } from '../../tables/list.ts'
import { firstBlockFrom } from './block-times.ts'

type Window = {
  readonly first: number
  readonly last: number
  /** Sum of the fees paid in these blocks, in wei. */
  readonly fees: bigint
}

/** A reader's index and head. */
type At = { readonly rows: KvReader; readonly head: SealedHeader }

export class LastDay {
  readonly #chain: ChainReader
  /** The window of the previous request, and the hash of its last block. */
  #known: (Window & { readonly hash: Hash }) | undefined

  constructor(chain: ChainReader) {
    this.#chain = chain
  }

  /** Statistics of the 24 hours before the head's timestamp; fees in wei. */
  async figures(at: At): Promise<{ transactions: number; fees: bigint }> {
    const { rows, head } = at
    const known = this.#known
    const isOnChain = known !== undefined && (await this.#header(at, known.last))?.hash === known.hash
    const window = await this.#moved(at, isOnChain ? known : { first: await this.#firstOfDay(at), last: -1, fees: 0n })
    this.#known = { ...window, hash: head.hash }
    const before = RECORD.block.get(rows, window.first)?.firstTransaction ?? 0
    return { transactions: listLength(rows, LIST.transactions) - before, fees: window.fees }
  }

  /** Moves the window: it ends at the head and begins with the first block less than a day older. */
  async #moved(at: At, { first, last, fees }: Window): Promise<Window> {
    const { rows, head } = at
    const feesOf = (number: number) => RECORD.block.get(rows, number)?.fees ?? 0n
    const newest = Number(head.number)
    const pause = yieldToEventLoop('light')
    let from = first
    let sum = fees
    for (let number = Math.max(first, last + 1); number <= newest; number++) {
      await pause()
      sum += feesOf(number)
    }
    while (from < newest && ((await this.#header(at, from))?.timestamp ?? 0n) <= dayBefore(head)) {
      await pause()
      sum -= feesOf(from++)
    }
    return { first: from, last: newest, fees: sum }
  }

  #firstOfDay({ head }: At): Promise<number> {
    return firstBlockFrom({ chain: this.#chain, head }, dayBefore(head) + 1n)
  }

  /** undefined: above the head, or removed in the meantime. */
  async #header({ head }: At, number: number): Promise<SealedHeader | undefined> {
    return number > Number(head.number) ? undefined : this.#chain.header({ number: BigInt(number) })
  }
}

const dayBefore = ({ timestamp }: SealedHeader): bigint => timestamp - SECONDS_A_DAY
