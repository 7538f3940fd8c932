// Transactions that the node signs or sends itself: what the client left out is filled in, and the sends of one account
// run one after the other, so that each counts on from the nonce of the one before.
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { signTransaction, type TransactionFields } from '../primitives/transaction.ts'
import type { Transaction, TransactionType } from '../primitives/types.ts'
import type { Development, RpcContext } from './define.ts'
import { type CallObject, toCallRequest } from './shapes/call.ts'

type Sending = Pick<RpcContext, 'chain' | 'wallet' | 'development'>

/**
 * Fills, signs and pools a transaction of an account that the node holds or impersonates.
 * Throws `invalid-params`, `unknown-account`, and what estimating and pooling throw.
 */
export function sendTransaction(call: CallObject, context: Sending): Promise<Hash> {
  const from = senderOf(call)
  const { chain, wallet, development } = context
  if (wallet.has(from)) {
    return inTurn(chain, from, async () => chain.submit((await sign(call, from, context)).raw))
  }
  if (isImpersonated(from, development)) return sendUnsigned(call, context)
  throw new ChainError('unknown-account', 'unknown account')
}

/** Fills and pools a transaction of any account, without a signature (development). */
export function sendUnsigned(call: CallObject, { chain }: Pick<Sending, 'chain'>): Promise<Hash> {
  const from = senderOf(call)
  return inTurn(chain, from, async () => chain.submitUnsigned({ ...(await fill(call, from, chain)), from }))
}

/** Fills and signs a transaction of an account that the node holds. */
export function signedTransaction(call: CallObject, context: Sending): Promise<Transaction> {
  const from = senderOf(call)
  if (!context.wallet.has(from)) throw new ChainError('unknown-account', 'unknown account')
  return sign(call, from, context)
}

const sign = async (call: CallObject, from: Address, { chain, wallet }: Sending): Promise<Transaction> =>
  signTransaction(await fill(call, from, chain), wallet.privateKey(from))

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

/** The transaction with everything that was left out: nonce after the pool's, fees for the next blocks, exact gas. */
async function fill(call: CallObject, from: Address, chain: Chain): Promise<TransactionFields> {
  const { chainId } = chain.spec
  const request = toCallRequest({ ...call, from }, chainId)
  const { to = null, data = EMPTY_BYTES, authorizationList = [] } = request
  if (call.blobVersionedHashes || call.blobs) {
    throw new ChainError('invalid-params', 'blob transactions have to come signed, through eth_sendRawTransaction')
  }
  if (to === null && data.length === 0) {
    throw new ChainError('invalid-params', 'contract creation without any data provided')
  }
  // What is about to be mined may be what this transaction builds on.
  const ref = chain.pool.hasReady() ? 'pending' : 'latest'
  return {
    type: typeOf(call, chain),
    chainId,
    nonce: call.nonce ?? chain.pool.nextNonce(from),
    to,
    value: request.value ?? 0n,
    data,
    gasLimit: request.gas ?? (await chain.estimateGas(request, ref)),
    ...feesOf(call, chain),
    accessList: request.accessList ?? [],
    blobVersionedHashes: [],
    maxFeePerBlobGas: 0n,
    authorizationList,
  }
}

/** The type that was asked for, or the plainest that carries all fields; EIP-1559's where the chain has a base fee. */
function typeOf(call: CallObject, chain: Chain): TransactionType {
  if (call.authorizationList?.length) return 4
  switch (call.type ?? undefined) {
    case 0n:
      return 0
    case 1n:
      return 1
    case 2n:
      return 2
    case undefined:
      break
    default:
      throw new ChainError('invalid-params', 'transaction type not supported')
  }
  if (call.gasPrice == null && chain.fees.nextBaseFee() !== undefined) return 2
  return call.accessList ? 1 : 0
}

/** A fee cap of twice the base fee lets the transaction wait through some full blocks, as geth and wallets choose it. */
function feesOf(call: CallObject, chain: Chain): Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'> {
  const { fees } = chain
  const baseFee = fees.nextBaseFee()
  if (call.gasPrice != null || baseFee === undefined || (call.type != null && call.type < 2n)) {
    const gasPrice = call.gasPrice ?? fees.gasPrice()
    return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  const tip = call.maxPriorityFeePerGas ?? fees.maxPriorityFeePerGas()
  const maxFeePerGas = call.maxFeePerGas ?? tip + 2n * baseFee
  const capped = call.maxPriorityFeePerGas == null && tip > maxFeePerGas
  return { maxFeePerGas, maxPriorityFeePerGas: capped ? maxFeePerGas : tip }
}
