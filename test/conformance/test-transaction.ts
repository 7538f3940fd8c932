// The transaction of a state test, given as lists of data, gas and values of which each subtest selects one. Tests of
// go-ethereum's fuzzers lack the signed bytes (`txbytes`), so the transaction is signed here with the test's key.
import { z } from 'zod'
import { signTransaction, type TransactionFields } from '../../src/primitives/transaction.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import type { Fork } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { address, bytes, quantity, word } from './fields.ts'

const accessList = z.array(z.object({ address, storageKeys: z.array(word) })).nullable()

const authorization = z
  .object({ chainId: quantity, address, nonce: quantity, v: quantity, r: quantity, s: quantity })
  .transform(({ v: yParity, ...tuple }) => ({ ...tuple, yParity }))

export const testTransaction = z.object({
  nonce: quantity,
  to: z.union([z.literal('').transform(() => null), address]),
  secretKey: bytes,
  gasPrice: quantity.optional(),
  maxFeePerGas: quantity.optional(),
  maxPriorityFeePerGas: quantity.optional(),
  maxFeePerBlobGas: quantity.optional(),
  blobVersionedHashes: z.array(word).optional(),
  authorizationList: z.array(authorization).optional(),
  data: z.array(bytes),
  gasLimit: z.array(quantity),
  value: z.array(quantity),
  /** One for each of `data`. */
  accessLists: z.array(accessList).optional(),
})

export const testIndexes = z.object({ data: z.int(), gas: z.int(), value: z.int() })

type TestTransaction = z.infer<typeof testTransaction>

/**
 * The transaction of a subtest, for chain 1, or before EIP-155 for any chain. Throws ChainError `transaction-rejected` for an
 * invalid transaction.
 */
export function signedBy(test: TestTransaction, indexes: z.infer<typeof testIndexes>, fork: Fork): Transaction {
  const { nonce, to, gasPrice = 0n, maxFeePerGas = gasPrice, maxPriorityFeePerGas = maxFeePerGas } = test
  const fields: TransactionFields = {
    nonce,
    to,
    maxFeePerGas,
    maxPriorityFeePerGas,
    type: typeOf(test, indexes.data),
    chainId: forkRules(fork).spuriousDragon ? 1n : undefined,
    data: test.data[indexes.data] ?? new Uint8Array(0),
    gasLimit: test.gasLimit[indexes.gas] ?? 0n,
    value: test.value[indexes.value] ?? 0n,
    accessList: test.accessLists?.[indexes.data] ?? [],
    blobVersionedHashes: test.blobVersionedHashes ?? [],
    maxFeePerBlobGas: test.maxFeePerBlobGas ?? 0n,
    authorizationList: test.authorizationList ?? [],
  }
  return signTransaction(fields, test.secretKey)
}

function typeOf(test: TestTransaction, data: number): TransactionFields['type'] {
  if (test.authorizationList !== undefined) return 4
  if (test.maxFeePerBlobGas !== undefined || test.blobVersionedHashes !== undefined) return 3
  if (test.maxFeePerGas !== undefined) return 2
  return (test.accessLists?.[data] ?? null) === null ? 0 : 1
}
