// The fork configuration of the chain (EIP-7910), and the oldest block of each kind of data.
import type { ChainReader } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import { type ForkConfig, forkConfigs } from '../../spec/fork-config.ts'
import { firstBlock } from '../../spec/forks.ts'
import { rpcMethod } from '../define.ts'

export const eth_config = rpcMethod({
  summary: 'The current, next and last scheduled fork configurations (EIP-7910).',
  params: [],
  result: ({ current, next, last }: ReturnType<typeof forkConfigs>) => ({
    current: wireConfig(current),
    next: next ? wireConfig(next) : null,
    last: last ? wireConfig(last) : null,
  }),
  handler(_, { chain }) {
    const genesis = chain.canonicalHash(firstBlock(chain.spec))
    if (genesis === undefined) throw new ChainError('storage', 'the genesis block is missing')
    return forkConfigs(chain.spec, genesis, chain.head.timestamp)
  },
})

/** EIP-7910 specifies these numbers as JSON numbers. */
function wireConfig({ activationTime, blobSchedule, chainId, ...rest }: ForkConfig) {
  return {
    activationTime: Number(activationTime),
    blobSchedule: blobSchedule
      ? {
          target: Number(blobSchedule.target),
          max: Number(blobSchedule.max),
          baseFeeUpdateFraction: Number(blobSchedule.baseFeeUpdateFraction),
        }
      : null,
    chainId: toQuantity(chainId),
    ...rest,
  }
}

const since = (oldest: bigint) => ({ disabled: false, oldestBlock: toQuantity(oldest) }) as const

export const eth_capabilities = rpcMethod({
  summary:
    'The head, and the oldest block of each kind of data: block 0, except for states of a pruned chain and all data of one that began with a snapshot.',
  params: [],
  result: ({ head: { number, hash }, base, oldestState }: ChainReader) => ({
    head: { number: toQuantity(number), hash },
    state: since(oldestState),
    tx: since(base),
    logs: since(base),
    receipts: since(base),
    blocks: since(base),
    stateproofs: since(oldestState),
  }),
  handler: (_, { chain }) => chain,
})
