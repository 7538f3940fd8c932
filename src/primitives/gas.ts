// Intrinsic gas of a message, and the maximum that its sender can be charged.
// Pure functions, shared by the pool's admission and by execution, so that the two never disagree.
import type { TransactionMessage } from './types.ts'

/** Which of the forks that changed intrinsic gas are active. */
export type GasForks = {
  readonly homestead: boolean
  readonly istanbul: boolean
  readonly berlin: boolean
  readonly shanghai: boolean
  readonly prague: boolean
}

/** EIP-4844. */
export const GAS_PER_BLOB = 131_072n
/** EIP-7825, from Osaka: maximum gas limit of a transaction. `spec/block-rules.ts` decides whether a chain has this rule. */
export const MAX_TRANSACTION_GAS = 16_777_216n
/** EIP-3860, from Shanghai, in bytes. */
export const MAX_INITCODE_SIZE = 49_152

const TRANSACTION = 21_000
/** The minimum gas of any transaction. */
export const MIN_TRANSACTION_GAS = BigInt(TRANSACTION)
const CREATION = 32_000
const INITCODE_WORD = 2
const ACCESS_LIST_ADDRESS = 2_400
const ACCESS_LIST_KEY = 1_900
const ZERO_BYTE = 4
const NONZERO_BYTE = 16
const NONZERO_BYTE_FRONTIER = 68
const FLOOR_TOKEN = 10
/** PER_EMPTY_ACCOUNT_COST of EIP-7702; execution refunds a part for accounts that exist. */
const AUTHORIZATION = 25_000

/** Lower bounds of a message's gas limit. */
export type GasBounds = {
  /**
   * Charged before execution: Yellow Paper g0 with EIP-2 (creation, Homestead), EIP-2028 (data, Istanbul), EIP-2930
   * (access lists, Berlin), EIP-3860 (initcode words, Shanghai) and EIP-7702 (authorizations, Prague).
   */
  readonly intrinsic: bigint
  /** EIP-7623: minimum gas used by a transaction with this data; 0 before Prague. */
  readonly floor: bigint
}

export function gasBounds(
  message: Pick<TransactionMessage, 'to' | 'data' | 'accessList' | 'authorizationList'>,
  forks: GasForks,
): GasBounds {
  const { to, data, accessList, authorizationList } = message
  const zeros = countZeros(data)
  const others = data.length - zeros
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

/** The maximum charge of the sender in wei: gas and blob gas at their fee caps, and the value. */
export function upfrontCost(
  message: Pick<TransactionMessage, 'gasLimit' | 'maxFeePerGas' | 'value' | 'blobVersionedHashes' | 'maxFeePerBlobGas'>,
): bigint {
  const blobGas = BigInt(message.blobVersionedHashes.length) * GAS_PER_BLOB
  return message.gasLimit * message.maxFeePerGas + message.value + blobGas * message.maxFeePerBlobGas
}

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
