// A transaction with the account that sent it, as everything but its decoder holds it.
import type { Address } from '../lib/hex.ts'
import type { SignedTransaction, Transaction } from './types.ts'

/** Field by field: to spread so many takes twenty times as long. */
export const withSender = (transaction: SignedTransaction, from: Address): Transaction => ({
  type: transaction.type,
  chainId: transaction.chainId,
  nonce: transaction.nonce,
  maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
  maxFeePerGas: transaction.maxFeePerGas,
  gasLimit: transaction.gasLimit,
  to: transaction.to,
  value: transaction.value,
  data: transaction.data,
  accessList: transaction.accessList,
  maxFeePerBlobGas: transaction.maxFeePerBlobGas,
  blobVersionedHashes: transaction.blobVersionedHashes,
  authorizationList: transaction.authorizationList,
  v: transaction.v,
  r: transaction.r,
  s: transaction.s,
  hash: transaction.hash,
  raw: transaction.raw,
  from,
})
