// Executes one message: buys its gas, runs it, refunds gas and pays fees. Transactions and simulated calls share this code. All
// of it is consensus-relevant; the order of the steps is that of the Yellow Paper (section 6) and the EIPs named.
import { failureOf, isRevert } from '../evm/failure.ts'
import { forkGas } from '../evm/gas/fork-gas.ts'
import { GasBudget } from '../evm/gas/state-gas.ts'
import type { Machine } from '../evm/machine.ts'
import { type Result, resultWithoutCode } from '../evm/result.ts'
import { type Address, EMPTY_BYTES, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { createAddress } from '../primitives/create-address.ts'
import { delegationOf, delegationTo } from '../primitives/delegation.ts'
import { effectiveGasPrice, GAS_PER_BLOB, upfrontCost } from '../primitives/gas.ts'
import { recoverAuthority } from '../primitives/transaction.ts'
import type { AccessList, Authorization, Log, TransactionMessage } from '../primitives/types.ts'
import { isEmpty } from '../state/accounts.ts'
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
  const budget = budgetOf(env, message, intrinsic)
  const running = env.rules.amsterdam
    ? runWithin(machine, env, chainId, message, gasPrice, budget)
    : run(machine, env, message, gasPrice, budget, applyAuthorizations(machine, env, chainId, message))
  return andThen(running, (result) => {
    const gasBeforeRefund = message.gasLimit - budget.left
    const stateGas = env.rules.amsterdam ? budget.used : 0n
    const executionGas = gasBeforeRefund - stateGas
    const gasUsed = settleGas(env, floor, gasBeforeRefund, result.refund)
    view.addBalance(message.from, (message.gasLimit - gasUsed) * gasPrice)
    payFees(machine, env, fees, gasUsed, gasPrice, blobFee)
    destroy(machine, env, result)
    const accessed = machine.accessJournal.accessList
    // EIP-161: deletes touched accounts that are empty.
    machine.accessJournal.clear()
    return {
      gasUsed,
      executionGas: env.rules.amsterdam ? (executionGas > floor ? executionGas : floor) : gasUsed,
      stateGas,
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

/** Gas for the frames of a message: what is above the cap of execution gas is the reservoir of state gas (EIP-8037). */
function budgetOf({ executionGasCap: cap }: BlockEnv, { gasLimit }: TransactionMessage, intrinsic: bigint): GasBudget {
  const gas = cap !== undefined && gasLimit > cap ? cap : gasLimit
  return new GasBudget(gas - intrinsic, gasLimit - gas)
}

/** Runs the message's first frame with the whole budget. `refund`: of the transaction before that frame. */
function run(
  machine: Machine,
  env: BlockEnv,
  message: TransactionMessage,
  gasPrice: bigint,
  budget: GasBudget,
  refund = 0n,
): MaybePromise<Result> {
  const running = machine.run({
    from: message.from,
    to: message.to,
    value: message.value,
    data: message.data,
    gasLimit: budget.gas,
    reservoir: budget.reservoir,
    gasPrice,
    blobVersionedHashes: message.blobVersionedHashes,
    isStatic: false,
    refund,
    block: env,
  })
  return andThen(running, (result) => {
    budget.take(budget.gas - result.gasUsed, result.stateGas)
    return result
  })
}

/**
 * The same from Amsterdam on (EIP-2780, EIP-8037): what authorizations, recipient and a new account cost depends on the state and is
 * charged here. If there is too little gas, the message fails before its first frame.
 */
function runWithin(
  machine: Machine,
  env: BlockEnv,
  chainId: bigint,
  message: TransactionMessage,
  gasPrice: bigint,
  budget: GasBudget,
): MaybePromise<Result> {
  const { view, accessJournal, stateAccesses } = machine
  const { from, to, value, nonce } = message
  const accountGas = BigInt(forkGas(env.rules).state.account)
  stateAccesses?.account(from)
  accessJournal.checkpoint()
  let isPaid = authorize(machine, env, chainId, message, budget)
  let isNew = false
  if (isPaid) {
    const target = to ?? createAddress(from, nonce)
    stateAccesses?.account(target)
    isNew = isEmpty(view.account(target)) && (to === null || value > 0n)
    isPaid = (!isNew || budget.charge(0n, accountGas)) && (to === null || chargeDelegate(machine, env, to, budget))
  }
  if (!isPaid) {
    accessJournal.revert()
    return failBeforeFrame(machine, message, budget)
  }
  accessJournal.commit()
  return andThen(run(machine, env, message, gasPrice, budget), (result) => {
    if (result.failure === undefined) return result
    if (isNew) budget.refund(accountGas)
    if (!isRevert(result.failure)) budget.gas = 0n
    return result
  })
}

/** Charges for the access to the account that the recipient's code is delegated to. Returns false if there is too little gas. */
function chargeDelegate(machine: Machine, env: BlockEnv, to: Address, budget: GasBudget): boolean {
  const delegate = delegationOf(machine.view.code(to))
  if (delegate === undefined) return true
  const { warm, cold } = forkGas(env.rules)
  if (!budget.charge(BigInt(machine.accessJournal.isWarm(delegate) ? warm : cold), 0n)) return false
  machine.accessJournal.addAlwaysWarm(delegate)
  machine.stateAccesses?.account(delegate)
  return true
}

/** The frame that tracers see when there was not enough gas to begin it. */
function failBeforeFrame(
  machine: Machine,
  { from, to, value, data, nonce }: TransactionMessage,
  budget: GasBudget,
): Result {
  const { gas } = budget
  budget.halt()
  machine.messageBegan(() => ({ type: to === null ? 'CREATE' : 'CALL', from, to, value, gas, input: data, depth: 0 }))
  const result: Result = {
    ...resultWithoutCode(0n, failureOf('out of gas')),
    gasUsed: gas,
    createdAddress: to === null ? createAddress(from, nonce) : undefined,
  }
  machine.messageEnded(result, undefined)
  return result
}

const accessListOf = (accessed: ReadonlyMap<string, ReadonlySet<string>>): AccessList =>
  [...accessed].map(([address, keys]) => ({
    address: `0x${address}` as Address,
    storageKeys: [...keys].map((key) => `0x${key}` as Hash),
  }))

/** EIP-1559's effective gas price. A call that names no fee pays none, even if there is a base fee. */
function priceOf(env: BlockEnv, message: TransactionMessage, mode: MessageMode): bigint {
  if (mode === 'call' && message.maxFeePerGas === 0n) return 0n
  return effectiveGasPrice(message, env.baseFeePerGas)
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
function applyAuthorizations(machine: Machine, env: BlockEnv, chainId: bigint, message: TransactionMessage): bigint {
  let refund = 0n
  if (!env.rules.prague) return refund
  for (const authorization of message.authorizationList) {
    const authority = validAuthority(machine, chainId, authorization)
    if (authority === undefined) continue
    if (machine.view.account(authority) !== undefined) refund += AUTHORIZATION_REFUND
    delegate(machine, authority, authorization)
  }
  return refund
}

/** EIP-8037: execution gas of the first write to an account that the intrinsic gas has not paid for. */
const ACCOUNT_WRITE = 9_000n

/**
 * The same from Amsterdam on, for what the accounts cost (EIP-2780, EIP-8037); the sender's write, and that of a recipient with value,
 * are paid already. Returns false if there is too little gas.
 */
function authorize(
  machine: Machine,
  env: BlockEnv,
  chainId: bigint,
  message: TransactionMessage,
  budget: GasBudget,
): boolean {
  const { view } = machine
  const { state } = forkGas(env.rules)
  const written = new Set(message.value > 0n && message.to !== null ? [message.from, message.to] : [message.from])
  const delegated = new Set<Address>()
  for (const authorization of message.authorizationList) {
    const authority = validAuthority(machine, chainId, authorization)
    if (authority === undefined) continue
    if (delegationOf(view.code(authority)) !== undefined) delegated.add(authority)
    const writes = written.has(authority) ? 0n : ACCOUNT_WRITE
    const delegates = !clears(authorization) && !delegated.has(authority)
    const grows = (isEmpty(view.account(authority)) ? state.account : 0) + (delegates ? state.delegation : 0)
    if (!budget.charge(writes, BigInt(grows))) return false
    written.add(authority)
    if (delegates) delegated.add(authority)
    delegate(machine, authority, authorization)
  }
  return true
}

/** The account that has signed, if the authorization is valid for it. It becomes warm even if its code or nonce do not fit. */
function validAuthority(machine: Machine, chainId: bigint, authorization: Authorization): Address | undefined {
  const { view } = machine
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return undefined
  if (authorization.nonce >= MAX_NONCE) return undefined
  const authority = recoverAuthority(authorization)
  if (authority === undefined) return undefined
  machine.accessJournal.addAlwaysWarm(authority)
  machine.stateAccesses?.account(authority)
  const code = view.code(authority)
  if (code.length > 0 && delegationOf(code) === undefined) return undefined
  return view.nonce(authority) === authorization.nonce ? authority : undefined
}

const clears = ({ address }: Authorization): boolean => address === ZERO_ADDRESS

function delegate(machine: Machine, authority: Address, authorization: Authorization): void {
  machine.view.setCode(authority, clears(authorization) ? EMPTY_BYTES : delegationTo(authorization.address))
  machine.view.setNonce(authority, authorization.nonce + 1n)
  machine.touch(authority)
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
  machine.stateAccesses?.account(to)
}

/**
 * Deletes the accounts that SELFDESTRUCT named: all before Cancun, later only those created by this message (EIP-6780). From
 * Amsterdam on they keep their balance (EIP-8246).
 */
function destroy({ view }: Machine, { rules }: BlockEnv, { destroyed, created }: Result): void {
  for (const address of destroyed.keys()) {
    if (rules.cancun && !created.has(address)) continue
    const balance = rules.amsterdam ? view.balance(address) : 0n
    view.deleteAccount(address)
    if (balance > 0n) view.setBalance(address, balance)
  }
}

/** The address that a creation would give its contract, whether or not it succeeds; null for a call. */
export function createdContract(message: Pick<TransactionMessage, 'to' | 'from' | 'nonce'>): Address | null {
  if (message.to !== null) return null
  return createAddress(message.from, message.nonce)
}
