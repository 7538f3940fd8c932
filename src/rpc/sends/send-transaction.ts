// Transactions that this node signs, or sends without a signature: eth_sendTransaction and its variants. Sends of one account
// run one after the other, so that their nonces are consecutive.
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { signTransaction } from '../../primitives/transaction.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { DevelopmentState, RpcContext } from '../define.ts'
import type { CallObject } from '../shapes/call.ts'
import { fillTransaction } from './fill-transaction.ts'
import { requireSuccess } from './hardhat-client.ts'

/**
 * Fills, signs and pools a transaction of an account that the node holds or impersonates. Returns like `answerWhenMined`.
 * Throws `invalid-params`, `unknown-account`, and the errors of estimating and pooling.
 */
export async function sendTransaction(call: CallObject, context: RpcContext, signal: AbortSignal): Promise<Hash> {
  const from = senderOf(call)
  const { chain, wallet, development, sendLocks } = context
  if (wallet.has(from)) {
    const hash = await sendLocks.run(from, async () => chain.submit((await sign(call, from, context, signal)).raw))
    return answerWhenMined(hash, context, signal)
  }
  if (isImpersonated(from, development)) return sendUnsigned(call, context, signal)
  throw new ChainError('unknown-account', 'unknown account')
}

/** Fills and pools a transaction of any account, without a signature (development); otherwise like `sendTransaction`. */
export async function sendUnsigned(call: CallObject, context: RpcContext, signal: AbortSignal): Promise<Hash> {
  const { chain, sendLocks } = context
  const from = senderOf(call)
  const hash = await sendLocks.run(from, async () => chain.submitUnsigned(await fillTransaction(call, context, signal)))
  return answerWhenMined(hash, context, signal)
}

/**
 * The hash of a pooled transaction, as soon as its sender may be answered. With automine that is when a block includes it:
 * clients look for the receipt as soon as they have the hash. For Hardhat's client it throws like `requireSuccess`.
 */
export async function answerWhenMined(hash: Hash, context: RpcContext, signal: AbortSignal): Promise<Hash> {
  await context.settled(hash)
  if (context.reportsFailedSends) await requireSuccess(hash, context, signal)
  return hash
}

/** Fills and signs a transaction of an account that the node holds; does not send it. */
export async function fillAndSign(call: CallObject, context: RpcContext, signal: AbortSignal): Promise<Transaction> {
  const from = senderOf(call)
  if (!context.wallet.has(from)) throw new ChainError('unknown-account', 'unknown account')
  return sign(call, from, context, signal)
}

const sign = async (call: CallObject, from: Address, context: RpcContext, signal: AbortSignal): Promise<Transaction> =>
  signTransaction(await fillTransaction(call, context, signal), context.wallet.privateKey(from))

/** Whether an account sends without its key. */
export const isImpersonated = (address: Address, { autoImpersonate, impersonated }: DevelopmentState): boolean =>
  autoImpersonate || impersonated.has(address)

function senderOf({ from }: CallObject): Address {
  if (!from) throw new ChainError('invalid-params', 'missing "from"')
  return from
}
