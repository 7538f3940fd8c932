// Development: when blocks are made, what is in them, and what their clock says. Times are in seconds.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { toHex } from '../../lib/hex.ts'
import { revertReason } from '../../primitives/revert-reason.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { earliestTimestamp } from '../../spec/block-rules.ts'
import { bool } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { answeringTrue, assertPossibleTimestamp, done, looseUint64 } from '../development.ts'
import { wireBlock } from '../shapes/block.ts'

/** Blocks made by one request. */
const MAX_BLOCKS = 1_000_000n
/** From here on a time is taken for milliseconds: in seconds it would be the year 5138. */
const MILLISECONDS = 100_000_000_000n
/** From here on evm_setIntervalMining's number is taken for milliseconds. */
const MILLISECOND_INTERVAL = 100
/** Longest interval, in seconds, that a timer can wait. */
const MAX_INTERVAL = 2_147_483

const number = z.number({ error: 'expected a number' })
const doneAsZero = z.codec(z.literal('0x0'), z.void(), { decode: () => undefined, encode: () => '0x0' as const })
const isTrue = z.literal(true)

const mineOptions = z
  .union([looseUint64, z.object({ timestamp: looseUint64.nullish(), blocks: looseUint64.nullish() })], {
    error: 'expected a timestamp or {timestamp, blocks}',
  })
  .optional()

async function mine(options: z.output<typeof mineOptions>, { chain, producer }: RpcContext): Promise<void> {
  const { timestamp, blocks } = typeof options === 'object' ? options : { timestamp: options, blocks: undefined }
  if (timestamp != null) assertPossibleTimestamp(timestamp, chain)
  await producer.mine(atMost(blocks ?? 1n), undefined, timestamp ?? undefined)
}

function atMost(blocks: bigint): bigint {
  if (blocks <= MAX_BLOCKS) return blocks
  throw new ChainError('limit-exceeded', `too many blocks, want at most ${MAX_BLOCKS}`)
}

export const anvil_mine = rpcMethod({
  summary:
    'Makes blocks (default 1), as the clock says. With an interval in seconds each is so much later than the one before, ' +
    'and the first than the present time.',
  params: [looseUint64.default(1n), looseUint64.default(0n)],
  names: ['blocks', 'interval'],
  result: done,
  gate: 'development',
  handler: ([blocks, interval], { producer }) =>
    interval === 0n
      ? producer.mine(atMost(blocks))
      : producer.mine(atMost(blocks), interval, producer.nextTimestamp() + interval),
})

export const hardhat_mine = rpcMethod({
  summary: 'Makes blocks (default 1), the first as the clock says, the others an interval apart (default 1 second).',
  params: [looseUint64.default(1n), looseUint64.default(1n)],
  names: ['blocks', 'interval'],
  result: isTrue,
  gate: 'development',
  async handler([blocks, interval], { producer }) {
    await producer.mine(atMost(blocks), interval)
    return true as const
  },
})

export const evm_mine = rpcMethod({
  summary: 'Makes a block, with a timestamp if one is given; {timestamp, blocks} makes several.',
  params: [mineOptions],
  names: ['options'],
  result: doneAsZero,
  gate: 'development',
  handler: ([options], context) => mine(options, context),
})

export const anvil_mine_detailed = rpcMethod({
  summary: 'As evm_mine; answers the blocks in full, each transaction with its output and revert reason.',
  params: [mineOptions],
  names: ['options'],
  result: (blocks: readonly ExecutedBlock[]) => blocks.map(detailed),
  gate: 'development',
  async handler([options], context) {
    const made: ExecutedBlock[] = []
    const stop = context.chain.events.on('block', (executed) => made.push(executed))
    try {
      await mine(options, context)
    } finally {
      stop()
    }
    return made
  },
})
export const evm_mine_detailed = anvil_mine_detailed

function detailed({ block, traces }: ExecutedBlock) {
  const { transactions, ...rest } = wireBlock(block, 'full')
  return {
    ...rest,
    transactions: transactions.map((transaction, index) => {
      const trace = traces[index]
      if (typeof transaction === 'string' || trace === undefined) return transaction
      const reason = trace.error === undefined ? undefined : revertReason(trace.output)
      return { ...transaction, output: toHex(trace.output), ...(reason !== undefined && { revertReason: reason }) }
    }),
  }
}

export const anvil_getAutomine = rpcMethod({
  summary: 'Whether a block is made as soon as a transaction is ready.',
  params: [],
  result: bool,
  gate: 'development',
  handler: (_, { producer }) => producer.mode().automine,
})
export const hardhat_getAutomine = anvil_getAutomine

export const anvil_setAutomine = rpcMethod({
  summary: 'Whether a block shall be made as soon as a transaction is ready; interval mining stays as it is.',
  params: [bool],
  names: ['enabled'],
  result: done,
  gate: 'development',
  handler: ([automine], { producer }) => producer.setMode({ automine }),
})
export const evm_setAutomine = answeringTrue(anvil_setAutomine)

export const anvil_getIntervalMining = rpcMethod({
  summary: 'Seconds between blocks; null when none are made by the clock.',
  params: [],
  result: number.nullable(),
  gate: 'development',
  handler: (_, { producer }) => producer.mode().interval || null,
})

export const anvil_setIntervalMining = rpcMethod({
  summary: 'Makes a block every so many seconds, 0 never; automatic mining stays as it is.',
  params: [looseUint64],
  names: ['seconds'],
  result: done,
  gate: 'development',
  handler: ([seconds], { producer }) => producer.setMode({ interval: checkedInterval(Number(seconds)) }),
})

export const evm_setIntervalMining = rpcMethod({
  summary:
    'As anvil_setIntervalMining, for clients of both kinds: a number below 100 is in seconds (anvil’s way), from 100 on ' +
    'in milliseconds (Hardhat’s way). Of Hardhat’s range [min, max] the lower end counts.',
  params: [z.union([looseUint64, z.tuple([looseUint64, looseUint64])], { error: 'expected a number or [min, max]' })],
  names: ['interval'],
  result: isTrue,
  gate: 'development',
  handler([given], { producer }) {
    const interval = Number(Array.isArray(given) ? given[0] : given)
    const isSeconds = !Array.isArray(given) && interval < MILLISECOND_INTERVAL
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
    'Moves the clock forward: the next block is at least so many seconds after the newest one. Answers the seconds that ' +
    'the clock is now ahead of the machine’s, as a number (anvil’s way).',
  params: [looseUint64],
  names: ['seconds'],
  result: number,
  gate: 'development',
  handler: async ([seconds], { producer }) => Number(await producer.increaseTime(seconds)),
})
export const anvil_increaseTime = evm_increaseTime

export const evm_setTime = rpcMethod({
  summary:
    'Sets the clock, which goes on from there; answers the seconds from the machine’s clock to that time. ' +
    'Takes seconds, and milliseconds as Ganache does (numbers from 10^11 on).',
  params: [looseUint64],
  names: ['timestamp'],
  result: number,
  gate: 'development',
  handler: async ([time], { producer }) => Number(await producer.setTime(time >= MILLISECONDS ? time / 1000n : time)),
})
export const anvil_setTime = evm_setTime

export const evm_setNextBlockTimestamp = rpcMethod({
  summary: 'The next block shall have exactly this timestamp; the clock goes on from there.',
  params: [looseUint64],
  names: ['timestamp'],
  result: done,
  gate: 'development',
  handler([timestamp], { chain, producer }) {
    assertPossibleTimestamp(timestamp, chain)
    producer.next.timestamp = timestamp
  },
})
export const anvil_setNextBlockTimestamp = evm_setNextBlockTimestamp

export const anvil_setBlockTimestampInterval = rpcMethod({
  summary: 'Every block shall be this many seconds after the one before, whatever the clock says.',
  params: [looseUint64],
  names: ['seconds'],
  result: done,
  gate: 'development',
  handler([seconds], { chain, producer }) {
    if (seconds < earliestTimestamp(chain.spec, 0n))
      throw new ChainError('invalid-params', 'blocks of this chain are at least a second apart')
    producer.settings.timestampInterval = seconds
  },
})

export const anvil_removeBlockTimestampInterval = rpcMethod({
  summary: 'Ends anvil_setBlockTimestampInterval; false when there was none.',
  params: [],
  result: bool,
  gate: 'development',
  handler(_, { producer }) {
    const was = producer.settings.timestampInterval !== undefined
    producer.settings.timestampInterval = undefined
    return was
  },
})
