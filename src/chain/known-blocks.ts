// The blocks of a state file in anvil's format, with their transactions, receipts and calls. Other programs write these files, so a block
// is taken only if transactions and receipts have the roots that its header says.
import { z } from 'zod'
import { executable } from '../fork/block-before.ts'
import { address, bytes, hash, block as headerSchema, listOr, quantity } from '../fork/wire.ts'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toHash, ZERO_HASH } from '../lib/hex.ts'
import { blobBaseFee } from '../primitives/fees.ts'
import { effectiveGasPrice, GAS_PER_BLOB } from '../primitives/gas.ts'
import { sealHeader } from '../primitives/header.ts'
import { encodeReceipt, logsBloom } from '../primitives/receipt.ts'
import type { Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import { blobRulesOf } from '../runtime/block-env.ts'
import { createdContract } from '../runtime/execute-message.ts'
import type { CallTree, ExecutedBlock } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { forkAt } from '../spec/forks.ts'
import { orderedListRoot } from '../state/trie.ts'

/** A block with what its execution produced, as far as a file has it. */
export type KnownBlock = Pick<ExecutedBlock, 'block' | 'receipts' | 'callTrees'>

const call = z.object({
  success: z.boolean(),
  caller: address,
  address,
  kind: z.enum(['CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE', 'AUTHCALL', 'CREATE', 'CREATE2', 'EOFCREATE']),
  value: quantity,
  data: bytes,
  output: bytes,
  gas_used: z.number(),
  gas_limit: z.number(),
  status: z.string().nullish(),
})
const node = z.object({ children: z.array(z.number()), trace: call })
type Node = z.output<typeof node>

const ranTransaction = z.object({
  info: z.object({ transaction_hash: hash, from: address, out: bytes.nullish(), traces: listOr(z.unknown()) }),
  receipt: z.object({
    status: quantity,
    cumulativeGasUsed: quantity,
    logs: z.array(z.object({ address, topics: z.array(hash).max(4), data: bytes })),
  }),
})
type Ran = z.output<typeof ranTransaction>

const blockSchema = z.object({
  header: z.record(z.string(), z.unknown()),
  transactions: z.array(z.record(z.string(), z.unknown())),
  ommers: listOr(z.unknown()),
})

/** The parts of a state file that say what its blocks were. Other versions of anvil leave them out. */
export const history = { blocks: listOr(blockSchema), transactions: listOr(ranTransaction) }
type History = { readonly blocks: readonly z.output<typeof blockSchema>[]; readonly transactions: readonly Ran[] }

/**
 * The newest blocks of a file that follow each other and are whole, oldest first; empty if there is none. `spec`: the rules by which they
 * were made.
 */
export function knownBlocks({ blocks, transactions }: History, spec: ChainSpec): readonly KnownBlock[] {
  const ran = new Map(transactions.map((one) => [one.info.transaction_hash, one]))
  const headers = blocks.map((given) => ({ given, header: headerOf(given.header) }))
  headers.sort((one, other) => Number(other.header.number - one.header.number))
  const known: KnownBlock[] = []
  for (const { given, header } of headers) {
    const child = known.at(-1)?.block.header
    if (child !== undefined && child.parentHash !== header.hash) break
    const block = knownBlock(header, given.transactions, ran, spec)
    if (block === undefined) break
    known.push(block)
  }
  return known.reverse()
}

function headerOf(given: Readonly<Record<string, unknown>>): SealedHeader {
  const parsed = headerSchema.safeParse({ ...given, hash: ZERO_HASH })
  if (parsed.success) return sealHeader(parsed.data)
  throw new ChainError('invalid-params', 'not a state dump: a block has no header')
}

function knownBlock(
  header: SealedHeader,
  given: readonly Readonly<Record<string, unknown>>[],
  ran: ReadonlyMap<Hash, Ran>,
  spec: ChainSpec,
): KnownBlock | undefined {
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  const callTrees: CallTree[] = []
  for (const wire of given) {
    const fields = 'transaction' in wire ? (wire.transaction as Record<string, unknown>) : wire
    const outcome = ran.get(fields.hash as Hash)
    if (outcome === undefined) return undefined
    const transaction = transactionOf({ ...fields, from: outcome.info.from })
    if (transaction === undefined) return undefined
    const receipt = receiptOf(transaction, outcome, receipts.at(-1)?.cumulativeGasUsed ?? 0n, header, spec)
    transactions.push(transaction)
    receipts.push(receipt)
    callTrees.push(callTree(transaction, receipt, outcome))
  }
  const isWhole =
    toHash(orderedListRoot(transactions.map(({ raw }) => raw))) === header.transactionsRoot &&
    toHash(orderedListRoot(receipts.map(encodeReceipt))) === header.receiptsRoot
  const withdrawals = header.withdrawalsRoot === undefined ? undefined : []
  return isWhole ? { block: { header, transactions, uncles: [], withdrawals }, receipts, callTrees } : undefined
}

function transactionOf(given: Readonly<Record<string, unknown>>): Transaction | undefined {
  try {
    return executable(given)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

function receiptOf(
  transaction: Transaction,
  { receipt: { status, cumulativeGasUsed, logs } }: Ran,
  usedBefore: bigint,
  { number, timestamp, baseFeePerGas, excessBlobGas = 0n }: SealedHeader,
  spec: ChainSpec,
): Receipt {
  const isBlob = transaction.type === 3
  const rules = isBlob ? blobRulesOf(spec, forkAt(spec, { number, timestamp, merged: true })) : undefined
  return {
    type: transaction.type,
    status: status === 0n ? 0 : 1,
    root: undefined,
    cumulativeGasUsed,
    gasUsed: cumulativeGasUsed - usedBefore,
    bloom: logsBloom(logs),
    logs,
    contractAddress: createdContract(transaction),
    effectiveGasPrice: effectiveGasPrice(transaction, baseFeePerGas),
    blobGasUsed: isBlob ? BigInt(transaction.blobVersionedHashes.length) * GAS_PER_BLOB : undefined,
    blobGasPrice: rules && blobBaseFee(excessBlobGas, rules),
  }
}

/** The calls of a transaction; only its own if the file has no others. */
function callTree(transaction: Transaction, receipt: Receipt, { info }: Ran): CallTree {
  const nodes = z.array(node).min(1).safeParse(info.traces)
  const [from, gas] = [transaction.from, transaction.gasLimit]
  const whole = { from, gas, gasUsed: receipt.gasUsed, value: transaction.value, input: transaction.data }
  if (nodes.success) return { ...treeOf(nodes.data, 0), ...whole }
  const created = createdContract(transaction)
  const outcome = { output: info.out ?? new Uint8Array(0), error: receipt.status === 0 ? REVERTED : undefined }
  return { type: created ? 'CREATE' : 'CALL', to: transaction.to ?? created, ...whole, ...outcome, calls: [] }
}

const REVERTED = 'execution reverted'
/** Most calls inside calls (EVM), with the transaction's own. */
const MOST_DEPTH = 1025

/** `left`: the calls that have no place yet, so that a file cannot make a tree without end. */
function treeOf(nodes: readonly Node[], index: number, depth = 0, left = new Set(nodes.keys())): CallTree {
  const found = nodes[index]
  if (found === undefined || !left.delete(index) || depth > MOST_DEPTH)
    throw new ChainError('invalid-params', 'not a state dump: the calls of a transaction are no tree')
  const { children, trace } = found
  const { kind, status } = trace
  const error = trace.success ? undefined : status === 'Revert' ? REVERTED : (status ?? 'failed')
  return {
    type: kind === 'EOFCREATE' ? 'CREATE' : kind === 'AUTHCALL' ? 'CALL' : kind,
    from: trace.caller,
    to: trace.address,
    value: trace.value,
    gas: BigInt(trace.gas_limit),
    gasUsed: BigInt(trace.gas_used),
    input: trace.data,
    output: trace.output,
    error,
    calls: children.map((child) => treeOf(nodes, child, depth + 1, left)),
  }
}
