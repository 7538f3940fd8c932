// `module=block`, `transaction` and `stats`: blocks by time, statuses of transactions, supplies.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { coinSupply } from '../contract-reads.ts'
import { averageBlockTime, firstBlockFrom } from '../statistics/block-times.ts'
import { type Action, action, address, hash, integer, Refused } from './define.ts'

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

export const block: Readonly<Record<string, Action>> = { getblockcountdown, getblocknobytime }
export const transaction: Readonly<Record<string, Action>> = { gettxreceiptstatus, getstatus }
export const stats: Readonly<Record<string, Action>> = { ethsupply, tokensupply }
