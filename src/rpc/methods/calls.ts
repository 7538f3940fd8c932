// Calls and estimates: messages that run without changing the chain. A revert is error 3 with the revert data.
import type { z } from 'zod'
import { CONSOLE } from '../../contracts/console.ts'
import { ChainError } from '../../lib/errors.ts'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { encodeTransaction, parseTransaction, withSender } from '../../primitives/transaction.ts'
import type { AccessList } from '../../primitives/types.ts'
import type { CallOptions } from '../../runtime/types.ts'
import { atBlock, atPending, data, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { estimateError, revertError } from '../errors.ts'
import { estimateOptions } from '../sends/estimation-block.ts'
import { type FilledTransaction, fillTransaction } from '../sends/fill-transaction.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from '../shapes/call.ts'
import { wireBareTransaction } from '../shapes/transaction.ts'

function callOptions(
  signal: AbortSignal,
  state: z.output<typeof stateOverrides> | undefined,
  block?: z.output<typeof blockOverrides>,
): CallOptions {
  return {
    signal,
    stateOverrides: state && toStateOverrides(state),
    blockOverrides: block && toBlockOverrides(block),
  }
}

export const eth_call = rpcMethod({
  summary: 'Runs a message on the state after a block and returns its output.',
  params: [callObject, atBlock, stateOverrides.optional(), blockOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  result: data,
  heavy: true,
  committed: true,
  async handler([call, ref, state, block], { chain, options, reports, revertWords }, signal) {
    const request = toCallRequest(call, chain.spec.chainId)
    const messagesTo = options.development ? CONSOLE : undefined
    const outcome = await chain.call(request, ref, { ...callOptions(signal, state, block), messagesTo })
    const { error, returnData, messages } = outcome
    if (messages !== undefined) reports.printed({ method: 'eth_call', call: request, messages })
    if (error === undefined) return returnData
    if (!error.startsWith('execution reverted')) throw new ChainError('execution-failed', error)
    throw revertError(returnData, await revertWords(returnData, request.to))
  },
})

export const eth_estimateGas = rpcMethod({
  summary: 'The smallest gas limit with which a message succeeds; by default in the next block.',
  params: [callObject, atPending, stateOverrides.optional(), blockOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  result: quantity,
  heavy: true,
  async handler([call, ref, state, block], context, signal) {
    const { chain } = context
    const request = toCallRequest(call, chain.spec.chainId)
    try {
      const options = await estimateOptions(callOptions(signal, state, block), ref, context)
      return await chain.estimateGas(request, ref, options)
    } catch (error) {
      throw await estimateError(error, request.to, context.revertWords)
    }
  },
})

type AccessListOutcome = {
  readonly accessList: AccessList
  readonly gasUsed: bigint
  readonly error: string | undefined
}

export const eth_createAccessList = rpcMethod({
  summary:
    'The access list (EIP-2930) of the slots that a message reads or writes, and the gas it uses with that list.',
  params: [callObject, atPending, stateOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides'],
  result: ({ accessList, gasUsed, error }: AccessListOutcome) => ({
    accessList,
    ...(error !== undefined && { error }),
    gasUsed: toQuantity(gasUsed),
  }),
  heavy: true,
  async handler([call, ref, state], context, signal) {
    const { chain } = context
    const options = await estimateOptions(callOptions(signal, state), ref, context)
    return chain.createAccessList(toCallRequest(call, chain.spec.chainId), ref, options)
  },
})

export const eth_fillTransaction = rpcMethod({
  summary: 'Fills in the missing fields of a transaction object; returns it unsigned, with its encoding.',
  params: [callObject],
  names: ['transaction'],
  result: (filled: FilledTransaction) => {
    const raw = encodeTransaction({ ...filled, v: 0n, r: 0n, s: 0n })
    return { raw: toHex(raw), tx: wireBareTransaction(withSender(parseTransaction(raw), filled.from)) }
  },
  handler: ([call], context, signal) => fillTransaction(call, context, signal),
})
