// The parameters of this chain's EVM, the opcode proposals that they activate, the upgrades of the genesis, and in a network
// the commit of a block.
import { z } from 'zod'
import type { Chain, KnownProposal } from '../../chain/types.ts'
import type { NetworkStatus } from '../../consensus/network-status.ts'
import { consoleLogs } from '../../contracts/console.ts'
import { excerptAt, lineInWords } from '../../contracts/stack-trace.ts'
import { debugSources, failureOfTransaction, stackOfTransaction } from '../../contracts/transaction-stack.ts'
import { toBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import { evidenceName, voteName } from '../../primitives/commit-info.ts'
import type { Block } from '../../primitives/types.ts'
import { operatorPrefix } from '../../spec/addresses.ts'
import type { Upgrade } from '../../spec/chain-spec.ts'
import { address, atBlock, blockNumber, bool, data, hash, quantity, string } from '../codec.ts'
import { isNetwork, rpcMethod } from '../define.ts'

export const kestrel_getEvmParams = rpcMethod({
  summary: 'The EVM parameters after a block: the active improvement proposals in the order of their application.',
  params: [atBlock],
  names: ['block'],
  result: z.object({ extraEips: z.array(string).readonly() }),
  handler: async ([ref], { chain }) => ({ extraEips: await chain.stateQueries.activeProposals(ref) }),
})

export const kestrel_getFeeMarketParams = rpcMethod({
  summary:
    'The fee market’s parameters after a block: the floor of the base fee in wei per gas; null on chains without one.',
  params: [atBlock],
  names: ['block'],
  result: z.object({ minBaseFee: quantity.nullable() }),
  handler: async ([ref], { chain }) => ({ minBaseFee: (await chain.stateQueries.minBaseFee(ref)) ?? null }),
})

export const kestrel_getProposals = rpcMethod({
  summary: 'The improvement proposals that this node knows, and which of them are active after a block.',
  params: [atBlock],
  names: ['block'],
  result: (known: readonly KnownProposal[]) =>
    known.map(({ name, title, isActive }) => ({ name, title, active: isActive })),
  handler: ([ref], { chain }) => chain.stateQueries.proposals(ref),
})

export const kestrel_decodeError = rpcMethod({
  summary:
    'Revert data in words, by the contracts that this node knows: the text of Error(string), the meaning of a Panic, or a custom ' +
    'error with its values; null if nothing is known of it.',
  params: [data, address.nullable().optional()],
  names: ['data', 'contract'],
  result: string.nullable(),
  handler: async ([data, to], { revertWords }) => (await revertWords(data, to)) ?? null,
})

type Scheduled = {
  readonly upgrade: Pick<Upgrade, 'name' | 'height' | 'params' | 'addProposals' | 'removeProposals'>
  readonly isApplied: boolean
  /** Of a plan of governance that has not happened. */
  readonly info?: string
}

export const kestrel_getUpgrades = rpcMethod({
  summary:
    'Changes of the EVM parameters that the genesis schedules, and upgrades that governance has scheduled, and which of them were ' +
    'applied. The plan to come of governance has its `info`.',
  params: [],
  result: (scheduled: readonly Scheduled[]) =>
    scheduled.map(({ upgrade: { name, height, params, addProposals, removeProposals }, isApplied, info }) => ({
      name,
      height: toQuantity(height),
      params: params === undefined ? null : { extraEips: params.activeProposals },
      addProposals,
      removeProposals,
      applied: isApplied,
      ...(info !== undefined && { info }),
    })),
  async handler(_, { chain }): Promise<readonly Scheduled[]> {
    const { plan, done } = await chain.stateQueries.upgrades('latest')
    const NO_LISTS = { addProposals: [], removeProposals: [] }
    return [
      ...(chain.spec.native?.upgrades ?? []).map((upgrade) => ({
        upgrade,
        isApplied: upgrade.height <= chain.head.number,
      })),
      ...done.map(({ name, height }) => ({ upgrade: { ...NO_LISTS, name, height }, isApplied: true })),
      ...(plan === undefined
        ? []
        : [
            {
              upgrade: { ...NO_LISTS, ...plan.change, name: plan.name, height: plan.height },
              isApplied: false,
              info: plan.info,
            },
          ]),
    ]
  },
})

const governed = quantity.nullable().describe('QUANTITY, or null: governance has not set it, and the genesis holds')

export const kestrel_getConsensusParams = rpcMethod({
  summary: 'The consensus parameters that governance has set, for blocks after a block.',
  params: [atBlock],
  names: ['block'],
  result: z.object({
    gasLimit: governed,
    maxBytes: governed,
    blockTimeMs: governed,
    evidence: z.object({ maxAgeNumBlocks: quantity, maxAgeSeconds: quantity, maxBytes: quantity }).nullable(),
  }),
  async handler([ref], { chain }) {
    const params = await chain.stateQueries.consensusParams(ref)
    const set = (value: bigint | undefined) => value || null
    return {
      gasLimit: set(params?.gasLimit),
      maxBytes: set(params?.maxBytes),
      blockTimeMs: set(params?.blockTimeMs),
      evidence: params?.hasEvidence
        ? {
            maxAgeNumBlocks: params.evidenceBlocks,
            maxAgeSeconds: params.evidenceSeconds,
            maxBytes: params.evidenceBytes,
          }
        : null,
    }
  },
})

export const kestrel_getStakingParams = rpcMethod({
  summary:
    'The parameters of staking after a block; null on chains without native modules. A light client trusts a header for less than the unbonding time.',
  params: [atBlock],
  names: ['block'],
  result: z
    .object({ unbondingTime: quantity.describe('QUANTITY, seconds'), maxValidators: quantity, maxEntries: quantity })
    .nullable(),
  committed: true,
  async handler([ref], { chain }) {
    const params = await chain.stateQueries.stakingParams(ref)
    if (params === undefined) return null
    const { unbondingTime, maxValidators, maxEntries } = params
    return { unbondingTime, maxValidators, maxEntries }
  },
})

export const kestrel_getConsoleLogs = rpcMethod({
  summary: 'What the contracts of a mined transaction have printed with console.log, in order, also if it failed.',
  params: [hash],
  names: ['transaction'],
  result: z.array(z.object({ address, name: string.nullable(), text: string })),
  gate: 'development',
  heavy: true,
  async handler([of], { chain, contracts }, signal) {
    const { view } = await chain.at('latest')
    const logs = await consoleLogs({ ...contracts, view, spec: chain.spec }, chain.traces, of, signal)
    return logs.map(({ address, name = null, text }) => ({ address, name, text }))
  },
})

const signer = { address, operator: address.nullable(), power: quantity }
const commitInfo = z.object({
  round: quantity,
  time: quantity.describe('QUANTITY, Unix nanoseconds'),
  votes: z.array(z.object({ ...signer, vote: z.enum(['commit', 'nil', 'absent', 'unknown']) })),
  evidence: z.array(
    z.object({
      ...signer,
      type: z.enum(['duplicate_vote', 'light_client_attack', 'unknown']),
      height: quantity,
      time: quantity.describe('QUANTITY, Unix nanoseconds'),
    }),
  ),
})

export const kestrel_getCommit = rpcMethod({
  summary:
    'In a network: the signed header and validators that prove a block (the engine’s header of the next height, whose app_hash ' +
    'is the block’s hash, on a chain with IBC the Merkle root over the leaves of appHash; null until there is one), and the votes and evidence that the block came with (null for blocks that no engine decided).',
  params: [blockNumber],
  names: ['block'],
  result: z.object({
    number: quantity,
    hash,
    appHash: z
      .object({ evm: hash, ibc: hash })
      .nullable()
      .describe('leaves of the app hash; null on a chain without IBC, and where the state of the block was pruned'),
    proof: z.unknown().describe('{ signed_header, validators } as the engine’s JSON, or null'),
    commitInfo: commitInfo.nullable(),
  }),
  async handler([ref], context) {
    const { chain, network } = context
    if (!isNetwork(context)) throw new ChainError('not-allowed', 'kestrel_getCommit: this chain is no network')
    const block = await chain.block(ref === 'pending' ? 'latest' : ref)
    if (block === undefined) throw new ChainError('header-not-found', 'header not found')
    const { number, hash } = block.header
    const { evm = hash, ibc } = chain.stateQueries.appHashLeaves(number) ?? {}
    return {
      number,
      hash,
      appHash: ibc === undefined ? null : { evm, ibc },
      proof: (await proofOf(number, network)) ?? null,
      commitInfo: commitInfoOf(block, chain),
    }
  },
})

/** Keys of packets have 9 bytes after the client's id, which ibc-go bounds by 64. */
const storeKey = data.refine((key) => key.length > 0 && key.length <= 256, {
  error: 'expected a key of 1 to 256 bytes',
})

export const kestrel_getIbcProof = rpcMethod({
  summary:
    'On a chain with IBC: proves to another chain what the provable store `ibc` has at a key after a block, or that it has nothing ' +
    'there. The proof leads to the app hash in the engine’s header of `height`, the next one after the block.',
  params: [storeKey, atBlock],
  names: ['key', 'block'],
  result: z.object({
    block: quantity,
    height: quantity,
    value: data.nullable().describe('DATA, or null: the store has nothing at the key'),
    proof: data.describe(
      'DATA, ibc-go’s MerkleProof: of the key in the store, and of the store’s root in the app hash',
    ),
  }),
  committed: true,
  async handler([key, ref], { chain }) {
    const { block, value = null, proof } = await chain.stateQueries.ibcProof(ref === 'pending' ? 'latest' : ref, key)
    return { block, height: block + 1n, value, proof }
  },
})

const fraction = quantity.describe('QUANTITY, 10^18 is 1')
const seconds = quantity.describe('QUANTITY, Unix seconds')

export const kestrel_getValidator = rpcMethod({
  summary:
    'A validator after a block, by its operator or its consensus address: stake, power, votes of the window, jail, what it has earned; ' +
    'null: there is none.',
  params: [address, atBlock],
  names: ['validator', 'block'],
  result: z
    .object({
      block: quantity,
      time: seconds.describe('QUANTITY, Unix seconds: of that block'),
      operator: address,
      operatorAddress: string.describe('bech32'),
      consensusKey: hash,
      consensusAddress: address,
      moniker: string,
      status: z.enum(['unbonded', 'unbonding', 'bonded']),
      jailed: bool,
      tombstoned: bool,
      jailedUntil: seconds,
      tokens: quantity,
      power: quantity,
      totalPower: quantity,
      selfDelegation: quantity,
      minSelfDelegation: quantity,
      commission: z.object({ rate: fraction, maxRate: fraction, maxChangeRate: fraction }),
      earned: z.object({ commission: quantity, rewards: quantity }),
      votes: z.object({ missed: quantity, counted: quantity, window: quantity, minSigned: fraction }).nullable(),
      lastVote: z.enum(['commit', 'nil', 'absent', 'unknown']).nullable().describe('in the commit of that block'),
    })
    .nullable(),
  async handler([of, ref], { chain }) {
    const block = await chain.block(ref)
    if (block === undefined) throw new ChainError('header-not-found', 'header not found')
    const { native } = chain.spec
    const found = await chain.stateQueries.validator(ref, of)
    if (native === undefined || found === undefined) return null
    const { votes = null, ...validator } = found
    const cast = block.commit?.votes.find(({ address }) => address === found.consensusAddress)
    return {
      block: block.header.number,
      time: block.header.timestamp,
      operatorAddress: toBech32(operatorPrefix(native.bech32Prefix), found.operator),
      ...validator,
      votes,
      lastVote: cast === undefined ? null : voteName(cast.flag),
    }
  },
})

/** undefined: CometBFT does not have the header of the next height yet, or has pruned it. */
async function proofOf(number: bigint, network: NetworkStatus | undefined): Promise<unknown> {
  try {
    return await network?.commit(number)
  } catch (error) {
    if (error instanceof ChainError && error.code === 'not-found') return undefined
    throw error
  }
}

function commitInfoOf({ commit }: Block, chain: Chain): z.output<typeof commitInfo> | null {
  if (commit === undefined) return null
  const { round, time, votes, evidence } = commit
  const operator = (of: Parameters<Chain['operatorOf']>[0]) => chain.operatorOf(of) ?? null
  return {
    round,
    time,
    votes: votes.map(({ address, power, flag }) => {
      return { address, operator: operator(address), power, vote: voteName(flag) }
    }),
    evidence: evidence.map(({ address, power, type, height, time }) => {
      return { address, operator: operator(address), power, type: evidenceName(type), height, time }
    }),
  }
}

export const kestrel_getStackTrace = rpcMethod({
  summary:
    'Why a mined transaction failed, with the functions and places of the sources that are known, innermost first; null: it did not fail.',
  params: [hash],
  names: ['transactionHash'],
  result: z.array(string).nullable(),
  heavy: true,
  async handler([hash], context, signal) {
    const lines = await stackOfTransaction(context.chain.traces, debugSources(context.chain, context.contracts), hash, {
      signal,
    })
    return lines === undefined ? null : [...lines]
  },
})

const place = z.object({ file: string, line: z.int(), column: z.int() })
const excerpt = z.object({ first: z.int().describe('number of the first line'), lines: z.array(string) })

export const kestrel_getFailure = rpcMethod({
  summary:
    'The stack trace of kestrel_getStackTrace in parts, for programs: of each function its place with the lines of the source around it; ' +
    'null: the transaction did not fail.',
  params: [hash],
  names: ['transactionHash'],
  result: z
    .object({
      reason: string,
      frames: z.array(z.object({ text: string, place: place.nullable(), excerpt: excerpt.nullable() })),
    })
    .nullable(),
  heavy: true,
  async handler([hash], { chain, contracts }, signal) {
    const failure = await failureOfTransaction(chain.traces, debugSources(chain, contracts), hash, { signal })
    if (failure === undefined) return null
    const frames = failure.lines.map((line, i) => {
      const { location } = line
      if (location === undefined) return { text: lineInWords(line), place: null, excerpt: null }
      const { first, lines } = excerptAt(location)
      const { file, line: number, column } = location
      return {
        text: lineInWords(line),
        place: { file, line: number, column },
        excerpt: i < MOST_EXCERPTS ? { first, lines: [...lines] } : null,
      }
    })
    return { reason: failure.reason, frames }
  },
})
/** Functions, from the innermost one outward, whose sources are shown. */
const MOST_EXCERPTS = 32
