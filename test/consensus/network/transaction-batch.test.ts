// Transactions in batches between nodes: their form, what a node sends on, and when it announces again.
import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { messagesOf, transactionsOf } from '../../../src/consensus/network/transaction-batch.ts'
import { fromHex, toHex } from '../../../src/lib/hex.ts'
import * as abci from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { account } from '../../support/chain.ts'
import { type FakeEngine, fakeNetwork } from '../../support/network.ts'

const transfer = async (nonce: number, from = 0): Promise<Uint8Array> =>
  fromHex(
    await account(from).signTransaction({
      chainId: 125,
      type: 'eip1559',
      nonce,
      to: account(1).address,
      gas: 21_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1n,
    }),
  )
const transfers = (count: number, from = 0): Promise<Uint8Array[]> =>
  Promise.all(Array.from({ length: count }, (_, nonce) => transfer(nonce, from)))

type FakeNode = FakeEngine['nodes'][number]

async function announced({ application }: FakeNode): Promise<Uint8Array[]> {
  return [...((await application.reapTxs(create(abci.RequestReapTxsSchema, { maxBytes: 1_048_576n }))).txs ?? [])]
}
const give = async ({ application }: FakeNode, tx: Uint8Array): Promise<number | undefined> =>
  (await application.insertTx(create(abci.RequestInsertTxSchema, { tx }))).code

async function twoNodes(): Promise<{
  readonly engine: FakeEngine
  readonly first: FakeNode
  readonly second: FakeNode
}> {
  const engine = await fakeNetwork(2)
  const [first, second] = engine.nodes
  if (first === undefined || second === undefined) throw new Error('two nodes')
  return { engine, first, second }
}

describe('messages', () => {
  it('are a zero byte and an RLP list, or the transaction alone', () => {
    const [both, ...others] = messagesOf([fromHex('0x02c1'), fromHex('0xc0')])
    expect([toHex(both?.bytes ?? new Uint8Array(0)), both?.size, others]).toEqual(['0x00c58202c181c0', 2, []])
    expect(messagesOf([fromHex('0x02c1')])).toEqual([{ bytes: fromHex('0x02c1'), size: 1 }])
    expect(messagesOf([])).toEqual([])
    expect(transactionsOf(fromHex('0x00c58202c181c0')).map(toHex)).toEqual(['0x02c1', '0xc0'])
    expect(transactionsOf(fromHex('0x02c1')).map(toHex)).toEqual(['0x02c1'])
  })

  it('have at most 100 transactions and 64 KiB, but for a larger transaction, which is sent alone', () => {
    const many = messagesOf(Array.from({ length: 250 }, () => new Uint8Array(120).fill(2)))
    expect(many.map(({ size }) => size)).toEqual([100, 100, 50])
    const large = messagesOf([40_000, 25_000, 1_000, 100_000, 10].map((size) => new Uint8Array(size).fill(2)))
    expect(large.map(({ size }) => size)).toEqual([2, 1, 1, 1])
    for (const { bytes, size } of [...many, ...large]) {
      expect(transactionsOf(bytes).length).toBe(size)
      if (size > 1) expect(bytes.length).toBeLessThanOrEqual(65_536)
    }
  })

  it.each([
    ['nothing after the zero', '0x00'],
    ['no transaction', '0x00c0'],
    ['a string', '0x0083020202'],
    ['a nested list', '0x00c2c102'],
    ['a byte after the list', '0x00c10202'],
    ['a list that ends too early', '0x00c302'],
    ['101 transactions', `0x00f865${'02'.repeat(101)}`],
    ['more than 64 KiB', `0x00fa010004b90fff${'02'.repeat(65_537)}`],
  ])('are refused with %s', (_what, hex) => {
    expect(() => transactionsOf(fromHex(hex))).toThrow(/rlp|batch/)
  })
})

describe('a node', () => {
  it('announces what arrives together in batches, which others take and send on as they are', async () => {
    const { engine, first, second } = await twoNodes()
    for (const raw of await transfers(130)) await first.chain.submit(raw)
    const messages = await announced(first)
    expect(messages.map((bytes) => transactionsOf(bytes).length)).toEqual([100, 30])
    for (const message of messages) expect(await give(second, message)).toBe(0)
    expect(second.chain.pool.pending).toBe(130)
    expect(await announced(second)).toEqual(messages)
    expect(await announced(second)).toEqual([])
    await engine.decide()
    expect((await first.chain.block({ number: 1n }))?.transactions.length).toBe(130)
  })

  it('announces the valid part of a batch anew, and what it knows already not at all', async () => {
    const { first } = await twoNodes()
    const [known, ...others] = await transfers(4)
    if (known === undefined) throw new Error('transfers')
    await first.chain.submit(known)
    await announced(first)
    const [message] = messagesOf([known, ...others, fromHex('0x02c0')])
    expect(await give(first, message?.bytes ?? known)).toBe(0)
    expect((await announced(first)).map(transactionsOf)).toEqual([others])
    expect(await give(first, message?.bytes ?? known)).toBe(0)
    expect(await announced(first)).toEqual([])
  })

  it('refuses a batch of which it can take nothing', async () => {
    const { first } = await twoNodes()
    expect(await give(first, fromHex('0x00c58202c181c0'))).toBe(1)
    expect(await give(first, fromHex('0x00c20202ff'))).toBe(1)
    expect(await announced(first)).toEqual([])
  })

  it('rejects a proposal with a batch in place of a transaction', async () => {
    const engine = await fakeNetwork(1)
    const [batch] = messagesOf(await transfers(2))
    expect(await engine.judge([batch?.bytes ?? new Uint8Array(0)])).toEqual([{ status: 2 }])
  })

  it('announces again after 3 blocks what a client has sent, and after 30 what a peer has announced', async () => {
    const { engine, first, second } = await twoNodes()
    const raw = await transfer(0)
    await first.chain.submit(raw)
    expect(await announced(first)).toEqual([raw])
    expect(await give(second, raw)).toBe(0)
    expect(await announced(second)).toEqual([raw])
    const again: [number, number][] = []
    for (let block = 1; block <= 31; block++) {
      await engine.decide({ txs: [] })
      for (const [index, node] of engine.nodes.entries())
        if ((await announced(node)).length > 0) again.push([index, block])
    }
    expect(again.filter(([index]) => index === 0).map(([, block]) => block)).toEqual([
      4, 7, 10, 13, 16, 19, 22, 25, 28, 31,
    ])
    expect(again.filter(([index]) => index === 1).map(([, block]) => block)).toEqual([30])
  })
})

it('the journal of a node has the transactions of its clients, not those of peers', async () => {
  const { first } = await twoNodes()
  const { chain } = first
  await chain.submit(await transfer(0))
  const [batch] = messagesOf(await transfers(3, 2))
  expect(await give(first, batch?.bytes ?? new Uint8Array(0))).toBe(0)
  expect(chain.pool.pending).toBe(4)
  expect(chain.store.log.read().records.length).toBe(1)
  // A client takes this answer for an acceptance, so that this node keeps the transaction from now on.
  for (let time = 0; time < 2; time++) {
    await expect(chain.submit(await transfer(1, 2))).rejects.toThrow('already known')
    expect(chain.store.log.read().records.length).toBe(2)
  }
})
