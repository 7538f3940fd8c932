// Governance and EVM parameters of a running chain, read and changed through the gov contract at 0x…0805.
import type { Hex } from 'viem'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import { govAbi } from '../../precompiles/gov-abi.ts'
import type { CoinAmount } from '../native/amount.ts'
import { contractNamed, functionsNamed } from '../native/contracts.ts'
import { type NativeCall, requireContract } from '../native/transaction.ts'
import type { RpcClient } from '../rpc-client.ts'

const GOV = '0x0000000000000000000000000000000000000805'
const contract = { address: GOV, abi: govAbi } as const

/** Ordered by the contract's numbers, from 1. */
export const STATUSES = ['deposit', 'voting', 'passed', 'rejected', 'failed'] as const
export type Status = (typeof STATUSES)[number]

/** Base coins voted for each option. */
export type TallyAnswer = { readonly yes: bigint; readonly no: bigint; readonly abstain: bigint; readonly veto: bigint }

/** Times are seconds since 1970. */
export type ProposalAnswer = {
  readonly id: number
  readonly status: Status
  readonly title: string
  readonly summary: string
  readonly metadata: string
  readonly proposer: Hex
  readonly deposit: readonly CoinAmount[]
  readonly tally: TallyAnswer
  readonly submitTime: number
  readonly depositEndTime: number
  /** 0 until the deposit is complete, as is `votingEndTime`. */
  readonly votingStartTime: number
  readonly votingEndTime: number
}

type ProposalData = Awaited<ReturnType<typeof readProposalData>>

const readProposalData = ({ viem }: RpcClient, id: number) =>
  viem.readContract({ ...contract, functionName: 'getProposal', args: [BigInt(id)] })

/** Throws ChainError when the proposal does not exist or the chain has no governance. */
export async function readProposal(node: RpcClient, id: number): Promise<ProposalAnswer> {
  await requireContract(node, governance)
  return toProposal(node, await readProposalData(node, id))
}

/** Every proposal that the chain still stores, oldest first; `status` filters. */
export async function readProposals(node: RpcClient, status: Status | undefined): Promise<ProposalAnswer[]> {
  await requireContract(node, governance)
  const number = status === undefined ? 0 : STATUSES.indexOf(status) + 1
  const found: ProposalData[] = []
  let key: Hex = '0x'
  do {
    const pagination = { key, offset: 0n, limit: 100n, countTotal: false, reverse: false }
    const [proposals, { nextKey }] = await node.viem.readContract({
      ...contract,
      functionName: 'getProposals',
      args: [number, ZERO_ADDRESS, ZERO_ADDRESS, pagination],
    })
    found.push(...proposals)
    key = nextKey
  } while (key !== '0x')
  return Promise.all(found.map((data) => toProposal(node, data)))
}

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

async function toProposal({ viem }: RpcClient, data: ProposalData): Promise<ProposalAnswer> {
  const { title, summary, metadata, proposer, totalDeposit } = data
  const status = STATUSES[data.status - 1]
  if (status === undefined)
    throw new ChainError('not-found', `proposal ${data.id} has the unknown status ${data.status}`)
  // The final result is zero until voting has ended.
  const { yes, no, abstain, noWithVeto } =
    status === 'voting'
      ? await viem.readContract({ ...contract, functionName: 'getTallyResult', args: [data.id] })
      : data.finalTallyResult
  return {
    id: Number(data.id),
    status,
    title,
    summary,
    metadata,
    proposer,
    deposit: totalDeposit,
    tally: { yes: BigInt(yes), no: BigInt(no), abstain: BigInt(abstain), veto: BigInt(noWithVeto) },
    submitTime: Number(data.submitTime),
    depositEndTime: Number(data.depositEndTime),
    votingStartTime: Number(data.votingStartTime),
    votingEndTime: Number(data.votingEndTime),
  }
}

/** The messages that a proposal executes when it passes, as submitted JSON. */
export async function readMessages({ viem }: RpcClient, id: number): Promise<unknown[]> {
  const texts = await viem.readContract({ ...contract, functionName: 'getMessages', args: [BigInt(id)] })
  return texts.map((text) => JSON.parse(text))
}

/** Why a passed proposal could not be executed; empty for all others. */
export const readFailure = ({ viem }: RpcClient, id: number): Promise<string> =>
  viem.readContract({ ...contract, functionName: 'getFailure', args: [BigInt(id)] })

export async function readGovParams(node: RpcClient) {
  await requireContract(node, governance)
  return node.viem.readContract({ ...contract, functionName: 'getParams' })
}

export type GovParamsAnswer = Awaited<ReturnType<typeof readGovParams>>

/** The denomination of deposits and stakes. */
export const baseDenom = ({ minDeposit }: GovParamsAnswer): string => minDeposit[0]?.denom ?? ''

/** The account that proposals act as, in bech32. */
export async function readAuthority({ viem }: RpcClient): Promise<string> {
  const [bech32] = await viem.readContract({ ...contract, functionName: 'getAuthority' })
  return bech32
}

const governance = contractNamed('gov')

/** A transaction of the contract by the name of its function. */
export function govCall(functionName: string, ...args: readonly unknown[]): NativeCall {
  const [abi] = functionsNamed(governance, functionName)
  if (abi === undefined) throw new TypeError(functionName)
  return { contract: governance, abi, args }
}

const evmParams = z.looseObject({ extraEips: z.array(z.string()) })
const feeMarketParams = z.looseObject({ minBaseFee: z.coerce.bigint().nullable() })
const known = z.array(z.object({ name: z.string(), title: z.string(), active: z.boolean() }))
const upgrades = z.array(
  z.looseObject({ name: z.string(), height: z.string(), applied: z.boolean(), info: z.string().nullish() }),
)
const governed = z.coerce.bigint().nullable()
const consensusParams = z.looseObject({ gasLimit: governed, maxBytes: governed, blockTimeMs: governed })

/** The whole parameter set; a message replaces all of it. */
export type EvmParamsAnswer = z.output<typeof evmParams>
export type KnownProposalAnswer = z.output<typeof known>[number]

/** Parameters after a block, by default the head. Throws viem's errors. */
export const readEvmParams = (node: RpcClient, block?: bigint): Promise<EvmParamsAnswer> =>
  ask(node, evmParams, 'kestrel_getEvmParams', blockOf(block))

/** The fee market's parameters, as `readEvmParams`; `minBaseFee` is null if the chain has no such parameter. */
export const readFeeMarketParams = (node: RpcClient, block?: bigint) =>
  ask(node, feeMarketParams, 'kestrel_getFeeMarketParams', blockOf(block))

/** The consensus parameters that governance has set; null: not set. */
export const readConsensusParams = (node: RpcClient, block?: bigint) =>
  ask(node, consensusParams, 'kestrel_getConsensusParams', blockOf(block))

/** The opcode proposals that the node's program knows. */
export const readKnownProposals = (node: RpcClient, block?: bigint): Promise<KnownProposalAnswer[]> =>
  ask(node, known, 'kestrel_getProposals', blockOf(block))

/** Names and heights of the upgrades that are scheduled and have not happened yet. */
export async function readUpgrades(
  node: RpcClient,
): Promise<{ name: string; height: number; info: string | null | undefined }[]> {
  const scheduled = await ask(node, upgrades, 'kestrel_getUpgrades')
  return scheduled
    .filter(({ applied }) => !applied)
    .map(({ name, height, info }) => ({ name, height: Number(height), info }))
}

async function ask<S extends z.ZodType>(node: RpcClient, schema: S, method: string, ...params: unknown[]) {
  const parsed = schema.safeParse(await node.request(method, ...params))
  if (parsed.success) return parsed.data
  throw new ChainError('not-found', `the node's answer to ${method} has an unknown form`)
}

const blockOf = (block: bigint | undefined): string => (block === undefined ? 'latest' : toQuantity(block))
