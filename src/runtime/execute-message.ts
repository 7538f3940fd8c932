// Executes one message: buys its gas, runs it, refunds gas and pays fees. Transactions and simulated calls share this code. All
// of it is consensus-relevant; the order of the steps is that of the Yellow Paper (section 6) and the EIPs named.
import type { Machine } from '../evm/machine.ts'
import type { Result } from '../evm/result.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { createAddress } from '../primitives/create-address.ts'
import { delegationOf, delegationTo } from '../primitives/delegation.ts'
import { effectiveTip, GAS_PER_BLOB, upfrontCost } from '../primitives/gas.ts'
import { recoverAuthority } from '../primitives/transaction.ts'
import type { AccessList, Log, TransactionMessage } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'
import { checkMessage, type MessageMode } from './validity.ts'

/** Who receives fees. Without a collector, as on Ethereum, the coinbase gets the tip and the base fee is burnt. */
export type FeePolicy = { readonly collector: Address | undefined }

/** The account that receives the tips of a block. */
export const feeRecipientOf = ({ collector }: FeePolicy, { coinbase }: BlockEnv): Address => collector ?? coinbase

export type MessageResult = {
  readonly gasUsed: bigint
  /** The two dimensions of the block's gas (EIP-8037). Before Amsterdam all gas is execution gas. */
  readonly executionGas: bigint
  readonly stateGas: bigint
  /** Gas used before refunds, a first guess of the smallest sufficient gas limit. */
  readonly gasBeforeRefund: bigint
  readonly gasPrice: bigint
  readonly blobGasUsed: bigint
  readonly returnData: Uint8Array
  readonly logs: readonly Log[]
  /** geth's words; undefined on success. */
  readonly error: string | undefined
  readonly createdAddress: Address | undefined
  /** Addresses and slots that were accessed, when the machine reports them. */
  readonly accessed: AccessList
}

/** EIP-3529: at most a fifth of the gas used is refunded; before London half. */
const refundQuotient = (env: BlockEnv): bigint => (env.rules.london ? 5n : 2n)
/** Gas refunded for each valid authorization whose account exists already (EIP-7702: PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST). */
const AUTHORIZATION_REFUND = 25_000n - 12_500n
const MAX_NONCE = (1n << 64n) - 1n

/**
 * Runs a message on the machine's view. Throws ChainError `transaction-rejected`, without a change, if the message is not
 * valid; a failure inside the EVM is a result.
 */
export function executeMessage(
  machine: Machine,
  env: BlockEnv,
  chainId: bigint,
  message: TransactionMessage,
  mode: MessageMode,
  fees: FeePolicy,
): MaybePromise<MessageResult> {
  const { view } = machine
  // A locked balance does not stop a message that costs nothing, so it need not be read.
  const lockedBalance = upfrontCost(message) === 0n ? 0n : machine.lockedBalance(message.from)
  const { intrinsic, floor } = checkMessage(view, env, message, mode, lockedBalance)
  const gasPrice = priceOf(env, message, mode)
  const blobGasUsed = BigInt(message.blobVersionedHashes.length) * GAS_PER_BLOB
  const blobFee = mode === 'call' && message.maxFeePerBlobGas === 0n ? 0n : blobGasUsed * (env.blobBaseFee ?? 0n)

  view.beginTransaction()
  machine.accessJournal.clear()
  machine.transient.clear()
  if (machine.reportsAccess) machine.accessJournal.startReporting()
  initAccessed(machine, env, message)
  view.addBalance(message.from, -(message.gasLimit * gasPrice + blobFee))
  view.setNonce(message.from, BigInt.asUintN(64, view.nonce(message.from) + 1n))
  machine.touch(message.from)
  const refund = env.rules.prague ? applyAuthorizations(machine, view, chainId, message) : 0n

  const running = machine.run({
    from: message.from,
    to: message.to,
    value: message.value,
    data: message.data,
    gasLimit: message.gasLimit - intrinsic,
    gasPrice,
    blobVersionedHashes: message.blobVersionedHashes,
    isStatic: false,
    refund,
    block: env,
  })
  return andThen(running, (result) => {
    const gasBeforeRefund = intrinsic + result.gasUsed
    const gasUsed = settleGas(env, floor, gasBeforeRefund, result.refund)
    view.addBalance(message.from, (message.gasLimit - gasUsed) * gasPrice)
    payFees(machine, env, fees, gasUsed, gasPrice, blobFee)
    destroy(machine, env, result)
    const accessed = machine.accessJournal.accessList
    // EIP-161: deletes touched accounts that are empty.
    machine.accessJournal.clear()
    return {
      gasUsed,
      executionGas: gasUsed,
      stateGas: 0n,
      gasBeforeRefund,
      gasPrice,
      blobGasUsed,
      returnData: result.output,
      logs: result.logs,
      error: result.failure?.message,
      createdAddress: result.createdAddress,
      accessed: accessed === undefined ? [] : accessListOf(accessed),
    }
  })
}

const accessListOf = (accessed: ReadonlyMap<string, ReadonlySet<string>>): AccessList =>
  [...accessed].map(([address, keys]) => ({
    address: `0x${address}` as Address,
    storageKeys: [...keys].map((key) => `0x${key}` as Hash),
  }))

/** EIP-1559's effective gas price. A call that names no fee pays none, even if there is a base fee. */
function priceOf(env: BlockEnv, message: TransactionMessage, mode: MessageMode): bigint {
  if (mode === 'call' && message.maxFeePerGas === 0n) return 0n
  const baseFee = env.baseFeePerGas ?? 0n
  return baseFee + effectiveTip(message, baseFee)
}

/** Fills the accessed addresses and slots before the first opcode (EIP-2929, EIP-2930, EIP-3651). */
function initAccessed(machine: Machine, env: BlockEnv, message: TransactionMessage): void {
  if (!env.rules.berlin) return
  const { accessJournal: accessed } = machine
  accessed.setAlwaysWarm(machine.precompileAddresses)
  accessed.addAlwaysWarm(message.from)
  if (message.to !== null) accessed.addAlwaysWarm(message.to)
  if (env.rules.shanghai) accessed.addAlwaysWarm(env.coinbase)
  for (const { address, storageKeys } of message.accessList) accessed.addListed(address, storageKeys)
}

/** Applies the EIP-7702 authorizations that are valid; returns the refund for accounts that existed. */
function applyAuthorizations(machine: Machine, view: StateView, chainId: bigint, message: TransactionMessage): bigint {
  let refund = 0n
  for (const authorization of message.authorizationList) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_NONCE) continue
    const authority = recoverAuthority(authorization)
    if (authority === undefined) continue
    machine.accessJournal.addAlwaysWarm(authority)
    const code = view.code(authority)
    if (code.length > 0 && delegationOf(code) === undefined) continue
    if (view.nonce(authority) !== authorization.nonce) continue
    if (view.account(authority) !== undefined) refund += AUTHORIZATION_REFUND
    const clears = /^0x0+$/.test(authorization.address)
    view.setCode(authority, clears ? EMPTY_BYTES : delegationTo(authorization.address))
    view.setNonce(authority, authorization.nonce + 1n)
    machine.touch(authority)
  }
  return refund
}

/** Refunds up to their cap (EIP-3529), but never below the calldata floor (EIP-7623). */
function settleGas(env: BlockEnv, floor: bigint, used: bigint, refund: bigint): bigint {
  const cap = used / refundQuotient(env)
  const settled = used - (refund < cap ? refund : cap)
  return settled > floor ? settled : floor
}

function payFees(
  machine: Machine,
  env: BlockEnv,
  { collector }: FeePolicy,
  gasUsed: bigint,
  gasPrice: bigint,
  blobFee: bigint,
): void {
  const baseFee = env.baseFeePerGas ?? 0n
  // A call without fees pays no base fee either.
  const tip = gasPrice > baseFee ? gasPrice - baseFee : 0n
  const [to, amount] =
    collector === undefined ? [env.coinbase, tip * gasUsed] : [collector, gasPrice * gasUsed + blobFee]
  machine.view.addBalance(to, amount)
  machine.touch(to)
}

/** Deletes the accounts that SELFDESTRUCT named: all before Cancun, later only those created by this message (EIP-6780). */
function destroy(machine: Machine, env: BlockEnv, { destroyed, created }: Result): void {
  for (const address of destroyed.keys()) {
    if (env.rules.cancun && !created.has(address)) continue
    machine.view.deleteAccount(address)
  }
}

/** The address that a creation would give its contract, whether or not it succeeds; null for a call. */
export function createdContract(message: Pick<TransactionMessage, 'to' | 'from' | 'nonce'>): Address | null {
  if (message.to !== null) return null
  return createAddress(message.from, message.nonce)
}
