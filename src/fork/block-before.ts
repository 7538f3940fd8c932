// The transactions of a block of the forked chain, up to one of them, to be executed here: a fork may begin in the middle of a block.
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toQuantity } from '../lib/hex.ts'
import { decodeTransaction, encodeTransaction, impersonatedTransaction, withSender } from '../primitives/transaction.ts'
import type { SealedHeader, Transaction } from '../primitives/types.ts'
import type { Remote } from './remote.ts'
import { block, hash, quantity, transaction } from './wire.ts'

/** A block of the forked chain with its transactions before one of them. */
export type BlockBefore = { readonly header: SealedHeader; readonly transactions: readonly Transaction[] }

const MOST_TYPES = 4n
const full = block.and(z.object({ transactions: z.array(z.unknown()) }))
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
  const { transactions, ...header } = await remote.ask(full, 'eth_getBlockByNumber', [toQuantity(number), true])
  return { header, transactions }
}

function placeOf(hash: Hash, transactions: readonly unknown[], { number }: SealedHeader): number {
  const index = transactions.findIndex((given) => named.parse(given).hash === hash)
  if (index < 0) throw new ChainError('not-found', `block ${number} has no transaction ${hash}`)
  return index
}

/** A transaction of a block as JSON-RPC has it. Throws ChainError `transaction-rejected`: its type or form is not of Ethereum. */
export function executable(given: unknown): Transaction {
  const { hash, type: typeOrNull } = named.parse(given)
  const type = typeOrNull ?? 0n
  const refuse = (why: string) =>
    new ChainError('transaction-rejected', `transaction ${hash} cannot be executed here: ${why}`)
  if (type > MOST_TYPES) throw refuse(`only the forked chain knows its type ${toQuantity(type)}`)
  const parsed = transaction.safeParse(given)
  if (!parsed.success) throw refuse('it has another form')
  const { from, ...fields } = parsed.data
  // A development chain's own, of an account without a key.
  if (fields.r === 0n && fields.s === 0n) return impersonatedTransaction(fields, from)
  const signed = decodeTransaction(encodeTransaction(fields))
  if (signed.hash !== hash) throw refuse('its fields have another hash')
  return withSender(signed, from)
}
