// testing_buildBlockV1, for test suites: builds a block on the head and returns it without storing it.
import { z } from 'zod'
import type { TransactionIntake } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toHex, ZERO_HASH } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { BlobSidecar, Transaction } from '../../primitives/types.ts'
import { earliestTimestamp } from '../../spec/block-rules.ts'
import { data, hash } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { decodeGiven } from '../sends/given-transaction.ts'
import { payloadAttributes, wirePayload } from '../shapes/payload.ts'

const MAX_EXTRA_BYTES = 32
/** The gas limit that blocks approach: the default of Ethereum's clients. */
const TARGET_GAS_LIMIT = 60_000_000n
const GAS_LIMIT_QUOTIENT = 1024n

const rawTransactions = z.array(data, { error: 'expected a list of transactions' })

export const testing_buildBlockV1 = rpcMethod({
  summary: 'Builds a block on the head, of the given transactions or those of the pool, and does not store it.',
  params: [hash, payloadAttributes, rawTransactions.optional(), data.optional()],
  names: ['parentHash', 'payloadAttributes', 'transactions', 'extraData'],
  result: wirePayload,
  gate: 'testing',
  heavy: true,
  async handler([parentHash, attributes, raw, extraData], { chain }, signal) {
    const { head } = chain
    if (parentHash !== head.hash) throw new ChainError('header-not-found', 'parentHash is not current head')
    if (attributes.timestamp < earliestTimestamp(chain.spec, head.timestamp)) {
      const message = `invalid timestamp, parent ${head.timestamp} given ${attributes.timestamp}`
      throw new ChainError('invalid-block', message)
    }
    if (extraData && extraData.length > MAX_EXTRA_BYTES) {
      throw new ChainError('invalid-block', 'extra data is longer than 32 bytes')
    }
    const given = raw?.map(decodeGiven)
    const executed = await chain.build(
      {
        timestamp: attributes.timestamp,
        gasLimit: gasLimitAfter(head.gasLimit, attributes.targetGasLimit ?? TARGET_GAS_LIMIT),
        coinbase: attributes.suggestedFeeRecipient,
        prevRandao: attributes.prevRandao,
        extraData: extraData ? toHex(extraData) : '0x',
        parentBeaconBlockRoot: attributes.parentBeaconBlockRoot ?? ZERO_HASH,
        withdrawals: attributes.withdrawals ?? [],
        baseFeePerGas: undefined,
        slotNumber: attributes.slotNumber ?? undefined,
      },
      given?.map(({ transaction }) => transaction),
      { pause: yieldToEventLoop('heavy', signal) },
    )
    const { transactions } = executed.block
    if (given !== undefined && transactions.length < given.length) {
      throw executed.refused[0]?.reason ?? new ChainError('transaction-rejected', 'gas limit reached')
    }
    return {
      executed,
      sidecars: given ? given.flatMap(({ sidecar }) => sidecar ?? []) : sidecarsOf(chain, transactions),
    }
  },
})

const sidecarsOf = ({ pool }: TransactionIntake, transactions: readonly Transaction[]): BlobSidecar[] =>
  transactions.flatMap((transaction) => pool.sidecar(transaction.hash) ?? [])

/** The next gas limit towards the target: it may differ by less than a 1024th of the parent's. */
function gasLimitAfter(parent: bigint, target: bigint): bigint {
  const step = parent / GAS_LIMIT_QUOTIENT - 1n
  if (parent < target) return parent + step < target ? parent + step : target
  return parent - step > target ? parent - step : target
}
