// Checks stored blocks for consistency: headers by their parent hashes, transactions and receipts by the header's roots,
// senders by their signatures, look-up rows in both directions. It executes and writes nothing.
import { equalBytes, type Hash, toHash, toHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { encodeWithdrawal, unclesHash } from '../primitives/block.ts'
import { checkBlockAccessList, decodeBlockAccessList, NO_ACCESSES } from '../primitives/block-access-list.ts'
import { encodeReceipt, mergeBlooms } from '../primitives/receipt.ts'
import { isFormerRow } from '../primitives/stored-rows.ts'
import { recoverSender } from '../primitives/transaction.ts'
import type { Block, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import { modeOf } from '../runtime/block-execution.ts'
import type { CheckReport } from '../state/check-state.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import { orderedListRoot } from '../state/trie.ts'
import type { KeyRange, KvReader, KvStore } from '../state/types.ts'
import { readBase } from './base.ts'
import { BlockStore, blockRows } from './blocks.ts'
import { readFork } from './fork-row.ts'
import { type HeadRow, readStateVersion } from './open.ts'
import { HASHES } from './state-sync/format.ts'

/** Checks every block from the first one to the head. `genesis`: number of the genesis block. `onBlock` is called after each. */
export async function checkBlocks(
  store: KvStore,
  head: HeadRow,
  genesis: bigint,
  report: CheckReport,
  onBlock: (number: bigint) => void,
): Promise<void> {
  const fork = readFork(store)
  const blocks = new BlockStore(store, head.number, fork)
  const base = readBase(store)
  const isWhole = base === genesis || fork !== undefined
  const before = isWhole ? 0 : checkHeadersBefore(blocks, base, report)
  let parent = isWhole ? undefined : blocks.header(base - 1n)
  let version = isWhole ? -1 : 0
  let transactions = 0
  let lists = 0
  for (let number = base; number <= head.number; number++) {
    const place = `block ${number}`
    const after = readStateVersion(store, number) ?? -1
    if (after <= version) report(place, 'no version of the state belongs to it')
    version = Math.max(version, after)
    try {
      const block = blocks.block(number)
      const receipts = blocks.receipts(number)
      if (block === undefined || receipts === undefined) report(place, 'its header, body or receipts are missing')
      else {
        // The forked chain has what the header of the fork's block says.
        if (number !== fork?.number)
          for (const what of [...faultsOf(block, parent), ...faultsOfReceipts(block.header, receipts)])
            report(place, what)
        for (const what of rowFaults(store, block, receipts)) report(place, what)
        const list = blocks.accessList(number)
        if (list !== undefined) for (const what of faultsOfAccessList(block, list)) report(place, what)
        if (list !== undefined && list !== NO_ACCESSES) lists++
      }
      transactions += block?.transactions.length ?? 0
      parent = block?.header
    } catch (error) {
      report(place, error instanceof Error ? error.message : String(error))
      parent = undefined
    }
    onBlock(number)
  }
  if (version !== head.version) report('head', `says version ${head.version} of the state, its block ${version}`)
  await checkCounts(store, { blocks: Number(head.number - base) + 1, before, transactions, lists }, report)
}

/**
 * Checks that the headers before the first block of a chain that began with a state snapshot form a chain. Returns their
 * expected number.
 */
function checkHeadersBefore(blocks: BlockStore, base: bigint, report: CheckReport): number {
  let count = 0
  try {
    let child: SealedHeader | undefined
    for (let number = base - 1n; number >= 0n && base - number <= HASHES; number--) {
      const header = blocks.header(number)
      if (header === undefined) break
      if (child !== undefined && child.parentHash !== header.hash)
        report(`the header of block ${number}`, `is not the parent that block ${child.number} names`)
      child = header
      count++
    }
  } catch (error) {
    report('headers', error instanceof Error ? error.message : String(error))
  }
  if (BigInt(count) !== (base < HASHES ? base : HASHES))
    report('headers', `${count} before the first block, ${base}, are there`)
  // The header of block 0 is stored in addition: its hash identifies the chain.
  return base > HASHES ? count + 1 : count
}

function* faultsOf({ header, transactions, uncles, withdrawals }: Block, parent?: SealedHeader): Generator<string> {
  if (parent !== undefined && header.parentHash !== parent.hash)
    yield `its parent is ${header.parentHash}, the block before it ${parent.hash}`
  const raws = transactions.map(({ raw }) => raw)
  yield* compared('transactions', header.transactionsRoot, toHash(orderedListRoot(raws)))
  yield* compared('uncles', header.sha3Uncles, unclesHash(uncles))
  if (withdrawals !== undefined || header.withdrawalsRoot !== undefined) {
    const root = toHash(orderedListRoot((withdrawals ?? []).map(encodeWithdrawal)))
    yield* compared('withdrawals', header.withdrawalsRoot, root)
  }
  for (const transaction of transactions) yield* signatureFaults(transaction)
}

/** An impersonated transaction has no signature to check. */
function* signatureFaults(transaction: Transaction): Generator<string> {
  if (modeOf(transaction) === 'impersonated') return
  const { hash, raw, from } = transaction
  if (keccakHash(raw) !== hash) yield `transaction ${hash} has another hash`
  if (recoverSender(transaction) !== from) yield `transaction ${hash} was not sent by ${from}`
}

function* faultsOfReceipts(header: SealedHeader, receipts: readonly Receipt[]): Generator<string> {
  yield* compared('receipts', header.receiptsRoot, toHash(orderedListRoot(receipts.map(encodeReceipt))))
  if (!equalBytes(mergeBlooms(receipts.map(({ bloom }) => bloom)), header.logsBloom))
    yield 'its bloom is not that of its logs'
}

function* faultsOfAccessList({ header, transactions }: Block, list: Uint8Array): Generator<string> {
  if (keccakHash(list) !== header.blockAccessListHash) yield 'its access list has another hash'
  checkBlockAccessList(decodeBlockAccessList(list), header.gasLimit, transactions.length)
}

function* compared(what: string, said: Hash | undefined, found: Hash): Generator<string> {
  if (said !== found) yield `its ${what} have the root ${found}, the header says ${said}`
}

/**
 * Rows of the block, including its look-up rows, that differ from what would be written now. Body and receipts of an older
 * database are compared by the roots only.
 */
function* rowFaults(store: KvReader, block: Block, receipts: readonly Receipt[]): Generator<string> {
  const { number } = block.header
  const versioned = [KEY.body(number), KEY.receipts(number)].map(toHex)
  for (const op of blockRows(block, receipts)) {
    const name = toHex(op.key)
    const stored = store.get(op.key)
    if (stored === undefined) yield `row ${name} is missing`
    else if (versioned.includes(name) && isFormerRow(stored)) continue
    else if (op.type === 'put' && !equalBytes(stored, op.value)) yield `row ${name} is another`
  }
}

/** Finds rows that belong to no block. The rows of all blocks were found above, so comparing counts is enough. */
async function checkCounts(
  store: KvStore,
  { blocks, before, transactions, lists }: Readonly<Record<'blocks' | 'before' | 'transactions' | 'lists', number>>,
  report: CheckReport,
): Promise<void> {
  const expected: readonly [string, KeyRange, number][] = [
    ['headers', RANGE.headers(), before + blocks],
    ['bodies', RANGE.bodies(), blocks],
    ['receipts', RANGE.receipts(), blocks],
    ['access lists', RANGE.accessLists(), lists],
    ['hashes of blocks', RANGE.blockNumbers(), blocks],
    // A chain that began with a state snapshot also stores the version of that state.
    ['versions of blocks', RANGE.stateVersions(), blocks + (before > 0 ? 1 : 0)],
    ['hashes of transactions', RANGE.transactions(), transactions],
  ]
  for (const [what, range, count] of expected) {
    let found = 0
    for await (const _ of store.scan({ ...range, values: false })) found++
    if (found !== count) report(what, `${found} rows for ${count} of them`)
  }
}
