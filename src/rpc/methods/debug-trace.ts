// Transactions, blocks and calls under a tracer, as geth traces them. What goes out is what the tracer answers.
import { z } from 'zod'
import type { Trace } from '../../chain/types.ts'
import { decodeBlock } from '../../primitives/block.ts'
import { recoverSender, withSender } from '../../primitives/transaction.ts'
import type { Transaction } from '../../primitives/types.ts'
import { atBlock, blockNumber, blockRef, data, hash } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from '../shapes/call.ts'
import { toTraceOptions, traceCallOptions, traceOptions } from '../shapes/trace.ts'

const asTraced = (trace: unknown) => trace

type BlockTraces = readonly (Trace & { readonly transaction: Transaction })[]
const blockTraces = (traces: BlockTraces) =>
  traces.map(({ transaction, ...trace }) => ({ txHash: transaction.hash, ...trace }))

const options = traceOptions.optional()

export const debug_traceTransaction = rpcMethod({
  summary: 'Runs a mined transaction again under a tracer.',
  params: [hash, options],
  names: ['transactionHash', 'options'],
  result: asTraced,
  heavy: true,
  handler: ([hash, options], { chain, queue }, caller) =>
    chain.traces.transaction(hash, toTraceOptions(options, caller, queue)),
})

export const debug_traceBlockByNumber = rpcMethod({
  summary: 'Runs the transactions of a block again under a tracer, by its number or tag.',
  params: [blockNumber, options],
  names: ['block', 'options'],
  result: blockTraces,
  heavy: true,
  handler: ([ref, options], { chain, queue }, caller) =>
    chain.traces.block(ref, toTraceOptions(options, caller, queue)),
})

export const debug_traceBlockByHash = rpcMethod({
  summary: 'Runs the transactions of a block again under a tracer, by its hash.',
  params: [hash, options],
  names: ['blockHash', 'options'],
  result: blockTraces,
  heavy: true,
  handler: ([hash, options], { chain, queue }, caller) =>
    chain.traces.block({ hash }, toTraceOptions(options, caller, queue)),
})

export const debug_traceBlock = rpcMethod({
  summary: 'Runs the transactions of a block, given as RLP, under a tracer; its parent has to be here.',
  params: [data, options],
  names: ['rawBlock', 'options'],
  result: blockTraces,
  heavy: true,
  handler([raw, options], { chain, queue }, caller) {
    const decoded = decodeBlock(raw)
    const transactions = decoded.transactions.map((signed) => withSender(signed, recoverSender(signed)))
    return chain.traces.block({ ...decoded, transactions }, toTraceOptions(options, caller, queue))
  },
})

export const debug_traceCall = rpcMethod({
  summary: 'Runs a message under a tracer, on the state after a block or after the first transactions of it.',
  params: [callObject, atBlock, traceCallOptions.optional()],
  names: ['transaction', 'block', 'options'],
  result: asTraced,
  heavy: true,
  handler([call, ref, options], { chain, queue }, caller) {
    const request = toCallRequest(call, chain.spec.chainId)
    const point = { ref, index: options?.txIndex ?? undefined }
    return chain.traces.call(request, point, toTraceOptions(options, caller, queue), {
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

/** -1 is after all transactions, as leaving it out is. */
const transactionIndex = z.int({ error: 'expected an integer' }).min(-1)
const context = z.object(
  { blockNumber: blockRef.nullish(), transactionIndex: transactionIndex.nullish() },
  { error: 'expected a block and a transaction index' },
)

export const debug_traceCallMany = rpcMethod({
  summary: 'Runs bundles of messages under a tracer, each message on what the ones before it left.',
  params: [z.array(bundle, { error: 'expected a list of bundles' }), context.optional(), traceCallOptions.optional()],
  names: ['bundles', 'context', 'options'],
  result: (traces: readonly (readonly unknown[])[]) => traces,
  heavy: true,
  handler([bundles, context, options], { chain, queue }, caller) {
    const after = context?.transactionIndex ?? -1
    const point = { ref: context?.blockNumber ?? 'latest', index: after < 0 ? undefined : after }
    const read = bundles.map(({ transactions, blockOverride, stateOverride }, position) => {
      const state = stateOverride ?? (position === 0 ? options?.stateOverrides : undefined)
      const block = blockOverride ?? options?.blockOverrides
      return {
        requests: transactions.map((call) => toCallRequest(call, chain.spec.chainId)),
        stateOverrides: state ? toStateOverrides(state) : undefined,
        blockOverrides: block ? toBlockOverrides(block) : undefined,
      }
    })
    return chain.traces.calls(read, point, toTraceOptions(options, caller, queue))
  },
})

export const debug_intermediateRoots = rpcMethod({
  summary: 'The state roots after each transaction of a block, by its hash.',
  params: [hash, options],
  names: ['blockHash', 'options'],
  result: z.array(hash),
  heavy: true,
  handler: async ([hash], { chain }, caller) => [...(await chain.traces.rootsWithin({ hash }, caller))],
})
