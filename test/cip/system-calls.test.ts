// Opcode proposals that break the code of the system contracts (EIPs 4788, 2935, 7002, 7251), which every block calls. They
// affect transactions and calls, never the system calls of a block.
import { numberToHex, toHex } from 'viem'
import { expect, it } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { SYSTEM_CONTRACT } from '../../src/spec/addresses.ts'
import { evmParams, govChain } from '../precompiles/gov-support.ts'
import { measures, moduleOf, proposalChain, specWith } from './support.ts'

const wantsFive: Proposal = {
  number: 13,
  title: 'ADD wants a stack of five',
  apply: (table) => void table.op('ADD').setMinStack(5),
}
const holdsThree: Proposal = {
  number: 14,
  title: 'PUSH1 wants a stack of at most three',
  apply: (table) => void table.op('PUSH1').setMaxStack(3),
}
const proposals = [wantsFive, holdsThree]

/** PUSH1 1, PUSH1 2, ADD; and PUSH1 four times. */
const adds = '0x000000000000000000000000000000000000d003'
const pushes = '0x000000000000000000000000000000000000d004'
const codes = { [adds]: '0x600160020100', [pushes]: '0x600160016001600100' } as const

/** EIP-2935: the hash of a block is in the slot of its number, modulo 8191. */
const storedHash = (rpc: (method: string, ...params: unknown[]) => Promise<unknown>, number: bigint) =>
  rpc('eth_getStorageAt', SYSTEM_CONTRACT.history, toHex(number % 8191n, { size: 32 }), 'latest')

it('an opcode proposal activated by an upgrade changes neither block production nor system calls', async () => {
  const addProposals = ['kestrel_13', 'kestrel_14']
  const upgrades = [{ name: 'v3', height: 3n, addProposals, removeProposals: [] }]
  const { gasOf, rpc } = await proposalChain({ codes, upgrades }, { modules: [moduleOf(...proposals)] })
  // Two pushes and ADD are 3 each; four pushes are 12.
  expect(await gasOf(adds)).toBe(21_000n + 9n)
  expect(await gasOf(pushes)).toBe(21_000n + 12n)
  // From block 3 on both fail and consume all gas.
  expect(await gasOf(adds, 60_000)).toBe(60_000n)
  expect(await gasOf(pushes, 60_000)).toBe(60_000n)
  await rpc('anvil_mine', '0x5')
  expect(BigInt(await rpc('eth_blockNumber'))).toBe(9n)
  for (const number of [2n, 3n, 8n]) {
    const { hash } = await rpc('eth_getBlockByNumber', numberToHex(number), false)
    expect(await storedHash(rpc, number)).toBe(hash)
  }
  // A user's call of a system contract uses the changed table. EIP-7002: without data it returns the fee, 1 wei.
  const ask = { to: SYSTEM_CONTRACT.withdrawalRequests }
  expect(BigInt(await rpc('eth_call', ask, '0x1'))).toBe(1n)
  await expect(rpc('eth_call', ask, 'latest')).rejects.toThrow('stack')
  // Tracing replays the block, including its system calls.
  const traces = await rpc('debug_traceBlockByNumber', '0x4', { tracer: 'callTracer' })
  expect(traces[0].result).toMatchObject({ to: pushes, gasUsed: toHex(60_000) })
})

it('an opcode proposal activated by vote does not stop block production', async () => {
  const governed = await govChain({ spec: specWith({ codes }), modules: [moduleOf(...proposals)] })
  const { gasOf, rpc } = measures(governed)
  const id = await governed.propose([evmParams('kestrel_14', 'kestrel_13')])
  await governed.voteAll(id)
  await governed.mineAt((await governed.proposal(id)).votingEndTime)
  expect((await rpc('kestrel_getEvmParams')).extraEips).toEqual(['kestrel_14', 'kestrel_13'])
  const before = BigInt(await rpc('eth_blockNumber'))
  expect(await gasOf(adds, 60_000)).toBe(60_000n)
  await rpc('anvil_mine', '0x3')
  expect(BigInt(await rpc('eth_blockNumber'))).toBe(before + 4n)
})
