// Fee arithmetic of EIP-1559, EIP-4844 and EIP-7918: pure functions of a parent header and a fork's parameters.
import { GAS_PER_BLOB } from './gas.ts'
import type { Header } from './types.ts'

export const INITIAL_BASE_FEE = 1_000_000_000n
const ELASTICITY = 2n
const MAX_CHANGE_DENOMINATOR = 8n
/** EIP-7918: gas whose price is the minimum price of a blob. */
const BLOB_BASE_COST = 8192n

export type BlobRules = {
  readonly target: bigint
  readonly max: bigint
  readonly baseFeeUpdateFraction: bigint
  /** Whether EIP-7918's reserve price is active (Osaka). */
  readonly reservePrice: boolean
}

/** Base fee of a parent's child (EIP-1559); the initial base fee when the parent has none. */
export function nextBaseFee(parent: Pick<Header, 'baseFeePerGas' | 'gasLimit' | 'gasUsed'>): bigint {
  if (parent.baseFeePerGas === undefined) return INITIAL_BASE_FEE
  const target = parent.gasLimit / ELASTICITY
  if (target === 0n || parent.gasUsed === target) return parent.baseFeePerGas
  if (parent.gasUsed > target) {
    const delta = (parent.baseFeePerGas * (parent.gasUsed - target)) / target / MAX_CHANGE_DENOMINATOR
    return parent.baseFeePerGas + (delta > 1n ? delta : 1n)
  }
  const delta = (parent.baseFeePerGas * (target - parent.gasUsed)) / target / MAX_CHANGE_DENOMINATOR
  return parent.baseFeePerGas - delta
}

/** Excess blob gas of a parent's child (EIP-4844, EIP-7918). `rules` are those of the child's fork. */
export function nextExcessBlobGas(
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  rules: BlobRules,
): bigint {
  const excess = parent.excessBlobGas ?? 0n
  const used = parent.blobGasUsed ?? 0n
  const target = rules.target * GAS_PER_BLOB
  if (excess + used < target) return 0n
  const reserve = BLOB_BASE_COST * (parent.baseFeePerGas ?? 0n)
  if (rules.reservePrice && reserve > GAS_PER_BLOB * blobBaseFee(excess, rules)) {
    return excess + (used * (rules.max - rules.target)) / rules.max
  }
  return excess + used - target
}

/** Price of a unit of blob gas: `fake_exponential(1, excess, fraction)` of EIP-4844. */
export function blobBaseFee(excessBlobGas: bigint, rules: Pick<BlobRules, 'baseFeeUpdateFraction'>): bigint {
  const denominator = rules.baseFeeUpdateFraction
  let sum = 0n
  let term = denominator
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term = (term * excessBlobGas) / (denominator * i)
  }
  return sum / denominator
}
