// The allowed difference between a block's gas limit and its parent's (Yellow Paper, equations 47 to 49; in the first block with
// a base fee, EIP-1559 compares with twice the parent's limit). Imports check it with `checkGasLimit`; this node's blocks keep it with `gasLimitTowards`.
import type { Header } from '../primitives/types.ts'
import { requireBlockRule } from './require-block-rule.ts'

const GAS_LIMIT_QUOTIENT = 1024n
const MIN_GAS_LIMIT = 5000n
const MAX_GAS_LIMIT = (1n << 63n) - 1n

/** Throws ChainError `invalid-block` for a gas limit that is not allowed after the parent's. */
export function checkGasLimit(header: Header, parent: Header): void {
  const begins = header.baseFeePerGas !== undefined && parent.baseFeePerGas === undefined
  const from = begins ? parent.gasLimit * 2n : parent.gasLimit
  const change = header.gasLimit > from ? header.gasLimit - from : from - header.gasLimit
  requireBlockRule(
    change < from / GAS_LIMIT_QUOTIENT,
    `gas limit ${header.gasLimit} is too far from the parent's ${parent.gasLimit}`,
  )
  requireBlockRule(
    header.gasLimit >= MIN_GAS_LIMIT && header.gasLimit <= MAX_GAS_LIMIT,
    `gas limit ${header.gasLimit} is out of range`,
  )
}

/** The gas limit nearest to `target` that is allowed after the parent's: less than 1/1024 away from it. */
export function gasLimitTowards(target: bigint, parent: bigint): bigint {
  const step = parent / GAS_LIMIT_QUOTIENT - 1n
  if (step <= 0n) return parent
  const least = parent - step
  const most = parent + step
  const wanted = target < MIN_GAS_LIMIT ? MIN_GAS_LIMIT : target > MAX_GAS_LIMIT ? MAX_GAS_LIMIT : target
  return wanted < least ? least : wanted > most ? most : wanted
}
