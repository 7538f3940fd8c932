// A transaction on the wire, mined or waiting; field for field what geth answers.
import { type Address, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { effectiveTip } from '../../primitives/gas.ts'
import type { AccessList, Authorization, SealedHeader, Transaction } from '../../primitives/types.ts'

/** Where a transaction stands; undefined while it waits. */
export type Place = { readonly header: SealedHeader; readonly index: number }

type WireAuthorization = Readonly<Record<'chainId' | 'nonce' | 'yParity' | 'r' | 's', Hex>> & {
  readonly address: Address
}

export type WireTransaction = {
  readonly blockHash: Hash | null
  readonly blockNumber: Hex | null
  readonly blockTimestamp: Hex | null
  readonly from: Address
  readonly gas: Hex
  readonly gasPrice: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly maxFeePerBlobGas?: Hex
  readonly hash: Hash
  readonly input: Hex
  readonly nonce: Hex
  readonly to: Address | null
  readonly transactionIndex: Hex | null
  readonly value: Hex
  readonly type: Hex
  readonly accessList?: AccessList
  readonly chainId?: Hex
  readonly blobVersionedHashes?: readonly Hash[]
  readonly authorizationList?: readonly WireAuthorization[]
  readonly v: Hex
  readonly r: Hex
  readonly s: Hex
  readonly yParity?: Hex
}

/** Price per gas that is paid under a base fee (EIP-1559). */
const effectiveGasPrice = (transaction: Transaction, baseFeePerGas = 0n): bigint =>
  baseFeePerGas + effectiveTip(transaction, baseFeePerGas)

/** A transaction's wire form; `place` undefined leaves the block fields null. */
export function wireTransaction(transaction: Transaction, place: Place | undefined): WireTransaction {
  const { type } = transaction
  return {
    blockHash: place?.header.hash ?? null,
    blockNumber: place ? toQuantity(place.header.number) : null,
    blockTimestamp: place ? toQuantity(place.header.timestamp) : null,
    from: transaction.from,
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(place ? effectiveGasPrice(transaction, place.header.baseFeePerGas) : transaction.maxFeePerGas),
    ...(type >= 2 && {
      maxFeePerGas: toQuantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
    }),
    ...(type === 3 && { maxFeePerBlobGas: toQuantity(transaction.maxFeePerBlobGas) }),
    hash: transaction.hash,
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to,
    transactionIndex: place ? toQuantity(place.index) : null,
    value: toQuantity(transaction.value),
    type: toQuantity(type),
    ...(type >= 1 && { accessList: transaction.accessList }),
    ...(transaction.chainId !== undefined && { chainId: toQuantity(transaction.chainId) }),
    ...(type === 3 && { blobVersionedHashes: transaction.blobVersionedHashes }),
    ...(type === 4 && { authorizationList: transaction.authorizationList.map(wireAuthorization) }),
    v: toQuantity(transaction.v),
    r: toQuantity(transaction.r),
    s: toQuantity(transaction.s),
    ...(type >= 1 && { yParity: toQuantity(transaction.v) }),
  }
}

/** The transaction itself, as geth prints one that belongs to no block: no sender, and no price where fees are capped. */
export function wireBareTransaction(transaction: Transaction) {
  const { blockHash, blockNumber, blockTimestamp, transactionIndex, from, ...fields } = wireTransaction(
    transaction,
    undefined,
  )
  return transaction.type >= 2 ? { ...fields, gasPrice: null } : fields
}

const wireAuthorization = (authorization: Authorization): WireAuthorization => ({
  chainId: toQuantity(authorization.chainId),
  address: authorization.address,
  nonce: toQuantity(authorization.nonce),
  yParity: toQuantity(authorization.yParity),
  r: toQuantity(authorization.r),
  s: toQuantity(authorization.s),
})
