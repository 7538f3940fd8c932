// What a mined transaction changed, coins first and then tokens. None of it is kept on disk: the transaction is run again,
// and tokens are asked for balances on the states before and after it.
import { LRUCache } from 'lru-cache'
import { LIST, type TransferEntry, transferEntry } from '../indexer/tables.ts'
import { type Address, bigToFixed, bytesToBig, fromHex, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import { entriesBetween } from '../tables/list.ts'
import type { ExplorerContext } from './define.ts'
import type { Place } from './shapes/place.ts'

export type ItemMove = { readonly direction: 'from' | 'to'; readonly id: bigint }

/** Balances are undefined when the token does not tell them. */
type Balances = { readonly before: bigint | undefined; readonly after: bigint | undefined }

export type StateChange = { readonly address: Address } & (
  | { readonly kind: 'coin'; readonly before: bigint; readonly after: bigint }
  | ({
      readonly kind: 'amount'
      readonly token: Address
      readonly id: bigint | undefined
      readonly change: bigint
    } & Balances)
  | ({ readonly kind: 'items'; readonly token: Address; readonly moves: readonly ItemMove[] } & Balances)
)

/** More balances than these are not asked for; what transfers say must do. */
const MOST_ASKED = 500
const GAS = 200_000n
/** balanceOf(address), balanceOf(address,uint256) */
const BALANCE_OF = fromHex('0x70a08231')
const BALANCE_OF_ITEM = fromHex('0x00fdd58e')

/** By block and transaction: pages of one transaction follow each other. */
const recent = new LRUCache<`${Hash}${Hash}`, readonly StateChange[]>({ max: 64 })

/** Everything a transaction changed. Throws as `Traces` when it cannot be run again. */
export async function stateChanges(context: ExplorerContext, place: Place): Promise<readonly StateChange[]> {
  const key = `${place.header.hash}${place.transaction.hash}` as const
  const known = recent.get(key)
  if (known !== undefined) return known
  const changes = [...(await coinChanges(context, place)), ...(await tokenChanges(context, place))]
  recent.set(key, changes)
  return changes
}

async function coinChanges(
  { chain, heavy }: ExplorerContext,
  { header, transaction, receipt }: Place,
): Promise<StateChange[]> {
  const { changes } = await heavy((caller) => chain.traces.replayTransaction(transaction.hash, { caller }))
  const order = [transaction.from, transaction.to ?? receipt.contractAddress]
  const rank = (of: Address): number => {
    const at = order.indexOf(of)
    return at >= 0 ? at : of === header.coinbase ? order.length + 1 : order.length
  }
  return changes
    .map(({ address, before, after }) => ({
      ...{ kind: 'coin' as const, address },
      ...{ before: before?.balance ?? 0n, after: after?.balance ?? 0n },
    }))
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => rank(a.address) - rank(b.address))
}

/** One who holds a token, or of an ERC-1155 an item. */
type Holder = {
  readonly address: Address
  readonly token: Address
  readonly type: TransferEntry['type']
  readonly id: bigint | undefined
  /** By what transfers say. */
  change: bigint
  readonly moves: ItemMove[]
}

async function tokenChanges(context: ExplorerContext, { row, header }: Place): Promise<StateChange[]> {
  const { firstTransfer, transfers } = row
  const entries = entriesBetween(context.rows, LIST.transfers, firstTransfer, firstTransfer + transfers)
  const holders = holdersOf(entries.map((entry) => transferEntry.decode(entry)))
  const asked = holders.length > MOST_ASKED ? [] : holders
  const ref = { hash: header.hash }
  const before = await balancesAt(context, asked, { ref, index: row.index })
  const after = await balancesAt(context, asked, { ref, index: row.index + 1 })
  return holders.flatMap((holder, i): StateChange[] => {
    const { address, token, type, id, moves } = holder
    const balances = { before: before[i], after: after[i] }
    if (type === 'ERC-721') return [{ kind: 'items', address, token, moves, ...balances }]
    const isTold = balances.before !== undefined && balances.after !== undefined
    const change = isTold ? (balances.after ?? 0n) - (balances.before ?? 0n) : holder.change
    return change === 0n ? [] : [{ kind: 'amount', address, token, id, change, ...balances }]
  })
}

/** Whose balances transfers touched, in order of appearance. */
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

async function balancesAt(
  { chain, heavy }: ExplorerContext,
  holders: readonly Holder[],
  at: { readonly ref: { readonly hash: Hash }; readonly index: number },
): Promise<(bigint | undefined)[]> {
  if (holders.length === 0) return []
  const requests = holders.map(({ token, address, id }) => {
    const holder = bigToFixed(BigInt(address), 32)
    const data = id === undefined ? [BALANCE_OF, holder] : [BALANCE_OF_ITEM, holder, bigToFixed(id, 32)]
    return { to: token, data: Buffer.concat(data), gas: GAS }
  })
  const answers = await heavy((caller) => chain.traces.replayCalls(requests, at, { caller }))
  return answers.map(({ output, error }) =>
    error === undefined && output.length === 32 ? bytesToBig(output) : undefined,
  )
}
