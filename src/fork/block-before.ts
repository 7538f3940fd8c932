// The transactions of a block of the forked chain, up to one of them, to be executed here: a fork may begin in the middle of a block.
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toQuantity } from '../lib/hex.ts'
import { decodeTransaction, encodeTransaction, impersonatedTransaction, withSender } from '../primitives/transaction.ts'
import type { SealedHeader, Transaction, TransactionType } from '../primitives/types.ts'
import { RemoteFailure } from './errors.ts'
import type { Remote } from './remote.ts'
import { address, block, bytes, hash, listOr, quantity } from './wire.ts'

/** A block of the forked chain with its transactions before one of them. */
export type BlockBefore = { readonly header: SealedHeader; readonly transactions: readonly Transaction[] }

const authorization = z.object({
  chainId: quantity,
  address,
  nonce: quantity,
  yParity: quantity,
  r: quantity,
  s: quantity,
})

/** Types that Ethereum has. */
const transaction = z.object({
  hash,
  type: quantity.nullish(),
  chainId: quantity.nullish(),
  from: address,
  to: address.nullish(),
  nonce: quantity,
  value: quantity,
  input: bytes,
  gas: quantity,
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  maxFeePerBlobGas: quantity.nullish(),
  accessList: listOr(z.object({ address, storageKeys: z.array(hash) })),
  blobVersionedHashes: listOr(hash),
  authorizationList: listOr(authorization),
  v: quantity.nullish(),
  yParity: quantity.nullish(),
  r: quantity,
  s: quantity,
})

const MOST_TYPES = 4n
const full = z.object({ transactions: z.array(z.unknown()) })
/** What every transaction has. */
const named = z.object({ hash, type: quantity.nullish() })

/** Throws ChainError: the transaction is not in the block, or one before it can only be executed by the forked chain. */
export async function blockBefore(remote: Remote, number: bigint, before: Hash): Promise<BlockBefore> {
  const { header, transactions } = await fullBlock(remote, number)
  return { header, transactions: transactions.slice(0, placeOf(before, transactions, header)).map(executable) }
}

/**
 * The transactions up to one of them, or all, and the gas that it used, or all did. Throws ChainError as `blockBefore`, and
 * RemoteError.
 */
export async function blockUpTo(
  remote: Remote,
  number: bigint,
  last: Hash | undefined,
): Promise<BlockBefore & { readonly gasUsed: bigint }> {
  const { header, transactions } = await fullBlock(remote, number)
  if (last === undefined) return { header, transactions: transactions.map(executable), gasUsed: header.gasUsed }
  const wanted = transactions.slice(0, placeOf(last, transactions, header) + 1)
  const { gasUsed } = await remote.ask(z.object({ gasUsed: quantity }), 'eth_getTransactionReceipt', [last])
  return { header, transactions: wanted.map(executable), gasUsed }
}

async function fullBlock(remote: Remote, number: bigint) {
  return read(remote, await remote.ask(z.unknown(), 'eth_getBlockByNumber', [toQuantity(number), true]))
}

function placeOf(hash: Hash, transactions: readonly unknown[], { number }: SealedHeader): number {
  const index = transactions.findIndex((given) => named.parse(given).hash === hash)
  if (index < 0) throw new ChainError('not-found', `block ${number} has no transaction ${hash}`)
  return index
}

function read(remote: Remote, answer: unknown): { header: SealedHeader; transactions: readonly unknown[] } {
  const header = block.safeParse(answer)
  const body = full.safeParse(answer)
  if (header.success && body.success) return { header: header.data, transactions: body.data.transactions }
  throw new RemoteFailure(`${remote.name} answers eth_getBlockByNumber in another form`)
}

function executable(given: unknown): Transaction {
  const { hash, type: typeOrNull } = named.parse(given)
  const type = typeOrNull ?? 0n
  const refuse = (why: string) =>
    new ChainError('transaction-rejected', `transaction ${hash} cannot be executed here: ${why}`)
  if (type > MOST_TYPES) throw refuse(`only the forked chain knows its type ${toQuantity(type)}`)
  const parsed = transaction.safeParse(given)
  if (!parsed.success) throw refuse('it has another form')
  const { gasPrice, gas: gasLimit, input: data, v, yParity, r, s, from, ...rest } = parsed.data
  const fields = {
    ...rest,
    type: Number(type) as TransactionType,
    chainId: rest.chainId ?? undefined,
    to: rest.to ?? null,
    data,
    gasLimit,
    maxFeePerGas: rest.maxFeePerGas ?? gasPrice ?? 0n,
    maxPriorityFeePerGas: rest.maxPriorityFeePerGas ?? gasPrice ?? 0n,
    maxFeePerBlobGas: rest.maxFeePerBlobGas ?? 0n,
  }
  // A development chain's own, of an account without a key.
  if (r === 0n && s === 0n) return impersonatedTransaction(fields, from)
  const signed = decodeTransaction(encodeTransaction({ ...fields, v: (type === 0n ? v : (yParity ?? v)) ?? 0n, r, s }))
  if (signed.hash !== hash) throw refuse('its fields have another hash')
  return withSender(signed, from)
}
