// The contracts that were called most in a period before the head: a walk over the newest calls, which is limited, because a period
// of a long chain has millions of them. `complete` says whether the limit was reached.
import { KIND_BIT, LIST, MASKS, transactionEntry } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import { sequencesDown } from '../../tables/descent.ts'
import { ListReader } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { startOfBlock } from '../pagination/places.ts'
import { firstBlockFrom } from './block-times.ts'

/** Periods by name, in seconds. */
const SCALES = { '5m': 300, '1h': 3_600, '3h': 10_800, '1d': 86_400, '7d': 604_800, '30d': 2_592_000 } as const
export type Scale = keyof typeof SCALES

/** Maximum calls of a walk. */
export const MOST_CALLS = 10_000

export type HotContract = { readonly address: Address; readonly transactions: number; readonly gas: number }
/** `since`: the first counted block. */
export type HotContracts = {
  readonly contracts: readonly HotContract[]
  readonly since: number
  readonly isComplete: boolean
}

/** Results by the head and the period, so that a walk is made once for each block. */
const KNOWN = new WeakMap<SealedHeader, Map<Scale, HotContracts>>()

/** Transactions that called a contract, failed ones included, and the gas that they used. */
export async function hotContracts(context: ExplorerContext, scale: Scale): Promise<HotContracts> {
  const { head } = context
  const known = KNOWN.get(head) ?? new Map<Scale, HotContracts>()
  KNOWN.set(head, known)
  const found = known.get(scale) ?? (await countedCalls(context, scale))
  known.set(scale, found)
  return found
}

async function countedCalls(context: ExplorerContext, scale: Scale): Promise<HotContracts> {
  const { rows, head } = context
  const first = await firstBlockFrom(context, head.timestamp - BigInt(SCALES[scale]) + 1n)
  const from = startOfBlock(context, first).transaction
  const to = startOfBlock(context, Number(head.number) + 1).transaction
  const calls = Array.from({ length: MASKS }, (_, mask) => mask).filter((mask) => (mask & KIND_BIT.contract_call) !== 0)
  const found = new Map<Address, { transactions: number; gas: number }>()
  const list = new ListReader(rows, LIST.transactions)
  return context.heavy(async (signal) => {
    const pause = yieldToEventLoop('heavy', signal)
    let counted = 0
    let since = first
    for (const sequence of sequencesDown(rows, calls.map(LIST.transactionsByKinds), from, to)) {
      await pause()
      const entry = list.at(sequence)
      if (entry === undefined) break
      const { number, index } = transactionEntry.decode(entry)
      if (counted++ === MOST_CALLS) return { contracts: contractsIn(found), since, isComplete: false }
      since = number
      add(context, found, number, index)
    }
    return { contracts: contractsIn(found), since: first, isComplete: true }
  })
}

function add(
  { chain }: ExplorerContext,
  to: Map<Address, { transactions: number; gas: number }>,
  number: number,
  index: number,
): void {
  const mined = chain.receiptAt(BigInt(number), index)
  const of = mined?.transaction.to
  if (mined === undefined || of === undefined || of === null) return
  const sum = to.get(of) ?? { transactions: 0, gas: 0 }
  sum.transactions++
  sum.gas += Number(mined.receipt.gasUsed)
  to.set(of, sum)
}

const contractsIn = (found: ReadonlyMap<Address, { transactions: number; gas: number }>): HotContract[] =>
  [...found].map(([address, sum]) => ({ address, ...sum }))
