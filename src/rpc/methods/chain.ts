// The chain as a whole: its id, its head, its fees.
import { z } from 'zod'
import type { FeeHistory } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import { address, blockNumber, bool, looseQuantity, quantity, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

const MAX_PERCENTILES = 100

export const eth_chainId = rpcMethod({
  summary: 'Chain id (EIP-155).',
  params: [],
  result: quantity,
  handler: (_, { chain }) => chain.spec.chainId,
})

export const eth_blockNumber = rpcMethod({
  summary: 'Number of the newest block.',
  params: [],
  result: quantity,
  handler: (_, { chain }) => chain.head.number,
})

export const eth_syncing = rpcMethod({
  summary: 'False: this node makes its own blocks and never lags behind.',
  params: [],
  result: bool,
  handler: () => false,
})

export const eth_gasPrice = rpcMethod({
  summary: 'A gas price in wei that legacy transactions can use; it has room for a rising base fee.',
  params: [],
  result: quantity,
  handler: (_, { chain }) => chain.fees.gasPrice(),
})

export const eth_maxPriorityFeePerGas = rpcMethod({
  summary: 'A tip per gas in wei.',
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
  summary: 'Base fees, fullness and, at the percentiles asked for, tips of a run of blocks.',
  params: [looseQuantity, blockNumber, percentiles.optional()],
  names: ['blockCount', 'newestBlock', 'rewardPercentiles'],
  result: wireFeeHistory,
  heavy: true,
  async handler([count, newest, percentiles], { chain, options }, caller) {
    checkPercentiles(percentiles ?? [])
    const header = await chain.header(newest)
    if (header === undefined) throw new ChainError('header-not-found', 'request beyond head block')
    const most = count < BigInt(options.maxFeeHistory) ? Number(count) : options.maxFeeHistory
    return chain.fees.history(most, header, percentiles, caller)
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
  summary: 'The account that new blocks name as their fee recipient.',
  params: [],
  result: address,
  handler: (_, { producer }) => producer.settings.coinbase,
})

export const eth_mining = rpcMethod({
  summary: 'Whether blocks are made without being asked for.',
  params: [],
  result: bool,
  handler(_, { producer }) {
    const { automine, interval } = producer.mode()
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
  summary: 'Version of the Ethereum wire protocol whose data this node holds (eth/68).',
  params: [],
  result: string,
  handler: () => toQuantity(68),
})
