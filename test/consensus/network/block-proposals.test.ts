// Invalid and slow proposals, and slow transactions: what a node refuses, proposes and decides.
import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { Execution } from '../../../src/consensus/network/block-proposals.ts'
import { fromHex, hexToAddress } from '../../../src/lib/hex.ts'
import * as abci from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import type { ExecutedBlock } from '../../../src/runtime/types.ts'
import { costlyContracts } from '../../hostile/costly-contracts.ts'
import { account } from '../../support/chain.ts'
import { FakeEngine, networkSpec } from '../../support/network.ts'

type Call = {
  readonly of?: number
  readonly nonce?: number
  readonly to?: `0x${string}`
  readonly gas?: bigint
  readonly data?: `0x${string}`
  readonly tip?: bigint
}

const signed = async ({
  of = 0,
  nonce = 0,
  to = account(9).address,
  gas = 21_000n,
  data = '0x',
  tip = 1n,
}: Call = {}) =>
  fromHex(
    await account(of).signTransaction({
      chainId: 125,
      type: 'eip1559',
      nonce,
      to,
      value: 1n,
      gas,
      data,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: tip,
    }),
  )

/** BLS12-381 additions: 16 million gas of them take a second of CPU time, ten times the limit of a proposal in these tests. */
const [g1add] = costlyContracts.filter(({ name }) => name === 'bls12 g1add')
if (g1add === undefined) throw new Error('there is no such contract')
/** Writes slot 0, sends a wei to the zero address, then calls the contract above with its calldata until it is out of gas. */
const SLOW = '0x00000000000000000000000000000000005105f0'
const slowCode = `0x60015f555f5f5f5f60015f5af1506020358050365f5f375f5f365f5f73${g1add.address.slice(2)}5af100`
const slowCall = { to: SLOW, data: g1add.input, gas: 16_000_000n } as const

const spec = () =>
  networkSpec((genesis) => {
    const alloc = genesis.alloc as Record<string, unknown>
    alloc[g1add.address] = { balance: '0x0', code: g1add.code }
    alloc[SLOW] = { balance: '0x0', code: slowCode }
  })

async function slowNetwork(size: number, proposeTimeout: number): Promise<FakeEngine> {
  const engine = new FakeEngine(spec())
  for (let i = 0; i < size; i++) await engine.addNode({}, { proposeTimeout })
  await engine.begin()
  return engine
}

/** Transactions that count how many of them are read. */
function counted(raws: readonly Uint8Array[]) {
  const count = { read: 0 }
  class Counted extends Uint8Array {
    override [Symbol.iterator]() {
      count.read++
      return super[Symbol.iterator]()
    }
  }
  const txs = raws.map((raw) => {
    const bytes = new Counted(raw.length)
    bytes.set(raw)
    return bytes
  })
  return { count, txs }
}

const REJECTED = [{ status: 2 }]
const ACCEPTED = [{ status: 1 }]

describe('an invalid proposal', () => {
  it('is rejected at its first invalid transaction, before later ones are read', async () => {
    const engine = await slowNetwork(1, 3000)
    const valid = await Promise.all(Array.from({ length: 5 }, (_, nonce) => signed({ nonce })))
    const garbage = Array.from({ length: 1000 }, () => Uint8Array.of(2, 1))
    const tries = [
      [counted(garbage), 1],
      [counted([...valid, ...garbage]), 6],
      [counted(Array.from({ length: 1714 }, () => valid[0] ?? garbage[0] ?? new Uint8Array(0))), 2],
      [counted(Array.from({ length: 1715 }, () => Uint8Array.of(1))), 0],
      [counted(Array.from({ length: 33 }, () => new Uint8Array(128_000))), 0],
      [counted([new Uint8Array(200_000)]), 0],
    ] as const
    for (const [{ txs, count }, read] of tries) {
      expect(await engine.judge(txs)).toEqual(REJECTED)
      expect(count.read).toBe(read)
    }
    expect(await engine.judge(valid)).toEqual(ACCEPTED)
  })

  it('is rejected with an impersonated transaction, although the pool has it', async () => {
    const engine = await slowNetwork(1, 3_000)
    const chain = engine.nodes[0]?.chain ?? expect.fail('no node')
    const hash = await chain.submitUnsigned({
      ...{ from: hexToAddress(account(0).address), to: hexToAddress(account(9).address), nonce: 0n, value: 1n },
      ...{ data: new Uint8Array(0), gasLimit: 21_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n },
      ...{ accessList: [], blobVersionedHashes: [], maxFeePerBlobGas: 0n, authorizationList: [] },
    })
    const { raw } = chain.pool.get(hash) ?? expect.fail('it is not in the pool')
    expect(await engine.judge([raw])).toEqual(REJECTED)
  })

  it('is rejected if its time is outside the range of a block', async () => {
    const engine = await slowNetwork(1, 3000)
    const at = (seconds: bigint, nanos = 0) =>
      engine.judge([], { time: { $typeName: 'google.protobuf.Timestamp', seconds, nanos } })
    for (const seconds of [-1n, -62_135_596_800n, 253_402_300_800n, 9_223_372_036n * 1_000_000_000n]) {
      expect(await at(seconds)).toEqual(REJECTED)
    }
    expect(await at(1_800_000_000n, 1_000_000_000)).toEqual(REJECTED)
    expect(await at(1_800_000_000n)).toEqual(ACCEPTED)
  })

  it('is executed if it was decided, with a result for each transaction', async () => {
    const engine = await slowNetwork(1, 3000)
    const [node] = engine.nodes
    const first = await signed()
    const second = await signed({ of: 1 })
    const request = create(abci.RequestFinalizeBlockSchema, {
      height: 1n,
      time: { seconds: 1_800_000_000n, nanos: 0 },
      proposerAddress: new Uint8Array(20),
      txs: [first, Uint8Array.of(1), first, second],
    })
    const answer = await node?.application.finalizeBlock(request)
    expect(answer?.txResults?.map(({ code }) => code)).toEqual([0, 1, 1, 0])
  })
})

describe('a slow transaction', () => {
  it('is reverted in a proposal, which continues without it, and leaves the pool after three attempts', async () => {
    const engine = await slowNetwork(2, 300)
    const [node] = engine.nodes
    if (node === undefined) throw new Error('no node')
    const slow = await signed({ ...slowCall, tip: 9n })
    const hash = await node.chain.submit(slow)
    for (const of of [1, 2, 3]) await node.chain.submit(await signed({ of }))
    // In the first proposal it is stopped; in the next it would come last.
    await engine.decideMany(4)
    for (const { chain } of engine.nodes) {
      expect(chain.pool.pending).toBe(1)
      expect((await chain.at('latest')).view.storage(hexToAddress(SLOW), 0n)).toBe(0n)
    }
    expect(node.log.join('\n')).toContain(`${hash} is not proposed here for 10 blocks`)
    await engine.decideMany(130)
    for (const { log } of engine.nodes) expect(log.join('\n')).toContain(`${hash} leaves the pool`)
    for (const { chain } of engine.nodes) expect(chain.pool.get(hash)).toBeUndefined()
    // The stopped execution left no state behind: the same transaction can run again.
    await node.chain.submit(await signed({ nonce: 0 }))
    await engine.decideMany(2)
    for (const { chain } of engine.nodes) expect(chain.pool.pending).toBe(0)
  })

  it('is mined when another validator proposes it, and executed only once', async () => {
    const engine = new FakeEngine(spec())
    await engine.addNode({}, { proposeTimeout: 60_000 })
    await engine.addNode({}, { proposeTimeout: 50 })
    await engine.begin()
    const [fast, slow] = engine.nodes
    const txs = [await signed(slowCall)]
    expect(await engine.judge(txs)).toEqual([...ACCEPTED, ...REJECTED])
    expect(slow?.log.at(-1)).toBe('the proposal for block 1 is rejected: it takes longer than 0.05 s to execute here')
    // Later proposals of this height may take longer, until one is accepted.
    const answers = []
    for (let round = 0; round < 40; round++) answers.push(...(await engine.judge(txs)))
    expect(answers.filter(({ status }) => status === 2).length).toBeGreaterThan(0)
    expect(answers.slice(-2)).toEqual([...ACCEPTED, ...ACCEPTED])
    await engine.decide({ txs, proposer: 0 })
    expect(fast?.chain.head.hash).toBe(slow?.chain.head.hash)
    expect((await slow?.chain.at('latest'))?.view.storage(hexToAddress(SLOW), 0n)).toBe(1n)
  })
})

describe('after failed rounds of a height', () => {
  it('proposals have half of the gas, then one transaction, then none; at the next height the full share again', async () => {
    const engine = await slowNetwork(1, 3000)
    const [node] = engine.nodes
    if (node === undefined) throw new Error('no node')
    // Three fit the full gas, one fits half of it, and one has an eighth of it.
    for (const of of [1, 2, 3]) await node.chain.submit(await signed({ of, gas: 11_000_000n, tip: 9n }))
    await node.chain.submit(await signed({ of: 4, gas: 4_000_000n }))
    const request = create(abci.RequestPrepareProposalSchema, {
      height: 1n,
      time: { seconds: 1_800_000_000n, nanos: 0 },
      proposerAddress: new Uint8Array(20),
      maxTxBytes: 4_000_000n,
    })
    const propose = async () => (await node.application.prepareProposal(request)).txs?.length
    const sizes = [await propose()]
    for (let round = 0; round < 4; round++) {
      await engine.judge([Uint8Array.of(1)])
      sizes.push(await propose())
    }
    // 11 + 4 million of 18; one of at most 4.5 million.
    expect(sizes).toEqual([4, 2, 1, 0, 0])
    expect(node.log.filter((line) => line.includes('is proposed with'))).toHaveLength(4)
    expect(await engine.judge([])).toEqual(ACCEPTED)
    await engine.decide({ txs: [] })
    expect((await node.application.prepareProposal({ ...request, height: 2n })).txs).toHaveLength(4)
  })
})

describe('an execution that runs out of time', () => {
  /** Counts to a number, with a pause before each step. */
  function counting(to: number) {
    const steps: number[] = []
    const execution = new Execution(async (pause) => {
      for (let step = 0; step < to; step++) {
        await pause()
        steps.push(step)
      }
      return {} as ExecutedBlock
    })
    return { steps, execution }
  }

  it('pauses and can be resumed', async () => {
    const { steps, execution } = counting(5)
    expect(await execution.within(0)).toBeUndefined()
    expect(steps).toEqual([])
    expect(await execution.within(0)).toBeUndefined()
    expect(await execution.toEnd()).toEqual({})
    expect(steps).toEqual([0, 1, 2, 3, 4])
    expect(await execution.within(0)).toEqual({})
  })

  it('ends when it is abandoned', async () => {
    const { steps, execution } = counting(5)
    expect(await execution.within(0)).toBeUndefined()
    execution.abandon()
    await expect(execution.toEnd()).rejects.toThrow('closed')
    expect(steps).toEqual([])
  })
})
