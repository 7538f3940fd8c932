// Transactions that the node signs or sends itself. The sends of one account run one after the other, so that each
// counts on from the nonce of the one before.
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { signTransaction } from '../primitives/transaction.ts'
import type { Transaction } from '../primitives/types.ts'
import type { Development, RpcContext } from './define.ts'
import { fillTransaction } from './fill.ts'
import { requireSuccess } from './hardhat.ts'
import type { CallObject } from './shapes/call.ts'

type Signing = Pick<RpcContext, 'chain' | 'producer' | 'wallet' | 'queue'>

/**
 * Fills, signs and pools a transaction of an account that the node holds or impersonates. When a block is made for it
 * at once, that is awaited: who has the hash finds the receipt.
 * Throws `invalid-params`, `unknown-account`, and what estimating and pooling throw.
 */
export async function sendTransaction(call: CallObject, context: RpcContext, caller: AbortSignal): Promise<Hash> {
  const from = senderOf(call)
  const { chain, wallet, development } = context
  if (wallet.has(from)) {
    const hash = await inTurn(chain, from, async () => chain.submit((await sign(call, from, context, caller)).raw))
    return answered(hash, context, caller)
  }
  if (isImpersonated(from, development)) return sendUnsigned(call, context, caller)
  throw new ChainError('unknown-account', 'unknown account')
}

/** Fills and pools a transaction of any account, without a signature (development); else as `sendTransaction`. */
export async function sendUnsigned(call: CallObject, context: RpcContext, caller: AbortSignal): Promise<Hash> {
  const { chain } = context
  const from = senderOf(call)
  const hash = await inTurn(chain, from, async () => chain.submitUnsigned(await fillTransaction(call, context, caller)))
  return answered(hash, context, caller)
}

/**
 * The hash of a transaction that the pool has taken, when its sender may be answered: while blocks are made at once, a client
 * that has the hash finds the receipt. Throws as `requireSuccess` where the client expects it.
 */
export async function answered(hash: Hash, context: RpcContext, caller: AbortSignal): Promise<Hash> {
  await context.settled(hash)
  if (context.tellsFailures) await requireSuccess(hash, context, caller)
  return hash
}

/** Fills and signs a transaction of an account that the node holds. */
export async function signedTransaction(call: CallObject, context: Signing, caller: AbortSignal): Promise<Transaction> {
  const from = senderOf(call)
  if (!context.wallet.has(from)) throw new ChainError('unknown-account', 'unknown account')
  return sign(call, from, context, caller)
}

const sign = async (call: CallObject, from: Address, context: Signing, caller: AbortSignal): Promise<Transaction> =>
  signTransaction(await fillTransaction(call, context, caller), context.wallet.privateKey(from))

const isImpersonated = (address: Address, { autoImpersonate, impersonated }: Development): boolean =>
  autoImpersonate || impersonated.has(address)

function senderOf({ from }: CallObject): Address {
  if (!from) throw new ChainError('invalid-params', 'missing "from"')
  return from
}

const turns = new WeakMap<Chain, Map<Address, Mutex>>()

function inTurn<T>(chain: Chain, from: Address, task: () => Promise<T>): Promise<T> {
  const senders = turns.get(chain) ?? new Map<Address, Mutex>()
  turns.set(chain, senders)
  const turn = senders.get(from) ?? new Mutex()
  senders.set(from, turn)
  return turn.run(task)
}
