// Opcode proposals that together would let code run forever without gas, and blocks with unpaid work.
import { expect, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { startNode } from '../../src/node.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { evmParams, govChain, submit } from '../precompiles/gov-support.ts'
import { asm } from '../support/assembler.ts'
import { nodeOptions, testChain } from '../support/chain.ts'
import { measures, moduleOf, specWith } from './support.ts'

const free = (number: number, ...names: readonly string[]): Proposal => ({
  number,
  title: `free ${names}`,
  apply(table) {
    for (const name of names) table.op(name).setConstantGas(0n)
  },
})
const jumps = free(50, 'JUMP', 'JUMPDEST')
const pushes = free(51, 'PUSH0')
const modules = [moduleOf(jumps, pushes, free(52, 'CREATE'))]
const WORDS = 'code could run for ever without gas: JUMPDEST, JUMP and PUSH0 would cost nothing'

const endless = {
  address: '0x00000000000000000000000000000000000c0de1',
  code: asm('JUMPDEST', 'PUSH0', 'JUMP'),
} as const

test('governance refuses two opcode proposals that are harmless alone but together make a free cycle', async () => {
  const spec = specWith({ active: ['kestrel_50'], codes: { [endless.address]: endless.code } })
  const { refusal, send } = await govChain({ spec, modules })
  expect(await refusal(submit([evmParams('kestrel_50', 'kestrel_51')]))).toBe(`message 0: ${WORDS}`)
  expect((await send(submit([evmParams('kestrel_50', 'kestrel_51')]))).status).toBe('reverted')
  expect((await send(submit([evmParams('kestrel_51')]))).status).toBe('success')
})

test('a genesis that activates a free cycle, now or by an upgrade, is refused', async () => {
  const active = ['kestrel_50', 'kestrel_51']
  await expect(startNode(nodeOptions({ spec: specWith({ active }), modules }))).rejects.toThrow(WORDS)
  const upgrades = [{ name: 'v2', height: 5n, params: undefined, addProposals: ['kestrel_51'], removeProposals: [] }]
  const later = specWith({ active: ['kestrel_50'], upgrades })
  await expect(startNode(nodeOptions({ spec: later, modules }))).rejects.toThrow(`${WORDS} (at upgrade v2, block 5)`)
})

/** 600 empty creations, each of which costs 32,000 by the fork's rules. */
const CREATIONS = '0x00000000000000000000000000000000000c0de2'
const GAS = 19_500_000

async function blocksOf(spec: GenesisSpec): Promise<bigint[]> {
  const chain = await testChain({ spec, modules })
  const { dev, mine } = chain
  const { send, receiptOf } = measures(chain)
  await dev.setAutomine(false)
  const hashes = [await send(CREATIONS, GAS), await send(CREATIONS, GAS)]
  await mine(1)
  await mine(1)
  const receipts = await Promise.all(hashes.map(receiptOf))
  for (const { status } of receipts) expect(status).toBe('0x1')
  return receipts.map(({ blockNumber }) => BigInt(blockNumber))
}

test('the gas limit of a block also bounds its unpaid work', async () => {
  const creations = asm(...Array.from({ length: 600 }, () => ['PUSH0', 'PUSH0', 'PUSH0', 'CREATE', 'POP']).flat())
  const spec = specWith({ active: ['kestrel_52'], codes: { [CREATIONS]: creations } })
  // The limit is 36 million: with the first transaction's 19.2 million of unpaid work the second does not fit its block.
  expect(await blocksOf(spec)).toEqual([1n, 2n])
  if (spec.native === undefined) throw new Error('the preset has no native modules')
  expect(await blocksOf({ ...spec, native: { ...spec.native, boundedWork: false } })).toEqual([1n, 1n])
})
