// A block that stays open takes what comes meanwhile as if it had been there before, and keeps nobody from writing.
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../src/primitives/types.ts'
import { GWEI, keyAt, openSmallChain, signed } from './support.ts'

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => hash)

describe('a block that stays open', () => {
  it('takes new transactions by tip and nonce, after those it has', async () => {
    const chain = await openSmallChain()
    const send = async (...transactions: readonly Transaction[]) => {
      for (const { raw } of transactions) await chain.submit(raw)
    }
    const [first, second, third] = [signed(0, 0n), signed(0, 1n), signed(0, 2n)]
    const better = signed(1, 0n, { maxPriorityFeePerGas: 2n * GWEI })
    const last = signed(1, 1n)
    const gapped = signed(2, 1n)
    await send(first)
    // The third goes before the second, and waits for it.
    const waves = [[second, better, gapped], [], [third, last]]
    const seen: number[] = []
    const { block } = await chain.produce(
      {},
      {
        more: async (taken) => {
          seen.push(taken)
          const wave = waves.shift()
          await send(...(wave ?? []))
          return wave !== undefined
        },
      },
    )
    expect(hashes(block.transactions)).toEqual(hashes([first, better, second, third, last]))
    expect(seen).toEqual([1, 3, 3, 5])
    expect([chain.head.number, chain.pool.pending]).toEqual([1n, 0])
    expect(hashes([...chain.pool.content().queued.values()].flat())).toEqual([gapped.hash])
  })

  it('has each nonce once, also when a transaction that it has taken is replaced', async () => {
    const chain = await openSmallChain()
    const taken = signed(0, 0n)
    const replacement = signed(0, 0n, { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 2n * GWEI })
    await chain.submit(taken.raw)
    let isReplaced = false
    const replace = async () => {
      if (isReplaced) return false
      await chain.submit(replacement.raw)
      isReplaced = true
      return true
    }
    await chain.produce({}, { more: replace })
    expect(hashes((await chain.block({ number: 1n }))?.transactions ?? [])).toEqual([taken.hash])
    expect(chain.pool.get(replacement.hash)).toBeUndefined()
  })

  it('closes when it is full, or when a transaction did not fit', async () => {
    const small = { gasLimit: 21_000n, to: keyAt(3).address }
    const large = { gasLimit: 50_001n, maxPriorityFeePerGas: 2n * GWEI }
    const whether = async (gasLimit: bigint, ...transactions: readonly Transaction[]) => {
      const chain = await openSmallChain()
      for (const { raw } of transactions) await chain.submit(raw)
      let isOpen = false
      const more = async () => {
        isOpen = true
        return false
      }
      const { block } = await chain.produce({ gasLimit }, { more })
      return [block.transactions.length, isOpen]
    }
    expect(await whether(42_000n, signed(0, 0n, small))).toEqual([1, true])
    expect(await whether(41_999n, signed(0, 0n, small))).toEqual([1, false])
    expect(await whether(50_000n, signed(0, 0n, small), signed(1, 0n, large))).toEqual([1, false])
  })

  it('closes when another writer waits', async () => {
    const chain = await openSmallChain()
    await chain.submit(signed(0, 0n).raw)
    let edited: Promise<void> | undefined
    const more = async () => {
      edited ??= chain.edit((view) => view.setBalance(keyAt(3).address, 5n))
      await new Promise((resolve) => setImmediate(resolve))
      return true
    }
    await chain.produce({}, { more })
    await edited
    expect(chain.head.number).toBe(1n)
    expect((await chain.at({ number: 1n })).view.balance(keyAt(3).address)).toBe(5n)
  })
})
