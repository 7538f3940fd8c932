// Messages that are run and leave no trace. A revert is error 3 with the revert bytes, for calls and estimates alike.
import type { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { encodeTransaction, parseTransaction, withSender } from '../../primitives/transaction.ts'
import type { AccessList } from '../../primitives/types.ts'
import type { CallOptions } from '../../runtime/types.ts'
import { atBlock, atPending, data, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { forEstimate } from '../estimating.ts'
import { type FilledTransaction, fillTransaction } from '../fill.ts'
import { estimateError, revertError } from '../revert.ts'
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
  caller: AbortSignal,
  state: z.output<typeof stateOverrides> | undefined,
  block?: z.output<typeof blockOverrides>,
): CallOptions {
  return {
    caller,
    stateOverrides: state && toStateOverrides(state),
    blockOverrides: block && toBlockOverrides(block),
  }
}

export const eth_call = rpcMethod({
  summary: 'Runs a message on a block’s state and answers what it returns.',
  params: [callObject, atBlock, stateOverrides.optional(), blockOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  result: data,
  heavy: true,
  async handler([call, ref, state, block], { chain }, caller) {
    const request = toCallRequest(call, chain.spec.chainId)
    const { error, returnData } = await chain.call(request, ref, callOptions(caller, state, block))
    if (error === undefined) return returnData
    throw error.startsWith('execution reverted') ? revertError(returnData) : new ChainError('execution-failed', error)
  },
})

export const eth_estimateGas = rpcMethod({
  summary: 'The smallest gas limit with which a message succeeds; without a block, in the next one to be made.',
  params: [callObject, atPending, stateOverrides.optional(), blockOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  result: quantity,
  heavy: true,
  async handler([call, ref, state, block], context, caller) {
    const { chain } = context
    const request = toCallRequest(call, chain.spec.chainId)
    try {
      const options = await forEstimate(callOptions(caller, state, block), ref, context)
      return await chain.estimateGas(request, ref, options)
    } catch (error) {
      throw estimateError(error)
    }
  },
})

type AccessListOutcome = {
  readonly accessList: AccessList
  readonly gasUsed: bigint
  readonly error: string | undefined
}

export const eth_createAccessList = rpcMethod({
  summary: 'The access list (EIP-2930) a message would profit from, and the gas it uses with it.',
  params: [callObject, atPending, stateOverrides.optional()],
  names: ['transaction', 'block', 'stateOverrides'],
  result: ({ accessList, gasUsed, error }: AccessListOutcome) => ({
    accessList,
    ...(error !== undefined && { error }),
    gasUsed: toQuantity(gasUsed),
  }),
  heavy: true,
  async handler([call, ref, state], context, caller) {
    const { chain } = context
    const options = await forEstimate(callOptions(caller, state), ref, context)
    return chain.createAccessList(toCallRequest(call, chain.spec.chainId), ref, options)
  },
})

export const eth_fillTransaction = rpcMethod({
  summary: 'A transaction object with everything filled in that was left out, unsigned, and its encoding.',
  params: [callObject],
  names: ['transaction'],
  result: (filled: FilledTransaction) => {
    const raw = encodeTransaction({ ...filled, v: 0n, r: 0n, s: 0n })
    return { raw: toHex(raw), tx: wireBareTransaction(withSender(parseTransaction(raw), filled.from)) }
  },
  handler: ([call], context, caller) => fillTransaction(call, context, caller),
})
