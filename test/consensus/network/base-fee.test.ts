// The floor of the base fee in a network: at every entry of the pool, in proposals, and together with minimum tips.
import { create } from '@bufbuild/protobuf'
import { parseGwei } from 'viem'
import { expect, test } from 'vitest'
import { fromHex } from '../../../src/lib/hex.ts'
import { RequestInsertTxSchema } from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { account } from '../../support/chain.ts'
import { FakeEngine, networkSpec, openFresh } from '../../support/network.ts'

const FLOOR = parseGwei('0.1')

const transfer = async (nonce: number, maxFeePerGas: bigint, maxPriorityFeePerGas = 0n): Promise<Uint8Array> =>
  fromHex(
    await account(0).signTransaction({
      chainId: 125,
      type: 'eip1559',
      to: account(1).address,
      gas: 21_000n,
      nonce,
      maxFeePerGas,
      maxPriorityFeePerGas,
    }),
  )

const specWith = (minBaseFee: string) =>
  networkSpec(({ kestrel }) => {
    kestrel.feeMarket = { minBaseFee }
  })

test('a transaction below the base fee floor enters no pool, and a proposal with it is rejected', async () => {
  const engine = new FakeEngine(specWith(FLOOR.toString()))
  for (let i = 0; i < 2; i++) await engine.addNode()
  await engine.begin()
  await engine.decideMany(20)
  const [first] = engine.nodes
  expect(first?.chain.head.baseFeePerGas).toBe(FLOOR)
  const below = await transfer(0, FLOOR - 1n)
  await expect(first?.chain.submit(below)).rejects.toThrow('transaction underpriced: gas fee cap')
  expect(await first?.application.insertTx(create(RequestInsertTxSchema, { tx: below }))).toEqual({ code: 1 })
  for (const { chain } of engine.nodes) expect(chain.pool.pending + chain.pool.queued).toBe(0)
  // A proposer without the rule could include it.
  expect(await engine.judge([below])).toEqual([{ status: 2 }, { status: 2 }])

  await first?.chain.submit(await transfer(0, FLOOR))
  await engine.decideMany(2)
  expect(first?.chain.head.baseFeePerGas).toBe(FLOOR)
  expect(first?.chain.fees.nextBaseFee()).toBe(FLOOR)
  expect(first?.chain.pool.pending).toBe(0)
})

test('the minimum tip applies to a node’s pool only: blocks of other proposers may contain lower tips', async () => {
  const engine = new FakeEngine(specWith('0'))
  const strict = await engine.addNode({ pool: { minTip: 5n, allowUnprotected: true } })
  const open = await engine.addNode()
  await engine.begin()
  const free = await transfer(0, parseGwei('10'))
  await open.submit(free)
  await expect(strict.submit(free)).rejects.toThrow('transaction underpriced: gas tip cap 0, minimum needed 5')
  await engine.gossip()
  expect([strict.pool.pending, open.pool.pending]).toEqual([0, 1])
  // The strict node proposes the even heights, and accepts the blocks of the other.
  await engine.decideMany(2)
  expect(strict.head.hash).toBe(open.head.hash)
  expect(open.pool.pending).toBe(0)
})

test('a suggested tip is never below the minimum of the pool', async () => {
  const chain = await openFresh(specWith('0'), {
    pool: { minTip: parseGwei('3'), allowUnprotected: true },
  })
  expect(chain.fees.maxPriorityFeePerGas()).toBe(parseGwei('3'))
})
