// A network: the status of CometBFT, the votes in a block's commit, and the signing records of validators.
import { z } from 'zod'
import type { SyncProgress } from '../../consensus/network-status.ts'
import { voteName } from '../../primitives/commit-info.ts'
import { consensusAddress } from '../../spec/addresses.ts'
import { blockParam, wire } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import {
  commitSchema,
  consensusText,
  showCommit,
  showSigner,
  showSigningInfo,
  signingInfoSchema,
  voteSchema,
} from '../native/commit.ts'
import { accountNamed, accountParam, nativeOf, showTime } from '../native/modules.ts'
import { validatorRefSchema } from '../native/stake.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { sequencePage } from '../pagination/sequence.ts'
import { minedBlock } from '../shapes/indexed-transaction.ts'

const height = z.number().int()

export const nativeNetwork = explorerRoute({
  path: '/native/network',
  summary: 'The network of this node: its engine, peers, and whether the node catches up with them',
  response: z.strictObject({
    engine: z.literal('cometbft').nullable().describe('null on a chain of one node'),
    initial_height: height.nullable().describe('first block that the engine decided'),
    peers_count: z.number().int().nullable().describe('null while the engine does not answer'),
    syncing: z
      .strictObject({ starting_block: height, current_block: height, highest_block: height })
      .nullable()
      .describe('null when the node has caught up'),
  }),
  async handler(_, context) {
    const { consensus } = nativeOf(context, 'head').spec
    const { network } = context
    const [peers, progress] = await Promise.all([
      network?.peerCount().catch(() => null),
      network?.syncing().catch(() => false as const),
    ])
    return {
      engine: consensus?.engine ?? null,
      initial_height: consensus === undefined ? null : Number(consensus.initialHeight),
      peers_count: consensus === undefined ? 0 : (peers ?? null),
      syncing: progress === undefined || progress === false ? null : showProgress(progress),
    }
  },
})

const showProgress = ({ startingBlock, currentBlock, highestBlock }: SyncProgress) => ({
  starting_block: Number(startingBlock),
  current_block: Number(currentBlock),
  highest_block: Number(highestBlock),
})

export const nativeBlockCommit = explorerRoute({
  path: '/native/blocks/{block_hash_or_number_param}/commit',
  summary: 'Who voted in the commit that a block came with, and the evidence in it; no votes on a chain of one node',
  params: z.object({ block_hash_or_number_param: blockParam }),
  response: commitSchema,
  async handler({ params: { block_hash_or_number_param: ref } }, context) {
    nativeOf(context, 'head')
    const header = await context.chain.header(ref)
    if (header === undefined || header.number > context.head.number) throw notFound()
    const block = await minedBlock(context, Number(header.number))
    return showCommit(context, block)
  },
})

export const nativeSigningInfos = explorerRoute({
  path: '/native/signing-infos',
  summary: 'How all that have ever been bonded have signed, by consensus address; empty on chains without slashing',
  query: pageQuery,
  response: pageSchema(
    signingInfoSchema.extend({
      consensus_address: z.string().describe('bech32'),
      validator: validatorRefSchema.nullable().describe('null where it is not known: on a chain of one node'),
    }),
  ),
  handler({ query }, context) {
    const { slashing } = nativeOf(context, 'head').modules
    const window = slashing?.params().signedBlocksWindow ?? 0n
    const infos = (slashing?.signers() ?? []).flatMap((signer) => {
      const info = slashing?.signingInfo(signer)
      return info === undefined ? [] : [{ signer, info }]
    })
    return arrayPage(infos, query, ({ signer, info }) => ({
      consensus_address: consensusText(context, signer),
      validator: showSigner(context, signer),
      ...showSigningInfo(info, window),
    }))
  },
})

export const nativeValidatorVotes = explorerRoute({
  path: '/native/validators/{address}/votes',
  summary: 'A validator’s votes for the blocks of a network, newest first; none on a chain of one node',
  params: z.object({ address: accountParam }),
  query: pageQuery,
  response: pageSchema(
    z.strictObject({
      voted_block_number: height.describe('the block that the vote is for'),
      block_number: height.describe('the next one, whose commit has the vote'),
      timestamp: wire.time.describe('of the next one'),
      vote: voteSchema.nullable().describe('null: it was not asked to vote'),
      power: wire.decimal,
    }),
  ),
  handler({ params: { address }, query }, context) {
    const { spec, modules } = nativeOf(context, 'head')
    const validator = modules.staking.validator(accountNamed(context, 'address', address))
    if (validator === undefined) throw notFound()
    const signer = consensusAddress(validator.consensusKey)
    // CometBFT's first block has no votes.
    const first = Number(spec.consensus?.initialHeight ?? context.head.number) + 1
    const length = Math.max(0, Number(context.head.number) + 1 - first)
    return sequencePage(length, query, async (position) => {
      const block = await minedBlock(context, first + position)
      const vote = block.commit?.votes.find((each) => each.address === signer)
      return {
        voted_block_number: first + position - 1,
        block_number: first + position,
        timestamp: showTime(block.header.timestamp),
        vote: vote === undefined ? null : voteName(vote.flag),
        power: (vote?.power ?? 0n).toString(),
      }
    })
  },
})
