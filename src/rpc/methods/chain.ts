// The chain as a whole: its id, head, fees and mining.
import { z } from 'zod'
import type { FeeHistory } from '../../chain/fee-types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import { address, blockNumber, bool, looseQuantity, quantity, string } from '../codec.ts'
import { isNetwork, otherwise, rpcMethod } from '../define.ts'

const MAX_PERCENTILES = 100

export const eth_chainId = rpcMethod({
  summary: 'Chain id (EIP-155).',
  params: [],
  result: quantity,
  committed: true,
  handler: (_, { chain }) => chain.spec.chainId,
})

export const eth_blockNumber = rpcMethod({
  summary: 'The number of the newest block.',
  params: [],
  result: quantity,
  committed: true,
  handler: (_, { chain }) => chain.head.number,
})

export const eth_syncing = rpcMethod({
  summary:
    'Progress of a network’s node that catches up with its peers, or whose engine does not answer; else false. A chain of one node is never behind.',
  params: [],
  result: z.union([
    z.literal(false),
    z.object({ startingBlock: quantity, currentBlock: quantity, highestBlock: quantity }),
  ]),
  async handler(_, { network, chain }) {
    const here = chain.head.number
    const unknown = { startingBlock: here, currentBlock: here, highestBlock: here }
    return (await network?.syncing().catch(otherwise(unknown))) ?? false
  },
})

export const eth_gasPrice = rpcMethod({
  summary: 'A gas price in wei for legacy transactions, with a margin for a rising base fee.',
  params: [],
  result: quantity,
  handler: (_, { chain }) => chain.fees.gasPrice(),
})

export const eth_maxPriorityFeePerGas = rpcMethod({
  summary: 'A suggested tip per gas, in wei.',
  params: [],
  result: quantity,
  handler: (_, { chain }) => chain.fees.maxPriorityFeePerGas(),
})

export const eth_baseFee = rpcMethod({
  summary: 'Base fee per gas of the next block; null before London.',
  params: [],
  result: quantity.nullable(),
  handler: (_, { chain }) => chain.fees.nextBaseFee() ?? null,
})

export const eth_blobBaseFee = rpcMethod({
  summary: 'Base fee per blob gas of the next block; null before Cancun.',
  params: [],
  result: quantity.nullable(),
  handler: (_, { chain }) => chain.fees.nextBlobBaseFee() ?? null,
})

const percentiles = z.array(z.number({ error: 'expected a number' }), { error: 'expected a list of percentiles' })

export const eth_feeHistory = rpcMethod({
  summary: 'Base fees and gas usage of consecutive blocks, and their tips at the given percentiles.',
  params: [looseQuantity, blockNumber, percentiles.optional()],
  names: ['blockCount', 'newestBlock', 'rewardPercentiles'],
  result: wireFeeHistory,
  heavy: true,
  committed: true,
  async handler([count, newest, percentiles], { chain, options }, signal) {
    checkPercentiles(percentiles ?? [])
    const header = await chain.header(newest)
    if (header === undefined) throw new ChainError('header-not-found', 'request beyond head block')
    const blocks = count < BigInt(options.maxFeeHistory) ? Number(count) : options.maxFeeHistory
    return chain.fees.history(blocks, header, percentiles, signal)
  },
})

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES) {
    throw new ChainError('invalid-params', `too many reward percentiles, want at most ${MAX_PERCENTILES}`)
  }
  for (const [position, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100 || percentile < (percentiles[position - 1] ?? 0)) {
      throw new ChainError('invalid-params', `invalid reward percentile: ${percentile} (want 0 to 100, ascending)`)
    }
  }
}

function wireFeeHistory(history: FeeHistory) {
  return {
    oldestBlock: toQuantity(history.oldestBlock),
    ...(history.reward && { reward: history.reward.map((tips) => tips.map(toQuantity)) }),
    baseFeePerGas: history.baseFeePerGas.map(toQuantity),
    gasUsedRatio: history.gasUsedRatio,
    baseFeePerBlobGas: history.baseFeePerBlobGas.map(toQuantity),
    blobGasUsedRatio: history.blobGasUsedRatio,
  }
}

export const eth_coinbase = rpcMethod({
  summary: 'The fee recipient of new blocks.',
  params: [],
  result: address,
  handler: (_, { chain, producer }) => producer.settings.coinbase ?? chain.proposer,
})

export const eth_mining = rpcMethod({
  summary: 'Whether this node makes blocks automatically; false in a network, whose engine decides on blocks.',
  params: [],
  result: bool,
  handler(_, context) {
    if (isNetwork(context)) return false
    const { automine, interval } = context.producer.mode()
    return automine || interval > 0
  },
})

export const eth_hashrate = rpcMethod({
  summary: 'Zero: there is no proof of work.',
  params: [],
  result: quantity,
  handler: () => 0n,
})

export const eth_protocolVersion = rpcMethod({
  summary: 'The version of the Ethereum wire protocol whose data this node has (eth/68).',
  params: [],
  result: string,
  handler: () => toQuantity(68),
})
