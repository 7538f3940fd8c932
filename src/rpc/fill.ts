// A transaction object completed to something that can be signed: nonce, gas, fees and type where the client left
// them out. Shared by everything that signs or fills.
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, ZERO_ADDRESS } from '../lib/hex.ts'
import type { TransactionFields } from '../primitives/transaction.ts'
import type { TransactionType } from '../primitives/types.ts'
import type { CallRequest } from '../runtime/types.ts'
import type { RpcContext } from './define.ts'
import { forEstimate } from './estimating.ts'
import { estimateError } from './revert.ts'
import { type CallObject, toCallRequest } from './shapes/call.ts'

export type FilledTransaction = TransactionFields & { readonly from: Address }

type Filling = Pick<RpcContext, 'chain' | 'producer' | 'queue'>

const TYPES = [0, 1, 2, 3, 4] as const

type Fees = Pick<TransactionFields, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/**
 * Fills in what is missing, against the chain as it stands: the next nonce counting the pool, an estimate for gas,
 * suggested fees, and the oldest type that carries the given fields (EIP-1559 without a wish).
 * Throws ChainError `invalid-params` for contradictory fields, and what the estimate throws.
 */
export async function fillTransaction(
  call: CallObject,
  context: Filling,
  caller: AbortSignal,
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
    gasLimit: request.gas ?? (await estimate({ ...request, nonce: undefined }, context, caller)),
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
    const asked = TYPES.find((type) => BigInt(type) === call.type)
    if (asked === undefined) throw new ChainError('invalid-params', 'transaction type not supported')
    if (asked >= least) return asked
    throw new ChainError('invalid-params', `fields of a type ${least} transaction in one of type ${asked}`)
  }
  const marketFees = call.gasPrice == null && chain.fees.nextBaseFee() !== undefined
  return least < 2 && marketFees ? 2 : least
}

/** The oldest type that has all the fields. */
function leastType(call: CallObject): TransactionType {
  if (call.authorizationList) return 4
  if (call.blobVersionedHashes) return 3
  if (call.maxFeePerGas != null || call.maxPriorityFeePerGas != null) return 2
  return call.accessList?.length ? 1 : 0
}

/** A legacy price stands in both fields, as everywhere inside. */
function chooseFees(request: CallRequest, type: TransactionType, { fees }: Chain): Fees {
  if (type < 2 || request.gasPrice !== undefined) {
    const price = request.gasPrice ?? fees.gasPrice()
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  const { maxFeePerGas: cap, maxPriorityFeePerGas: wish } = request
  const suggested = fees.maxPriorityFeePerGas()
  const tip = wish ?? (cap !== undefined && cap < suggested ? cap : suggested)
  return { maxFeePerGas: cap ?? tip + 2n * (fees.nextBaseFee() ?? 0n), maxPriorityFeePerGas: tip }
}

/** Only the estimate is heavy: what follows may wait for a block. */
const estimate = (request: CallRequest, context: Filling, caller: AbortSignal): Promise<bigint> =>
  context.queue
    .run(caller, async () =>
      context.chain.estimateGas(request, 'pending', await forEstimate({ caller }, 'pending', context)),
    )
    .catch((error) => {
      throw estimateError(error)
    })
