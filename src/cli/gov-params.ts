// The EVM's parameters on a running chain, and the improvement proposals that they may list.
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { toQuantity } from '../lib/hex.ts'
import type { RpcClient } from './rpc-client.ts'

const evmParams = z.looseObject({ extraEips: z.array(z.string()) })
const known = z.array(z.object({ name: z.string(), title: z.string(), active: z.boolean() }))
const upgrades = z.array(z.looseObject({ name: z.string(), height: z.string(), applied: z.boolean() }))

/** The whole parameter set, as a message replaces it. */
export type EvmParams = z.output<typeof evmParams>
export type KnownProposal = z.output<typeof known>[number]

/** After a block; of the head when none is named. Throws viem's errors. */
export const readEvmParams = (node: RpcClient, block?: bigint): Promise<EvmParams> =>
  ask(node, evmParams, 'kestrel_getEvmParams', blockOf(block))

/** The improvement proposals that the node's program knows. */
export const readKnownProposals = (node: RpcClient, block?: bigint): Promise<KnownProposal[]> =>
  ask(node, known, 'kestrel_getProposals', blockOf(block))

/** Names and heights of the upgrades that are scheduled and have not happened yet. */
export async function readUpgrades(node: RpcClient): Promise<{ name: string; height: number }[]> {
  const scheduled = await ask(node, upgrades, 'kestrel_getUpgrades')
  return scheduled.filter(({ applied }) => !applied).map(({ name, height }) => ({ name, height: Number(height) }))
}

async function ask<S extends z.ZodType>(node: RpcClient, schema: S, method: string, ...params: unknown[]) {
  const parsed = schema.safeParse(await node.request(method, ...params))
  if (parsed.success) return parsed.data
  throw new ChainError('not-found', `the node's answer to ${method} is of a kind that this program does not know`)
}

const blockOf = (block: bigint | undefined): string => (block === undefined ? 'latest' : toQuantity(block))
