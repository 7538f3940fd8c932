// Completes a client's transaction object so that it can be signed: nonce, gas, fees and type if the client omitted them.
// eth_fillTransaction, eth_sendTransaction, eth_signTransaction and their variants share it.
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from '../../lib/hex.ts'
import type { TransactionFields } from '../../primitives/transaction.ts'
import type { TransactionType } from '../../primitives/types.ts'
import type { CallRequest } from '../../runtime/types.ts'
import type { RpcContext } from '../define.ts'
import { estimateError } from '../errors.ts'
import { type CallObject, toCallRequest } from '../shapes/call.ts'
import { estimateOptions } from './estimation-block.ts'

export type FilledTransaction = TransactionFields & { readonly from: Address }

type Services = Pick<RpcContext, 'chain' | 'producer' | 'queue' | 'revertWords'>

const TYPES = [0, 1, 2, 3, 4] as const

type Fees = Pick<TransactionFields, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/**
 * Fills in the missing fields from the present state: the next nonce after the pool's transactions, a gas estimate, suggested
 * fees, and the oldest type that has the given fields (type 2 when no field requires a type).
 * Throws ChainError `invalid-params` for contradictory fields, and the errors of the estimate.
 */
export async function fillTransaction(
  call: CallObject,
  context: Services,
  signal: AbortSignal,
): Promise<FilledTransaction> {
  const { chain } = context
  const request = toCallRequest(call, chain.spec.chainId)
  const { from = ZERO_ADDRESS, to = null, data = EMPTY_BYTES } = request
  if (call.blobs)
    throw new ChainError('invalid-params', 'blobs cannot be signed here; send them with eth_sendRawTransaction')
  if (to === null && data.length === 0) {
    throw new ChainError('invalid-params', 'contract creation without any data provided')
  }
  const type = chooseType(call, chain)
  const fees = chooseFees(request, type, chain)
  if (fees.maxFeePerGas < fees.maxPriorityFeePerGas) {
    throw new ChainError(
      'invalid-params',
      `maxFeePerGas (${fees.maxFeePerGas}) < maxPriorityFeePerGas (${fees.maxPriorityFeePerGas})`,
    )
  }
  const nonce = request.nonce ?? chain.pool.nextNonce(from)
  return {
    type,
    chainId: chain.spec.chainId,
    from,
    to,
    nonce,
    value: request.value ?? 0n,
    data,
    gasLimit: request.gas ?? (await estimate({ ...request, nonce: undefined }, context, signal)),
    ...fees,
    accessList: request.accessList ?? [],
    blobVersionedHashes: request.blobVersionedHashes ?? [],
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? (type === 3 ? 2n * (chain.fees.nextBlobBaseFee() ?? 0n) : 0n),
    authorizationList: request.authorizationList ?? [],
  }
}

function chooseType(call: CallObject, chain: Chain): TransactionType {
  const least = leastType(call)
  if (call.type != null) {
    const requested = TYPES.find((type) => BigInt(type) === call.type)
    if (requested === undefined) throw new ChainError('invalid-params', 'transaction type not supported')
    if (requested >= least) return requested
    throw new ChainError('invalid-params', `fields of a type ${least} transaction in one of type ${requested}`)
  }
  const hasBaseFee = call.gasPrice == null && chain.fees.nextBaseFee() !== undefined
  return least < 2 && hasBaseFee ? 2 : least
}

/** The oldest type that has all given fields. */
function leastType(call: CallObject): TransactionType {
  if (call.authorizationList) return 4
  if (call.blobVersionedHashes) return 3
  if (call.maxFeePerGas != null || call.maxPriorityFeePerGas != null) return 2
  return call.accessList?.length ? 1 : 0
}

/** A legacy gas price sets both fee fields, as in every transaction inside this program. */
function chooseFees(request: CallRequest, type: TransactionType, { fees }: Chain): Fees {
  if (type < 2 || request.gasPrice !== undefined) {
    const price = request.gasPrice ?? fees.gasPrice()
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  const { maxFeePerGas: cap, maxPriorityFeePerGas: givenTip } = request
  const suggested = fees.maxPriorityFeePerGas()
  const tip = givenTip ?? (cap !== undefined && cap < suggested ? cap : suggested)
  return { maxFeePerGas: cap ?? tip + 2n * (fees.nextBaseFee() ?? 0n), maxPriorityFeePerGas: tip }
}

/** Takes a slot of heavy calls for the estimate only: the send may then wait for a block without one. */
const estimate = (request: CallRequest, context: Services, signal: AbortSignal): Promise<bigint> =>
  context.queue
    .run(signal, async () =>
      context.chain.estimateGas(request, 'pending', await estimateOptions({ signal }, 'pending', context)),
    )
    .catch(async (error) => {
      throw await estimateError(error, request.to, context.revertWords)
    })
