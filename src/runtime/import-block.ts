// Imports a block of another node: executes it with every check and accepts it only if its header matches the results.
import { ChainError } from '../lib/errors.ts'
import { equalBytes, toHash } from '../lib/hex.ts'
import { encodeWithdrawal } from '../primitives/block.ts'
import { commitInfoHash } from '../primitives/commit-info.ts'
import type { Block, Header } from '../primitives/types.ts'
import { isNetworkBlock } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { orderedListRoot } from '../state/trie.ts'
import type { StateView } from '../state/types.ts'
import { BlockExecution, type ExecutedRoots } from './block-execution.ts'
import { checkBlockSize } from './block-size.ts'
import { type Ancestry, checkHeader } from './check-header.ts'
import { requireBlockRule } from './require-block-rule.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock } from './types.ts'

/** Runs a given block on the view of its parent. Throws ChainError `invalid-block` with number and reason. */
export async function importBlock(
  runtime: Runtime,
  view: StateView,
  block: Block,
  ancestry: Ancestry,
  blockHash: BlockHashes,
): Promise<ExecutedBlock> {
  const { header, uncles, withdrawals } = block
  try {
    checkHeader(runtime, block, ancestry, view)
    checkCommitInfo(runtime.spec, block)
    checkBlockSize(forkRules(runtime.forkOf(header)), block)
    if (header.withdrawalsRoot !== undefined) {
      requireBlockRule(withdrawals !== undefined, 'withdrawals are missing')
      const root = toHash(orderedListRoot(withdrawals.map(encodeWithdrawal)))
      requireBlockRule(
        root === header.withdrawalsRoot,
        `withdrawals root is ${root}, header says ${header.withdrawalsRoot}`,
      )
    }
    const execution = await executeTransactions(runtime, view, block, blockHash)
    const { roots, ...rest } = await execution.finish(withdrawals ?? [], uncles)
    compare(header, roots)
    const { receipts, callTrees, diffs } = execution
    return { block, receipts, ...rest, callTrees, diffs, refused: [], view }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError('invalid-block', `block ${header.number}: ${error.message}`)
  }
}

/** Begins a block and runs its first `count` transactions. Throws ChainError `invalid-block` for an invalid one. */
export async function executeTransactions(
  runtime: Runtime,
  view: StateView,
  block: Block,
  blockHash: BlockHashes,
  count = block.transactions.length,
): Promise<BlockExecution> {
  const execution = new BlockExecution(runtime, view, block, blockHash)
  await execution.begin()
  for (const [index, transaction] of block.transactions.slice(0, count).entries()) {
    try {
      await execution.apply(transaction)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      throw new ChainError('invalid-block', `transaction ${index} (${transaction.hash}): ${error.message}`)
    }
  }
  return execution
}

/** A network's header has the hash of the commit info; no other block has commit info. */
function checkCommitInfo({ native }: ChainSpec, { header, commit }: Block): void {
  if (native === undefined || !isNetworkBlock(native, header.number)) {
    requireBlockRule(commit === undefined, 'commit info in a block that no engine has decided')
    return
  }
  requireBlockRule(commit !== undefined, 'commit info is missing')
  const hash = commitInfoHash(commit)
  requireBlockRule(
    hash === header.parentBeaconBlockRoot,
    `commit info has hash ${hash}, header says ${header.parentBeaconBlockRoot}`,
  )
}

function compare(claimed: Header, found: ExecutedRoots): void {
  const field = wrongField(claimed, found)
  if (field === 'logsBloom') requireBlockRule(false, 'logs bloom differs')
  requireBlockRule(field === undefined, `${field} is ${field && found[field]}, header says ${field && claimed[field]}`)
}

/** The first header field that differs from the results of execution; undefined when none does. */
export function wrongField(claimed: Header, found: ExecutedRoots): keyof ExecutedRoots | undefined {
  if (!equalBytes(found.logsBloom, claimed.logsBloom)) return 'logsBloom'
  return COMPARED.find((field) => found[field] !== claimed[field])
}

const COMPARED = [
  ...(['gasUsed', 'blobGasUsed', 'transactionsRoot', 'receiptsRoot'] as const),
  ...(['stateRoot', 'requestsHash', 'blockAccessListHash'] as const),
] as const
