// Development: anvil_reorg, which replaces the newest blocks by others, as a network does when another branch wins.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { impersonatedTransaction, signTransaction } from '../../primitives/transaction.ts'
import type { SealedHeader, Transaction } from '../../primitives/types.ts'
import { transactionGasCap } from '../../spec/block-rules.ts'
import { forkAt } from '../../spec/forks.ts'
import { data, looseUint64, noResult } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { fillTransaction } from '../sends/fill-transaction.ts'
import { decodeGiven } from '../sends/given-transaction.ts'
import { isImpersonated } from '../sends/send-transaction.ts'
import { type CallObject, callObject } from '../shapes/call.ts'

/** Most blocks of one reorganisation: removing them takes half a second in which nothing else is answered. */
const MAX_DEPTH = 1_000n

const pairs = z.array(
  z.tuple([z.union([data, callObject], { error: 'expected a transaction' }), looseUint64], {
    error: 'expected a pair of a transaction and a position',
  }),
  { error: 'expected a list of pairs' },
)

export const anvil_reorg = rpcMethod({
  summary:
    'Replaces the newest `depth` blocks (at most 1,000) by as many others with the same times. Each given transaction, signed bytes or an object of an account that this node signs for or impersonates, is in the new block at its position, the first being 0. Transactions of the replaced blocks are gone, and so are changes of the state made after the oldest of them; those that cannot be executed are left out, as the log says.',
  params: [looseUint64, pairs.default([])],
  names: ['depth', 'transactions'],
  result: noResult,
  gate: 'development',
  async handler([depth, given], context, signal) {
    const { chain, log } = context
    const ancestor = await ancestorAt(depth, context)
    const transactions = await readTransactions(given, depth, ancestor, context, signal)
    for (const { block, refused } of await chain.reorganize(ancestor.number, transactions)) {
      for (const { transaction, reason } of refused)
        log.warn(`anvil_reorg: block ${block.header.number} is without ${transaction.hash}: ${reason.message}`)
    }
  },
})

/** The newest block that stays. Throws ChainError `invalid-params`, as anvil. */
async function ancestorAt(depth: bigint, { chain }: RpcContext): Promise<SealedHeader> {
  const { number: height } = chain.head
  const oldest = chain.forked?.at.number ?? chain.base
  if (depth === 0n) throw new ChainError('invalid-params', 'reorg depth must be at least 1')
  if (depth > MAX_DEPTH) throw new ChainError('limit-exceeded', `reorg depth must not exceed ${MAX_DEPTH}`)
  if (depth > height - oldest) {
    const most = chain.forked
      ? `blocks of the fork: ${height - oldest} blocks`
      : `chain height: current height ${height}`
    throw new ChainError('invalid-params', `Reorg depth must not exceed current ${most}, depth ${depth}`)
  }
  return (await chain.at({ number: height - depth })).header
}

/** The transactions by the number of their block, in the order of the request. */
async function readTransactions(
  given: z.output<typeof pairs>,
  depth: bigint,
  ancestor: SealedHeader,
  context: RpcContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, readonly Transaction[]>> {
  const late = given.find(([, position]) => position >= depth)?.[1]
  if (late !== undefined) {
    const words = `Block number ${late} must not exceed (depth-1) ${depth - 1n}`
    throw new ChainError('invalid-params', `Block number for reorg tx will exceed the reorged chain height. ${words}`)
  }
  const { chain } = context
  const { view } = await chain.at({ number: ancestor.number })
  const nonces = new Map<Address, bigint>()
  const blocks = new Map<bigint, Transaction[]>()
  const nonceOf = (from: Address) => nonces.get(from) ?? view.nonce(from)
  // Nothing can be estimated on a state that does not exist yet, so those of a block share its gas.
  const cap = transactionGasCap(chain.spec, forkAt(chain.spec, { ...ancestor, merged: ancestor.difficulty === 0n }))
  const gasAt = (position: bigint) => {
    const share = ancestor.gasLimit / BigInt(given.filter(([, at]) => at === position).length)
    return cap !== undefined && cap < share ? cap : share
  }
  // In the order of the blocks, because the nonces of a sender continue from one to the next.
  for (const [of, position] of given.toSorted(([, a], [, b]) => Number(a - b))) {
    const transaction =
      of instanceof Uint8Array
        ? decodeGiven(of).transaction
        : await makeTransaction(of, { ancestor, gas: gasAt(position), nonceOf }, context, signal)
    nonces.set(transaction.from, transaction.nonce + 1n)
    const number = ancestor.number + 1n + position
    blocks.set(number, [...(blocks.get(number) ?? []), transaction])
  }
  return blocks
}

/** What an object is filled with that says nothing else. */
type Place = {
  readonly ancestor: SealedHeader
  readonly gas: bigint
  readonly nonceOf: (from: Address) => bigint
}

/** Fills an object for the blocks after the ancestor. Throws as `fillTransaction`, and ChainError `unknown-account`. */
async function makeTransaction(
  call: CallObject,
  { ancestor, gas, nonceOf }: Place,
  context: RpcContext,
  signal: AbortSignal,
): Promise<Transaction> {
  const { wallet, development } = context
  const from = call.from ?? wallet.addresses()[0]
  if (from === undefined) throw new ChainError('unknown-account', 'unknown account')
  const fees = feesAfter(ancestor, call, context)
  const complete = { ...call, ...fees, from, gas: call.gas ?? gas, nonce: call.nonce ?? nonceOf(from) }
  const filled = await fillTransaction(complete, context, signal)
  if (wallet.has(from)) return signTransaction(filled, wallet.privateKey(from))
  if (isImpersonated(from, development)) return impersonatedTransaction(filled, from)
  throw new ChainError('unknown-account', 'unknown account')
}

/** The fees of an object that names none: those of today may be too low, because the base fee after the ancestor may be higher. */
function feesAfter({ baseFeePerGas: base }: SealedHeader, call: CallObject, { chain: { fees } }: RpcContext) {
  const isLegacy = call.gasPrice != null || (call.type != null && call.type < 2n)
  if (isLegacy || base === undefined || call.maxFeePerGas != null) return {}
  const next = fees.nextBaseFee() ?? 0n
  const tip = call.maxPriorityFeePerGas ?? fees.maxPriorityFeePerGas()
  return { maxFeePerGas: tip + 2n * (base > next ? base : next) }
}
