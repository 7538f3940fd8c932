// The parameters of this chain's EVM, the opcode improvement proposals that they activate, and the upgrades of the genesis.
import { z } from 'zod'
import type { KnownProposal } from '../../chain/types.ts'
import { toQuantity } from '../../lib/hex.ts'
import type { Upgrade } from '../../spec/chain-spec.ts'
import { atBlock, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

export const kestrel_getEvmParams = rpcMethod({
  summary: 'The EVM parameters after a block: the active improvement proposals in the order of their application.',
  params: [atBlock],
  names: ['block'],
  result: z.object({ extraEips: z.array(string).readonly() }),
  handler: async ([ref], { chain }) => ({ extraEips: await chain.stateQueries.activeProposals(ref) }),
})

export const kestrel_getProposals = rpcMethod({
  summary: 'The improvement proposals that this node knows, and which of them are active after a block.',
  params: [atBlock],
  names: ['block'],
  result: (known: readonly KnownProposal[]) =>
    known.map(({ name, title, isActive }) => ({ name, title, active: isActive })),
  handler: ([ref], { chain }) => chain.stateQueries.proposals(ref),
})

type Scheduled = { readonly upgrade: Upgrade; readonly isApplied: boolean }

export const kestrel_getUpgrades = rpcMethod({
  summary: 'Changes of the EVM parameters that the genesis schedules, and which of them were applied.',
  params: [],
  result: (scheduled: readonly Scheduled[]) =>
    scheduled.map(({ upgrade: { name, height, params, addProposals, removeProposals }, isApplied }) => ({
      name,
      height: toQuantity(height),
      params: params === undefined ? null : { extraEips: params.activeProposals },
      addProposals,
      removeProposals,
      applied: isApplied,
    })),
  handler: (_, { chain }) =>
    (chain.spec.native?.upgrades ?? []).map((upgrade) => ({
      upgrade,
      isApplied: upgrade.height <= chain.head.number,
    })),
})
