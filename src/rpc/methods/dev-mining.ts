// Development: mining, automatic and interval mining, and the clock. Times are in seconds.
import { z } from 'zod'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toHex } from '../../lib/hex.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { earliestTimestamp } from '../../spec/block-rules.ts'
import { bool, looseUint64, noResult } from '../codec.ts'
import { answeringTrue, type RpcContext, rpcMethod } from '../define.ts'
import { wireBlock } from '../shapes/block.ts'

/** Throws ChainError `invalid-params` for a timestamp that the next block cannot have. */
function assertPossibleTimestamp(timestamp: bigint, { head, spec }: Chain): void {
  const earliest = earliestTimestamp(spec, head.timestamp)
  if (timestamp >= earliest) return
  const relation = earliest > head.timestamp ? 'not after' : 'before'
  const message = `timestamp ${timestamp} is ${relation} the latest block's timestamp ${head.timestamp}`
  throw new ChainError('invalid-params', message)
}

/** Maximum number of blocks of one request. */
const MAX_BLOCKS = 1_000_000n
/** Times from this number on are in milliseconds (Ganache): in seconds it would be the year 5138. */
const FIRST_MILLISECOND_TIME = 100_000_000_000n
/** Numbers from this one on are in milliseconds for evm_setIntervalMining. */
const FIRST_MILLISECOND_INTERVAL = 100
/** The longest interval of a timer (2^31 ms), in seconds. */
const MAX_INTERVAL = 2_147_483

const number = z.number({ error: 'expected a number' })
const zeroResult = z.codec(z.literal('0x0'), z.void(), { decode: () => undefined, encode: () => '0x0' as const })
const isTrue = z.literal(true)

const mineOptions = z
  .union([looseUint64, z.object({ timestamp: looseUint64.nullish(), blocks: looseUint64.nullish() })], {
    error: 'expected a timestamp or {timestamp, blocks}',
  })
  .optional()

async function mine(options: z.output<typeof mineOptions>, { chain, producer }: RpcContext): Promise<void> {
  const { timestamp, blocks } = typeof options === 'object' ? options : { timestamp: options, blocks: undefined }
  if (timestamp != null) assertPossibleTimestamp(timestamp, chain)
  await producer.mine(checkedCount(blocks ?? 1n), undefined, timestamp ?? undefined)
}

function checkedCount(blocks: bigint): bigint {
  if (blocks <= MAX_BLOCKS) return blocks
  throw new ChainError('limit-exceeded', `too many blocks, want at most ${MAX_BLOCKS}`)
}

export const anvil_mine = rpcMethod({
  summary:
    'Makes blocks (default 1). With an interval (seconds) each has a timestamp that much later than the one before, ' +
    'and the first that much later than the present time.',
  params: [looseUint64.default(1n), looseUint64.default(0n)],
  names: ['blocks', 'interval'],
  result: noResult,
  gate: 'development',
  handler: ([blocks, interval], { producer }) =>
    interval === 0n
      ? producer.mine(checkedCount(blocks))
      : producer.mine(checkedCount(blocks), interval, producer.nextTimestamp() + interval),
})

export const hardhat_mine = rpcMethod({
  summary:
    'Makes blocks (default 1). The first has the present time, the others are an interval apart (default 1 second).',
  params: [looseUint64.default(1n), looseUint64.default(1n)],
  names: ['blocks', 'interval'],
  result: isTrue,
  gate: 'development',
  async handler([blocks, interval], { producer }) {
    await producer.mine(checkedCount(blocks), interval)
    return true as const
  },
})

export const evm_mine = rpcMethod({
  summary: 'Makes a block, with the given timestamp if there is one; {timestamp, blocks} makes several.',
  params: [mineOptions],
  names: ['options'],
  result: zeroResult,
  gate: 'development',
  handler: ([options], context) => mine(options, context),
})

export const anvil_mine_detailed = rpcMethod({
  summary: 'As evm_mine; returns the blocks in full, each transaction with its output and revert reason.',
  params: [mineOptions],
  names: ['options'],
  result: (blocks: readonly DetailedBlock[]) => blocks.map(detailed),
  gate: 'development',
  async handler([options], context) {
    const made: ExecutedBlock[] = []
    const stop = context.chain.events.on('block', (executed) => made.push(executed))
    try {
      await mine(options, context)
    } finally {
      stop()
    }
    return Promise.all(made.map((executed) => withReasons(executed, context)))
  },
})
export const evm_mine_detailed = anvil_mine_detailed

type DetailedBlock = ExecutedBlock & { readonly reasons: readonly (string | undefined)[] }

const withReasons = async (executed: ExecutedBlock, { revertWords }: RpcContext): Promise<DetailedBlock> => ({
  ...executed,
  reasons: await Promise.all(
    executed.callTrees.map(({ error, output, to }) => (error === undefined ? undefined : revertWords(output, to))),
  ),
})

function detailed({ block, callTrees, reasons }: DetailedBlock) {
  const { transactions, ...rest } = wireBlock(block, 'full')
  return {
    ...rest,
    transactions: transactions.map((transaction, index) => {
      const trace = callTrees[index]
      if (typeof transaction === 'string' || trace === undefined) return transaction
      const reason = reasons[index]
      return { ...transaction, output: toHex(trace.output), ...(reason !== undefined && { revertReason: reason }) }
    }),
  }
}

export const anvil_getAutomine = rpcMethod({
  summary: 'Whether a block is made as soon as a transaction is ready (automatic mining).',
  params: [],
  result: bool,
  gate: 'development',
  handler: (_, { producer }) => producer.mode().automine,
})
export const hardhat_getAutomine = anvil_getAutomine

export const anvil_setAutomine = rpcMethod({
  summary:
    'Switches automatic mining (a block as soon as a transaction is ready) on or off; interval mining stays as it is.',
  params: [bool],
  names: ['enabled'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler: ([automine], { producer }) => producer.setMode({ automine }),
})
export const evm_setAutomine = answeringTrue(anvil_setAutomine)

export const anvil_getIntervalMining = rpcMethod({
  summary: 'Seconds between blocks of interval mining; null when it is off.',
  params: [],
  result: number.nullable(),
  gate: 'development',
  handler: (_, { producer }) => producer.mode().interval || null,
})

export const anvil_setIntervalMining = rpcMethod({
  summary: 'Makes a block every given number of seconds, 0 for never; automatic mining stays as it is.',
  params: [looseUint64],
  names: ['seconds'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler: ([seconds], { producer }) => producer.setMode({ interval: checkedInterval(Number(seconds)) }),
})

export const evm_setIntervalMining = rpcMethod({
  summary:
    'As anvil_setIntervalMining, for clients of both kinds: a number below 100 is in seconds (as in anvil), one from 100 on ' +
    'in milliseconds (as in Hardhat). Of Hardhat’s range [min, max] the lower end is used.',
  params: [z.union([looseUint64, z.tuple([looseUint64, looseUint64])], { error: 'expected a number or [min, max]' })],
  names: ['interval'],
  result: isTrue,
  gate: 'development',
  noted: true,
  handler([given], { producer }) {
    const interval = Number(Array.isArray(given) ? given[0] : given)
    const isSeconds = !Array.isArray(given) && interval < FIRST_MILLISECOND_INTERVAL
    producer.setMode({ interval: checkedInterval(isSeconds ? interval : interval / 1000) })
    return true as const
  },
})

function checkedInterval(seconds: number): number {
  if (seconds <= MAX_INTERVAL) return seconds
  throw new ChainError('invalid-params', `interval too long, want at most ${MAX_INTERVAL} seconds`)
}

export const evm_increaseTime = rpcMethod({
  summary:
    'Moves the clock forward: the next block is at least the given number of seconds after the newest one. Returns the ' +
    'seconds that the clock is now ahead of the machine’s clock, as a number (as anvil does).',
  params: [looseUint64],
  names: ['seconds'],
  result: number,
  gate: 'development',
  noted: true,
  handler: async ([seconds], { producer }) => Number(await producer.increaseTime(seconds)),
})
export const anvil_increaseTime = evm_increaseTime

export const evm_setTime = rpcMethod({
  summary:
    'Sets the clock, which goes on from there; returns the seconds from the machine’s clock to that time. ' +
    'The time is in seconds, or in milliseconds as in Ganache (numbers from 10^11 on).',
  params: [looseUint64],
  names: ['timestamp'],
  result: number,
  gate: 'development',
  noted: true,
  handler: async ([time], { producer }) =>
    Number(await producer.setTime(time >= FIRST_MILLISECOND_TIME ? time / 1000n : time)),
})
export const anvil_setTime = evm_setTime

export const evm_setNextBlockTimestamp = rpcMethod({
  summary: 'Gives the next block exactly this timestamp; the clock goes on from there.',
  params: [looseUint64],
  names: ['timestamp'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([timestamp], { chain, producer }) {
    assertPossibleTimestamp(timestamp, chain)
    producer.next.timestamp = timestamp
  },
})
export const anvil_setNextBlockTimestamp = evm_setNextBlockTimestamp

export const anvil_setBlockTimestampInterval = rpcMethod({
  summary: 'Makes every block exactly this many seconds later than the one before, instead of by the clock.',
  params: [looseUint64],
  names: ['seconds'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([seconds], { chain, producer }) {
    if (seconds < earliestTimestamp(chain.spec, 0n))
      throw new ChainError('invalid-params', 'blocks of this chain are at least a second apart')
    producer.settings.timestampInterval = seconds
  },
})

export const anvil_removeBlockTimestampInterval = rpcMethod({
  summary: 'Ends anvil_setBlockTimestampInterval; false when it was not set.',
  params: [],
  result: bool,
  gate: 'development',
  noted: true,
  handler(_, { producer }) {
    const was = producer.settings.timestampInterval !== undefined
    producer.settings.timestampInterval = undefined
    return was
  },
})
