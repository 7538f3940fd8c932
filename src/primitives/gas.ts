// Intrinsic gas of a message, and the maximum that its sender can be charged.
// Pure functions, shared by the pool's admission and by execution, so that the two never disagree.
import type { Address } from '../lib/hex.ts'
import type { TransactionMessage } from './types.ts'

/** Which of the forks that changed intrinsic gas are active. */
export type GasForks = {
  readonly homestead: boolean
  readonly istanbul: boolean
  readonly berlin: boolean
  readonly shanghai: boolean
  readonly prague: boolean
  readonly amsterdam: boolean
}

/** EIP-4844. */
export const GAS_PER_BLOB = 131_072n
/**
 * EIP-7825, from Osaka: maximum gas limit of a transaction; from Amsterdam on (EIP-8037) of its execution gas. `spec/block-rules.ts`
 * decides whether a chain has these rules.
 */
export const MAX_TRANSACTION_GAS = 16_777_216n
/** EIP-8037: maximum gas limit of a transaction, with its state gas. */
export const MAX_TOTAL_GAS = 4_294_967_295n

const TRANSACTION = 21_000
/** EIP-2780: the sender, its recipient, and the transfer between them. */
const SENDER = 12_000
const RECIPIENT = 3_000
const CREATED = 12_000
const TRANSFER = 6_000
/** The minimum gas of any transaction. */
export const minTransactionGas = ({ amsterdam }: Pick<GasForks, 'amsterdam'>): bigint =>
  BigInt(amsterdam ? SENDER : TRANSACTION)
const CREATION = 32_000
const INITCODE_WORD = 2
const ACCESS_LIST_ADDRESS = 2_400
const ACCESS_LIST_KEY = 1_900
const ZERO_BYTE = 4
const NONZERO_BYTE = 16
const NONZERO_BYTE_FRONTIER = 68
const FLOOR_TOKEN = 10
/** EIP-8038: entries of an access list, without their bytes. */
const ACCESS_LIST_ADDRESS_AMSTERDAM = 2_900
const ACCESS_LIST_KEY_AMSTERDAM = 2_000
/** EIP-7976 and EIP-7981: a byte of data or of an access list in the floor; for an access list also of the intrinsic gas. */
const FLOOR_BYTE = 64
const [ADDRESS, KEY] = [20 * FLOOR_BYTE, 32 * FLOOR_BYTE]
/** EIP-8037: an authorization, without what it changes. */
const AUTHORIZATION_AMSTERDAM = 7_816
/** PER_EMPTY_ACCOUNT_COST of EIP-7702; execution refunds a part for accounts that exist. */
const AUTHORIZATION = 25_000

/** Most bytes of init code (EIP-3860): twice those of code. */
export const maxInitCodeSize = (rules: CodeRules): number =>
  rules.shanghai ? 2 * maxCodeSize(rules) : Number.POSITIVE_INFINITY

/** Most bytes of a contract's code (EIP-170, EIP-7954), or the chain's own limit. */
export const maxCodeSize = ({ codeSizeLimit, amsterdam, spuriousDragon }: CodeRules): number =>
  codeSizeLimit ?? (amsterdam ? 65_536 : spuriousDragon ? 24_576 : Number.POSITIVE_INFINITY)

type CodeRules = {
  readonly spuriousDragon: boolean
  readonly shanghai: boolean
  readonly amsterdam: boolean
  readonly codeSizeLimit?: number | undefined
}

/** Lower bounds of a message's gas limit. */
export type GasBounds = {
  /**
   * Charged before execution: Yellow Paper g0 with EIP-2 (creation, Homestead), EIP-2028 (data, Istanbul), EIP-2930
   * (access lists, Berlin), EIP-3860 (initcode words, Shanghai) and EIP-7702 (authorizations, Prague). From Amsterdam on by EIP-2780,
   * 7981, 8037 and 8038.
   */
  readonly intrinsic: bigint
  /** EIP-7623, EIP-7976: minimum gas used by a transaction with this data; 0 before Prague. */
  readonly floor: bigint
}

/** `from` undefined: the sender is not known, and may be the recipient. */
type Bounded = Pick<TransactionMessage, 'to' | 'value' | 'data' | 'accessList' | 'authorizationList'> & {
  readonly from?: Address
}

export function gasBounds(message: Bounded, forks: GasForks): GasBounds {
  const { to, data, accessList, authorizationList } = message
  const zeros = countZeros(data)
  const others = data.length - zeros
  if (forks.amsterdam) return amsterdamBounds(message, zeros * ZERO_BYTE + others * NONZERO_BYTE)
  let gas = TRANSACTION + zeros * ZERO_BYTE + others * (forks.istanbul ? NONZERO_BYTE : NONZERO_BYTE_FRONTIER)
  if (to === null && forks.homestead) gas += CREATION
  if (to === null && forks.shanghai) gas += INITCODE_WORD * Math.ceil(data.length / 32)
  if (forks.berlin) {
    for (const { storageKeys } of accessList) gas += ACCESS_LIST_ADDRESS + storageKeys.length * ACCESS_LIST_KEY
  }
  if (forks.prague) gas += authorizationList.length * AUTHORIZATION
  const floor = forks.prague ? TRANSACTION + (zeros + others * 4) * FLOOR_TOKEN : 0
  return { intrinsic: BigInt(gas), floor: BigInt(floor) }
}

function amsterdamBounds(
  { from, to, value, data, accessList, authorizationList }: Bounded,
  dataGas: number,
): GasBounds {
  let base = SENDER
  if (to === null) base += CREATED
  else if (from !== undefined && to !== from) base += RECIPIENT + (value > 0n ? TRANSFER : 0)
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const listed = accessList.length * ADDRESS + keys * KEY
  let gas = base + dataGas + listed
  gas += accessList.length * ACCESS_LIST_ADDRESS_AMSTERDAM + keys * ACCESS_LIST_KEY_AMSTERDAM
  if (to === null) gas += INITCODE_WORD * Math.ceil(data.length / 32)
  gas += authorizationList.length * AUTHORIZATION_AMSTERDAM
  return { intrinsic: BigInt(gas), floor: BigInt(base + data.length * FLOOR_BYTE + listed) }
}

/** The maximum charge of the sender in wei: gas and blob gas at their fee caps, and the value. */
export function upfrontCost(
  message: Pick<TransactionMessage, 'gasLimit' | 'maxFeePerGas' | 'value' | 'blobVersionedHashes' | 'maxFeePerBlobGas'>,
): bigint {
  const blobGas = BigInt(message.blobVersionedHashes.length) * GAS_PER_BLOB
  return message.gasLimit * message.maxFeePerGas + message.value + blobGas * message.maxFeePerBlobGas
}

/** EIP-1559: the price per gas that is paid at a base fee, in wei; undefined: before London. */
export const effectiveGasPrice = (
  message: Pick<TransactionMessage, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFeePerGas = 0n,
): bigint => baseFeePerGas + effectiveTip(message, baseFeePerGas)

/** EIP-1559: the effective priority fee in wei per gas; negative when the fee cap is below the base fee. */
export function effectiveTip(
  message: Pick<TransactionMessage, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFeePerGas: bigint,
): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = message
  if (maxFeePerGas < baseFeePerGas + maxPriorityFeePerGas) return maxFeePerGas - baseFeePerGas
  return maxPriorityFeePerGas
}

function countZeros(data: Uint8Array): number {
  let zeros = 0
  for (let at = 0; at < data.length; at++) if (data[at] === 0) zeros++
  return zeros
}
