// A transaction on the wire, mined or pending, with the fields of geth's results.
import { type Address, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { effectiveGasPrice } from '../../primitives/gas.ts'
import type { AccessList, Authorization, SealedHeader, Transaction } from '../../primitives/types.ts'

/** The position of a mined transaction. */
export type BlockPosition = { readonly header: SealedHeader; readonly index: number }

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

/** A transaction. `position`: undefined for a pending one, whose block fields are null. */
export function wireTransaction(transaction: Transaction, position: BlockPosition | undefined): WireTransaction {
  const { type } = transaction
  return {
    blockHash: position?.header.hash ?? null,
    blockNumber: position ? toQuantity(position.header.number) : null,
    blockTimestamp: position ? toQuantity(position.header.timestamp) : null,
    from: transaction.from,
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(
      position ? effectiveGasPrice(transaction, position.header.baseFeePerGas) : transaction.maxFeePerGas,
    ),
    ...(type >= 2 && {
      maxFeePerGas: toQuantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
    }),
    ...(type === 3 && { maxFeePerBlobGas: toQuantity(transaction.maxFeePerBlobGas) }),
    hash: transaction.hash,
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to,
    transactionIndex: position ? toQuantity(position.index) : null,
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

/** A transaction without block and sender, as in geth's results about unsent transactions; from type 2 on without gasPrice. */
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
