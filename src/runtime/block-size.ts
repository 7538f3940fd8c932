// EIP-7934: from Osaka on the RLP of a block has at most 8,388,608 bytes. An imported block is measured whole; a block
// under construction keeps a running size, so that adding a transaction costs no encoding.
import { blockSize, encodeWithdrawal, listSize, transactionSize } from '../primitives/block.ts'
import { GAS_PER_BLOB } from '../primitives/gas.ts'
import { encodeHeader } from '../primitives/header.ts'
import type { Block, Header, Transaction, Withdrawal } from '../primitives/types.ts'
import type { ForkRules } from '../spec/fork-rules.ts'
import type { BlockEnv } from './block-env.ts'
import { requireBlockRule } from './require-block-rule.ts'

/** Bytes of a block's RLP: EIP-7934's MAX_BLOCK_SIZE of 10 MiB without its SAFETY_MARGIN of 2 MiB. */
export const MAX_RLP_BLOCK_SIZE = 10_485_760 - 2_097_152

/** Throws ChainError `invalid-block` when a block of Osaka or later is larger than EIP-7934 allows. */
export function checkBlockSize({ osaka }: ForkRules, block: Block): void {
  if (!osaka) return
  const size = blockSize(block)
  requireBlockRule(
    size <= MAX_RLP_BLOCK_SIZE,
    `block RLP-encoded size exceeds maximum: have ${size} bytes, limit ${MAX_RLP_BLOCK_SIZE}`,
  )
}

/** The running size of a block under construction, and whether a transaction still fits. Before Osaka there is no limit. */
export class BlockSizeLimit {
  readonly #isLimited: boolean
  /** Bytes of header, empty uncle list and withdrawals, with the longest gas used that the header may end up with. */
  readonly #fixed: number
  /** Bytes of the transactions taken so far, without the prefix of their list. */
  #transactions = 0

  constructor({ rules, blobs, gasLimit }: BlockEnv, header: Header, withdrawals: readonly Withdrawal[]) {
    this.#isLimited = rules.osaka
    const longest: Header = {
      ...header,
      gasUsed: gasLimit,
      ...(blobs !== undefined && { blobGasUsed: blobs.max * GAS_PER_BLOB }),
    }
    const paid = withdrawals.reduce((bytes, withdrawal) => bytes + encodeWithdrawal(withdrawal).length, 0)
    this.#fixed = rules.osaka ? encodeHeader(longest).length + listSize(0) + listSize(paid) : 0
  }

  /** Whether the block stays within the limit with this transaction. */
  hasRoomFor(transaction: Transaction): boolean {
    if (!this.#isLimited) return true
    const list = listSize(this.#transactions + transactionSize(transaction))
    return listSize(this.#fixed + list) <= MAX_RLP_BLOCK_SIZE
  }

  /** Counts a transaction that the block has taken. */
  add(transaction: Transaction): void {
    this.#transactions += transactionSize(transaction)
  }
}
