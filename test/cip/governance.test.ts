// Proposals that are switched by a vote: the parameters change at the end of the block in which the voting ends, and the
// next block is the first to see it.
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { evmParams, govChain } from '../precompiles/gov-support.ts'
import { CODES, measures, type Setting, specWith, USED } from './support.ts'

const { create } = CODES
const DEAR = USED.create + 9n * 32_000n

async function chain(setting: Setting = {}, proposals: readonly Proposal[] = []) {
  const governed = await govChain({ spec: specWith(setting), proposals })
  const { propose, voteAll, proposal, mineAt, viem, dev } = governed
  const { rpc, ...measured } = measures(governed)
  return {
    ...governed,
    ...measured,
    rpc,
    /** Puts a list to the vote, with a transaction in the block in which it ends. Its number, and the transaction's hash. */
    async decide(...names: string[]) {
      const id = await propose([evmParams(...names)])
      await voteAll(id)
      const { votingEndTime } = await proposal(id)
      await dev.setAutomine(false)
      const hash = await measured.send(create.address)
      await mineAt(votingEndTime)
      await dev.setAutomine(true)
      return { id, hash, block: await viem.getBlockNumber({ cacheTime: 0 }) }
    },
    active: async (block = 'latest') => (await rpc('kestrel_getEvmParams', block)).extraEips,
  }
}

test('a vote activates a proposal from the next block on, and another takes it back', async () => {
  const { decide, receiptOf, gasOf, gasOfCall, estimate, costIn, active } = await chain()
  expect(await gasOf(create.address)).toBe(USED.create)

  const { hash, block } = await decide('kestrel_0')
  expect(await active(toHex(block - 1n))).toEqual([])
  expect(await active(toHex(block))).toEqual(['kestrel_0'])
  // The block's own transactions cost what they did, in their receipts and when they run again.
  expect(BigInt((await receiptOf(hash)).gasUsed)).toBe(USED.create)
  expect(await costIn(hash, 'CREATE')).toBe(32_000)
  expect(await gasOf(create.address)).toBe(DEAR)
  expect(await estimate(create.address)).toBe(DEAR)
  expect(await gasOfCall(create.address, toHex(block))).toBe(DEAR)
  expect(await gasOfCall(create.address, toHex(block - 1n))).toBe(USED.create)

  const taken = await decide()
  expect(BigInt((await receiptOf(taken.hash)).gasUsed)).toBe(DEAR)
  expect(await costIn(taken.hash, 'CREATE')).toBe(320_000)
  expect(await gasOf(create.address)).toBe(USED.create)
  expect(await gasOfCall(create.address, toHex(taken.block - 1n))).toBe(DEAR)
  expect(await active()).toEqual([])
})

test('a list that cannot be activated fails and changes nothing', async () => {
  const { decide, proposal, failure, active, gasOf } = await chain()
  await decide('kestrel_2')
  const lists = [
    [['kestrel_0', 'kestrel_0'], 'found duplicate EIP: kestrel_0'],
    [['kestrel0'], 'EIP kestrel0 name is not valid'],
    [['kestrel_0', 'kestrel_99'], 'EIP kestrel_99 is not activateable, valid EIPs are: [ethereum_1344 '],
  ] as const
  for (const [names, words] of lists) {
    const { id } = await decide(...names)
    // 5: failed.
    expect([(await proposal(id)).status, await failure(id)]).toEqual([5, expect.stringContaining(words)])
    expect(await active()).toEqual(['kestrel_2'])
    expect(await gasOf(create.address)).toBe(USED.create)
  }
})

test('a list on which an upgrade to come could not be made fails', async () => {
  const takes = (number: number, name: string): Proposal => ({
    ...{ number, title: name },
    apply: (table) => void table.define(0x0c, name, { execute: () => undefined }),
  })
  const upgrade = { name: 'later', height: 1_000n, addProposals: ['kestrel_7'], removeProposals: [] }
  const { decide, failure, active } = await chain({ upgrades: [upgrade] }, [takes(7, 'SEVEN'), takes(8, 'EIGHT')])
  const { id } = await decide('kestrel_8')
  const words = 'EIP kestrel_7 failed to activate: opcode 0x0c is EIGHT already (at upgrade later, block 1000)'
  expect(await failure(id)).toContain(words)
  expect(await active()).toEqual([])
})
