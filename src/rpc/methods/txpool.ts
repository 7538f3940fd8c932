// The transactions of the pool in geth's shapes: by sender (with checksum) and nonce (decimal).
import { getAddress } from 'viem'
import { type Address, type Hex, toQuantity } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import { address } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { wireTransaction } from '../shapes/transaction.ts'

type BySender = ReadonlyMap<Address, readonly Transaction[]>
type Content = { readonly pending: BySender; readonly queued: BySender }

const inFull = (transaction: Transaction) => wireTransaction(transaction, undefined)

const byNonce = <T>(transactions: readonly Transaction[], form: (transaction: Transaction) => T) =>
  Object.fromEntries(transactions.map((transaction) => [transaction.nonce.toString(), form(transaction)]))

const bySender = <T>(senders: BySender, form: (transaction: Transaction) => T) =>
  Object.fromEntries([...senders].map(([sender, transactions]) => [getAddress(sender), byNonce(transactions, form)]))

/** A transaction in geth's format: `0xTo: 1 wei + 21000 gas × 1000000000 wei`. */
function line({ to, value, gasLimit, maxFeePerGas }: Transaction): string {
  return `${to === null ? 'contract creation' : getAddress(to)}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`
}

export const txpool_content = rpcMethod({
  summary:
    'All transactions of the pool by sender and nonce: pending ones are executable, queued ones wait for an earlier nonce.',
  params: [],
  result: ({ pending, queued }: Content) => ({ pending: bySender(pending, inFull), queued: bySender(queued, inFull) }),
  heavy: true,
  handler: (_, { chain }) => chain.pool.content(),
})

export const txpool_contentFrom = rpcMethod({
  summary: 'The transactions of one sender in the pool, by nonce.',
  params: [address],
  names: ['address'],
  result: (content: Readonly<Record<'pending' | 'queued', readonly Transaction[]>>) => ({
    pending: byNonce(content.pending, inFull),
    queued: byNonce(content.queued, inFull),
  }),
  handler([sender], { chain }) {
    const { pending, queued } = chain.pool.content()
    return { pending: pending.get(sender) ?? [], queued: queued.get(sender) ?? [] }
  },
})

export const txpool_inspect = rpcMethod({
  summary: 'All transactions of the pool by sender and nonce, one line each.',
  params: [],
  result: ({ pending, queued }: Content) => ({ pending: bySender(pending, line), queued: bySender(queued, line) }),
  heavy: true,
  handler: (_, { chain }) => chain.pool.content(),
})

export const txpool_status = rpcMethod({
  summary: 'The numbers of pending and queued transactions.',
  params: [],
  result: (counts: { pending: number; queued: number }): Readonly<Record<'pending' | 'queued', Hex>> => ({
    pending: toQuantity(counts.pending),
    queued: toQuantity(counts.queued),
  }),
  handler(_, { chain }) {
    const { pending, queued } = chain.pool.content()
    return { pending: count(pending), queued: count(queued) }
  },
})

const count = (senders: BySender) => [...senders.values()].reduce((sum, transactions) => sum + transactions.length, 0)
