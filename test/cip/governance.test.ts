// Opcode proposals activated by a vote: the parameters change at the end of the block in which the voting ends, with effect
// from the next block on.
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { evmParams, govChain, submit } from '../precompiles/gov-support.ts'
import { CODES, measures, moduleOf, type Setting, specWith, USED } from './support.ts'

const { create } = CODES
const DEAR = USED.create + 9n * 32_000n

async function chain(setting: Setting = {}, proposals: readonly Proposal[] = []) {
  const governed = await govChain({ spec: specWith(setting), modules: [moduleOf(...proposals)] })
  const { propose, voteAll, proposal, mineAt, viem, dev } = governed
  const { rpc, ...measured } = measures(governed)
  return {
    ...governed,
    ...measured,
    rpc,
    /** Sends a transaction to the governance contract. */
    pay: governed.send,
    /** Passes a vote on a list, with a transaction in the block in which it ends. Returns that block and the hash. */
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

test('a vote activates an opcode proposal from the next block on, and another vote deactivates it', async () => {
  const { decide, receiptOf, gasOf, gasOfCall, estimate, costIn, active } = await chain()
  expect(await gasOf(create.address)).toBe(USED.create)

  const { hash, block } = await decide('kestrel_0')
  expect(await active(toHex(block - 1n))).toEqual([])
  expect(await active(toHex(block))).toEqual(['kestrel_0'])
  // Transactions of that block have the old costs, in receipts and in traces.
  expect(BigInt((await receiptOf(hash)).gasUsed)).toBe(USED.create)
  expect(await costIn(hash, 'CREATE')).toBe(32_000)
  expect(await gasOf(create.address)).toBe(DEAR)
  expect(await estimate(create.address)).toBe(DEAR)
  expect(await gasOfCall(create.address, toHex(block))).toBe(DEAR)
  expect(await gasOfCall(create.address, toHex(block - 1n))).toBe(USED.create)

  const deactivated = await decide()
  expect(BigInt((await receiptOf(deactivated.hash)).gasUsed)).toBe(DEAR)
  expect(await costIn(deactivated.hash, 'CREATE')).toBe(320_000)
  expect(await gasOf(create.address)).toBe(USED.create)
  expect(await gasOfCall(create.address, toHex(deactivated.block - 1n))).toBe(DEAR)
  expect(await active()).toEqual([])
})

/** A proposal that defines opcode 0x0c under this name. */
const takes = (number: number, name: string): Proposal => ({
  number,
  title: name,
  apply: (table) => void table.define(0x0c, name, { execute: () => undefined }),
})
const throws: Proposal = {
  number: 9,
  title: 'throws',
  apply: () => {
    throw new Error('words of a module')
  },
}

test('a list of opcode proposals that cannot be activated is refused at submission', async () => {
  const { decide, refusal, pay, invariants, active } = await chain({}, [takes(7, 'SEVEN'), takes(8, 'EIGHT'), throws])
  await decide('kestrel_2')
  const lists = [
    [['kestrel_0', 'kestrel_0'], 'found duplicate EIP: kestrel_0'],
    [['kestrel0'], 'EIP kestrel0 name is not valid'],
    [['kestrel10'], 'EIP kestrel10 name is not valid'],
    [['kestrel_0', 'kestrel_99'], 'EIP kestrel_99 is not activateable'],
    [['kestrel_7', 'kestrel_8'], 'EIP kestrel_8 failed to activate'],
    [['kestrel_9'], 'EIP kestrel_9 failed to activate'],
  ] as const
  for (const [names, words] of lists) {
    // Exactly the messages of Evmos' checks: a contract may store them.
    expect(await refusal(submit([evmParams(...names)]))).toBe(`message 0: ${words}`)
    expect(await refusal(submit([evmParams('kestrel_0'), evmParams(...names)]))).toBe(`message 1: ${words}`)
  }
  expect((await pay(submit([evmParams('kestrel_9')]))).status).toBe('reverted')
  expect(await active()).toEqual(['kestrel_2'])
  expect(await invariants()).toEqual([])
})

test('a list that conflicts with a scheduled upgrade is refused', async () => {
  const upgrade = { name: 'later', height: 1_000n, addProposals: ['kestrel_7'], removeProposals: [] }
  const { refusal } = await chain({ upgrades: [upgrade] }, [takes(7, 'SEVEN'), takes(8, 'EIGHT')])
  const words = 'EIP kestrel_7 failed to activate (at upgrade later, block 1000)'
  expect(await refusal(submit([evmParams('kestrel_8')]))).toBe(`message 0: ${words}`)
})
