// Bundles: several messages or transactions that run one after the other. eth_callMany in Erigon's and reth's form, eth_callBundle
// and eth_sendBundle in that of Flashbots.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { fromHex, type Hash, toHex } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { BundleRequest, BundleResult } from '../../runtime/bundle.ts'
import { address, atBlock, data, hash, looseQuantity, looseUint64 } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { decodeGiven } from '../sends/given-transaction.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from '../shapes/call.ts'
import { place, toTraceOptions, toTracePoint } from '../shapes/trace-options.ts'

/** Most calls of one eth_callMany, and most transactions of a bundle. */
const MAX_CALLS = 1_000
const MAX_TRANSACTIONS = 100

const callBundle = z.object(
  {
    transactions: z.array(callObject, { error: 'expected a list of calls' }),
    blockOverride: blockOverrides.nullish(),
  },
  { error: 'expected a bundle of calls' },
)

/** A frame of callTracer, of which only the outermost is kept. */
const frame = z.object({
  output: z.string().optional(),
  error: z.string().optional(),
  revertReason: z.string().optional(),
})

export const eth_callMany = rpcMethod({
  summary:
    'Runs bundles of messages, each on the state after the ones before it, and returns the value or the error of each. Each bundle has a block of its own: number and time are one more than those of the bundle before.',
  params: [
    z.array(callBundle, { error: 'expected a list of bundles' }),
    place.optional(),
    stateOverrides.optional(),
    looseUint64.optional(),
  ],
  names: ['bundles', 'context', 'stateOverrides', 'timeout'],
  result: (outcomes: readonly (readonly unknown[])[]) =>
    outcomes.map((bundle) =>
      bundle.map((traced) => {
        const { output = '0x', error, revertReason } = frame.parse(traced)
        if (error === undefined) return { value: output }
        return { error: revertReason === undefined ? error : `${error}: ${revertReason}` }
      }),
    ),
  heavy: true,
  committed: true,
  async handler([bundles, place, state, timeout], context, signal) {
    const { chain } = context
    if (bundles.length === 0) throw new ChainError('invalid-params', 'bundles are empty.')
    if (bundles.reduce((sum, { transactions }) => sum + transactions.length, 0) > MAX_CALLS)
      throw new ChainError('limit-exceeded', `too many calls, want at most ${MAX_CALLS}`)
    const point = toTracePoint(place)
    const { header } = await chain.at(point.ref)
    let next = { number: header.number, time: header.timestamp }
    const read = bundles.map(({ transactions, blockOverride }, index) => {
      const given = blockOverride ? toBlockOverrides(blockOverride) : {}
      const block = { ...given, number: given.number ?? next.number, time: given.time ?? next.time }
      next = { number: block.number + 1n, time: block.time + 1n }
      return {
        requests: transactions.map((call) => toCallRequest(call, chain.spec.chainId)),
        stateOverrides: index === 0 && state ? toStateOverrides(state) : undefined,
        blockOverrides: block,
      }
    })
    const options = {
      tracer: 'callTracer',
      tracerConfig: { onlyTopCall: true },
      ...(timeout && { timeout: `${timeout}ms` }),
    }
    return chain.traces.calls(read, point, toTraceOptions(options, signal, context))
  },
})

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const rawTransactions = z.array(data, { error: 'expected a list of transactions' })

const simulatedBundle = z.object(
  {
    txs: rawTransactions,
    blockNumber: looseUint64,
    stateBlockNumber: atBlock,
    coinbase: address.nullish(),
    timestamp: looseUint64.nullish(),
    gasLimit: looseUint64.nullish(),
    baseFee: looseQuantity.nullish(),
  },
  { error: 'expected a bundle' },
)

export const eth_callBundle = rpcMethod({
  summary:
    'Runs a bundle of signed transactions as a block with this number on the state after another block, and returns what each did and paid (Flashbots). A transaction that the block may not contain is an error; one that fails is a result.',
  params: [simulatedBundle],
  names: ['bundle'],
  result: wireBundle,
  heavy: true,
  committed: true,
  async handler([{ txs, blockNumber: number, stateBlockNumber, ...given }], { chain }, signal) {
    if (number === 0n) throw new ChainError('invalid-params', 'bundle missing blockNumber')
    const transactions = readBundle(txs)
    const attributes: Writable<BundleRequest['attributes']> = { number }
    if (given.coinbase != null) attributes.coinbase = given.coinbase
    if (given.timestamp != null) attributes.timestamp = given.timestamp
    if (given.gasLimit != null) attributes.gasLimit = given.gasLimit
    if (given.baseFee != null) attributes.baseFeePerGas = given.baseFee
    return chain.runBundle({ transactions, attributes }, stateBlockNumber, signal)
  },
})

/** Throws ChainError `invalid-params`, `limit-exceeded` and `transaction-rejected`. */
function readBundle(txs: readonly Uint8Array[]): Transaction[] {
  if (txs.length === 0) throw new ChainError('invalid-params', 'bundle missing txs')
  if (txs.length > MAX_TRANSACTIONS)
    throw new ChainError('limit-exceeded', `too many transactions, want at most ${MAX_TRANSACTIONS}`)
  return txs.map((raw) => decodeGiven(raw).transaction)
}

const bundleHash = (transactions: readonly Transaction[]): Hash =>
  keccakHash(Buffer.concat(transactions.map((transaction) => fromHex(transaction.hash))))

/** Amounts are decimal texts, gas and block numbers JSON numbers, as in Flashbots' answer. */
function wireBundle({ executed, balances, base }: BundleResult) {
  const { transactions, header } = executed.block
  const results = transactions.map((transaction, index) => {
    const { gasUsed = 0n, effectiveGasPrice = 0n, status } = executed.receipts[index] ?? {}
    const { output } = executed.callTrees[index] ?? {}
    const gasPrice = effectiveGasPrice - (header.baseFeePerGas ?? 0n)
    const gasFees = gasPrice * gasUsed
    const coinbaseDiff = (balances[index + 1] ?? 0n) - (balances[index] ?? 0n)
    const returned = toHex(output ?? new Uint8Array(0))
    return {
      coinbaseDiff,
      gasFees,
      gasPrice,
      gasUsed,
      outcome: status === 0 ? { error: executed.callTrees[index]?.error, revert: returned } : { value: returned },
      transaction,
    }
  })
  const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n)
  const coinbaseDiff = (balances.at(-1) ?? 0n) - (balances[0] ?? 0n)
  const totalGasUsed = sum(results.map(({ gasUsed }) => gasUsed))
  const gasFees = sum(results.map((result) => result.gasFees))
  return {
    bundleGasPrice: String(totalGasUsed === 0n ? 0n : coinbaseDiff / totalGasUsed),
    bundleHash: bundleHash(transactions),
    coinbaseDiff: String(coinbaseDiff),
    ethSentToCoinbase: String(coinbaseDiff - gasFees),
    gasFees: String(gasFees),
    results: results.map(({ transaction, outcome, ...paid }) => ({
      coinbaseDiff: String(paid.coinbaseDiff),
      ethSentToCoinbase: String(paid.coinbaseDiff - paid.gasFees),
      fromAddress: transaction.from,
      gasFees: String(paid.gasFees),
      gasPrice: String(paid.gasPrice),
      gasUsed: Number(paid.gasUsed),
      toAddress: transaction.to,
      txHash: transaction.hash,
      ...outcome,
    })),
    stateBlockNumber: Number(base.number),
    totalGasUsed: Number(totalGasUsed),
  }
}

const sentBundle = z.object(
  {
    txs: rawTransactions,
    blockNumber: looseUint64,
    minTimestamp: looseUint64.nullish(),
    maxTimestamp: looseUint64.nullish(),
    revertingTxHashes: z.array(hash).nullish(),
  },
  { error: 'expected a bundle' },
)

export const eth_sendBundle = rpcMethod({
  summary:
    'Makes the next block at once, of exactly these signed transactions in this order (Flashbots). Refused, and no block is made, if one cannot be executed, or fails and is not in `revertingTxHashes`, and for another block number or time than the next.',
  params: [sentBundle],
  names: ['bundle'],
  result: (transactions: readonly Transaction[]) => ({ bundleHash: bundleHash(transactions) }),
  gate: 'development',
  async handler([{ txs, revertingTxHashes, ...target }], context) {
    const transactions = readBundle(txs)
    requireNext(target, context)
    await context.producer.mineBundle(transactions, new Set(revertingTxHashes))
    return transactions
  },
})

type Target = Pick<z.output<typeof sentBundle>, 'blockNumber' | 'minTimestamp' | 'maxTimestamp'>

/** Throws ChainError `invalid-params` for a bundle that is not for the next block. */
function requireNext({ blockNumber, minTimestamp, maxTimestamp }: Target, { chain, producer }: RpcContext): void {
  const next = chain.head.number + 1n
  if (blockNumber !== next)
    throw new ChainError('invalid-params', `bundle for block ${blockNumber}, but the next block is ${next}`)
  const time = producer.nextTimestamp()
  if (time < (minTimestamp ?? 0n) || (maxTimestamp && time > maxTimestamp))
    throw new ChainError('invalid-params', `bundle for another time, the next block has ${time}`)
}
