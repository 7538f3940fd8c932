// `module=block`, `transaction`, `stats` and `gastracker`: blocks by time and by proposer, statuses of transactions, supplies,
// gas prices.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry } from '../../indexer/tables.ts'
import { newestPage } from '../../tables/list.ts'
import { coinSupply, toGwei } from '../contract-reads.ts'
import { type BlockJson, showBlock } from '../shapes/block.ts'
import { averageBlockTime, firstBlockFrom } from '../statistics/block-times.ts'
import type { GasPrice } from '../statistics/gas-oracle.ts'
import { rowsOf } from './account.ts'
import { type Action, action, address, hash, integer, listSection, nonEmpty, Refused } from './define.ts'

const getblockcountdown = action(z.object({ blockno: integer }), async ({ blockno }, context) => {
  const { head } = context
  const remaining = BigInt(blockno) - head.number
  if (remaining <= 0n) throw new Refused(null, 'Error! Block number already pass')
  const seconds = ((await averageBlockTime(context)) / 1000) * Number(remaining)
  return {
    CurrentBlock: head.number.toString(),
    CountdownBlock: blockno.toString(),
    RemainingBlock: remaining.toString(),
    EstimateTimeInSec: seconds.toFixed(1),
  }
})

const getblocknobytime = action(
  z.object({ timestamp: integer, closest: z.enum(['before', 'after']).default('before') }),
  async ({ timestamp, closest }, { chain, head }) => {
    const first =
      closest === 'before'
        ? (await firstBlockFrom({ chain, head }, BigInt(timestamp) + 1n)) - 1
        : await firstBlockFrom({ chain, head }, BigInt(timestamp))
    if (first < Number(chain.base) || first > Number(head.number)) throw new Refused('Error! No closest block found')
    return first.toString()
  },
)

const status = (of: z.output<typeof hash>, chain: Parameters<Action>[1]['chain']): number | undefined =>
  chain.receipt(of)?.receipt.status

const gettxreceiptstatus = action(z.object({ txhash: hash }), ({ txhash }, { chain }) => ({
  status: status(txhash, chain)?.toString() ?? '',
}))

const getstatus = action(z.object({ txhash: hash }), ({ txhash }, { chain }) => {
  const failed = status(txhash, chain) === 0
  return { isError: failed ? '1' : '0', errDescription: failed ? 'execution reverted' : '' }
})

const ethsupply = action(z.object({}), async (_, context) => {
  const supply = await coinSupply(context)
  if (supply === undefined) throw new Refused('Error! Nobody counts the coins of this chain')
  return supply.toString()
})

const tokensupply = action(z.object({ contractaddress: address }), ({ contractaddress: of }, { rows }) => {
  const supply = RECORD.token.get(rows, of)?.supply
  if (supply === undefined) throw new Refused('Error! No token with a known supply at this address')
  return supply.toString()
})

const getblockreward = action(z.object({ blockno: integer }), async ({ blockno }, context) => {
  if (blockno > Number(context.head.number)) throw new Refused(null, 'Error! No record found')
  const { timestamp, miner, rewards } = await showBlock(context, blockno)
  return {
    blockNumber: blockno.toString(),
    timeStamp: unixTime(timestamp),
    blockMiner: miner.hash,
    blockReward: rewardOf(rewards),
    uncles: [],
    uncleInclusionReward: '0',
  }
})

const minedPage = listSection.pick({ page: true, offset: true })
const getminedblocks = action(
  minedPage.extend({ address, blocktype: z.enum(['blocks', 'uncles']).default('blocks') }),
  async ({ address: of, blocktype, page, offset: size }, context) => {
    const lists = blocktype === 'blocks' ? [LIST.blocksOf(of)] : []
    const { entries } = newestPage(context.rows, lists, { page, size, anchor: undefined })
    const rows = await rowsOf(
      entries.map((entry) => positionEntry.decode(entry).number),
      async (number) => {
        const { timestamp, rewards } = await showBlock(context, number)
        return { blockNumber: number.toString(), timeStamp: unixTime(timestamp), blockReward: rewardOf(rewards) }
      },
    )
    return nonEmpty(rows, 'No blocks found')
  },
)

/** Seconds since 1970 of a time in the API's format. */
const unixTime = (time: string): string => Math.floor(Date.parse(time) / 1000).toString()

/** In wei. Empty on a chain with native modules, where stakers get the fees. */
const rewardOf = (rewards: BlockJson['rewards']): string => rewards[0]?.reward ?? '0'

/** Blocks whose use of gas is told with the prices. */
const RECENT_BLOCKS = 5

const gasoracle = action(z.object({}), async (_, { chain, head, gasOracle }) => {
  const { slow, average, fast } = await gasOracle.prices(head)
  const ratios: string[] = []
  for (let number = head.number; number >= chain.base && ratios.length < RECENT_BLOCKS; number--) {
    const header = await chain.header({ number })
    if (header !== undefined) ratios.push((Number(header.gasUsed) / Number(header.gasLimit)).toString())
  }
  const price = ({ baseFee, tip }: GasPrice) => toGwei(baseFee + tip)
  return {
    LastBlock: head.number.toString(),
    SafeGasPrice: price(slow),
    ProposeGasPrice: price(average),
    FastGasPrice: price(fast),
    suggestBaseFee: toGwei(average.baseFee),
    gasUsedRatio: ratios.join(','),
  }
})

export const block: Readonly<Record<string, Action>> = { getblockcountdown, getblocknobytime, getblockreward }
export const transaction: Readonly<Record<string, Action>> = { gettxreceiptstatus, getstatus }
export const stats: Readonly<Record<string, Action>> = { ethsupply, tokensupply }
export const gastracker: Readonly<Record<string, Action>> = { gasoracle }
export const minedBlocks: Readonly<Record<string, Action>> = { getminedblocks }
