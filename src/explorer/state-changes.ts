// State changes of a mined transaction: balances of the coin first, then of tokens. They are not stored: the transaction is
// executed again, and token balances are read by `balanceOf` calls on the states before and after it.
import { LRUCache } from 'lru-cache'
import type { Caller } from '../chain/types.ts'
import { LIST, type TransactionEntry, type TransferEntry, transferEntry } from '../indexer/tables.ts'
import { type Address, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import type { Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import type { KvReader } from '../state/types.ts'
import { entriesBetween } from '../tables/list.ts'
import { balanceOfInput, returnedNumber } from './contract-reads.ts'

export type ItemMove = { readonly direction: 'from' | 'to'; readonly id: bigint }

/** undefined: the token did not return a number. */
type Balances = { readonly before: bigint | undefined; readonly after: bigint | undefined }

export type BalanceChange = { readonly address: Address } & (
  | { readonly kind: 'coin'; readonly before: bigint; readonly after: bigint }
  | ({
      readonly kind: 'amount'
      readonly token: Address
      readonly id: bigint | undefined
      readonly change: bigint
    } & Balances)
  | ({ readonly kind: 'items'; readonly token: Address; readonly moves: readonly ItemMove[] } & Balances)
)

/** For more holders than this, sums of their transfers are shown instead of balances. */
const MOST_HOLDERS = 500
/** Maximum moves of one change; a holder with more has several changes, so that a page stays small. */
const MOST_MOVES = 50
/** Gas of one `balanceOf`. */
const GAS = 200_000n

/** The part of a request's context for executing a transaction again. */
type Request = {
  readonly rows: KvReader
  readonly heavy: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>
}
type Mined = {
  readonly header: SealedHeader
  readonly transaction: Transaction
  readonly receipt: Receipt
  readonly row: TransactionEntry
}

export class StateChanges {
  readonly #chain: Caller
  /** By block and transaction: clients read the pages of one transaction in succession. */
  readonly #recent = new LRUCache<`${Hash}${Hash}`, readonly BalanceChange[]>({ max: 64 })

  constructor(chain: Caller) {
    this.#chain = chain
  }

  /** All balance changes of a transaction. Throws as `Chain.traces` if it cannot be executed again. */
  async of(request: Request, mined: Mined): Promise<readonly BalanceChange[]> {
    const key = `${mined.header.hash}${mined.transaction.hash}` as const
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const changes = [...(await this.#ofCoin(request, mined)), ...(await this.#ofTokens(request, mined))]
    this.#recent.set(key, changes)
    return changes
  }

  /** The sender first, then the recipient, others, and the block's coinbase last. */
  async #ofCoin({ heavy }: Request, { header, transaction, receipt }: Mined): Promise<BalanceChange[]> {
    const { changes } = await heavy((signal) =>
      this.#chain.traces.replayTransaction(transaction.hash, { bytes: false, signal }),
    )
    const order = [transaction.from, transaction.to ?? receipt.contractAddress]
    const rank = (of: Address): number => {
      const at = order.indexOf(of)
      return at >= 0 ? at : of === header.coinbase ? order.length + 1 : order.length
    }
    return changes
      .map(({ address, before, after }) => ({
        kind: 'coin' as const,
        address,
        before: before?.balance ?? 0n,
        after: after?.balance ?? 0n,
      }))
      .filter(({ before, after }) => before !== after)
      .sort((a, b) => rank(a.address) - rank(b.address))
  }

  async #ofTokens(request: Request, { row, header }: Mined): Promise<BalanceChange[]> {
    const { firstTransfer, transfers } = row
    const entries = entriesBetween(request.rows, LIST.transfers, firstTransfer, firstTransfer + transfers)
    const holders = holdersOf(entries.map((entry) => transferEntry.decode(entry)))
    const queried = holders.length > MOST_HOLDERS ? [] : holders
    const ref = { hash: header.hash }
    const before = await this.#balancesAt(request, queried, { ref, index: row.index })
    const after = await this.#balancesAt(request, queried, { ref, index: row.index + 1 })
    return holders.flatMap((holder, i): BalanceChange[] => {
      const { address, token, type, id, moves } = holder
      const balances = { before: before[i], after: after[i] }
      if (type === 'ERC-721') return itemChanges({ kind: 'items', address, token, moves, ...balances })
      const isKnown = balances.before !== undefined && balances.after !== undefined
      const change = isKnown ? (balances.after ?? 0n) - (balances.before ?? 0n) : holder.change
      return change === 0n ? [] : [{ kind: 'amount', address, token, id, change, ...balances }]
    })
  }

  async #balancesAt(
    { heavy }: Request,
    holders: readonly Holder[],
    at: { readonly ref: { readonly hash: Hash }; readonly index: number },
  ): Promise<(bigint | undefined)[]> {
    if (holders.length === 0) return []
    const calls = holders.map(({ token, address, id }) => ({ to: token, data: balanceOfInput(address, id), gas: GAS }))
    const results = await heavy((signal) => this.#chain.traces.replayCalls(calls, at, { bytes: false, signal }))
    return results.map(({ output, error }) => returnedNumber(output, error))
  }

  close(): void {
    this.#recent.clear()
  }
}

type ItemsChange = Extract<BalanceChange, { kind: 'items' }>

/**
 * Divides a holder's change into parts of at most MOST_MOVES moves. Each part begins with the balance at the end of the
 * previous one.
 */
function itemChanges(whole: ItemsChange): ItemsChange[] {
  const { moves } = whole
  const parts: ItemsChange[] = []
  let before = whole.before
  for (let at = 0; at < moves.length; at += MOST_MOVES) {
    const part = moves.slice(at, at + MOST_MOVES)
    const received = part.filter(({ direction }) => direction === 'to').length
    const isLast = at + MOST_MOVES >= moves.length
    const after = isLast || before === undefined ? whole.after : before + BigInt(2 * received - part.length)
    parts.push({ ...whole, moves: part, before, after })
    before = after
  }
  return parts
}

/** An address whose balance of a token, or of one id of an ERC-1155, was changed by transfers. */
type Holder = {
  readonly address: Address
  readonly token: Address
  readonly type: TransferEntry['type']
  readonly id: bigint | undefined
  /** Sum of its transfers. */
  change: bigint
  readonly moves: ItemMove[]
}

/** The holders of the transfers, in order of appearance. */
function holdersOf(transfers: readonly TransferEntry[]): Holder[] {
  const holders = new Map<string, Holder>()
  const move = (address: Address, direction: ItemMove['direction'], transfer: TransferEntry): void => {
    if (address === ZERO_ADDRESS) return
    const { token, type, amount } = transfer
    const id = type === 'ERC-1155' ? transfer.id : undefined
    const key = `${type}${token}${address}${id ?? ''}`
    const holder = holders.get(key) ?? { address, token, type, id, change: 0n, moves: [] }
    holder.change += direction === 'to' ? amount : -amount
    if (type === 'ERC-721') holder.moves.push({ direction, id: transfer.id ?? 0n })
    holders.set(key, holder)
  }
  for (const transfer of transfers) {
    move(transfer.from, 'from', transfer)
    move(transfer.to, 'to', transfer)
  }
  return [...holders.values()]
}
