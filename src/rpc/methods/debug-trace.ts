// Runs transactions, blocks and calls under one of geth's tracers, and returns the tracer's result.
import { z } from 'zod'
import type { TraceResult } from '../../chain/types.ts'
import { decodeBlock } from '../../primitives/block.ts'
import { recoverSender, withSender } from '../../primitives/transaction.ts'
import type { Transaction } from '../../primitives/types.ts'
import { atBlock, blockNumber, data, hash } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from '../shapes/call.ts'
import { place, toTraceOptions, toTracePoint, traceCallOptions, traceOptions } from '../shapes/trace-options.ts'

const asTraced = (trace: unknown) => trace

type BlockTraces = readonly (TraceResult & { readonly transaction: Transaction })[]
const blockTraces = (traces: BlockTraces) =>
  traces.map(({ transaction, ...trace }) => ({ txHash: transaction.hash, ...trace }))

const options = traceOptions.optional()

export const debug_traceTransaction = rpcMethod({
  summary: 'Replays a mined transaction under a tracer.',
  params: [hash, options],
  names: ['transactionHash', 'options'],
  result: asTraced,
  heavy: true,
  committed: true,
  handler: ([hash, options], context, signal) =>
    context.chain.traces.transaction(hash, toTraceOptions(options, signal, context)),
})

export const debug_traceBlockByNumber = rpcMethod({
  summary: 'Replays the transactions of a block under a tracer, by its number or tag.',
  params: [blockNumber, options],
  names: ['block', 'options'],
  result: blockTraces,
  heavy: true,
  committed: true,
  handler: ([ref, options], context, signal) =>
    context.chain.traces.block(ref, toTraceOptions(options, signal, context)),
})

export const debug_traceBlockByHash = rpcMethod({
  summary: 'Replays the transactions of a block under a tracer, by its hash.',
  params: [hash, options],
  names: ['blockHash', 'options'],
  result: blockTraces,
  heavy: true,
  committed: true,
  handler: ([hash, options], context, signal) =>
    context.chain.traces.block({ hash }, toTraceOptions(options, signal, context)),
})

export const debug_traceBlock = rpcMethod({
  summary: 'Runs the transactions of a block, given in RLP, under a tracer. The node must have its parent.',
  params: [data, options],
  names: ['rawBlock', 'options'],
  result: blockTraces,
  heavy: true,
  committed: true,
  handler([raw, options], context, signal) {
    const decoded = decodeBlock(raw)
    const transactions = decoded.transactions.map((signed) => withSender(signed, recoverSender(signed)))
    return context.chain.traces.block({ ...decoded, transactions }, toTraceOptions(options, signal, context))
  },
})

export const debug_traceCall = rpcMethod({
  summary: 'Runs a message under a tracer, on the state after a block or after its first transactions.',
  params: [callObject, atBlock, traceCallOptions.optional()],
  names: ['transaction', 'block', 'options'],
  result: asTraced,
  heavy: true,
  committed: true,
  handler([call, ref, options], context, signal) {
    const request = toCallRequest(call, context.chain.spec.chainId)
    const point = { ref, index: options?.txIndex ?? undefined }
    return context.chain.traces.call(request, point, toTraceOptions(options, signal, context), {
      stateOverrides: options?.stateOverrides ? toStateOverrides(options.stateOverrides) : undefined,
      blockOverrides: options?.blockOverrides ? toBlockOverrides(options.blockOverrides) : undefined,
    })
  },
})

const bundle = z.object(
  {
    transactions: z.array(callObject, { error: 'expected a list of calls' }),
    blockOverride: blockOverrides.nullish(),
    stateOverride: stateOverrides.nullish(),
  },
  { error: 'expected a bundle of calls' },
)

export const debug_traceCallMany = rpcMethod({
  summary: 'Runs bundles of messages under a tracer, each message on the state after the ones before it.',
  params: [z.array(bundle, { error: 'expected a list of bundles' }), place.optional(), traceCallOptions.optional()],
  names: ['bundles', 'context', 'options'],
  result: (traces: readonly (readonly unknown[])[]) => traces,
  heavy: true,
  committed: true,
  handler([bundles, place, options], context, signal) {
    const point = toTracePoint(place)
    const read = bundles.map(({ transactions, blockOverride, stateOverride }, position) => {
      const state = stateOverride ?? (position === 0 ? options?.stateOverrides : undefined)
      const block = blockOverride ?? options?.blockOverrides
      return {
        requests: transactions.map((call) => toCallRequest(call, context.chain.spec.chainId)),
        stateOverrides: state ? toStateOverrides(state) : undefined,
        blockOverrides: block ? toBlockOverrides(block) : undefined,
      }
    })
    return context.chain.traces.calls(read, point, toTraceOptions(options, signal, context))
  },
})

export const debug_intermediateRoots = rpcMethod({
  summary: 'The state roots after each transaction of a block, by its hash.',
  params: [hash, options],
  names: ['blockHash', 'options'],
  result: z.array(hash),
  heavy: true,
  committed: true,
  handler: async ([hash], { chain }, signal) => [...(await chain.traces.rootsWithin({ hash }, signal))],
})
