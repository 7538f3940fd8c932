// A block builder also takes transactions that become ready while it is open, commits all or nothing, and holds the writer's
// lock until it is sealed or abandoned.
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../src/primitives/types.ts'
import { GWEI, keyAt, openSmallChain, signed } from './support.ts'

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => hash)

/** A small chain whose pool has these transactions. */
async function chainWith(...transactions: readonly Transaction[]) {
  const chain = await openSmallChain()
  for (const { raw } of transactions) await chain.submit(raw)
  return chain
}

describe('BlockBuilder', () => {
  it('takes transactions that become ready while it is open, by tip and nonce, after those already taken', async () => {
    const first = signed(0, 0n)
    const second = signed(0, 1n)
    const third = signed(0, 2n)
    const better = signed(1, 0n, { maxPriorityFeePerGas: 2n * GWEI })
    const last = signed(1, 1n)
    const gapped = signed(2, 1n)
    const chain = await chainWith(first)
    const builder = await chain.openBlock()
    await builder.take()
    const sizes = [builder.size]
    // `gapped` arrives before the transaction with its sender's preceding nonce, and waits for it.
    for (const wave of [[second, better, gapped], [], [third, last]]) {
      for (const { raw } of wave) await chain.submit(raw)
      await builder.take()
      sizes.push(builder.size)
    }
    const { block } = await builder.seal()
    expect(hashes(block.transactions)).toEqual(hashes([first, better, second, third, last]))
    expect(sizes).toEqual([1, 3, 3, 5])
    expect([chain.head.number, chain.pool.pending]).toEqual([1n, 0])
    expect(hashes([...chain.pool.content().queued.values()].flat())).toEqual([gapped.hash])
  })

  it('takes each nonce once, even if a taken transaction is replaced in the pool', async () => {
    const taken = signed(0, 0n)
    const replacement = signed(0, 0n, { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 2n * GWEI })
    const chain = await chainWith(taken)
    const builder = await chain.openBlock()
    await builder.take()
    await chain.submit(replacement.raw)
    await builder.take()
    await builder.seal()
    expect(hashes((await chain.block({ number: 1n }))?.transactions ?? [])).toEqual([taken.hash])
    expect(chain.pool.get(replacement.hash)).toBeUndefined()
  })

  it.each([
    { gasLimit: 42_000n, large: false, isFull: false },
    { gasLimit: 41_999n, large: false, isFull: true },
    { gasLimit: 50_000n, large: true, isFull: true },
  ])('isFull is $isFull after 21,000 of $gasLimit gas, with a candidate too large: $large', async (sample) => {
    const small = { gasLimit: 21_000n, to: keyAt(3).address }
    const tooLarge = signed(1, 0n, { gasLimit: 50_001n, maxPriorityFeePerGas: 2n * GWEI })
    const chain = await chainWith(signed(0, 0n, small), ...(sample.large ? [tooLarge] : []))
    const builder = await chain.openBlock({ gasLimit: sample.gasLimit })
    await builder.take()
    expect([builder.size, builder.isFull]).toEqual([1, sample.isFull])
    builder.abandon()
  })

  it('takes given candidates instead of those of the pool', async () => {
    const pooled = signed(0, 0n)
    const given = signed(1, 0n)
    const chain = await chainWith(pooled)
    const builder = await chain.openBlock()
    await builder.take([given])
    const { block } = await builder.seal()
    expect(hashes(block.transactions)).toEqual([given.hash])
    expect(chain.pool.get(pooled.hash)).toBeDefined()
  })

  it('holds the writer’s lock until it is sealed, and reports a waiting writer by isContended', async () => {
    const chain = await chainWith(signed(0, 0n))
    const builder = await chain.openBlock()
    expect(builder.isContended).toBe(false)
    let isEdited = false
    const edited = chain
      .edit((view) => view.setBalance(keyAt(3).address, 5n))
      .then(() => {
        isEdited = true
      })
    await builder.take()
    expect([builder.isContended, isEdited]).toEqual([true, false])
    await builder.seal()
    await edited
    expect(chain.head.number).toBe(1n)
    expect((await chain.at({ number: 1n })).view.balance(keyAt(3).address)).toBe(5n)
  })

  it('changes nothing when it is abandoned, and leaves its transactions in the pool', async () => {
    const transaction = signed(0, 0n)
    const chain = await chainWith(transaction)
    const builder = await chain.openBlock()
    await builder.take()
    builder.abandon()
    builder.abandon()
    await expect(builder.take()).rejects.toThrow('sealed or abandoned')
    await expect(builder.seal()).rejects.toThrow('sealed or abandoned')
    expect([chain.head.number, chain.pool.pending]).toEqual([0n, 1])
    expect(hashes((await chain.produce()).block.transactions)).toEqual([transaction.hash])
  })

  it('drops a candidate that not even an empty block accepts', async () => {
    const chain = await chainWith(signed(0, 0n))
    // With this base fee the sender can no longer pay for the pending transaction.
    const builder = await chain.openBlock({ baseFeePerGas: 10_000n * GWEI })
    await builder.take()
    expect([builder.size, builder.refused]).toEqual([0, 1])
    builder.abandon()
    expect(chain.pool.pending).toBe(0)
  })
})
