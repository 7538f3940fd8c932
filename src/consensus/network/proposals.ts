// Blocks that were executed on the head and are not decided yet. In consensus FinalizeBlock finds what ProcessProposal has
// executed; only block sync and replay execute there.
import { createHash } from 'node:crypto'
import { encodeCommitInfo } from '../../primitives/commit-info.ts'
import type { CommitInfo } from '../../primitives/types.ts'
import type { ExecutedBlock, PayloadAttributes } from '../../runtime/types.ts'

/** Rounds of one height whose blocks are kept; each holds a view with its changes. */
const KEPT = 4

export class ProposedBlocks {
  readonly #blocks = new Map<string, ExecutedBlock>()

  get(key: string): ExecutedBlock | undefined {
    return this.#blocks.get(key)
  }

  add(key: string, executed: ExecutedBlock): void {
    this.#blocks.set(key, executed)
    const [oldest] = this.#blocks.keys()
    if (this.#blocks.size > KEPT && oldest !== undefined) this.#blocks.delete(oldest)
  }

  /** Call it when the head moves: a block that was executed on the former head cannot be committed. */
  clear(): void {
    this.#blocks.clear()
  }
}

/** Identifies an executed block on the current head: a hash of its attributes and its transactions in order. */
export function proposalKey(
  { timestamp, coinbase, commit }: Partial<PayloadAttributes> & { readonly commit: CommitInfo },
  transactions: readonly Uint8Array[],
): string {
  const hash = createHash('sha256').update(`${timestamp} ${coinbase} ${transactions.length} `)
  hash.update(encodeCommitInfo(commit))
  for (const transaction of transactions) hash.update(`${transaction.length} `).update(transaction)
  return hash.digest('base64')
}
