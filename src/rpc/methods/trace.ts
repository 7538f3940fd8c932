// The trace_ methods in Parity's format. All of them trace transactions again; none are stored with the index.
import { z } from 'zod'
import { BeforeFork } from '../../chain/fork.ts'
import type { BlockRef, Caller, Chain, ChainReader, ReplayDetail } from '../../chain/types.ts'
import { UnknownMethod } from '../../fork/errors.ts'
import type { ForkedChain } from '../../fork/forked-chain.ts'
import { type ForeignTrace, searchTraces } from '../../fork/searches.ts'
import { block } from '../../fork/wire.ts'
import { transactionsFrom } from '../../indexer/participation.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, toQuantity } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { decodeTransaction, recoverSender, withSender } from '../../primitives/transaction.ts'
import type { Block } from '../../primitives/types.ts'
import type { ExecutionRecord } from '../../runtime/tracing/execution-recorder.ts'
import { address, atBlock, blockRef, data, hash, looseQuantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { callObject, toCallRequest } from '../shapes/call.ts'
import { type LocalizedTrace, localizedTraces, parityReplay, rewardTraces, type TraceKind } from '../shapes/parity.ts'

/** Maximum number of blocks with transactions that one trace_filter replays. */
const MAX_REPLAYED = 1000
/** Bytes of inputs and outputs of inner calls that `trace_filter` may replay. */
const MAX_REPLAYED_BYTES = 256 * 1024 * 1024

const kinds = z.array(z.enum(['trace', 'stateDiff', 'vmTrace'], { error: 'expected trace, stateDiff or vmTrace' }), {
  error: 'expected a list of trace types',
})
const detailOf = (kinds: readonly TraceKind[], signal: AbortSignal) => ({
  opcodes: kinds.includes('vmTrace'),
  signal,
})

const tracesOrNull = (traces: readonly (LocalizedTrace | ForeignTrace)[] | null) => traces

/** All traces of a block, its rewards last. */
async function blockTraces(chain: Caller, block: Block, detail: ReplayDetail): Promise<LocalizedTrace[]> {
  const { header, transactions } = block
  const replayed = transactions.length === 0 ? [] : await chain.traces.replayBlock({ hash: header.hash }, detail)
  return [...replayed.flatMap(localizedTraces), ...rewardTraces(header, chain.traces.rewards(block))]
}

/** The genesis has no traces. */
const isTraceable = ({ header }: Block): boolean => header.number > 0n

export const trace_block = rpcMethod({
  summary: 'All call frames of the transactions of a block, and its rewards; null when there is no such block.',
  params: [blockRef],
  names: ['block'],
  result: tracesOrNull,
  heavy: true,
  committed: true,
  async handler([ref], { chain }, signal) {
    const block = await chain.block(ref)
    if (block === undefined) return null
    return isTraceable(block) ? blockTraces(chain, block, { signal }) : []
  },
})

export const trace_transaction = rpcMethod({
  summary: 'All call frames of a mined transaction; null when there is no such transaction.',
  params: [hash],
  names: ['transactionHash'],
  result: tracesOrNull,
  heavy: true,
  committed: true,
  async handler([hash], { chain }, signal) {
    return chain.transaction(hash) ? localizedTraces(await chain.traces.replayTransaction(hash, { signal })) : null
  },
})

export const trace_get = rpcMethod({
  summary: 'The call frame at a path in the tree of a mined transaction; null when there is none.',
  params: [hash, z.array(looseQuantity, { error: 'expected a list of positions' })],
  names: ['transactionHash', 'path'],
  result: (trace: LocalizedTrace | null) => trace,
  heavy: true,
  committed: true,
  async handler([hash, path], { chain }, signal) {
    if (!chain.transaction(hash)) return null
    const traces = localizedTraces(await chain.traces.replayTransaction(hash, { signal }))
    return traces.find(({ traceAddress }) => traceAddress.join() === path.join()) ?? null
  },
})

const addresses = z.array(address, { error: 'expected a list of addresses' }).nullish()
const filter = z.object(
  {
    fromBlock: blockRef.nullish(),
    toBlock: blockRef.nullish(),
    fromAddress: addresses,
    toAddress: addresses,
    after: looseQuantity.nullish(),
    count: looseQuantity.nullish(),
  },
  { error: 'expected a filter object' },
)

export const trace_filter = rpcMethod({
  summary: 'Call frames in a range of blocks, by sender and recipient.',
  params: [filter],
  names: ['filter'],
  result: tracesOrNull,
  heavy: true,
  committed: true,
  async handler([{ fromBlock, toBlock, fromAddress, toAddress, after, count }], { chain }, signal) {
    const [from, to] = [fromAddress ?? [], toAddress ?? []]
    const first = await numberOf(chain, fromBlock ?? 'earliest')
    const last = await numberOf(chain, toBlock ?? 'latest')
    const end = Number(after ?? 0n) + Number(count ?? Number.POSITIVE_INFINITY)
    const search: Search = {
      from,
      to,
      first,
      last,
      end,
      matches: matcher(from, to),
      budget: { left: MAX_REPLAYED_BYTES },
    }
    const { forked } = chain
    const found: (LocalizedTrace | ForeignTrace)[] = []
    if (forked !== undefined && first <= forked.at.number)
      found.push(...(await foundBefore(chain, forked, search, signal)))
    const own = forked === undefined || first > forked.at.number ? first : forked.at.number + 1n
    if (found.length < end)
      found.push(...(await foundHere(chain, { ...search, first: own, end: end - found.length }, signal)))
    return found.slice(Number(after ?? 0n), end)
  },
})

/** What a trace_filter looks for; `end`: traces after which it is complete. */
type Search = {
  readonly from: readonly Address[]
  readonly to: readonly Address[]
  readonly first: bigint
  readonly last: bigint
  readonly end: number
  readonly matches: Matcher
  readonly budget: ByteBudget
}

async function foundHere(chain: Chain, search: Search, signal: AbortSignal): Promise<LocalizedTrace[]> {
  const { from, to, first, last, end, matches, budget } = search
  const among = from.length > 0 ? from : to
  const found: LocalizedTrace[] = []
  let replayed = 0
  const pause = yieldToEventLoop('heavy', signal)
  for await (const number of among.length > 0 ? blocksOf(chain, among, first, last) : everyBlock(first, last)) {
    if (found.length >= end) break
    await pause()
    const block = await chain.block({ number })
    if (block === undefined) break
    if (block.transactions.length > 0 && ++replayed > MAX_REPLAYED) {
      throw new ChainError('limit-exceeded', `the range holds more than ${MAX_REPLAYED} blocks with transactions`)
    }
    found.push(...(await blockTraces(chain, block, { signal, budget })).filter(matches))
  }
  return found
}

/** The part of the range that is before the fork: the forked chain's answer, or if it does not have the method, traces made here. */
async function foundBefore(
  chain: Chain,
  forked: ForkedChain,
  search: Search,
  signal: AbortSignal,
): Promise<readonly (LocalizedTrace | ForeignTrace)[]> {
  const { from, to, first, last, end, matches, budget } = search
  const found: (LocalizedTrace | ForeignTrace)[] = []
  // Some servers answer with traces that match one of two lists, so that they cannot count those that match both.
  const hasBoth = from.length > 0 && to.length > 0
  const filter = {
    ...(from.length > 0 && { fromAddress: from }),
    ...(to.length > 0 && { toAddress: to }),
    ...(!hasBoth && Number.isFinite(end) && { count: end }),
  }
  try {
    for await (const traces of searchTraces(forked, filter, { first, last }, signal)) {
      for (const trace of traces) if (!hasBoth || matches(trace)) found.push(trace)
      if (found.length >= end) break
    }
    return found
  } catch (error) {
    if (!(error instanceof UnknownMethod)) throw error
  }
  const newest = last < forked.at.number ? last : forked.at.number
  const lacks = `${forked.connected.name} has no trace_filter, and`
  if (newest - first >= MAX_REPLAYED)
    throw new ChainError('limit-exceeded', `${lacks} the range holds more than ${MAX_REPLAYED} of its blocks`)
  for (const number of everyBlock(first, newest)) {
    if (found.length >= end) break
    const { difficulty } = await forked.ask(block, 'eth_getBlockByNumber', [toQuantity(number), false])
    if (difficulty > 0n)
      throw new ChainError('state-not-available', `${lacks} block ${number} has rewards of proof of work`)
    const replayed = await chain.traces.replayBlock({ number }, { signal, budget }).catch((error) => {
      if (!(error instanceof BeforeFork)) throw error
      throw new ChainError('state-not-available', `${lacks} block ${number} is not executed here as on that chain`)
    })
    found.push(...replayed.flatMap(localizedTraces).filter(matches))
  }
  return found
}

/** The block's number, which may be before the fork. Throws ChainError `header-not-found`. */
async function numberOf(chain: ChainReader, ref: BlockRef): Promise<bigint> {
  const { forked } = chain
  if (forked !== undefined) {
    if (ref === 'earliest') return 0n
    if (typeof ref === 'object' && 'number' in ref && ref.number <= forked.at.number) return ref.number
  }
  const header = await chain.header(ref)
  if (header !== undefined) return header.number
  const number = typeof ref === 'object' && 'hash' in ref ? await forked?.locate(ref.hash) : undefined
  if (number === undefined) throw new ChainError('header-not-found', 'header not found')
  return number
}

function* everyBlock(first: bigint, last: bigint): Generator<bigint> {
  for (let number = first === 0n ? 1n : first; number <= last; number++) yield number
}

/** Blocks that may have a trace of one of the addresses, in order: it took part in them, or may have received a reward. */
async function* blocksOf(
  chain: Chain,
  addresses: readonly Address[],
  first: bigint,
  last: bigint,
): AsyncGenerator<bigint> {
  let from = first
  // Only proof-of-work blocks pay rewards, and none comes after the merge.
  for (const number of everyBlock(first, last)) {
    const header = await chain.header({ number })
    if (header === undefined || header.difficulty === 0n) break
    yield number
    from = number + 1n
  }
  for (const row of transactionsFrom(chain.store, addresses, Number(from))) {
    const number = BigInt(row.number)
    if (number > last) return
    // A block may have several rows.
    if (number >= from) yield number
    from = number + 1n
  }
}

type Matcher = (trace: Pick<LocalizedTrace | ForeignTrace, 'action' | 'result'>) => boolean

/** Sender and recipient both have to match; an empty list matches every address. */
function matcher(from: readonly Address[], to: readonly Address[]): Matcher {
  const isAmong = (addresses: readonly string[], address: unknown) =>
    addresses.length === 0 || (typeof address === 'string' && addresses.includes(address.toLowerCase()))
  return ({ action, result }) =>
    isAmong(from, action.from ?? action.address) &&
    isAmong(to, action.to ?? action.refundAddress ?? result?.address ?? action.author)
}

type Replay = { readonly recorded: ExecutionRecord; readonly kinds: readonly TraceKind[] }
const replayed = ({ recorded, kinds }: Replay) => parityReplay(recorded, kinds)

export const trace_replayTransaction = rpcMethod({
  summary: 'Replays a mined transaction: its call frames, state changes and opcodes.',
  params: [hash, kinds],
  names: ['transactionHash', 'kinds'],
  result: replayed,
  heavy: true,
  committed: true,
  handler: async ([hash, kinds], { chain }, signal) => ({
    recorded: await chain.traces.replayTransaction(hash, detailOf(kinds, signal)),
    kinds,
  }),
})

type BlockReplay = Replay & { readonly transactionHash: Hash }

export const trace_replayBlockTransactions = rpcMethod({
  summary: 'Replays the transactions of a block: their call frames, state changes and opcodes.',
  params: [blockRef, kinds],
  names: ['block', 'kinds'],
  result: (replays: readonly BlockReplay[] | null) =>
    replays?.map((replay) => ({ ...replayed(replay), transactionHash: replay.transactionHash })) ?? null,
  heavy: true,
  committed: true,
  async handler([ref, kinds], { chain }, signal) {
    const block = await chain.block(ref)
    if (block === undefined) return null
    if (!isTraceable(block)) return []
    const recorded = await chain.traces.replayBlock(ref, detailOf(kinds, signal))
    return recorded.map((recorded) => ({ recorded, kinds, transactionHash: recorded.transaction.hash }))
  },
})

export const trace_call = rpcMethod({
  summary: 'Runs a message on the state after a block: its call frames, state changes and opcodes.',
  params: [callObject, kinds, atBlock],
  names: ['transaction', 'kinds', 'block'],
  result: replayed,
  heavy: true,
  committed: true,
  async handler([call, kinds, ref], { chain }, signal) {
    const request = toCallRequest(call, chain.spec.chainId)
    return {
      recorded: one(await chain.traces.replayCalls([request], { ref, index: undefined }, detailOf(kinds, signal))),
      kinds,
    }
  },
})

export const trace_callMany = rpcMethod({
  summary: 'Runs messages on the state after a block, each on the state after the ones before it.',
  params: [z.array(z.tuple([callObject, kinds]), { error: 'expected a list of calls' }), atBlock],
  names: ['calls', 'block'],
  result: (replays: readonly Replay[]) => replays.map(replayed),
  heavy: true,
  committed: true,
  async handler([calls, ref], { chain }, signal) {
    const requests = calls.map(([call]) => toCallRequest(call, chain.spec.chainId))
    const detail = detailOf(
      calls.flatMap(([, kinds]) => kinds),
      signal,
    )
    const recorded = await chain.traces.replayCalls(requests, { ref, index: undefined }, detail)
    return calls.map(([, kinds], position) => ({ recorded: one(recorded.slice(position)), kinds }))
  },
})

export const trace_rawTransaction = rpcMethod({
  summary: 'Runs a signed transaction on the latest state without sending it.',
  params: [data, kinds],
  names: ['rawTransaction', 'kinds'],
  result: replayed,
  heavy: true,
  async handler([raw, kinds], { chain }, signal) {
    const signed = decodeTransaction(raw)
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas, ...transaction } = withSender(signed, recoverSender(signed))
    const fees = transaction.type < 2 ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas }
    const request = { ...transaction, ...fees, gas: gasLimit }
    const recorded = await chain.traces.replayCalls(
      [request],
      { ref: 'latest', index: undefined },
      detailOf(kinds, signal),
    )
    return { recorded: one(recorded), kinds }
  },
})

function one(recorded: readonly ExecutionRecord[]): ExecutionRecord {
  const [first] = recorded
  if (first === undefined) throw new Error('a call was not replayed')
  return first
}
