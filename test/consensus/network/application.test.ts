// The ABCI application at several nodes, driven by a fake engine: equal responses, commits, refusals.
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { fromHex, hexToAddress, toHex } from '../../../src/lib/hex.ts'
import { commitInfoHash } from '../../../src/primitives/commit-info.ts'
import { account } from '../../support/chain.ts'
import { fakeNetwork } from '../../support/network.ts'

const bob = account(1).address

/** A signed transfer of the first development account. */
const transfer = async (nonce: number, to: `0x${string}` = bob): Promise<Uint8Array> =>
  fromHex(
    await account(0).signTransaction({
      chainId: 125,
      type: 'eip1559',
      nonce,
      to,
      value: parseEther('1'),
      gas: 21_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1n,
    }),
  )

test('nodes decide the same blocks, with the block’s hash as app hash and the commit info of CometBFT', async () => {
  const engine = await fakeNetwork()
  const [first, second] = engine.nodes
  await second?.chain.submit(await transfer(0))
  await engine.decide()
  for (const raw of [await transfer(1), await transfer(2)]) await first?.chain.submit(raw)
  const answer = await engine.decide({ proposer: 1, nanos: 7 })
  const block = await first?.chain.block({ number: 2n })
  expect(toHex(answer?.appHash ?? new Uint8Array(0))).toBe(block?.header.hash)
  expect(block?.transactions.length).toBe(2)
  expect(answer?.txResults).toMatchObject([
    { code: 0, gasWanted: 21_000n, gasUsed: 21_000n },
    { code: 0, gasWanted: 21_000n, gasUsed: 21_000n },
  ])
  // The three genesis validators signed the previous block.
  expect(block?.commit?.votes.map(({ power, flag }) => [power, flag])).toEqual(Array(3).fill([1000n, 2]))
  expect(block?.commit && commitInfoHash(block.commit)).toBe(block?.header.parentBeaconBlockRoot)
  expect(block?.commit && block.commit.time % 1_000_000_000n).toBe(7n)
  expect(block?.header.coinbase).toBe(first?.chain.operatorOf(engine.validators[1]?.address ?? (bob as never)))
})

test('nodes mine transactions of one sender that arrive at three nodes in any nonce order', async () => {
  const engine = await fakeNetwork()
  const [first, second, third] = engine.nodes
  await first?.chain.submit(await transfer(2))
  await second?.chain.submit(await transfer(1))
  await third?.chain.submit(await transfer(0))
  await engine.decideMany(3)
  for (const { chain } of engine.nodes)
    expect((await chain.at('latest')).view.nonce(hexToAddress(account(0).address))).toBe(3n)
})

test('nodes reject proposals that do not decode, execute or follow the head, and decide the next block', async () => {
  const engine = await fakeNetwork()
  const gap = await transfer(5)
  const garbage = fromHex('0xdeadbeef')
  const rejected = Array(3).fill({ status: 2 })
  expect(await engine.judge([garbage])).toEqual(rejected)
  expect(await engine.judge([gap])).toEqual(rejected)
  expect(await engine.judge([await transfer(0), await transfer(0)])).toEqual(rejected)
  expect(await engine.judge([], { height: 7n })).toEqual(rejected)
  expect(await engine.judge([await transfer(0)])).toEqual(Array(3).fill({ status: 1 }))
  await engine.decide()
  expect(engine.head).toBe(1n)
})
