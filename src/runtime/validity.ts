// Checks whether a message may run in a block, on a state: the rules of EIP-1559, 2681, 3607, 3860, 4844, 7623, 7702, 7825. A
// violation is a Rejection with geth's message, which wallets match on, and with the rule's name.
import { delegationOf } from '../primitives/delegation.ts'
import { type GasBounds, gasBounds, maxInitCodeSize, upfrontCost } from '../primitives/gas.ts'
import { type BrokenRule, Rejection } from '../primitives/rejection.ts'
import { hasLowS } from '../primitives/transaction.ts'
import type { SignedTransaction, TransactionMessage } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'

/**
 * Which rules apply. `transaction`: all. `impersonated`: there is no signature, so the sender may be a contract (development).
 * `simulated`: as `impersonated`, and the gas limit may exceed the caps. `call`: as `simulated`; the nonce is not checked, and
 * fees only if they are given.
 */
export type MessageMode = 'transaction' | 'impersonated' | 'simulated' | 'call'

const MAX_NONCE = (1n << 64n) - 1n

/** Checks the fields of a signed transaction that a call lacks: type, chain id, low s (EIP-2). Throws Rejection. */
export function checkEnvelope(env: BlockEnv, chainId: bigint, transaction: SignedTransaction): void {
  const { rules } = env
  const known = [true, rules.berlin, rules.london, rules.cancun, rules.prague][transaction.type]
  if (known !== true) reject('transaction type not supported')
  if (transaction.chainId !== undefined && transaction.chainId !== chainId) {
    reject(`invalid chain id for signer: have ${transaction.chainId} want ${chainId}`)
  }
  if (transaction.type === 0 && transaction.chainId !== undefined && !rules.spuriousDragon) {
    reject('invalid sender')
  }
  if (rules.homestead && !hasLowS(transaction)) reject('invalid transaction v, r, s values')
}

/**
 * Checks a message against block and state before it runs. `lockedBalance`: wei that the sender may not spend (vesting).
 * Changes nothing. Throws Rejection; returns the intrinsic gas and the calldata floor (EIP-7623).
 */
export function checkMessage(
  view: StateView,
  env: BlockEnv,
  message: TransactionMessage,
  mode: MessageMode,
  lockedBalance: bigint,
): GasBounds {
  checkSender(view, env, message, mode)
  checkFees(env, message, mode)
  checkBlobs(env, message, mode)
  if (message.authorizationList.length > 0 && !env.rules.prague) reject('transaction type not supported')
  if (message.authorizationList.length > 0 && message.to === null) reject('set code transaction of type create')
  const cost = upfrontCost(message)
  const balance = view.balance(message.from)
  if (balance < cost) {
    reject(
      `insufficient funds for gas * price + value: address ${message.from} have ${balance} want ${cost}`,
      'insufficient-funds',
    )
  }
  if (lockedBalance > 0n && cost > 0n && balance - lockedBalance < cost) {
    const why = 'clawback vesting account has insufficient unlocked tokens to execute transaction'
    reject(`${why}: insufficient unlocked coins error`, 'insufficient-funds')
  }
  const bounds = gasBounds(message, env.rules)
  const { intrinsic, floor } = bounds
  if (message.gasLimit < intrinsic) {
    reject(`intrinsic gas too low: have ${message.gasLimit}, want ${intrinsic}`, 'intrinsic-gas')
  }
  if (message.gasLimit < floor) {
    reject(`insufficient gas for floor data gas cost: have ${message.gasLimit}, want ${floor}`, 'intrinsic-gas')
  }
  const { executionGasCap: most } = env
  if (most !== undefined && (intrinsic > most || floor > most)) {
    reject(`insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor: ${floor}`, 'intrinsic-gas')
  }
  const longest = maxInitCodeSize(env.rules)
  if (message.to === null && message.data.length > longest) {
    reject(`max initcode size exceeded: code size ${message.data.length} limit ${longest}`, 'initcode-size')
  }
  return bounds
}

function checkSender(view: StateView, env: BlockEnv, message: TransactionMessage, mode: MessageMode): void {
  const { from } = message
  const nonce = view.nonce(from)
  const nonces = () => `address ${from}, tx: ${message.nonce} state: ${nonce}`
  if (mode !== 'call' && message.nonce < nonce) reject(`nonce too low: ${nonces()}`, 'nonce-too-low')
  if (mode !== 'call' && message.nonce > nonce) reject(`nonce too high: ${nonces()}`, 'nonce-too-high')
  // A call at the maximum nonce may wrap to 0, but a creation has no address for its contract.
  if (nonce >= MAX_NONCE && (mode !== 'call' || message.to === null)) {
    reject(`nonce has max value: address ${from}, nonce: ${nonce}`)
  }
  if (mode === 'call' || mode === 'simulated') return
  const code = view.code(from)
  if (mode !== 'impersonated' && code.length > 0 && delegationOf(code) === undefined) {
    reject(`sender not an eoa: address ${from}, len(code): ${code.length}`)
  }
  const { transactionGasCap: cap } = env
  if (cap !== undefined && message.gasLimit > cap) {
    reject(`transaction gas limit too high (cap: ${cap}, tx: ${message.gasLimit})`)
  }
  if (message.gasLimit > env.gasLimit) reject(`exceeds block gas limit`)
}

function checkFees(env: BlockEnv, message: TransactionMessage, mode: MessageMode): void {
  const { maxFeePerGas, maxPriorityFeePerGas, from } = message
  if (maxPriorityFeePerGas > maxFeePerGas) {
    reject(
      `max priority fee per gas higher than max fee per gas: address ${from}, maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
      'tip-above-fee',
    )
  }
  if (mode === 'call' && maxFeePerGas === 0n) return
  if (env.baseFeePerGas !== undefined && maxFeePerGas < env.baseFeePerGas) {
    reject(
      `max fee per gas less than block base fee: address ${from}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${env.baseFeePerGas}`,
      'fee-below-base-fee',
    )
  }
}

function checkBlobs(env: BlockEnv, message: TransactionMessage, mode: MessageMode): void {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas } = message
  if (hashes.length === 0) return
  if (env.blobs === undefined || env.blobBaseFee === undefined) reject('transaction type not supported')
  if (message.to === null) reject('blob transaction of type create')
  // EIP-7594 caps the blobs of one transaction at six from Osaka on.
  if (env.rules.osaka && hashes.length > 6) reject('blob transaction has too many blobs')
  const { max } = env.blobs
  if (BigInt(hashes.length) > max) reject(`too many blobs in transaction (have ${hashes.length}, max ${max})`)
  for (const hash of hashes) if (!hash.startsWith('0x01')) reject('blob has invalid hash version')
  if (mode === 'call' && maxFeePerBlobGas === 0n) return
  if (maxFeePerBlobGas < env.blobBaseFee) {
    reject(
      `max fee per blob gas less than block blob gas fee: address ${message.from} blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${env.blobBaseFee}`,
    )
  }
}

function reject(message: string, rule: BrokenRule = 'other'): never {
  throw new Rejection(message, rule)
}
