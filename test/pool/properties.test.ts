// Properties for any transactions in any order, against a model that sorts everything anew each time.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../../src/lib/hex.ts'
import { Pool } from '../../src/pool/txpool.ts'
import type { PoolHead } from '../../src/pool/types.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { account, head, osaka, transaction } from './support.ts'

const senders = [1, 2, 3, 4].map(account)
const open = (at: PoolHead) => new Pool(at, () => osaka)

/** Fee caps and tips from a narrow range, so that ties and caps below the base fee are common. */
const price = fc.record({
  maxFeePerGas: fc.bigInt({ min: 5n, max: 20n }),
  maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: 5n }),
})
const baseFee = fc.bigInt({ min: 0n, max: 15n })

/** Transactions of each sender from nonce 0 on, in any order of arrival. */
const lines = fc
  .tuple(...senders.map((from) => fc.array(price, { maxLength: 8 }).map((prices) => ({ from, prices }))))
  .chain((all) => {
    const made = all.flatMap(({ from, prices }) =>
      prices.map((fees, index) => transaction({ ...fees, from, nonce: BigInt(index) })),
    )
    return fc.shuffledSubarray(made, { minLength: made.length, maxLength: made.length })
  })

/** The executable transactions in order, given the waiting ones by arrival, the state's nonces and a base fee. */
function expectedOrder(
  waiting: readonly Transaction[],
  nonces: ReadonlyMap<Address, bigint>,
  fee: bigint,
): Transaction[] {
  const next = new Map(nonces)
  const tip = ({ maxFeePerGas, maxPriorityFeePerGas }: Transaction): bigint =>
    [maxFeePerGas - fee, maxPriorityFeePerGas].sort((a, b) => Number(a - b))[0] ?? 0n
  const order: Transaction[] = []
  for (;;) {
    const candidates = waiting.filter((tx) => tx.nonce === (next.get(tx.from) ?? 0n) && tx.maxFeePerGas >= fee)
    const best = candidates.sort((a, b) => Number(tip(b) - tip(a)) || waiting.indexOf(a) - waiting.indexOf(b))[0]
    if (!best) return order
    order.push(best)
    next.set(best.from, best.nonce + 1n)
  }
}

test('ready yields all transactions by tip and nonce, whatever the order of arrival', () => {
  fc.assert(
    fc.property(lines, (arriving) => {
      const pool = open(head({ baseFeePerGas: 5n }))
      const announced: Transaction[] = []
      pool.onPending((one) => announced.push(one))
      for (const one of arriving) pool.add(one, undefined)
      const yielded = [...pool.ready()]
      expect(yielded).toHaveLength(arriving.length)
      expect(yielded).toEqual(expectedOrder(arriving, new Map(), 5n))
      expect(new Set(announced)).toEqual(new Set(arriving))
      expect(announced).toHaveLength(arriving.length)
    }),
    { numRuns: 200 },
  )
})

test('ready yields the remaining transactions after any prefix was mined', () => {
  fc.assert(
    fc.property(lines, fc.nat(40), fc.boolean(), (arriving, count, built) => {
      const pool = open(head({ baseFeePerGas: 5n }))
      for (const one of arriving) pool.add(one, undefined)
      const order = [...pool.ready()]
      const mined: Transaction[] = []
      // The block builder stops an iteration when the block is full.
      for (const one of built ? pool.ready() : order) {
        if (mined.length >= count) break
        mined.push(one)
      }
      const nonces = new Map(mined.map(({ from, nonce }) => [from, nonce + 1n]))
      pool.reset(head({ baseFeePerGas: 5n, nonces }))
      expect([...pool.ready()]).toEqual(order.slice(mined.length))
      for (const one of mined) expect(pool.get(one.hash)).toBeUndefined()
    }),
    { numRuns: 200 },
  )
})

type Step =
  | { readonly do: 'add'; readonly fields: Partial<Transaction> }
  | { readonly do: 'remove'; readonly pick: number }
  | {
      readonly do: 'reset'
      readonly nonces: readonly bigint[]
      readonly balances: readonly bigint[]
      readonly fee: bigint
    }

// A transfer costs 21,000 times 5 to 20; balances range from zero to enough.
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      fields: fc
        .tuple(price, fc.constantFrom(...senders), fc.bigInt({ min: 0n, max: 9n }))
        .map(([fees, from, nonce]) => ({ ...fees, from, nonce })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), pick: fc.nat(50) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reset' as const),
      nonces: fc.array(fc.bigInt({ min: 0n, max: 6n }), { minLength: 4, maxLength: 4 }),
      balances: fc.array(fc.bigInt({ min: 0n, max: 600_000n }), { minLength: 4, maxLength: 4 }),
      fee: baseFee,
    }),
  },
)

test('the pool equals a plain list after any additions, removals and resets', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let nonces = new Map<Address, bigint>()
      let balances = new Map<Address, bigint>(senders.map((of) => [of, 600_000n]))
      let fee = 5n
      let waiting: Transaction[] = []
      const pool = open(head({ baseFeePerGas: fee, nonces, balances }))
      const held = new Set<Transaction>()
      pool.onRemoved((gone) => held.delete(gone))

      const cost = ({ maxFeePerGas }: Transaction) => 21_000n * maxFeePerGas
      for (const one of steps) {
        if (one.do === 'add') {
          const given = transaction(one.fields)
          if (given.nonce < (nonces.get(given.from) ?? 0n) || cost(given) > (balances.get(given.from) ?? 0n)) {
            expect(() => pool.add(given, undefined)).toThrow()
            continue
          }
          const old = waiting.find(({ from, nonce }) => from === given.from && nonce === given.nonce)
          const raised = (fresh: bigint, stale: bigint) => fresh > stale && fresh * 100n >= stale * 110n - 99n
          if (
            old &&
            !(
              raised(given.maxFeePerGas, old.maxFeePerGas) &&
              raised(given.maxPriorityFeePerGas, old.maxPriorityFeePerGas)
            )
          ) {
            expect(() => pool.add(given, undefined)).toThrow('replacement transaction underpriced')
            continue
          }
          held.add(given)
          pool.add(given, undefined)
          waiting = [...waiting.filter((other) => other !== old), given]
        } else if (one.do === 'remove') {
          const gone = waiting[one.pick % Math.max(1, waiting.length)]
          if (gone) expect(pool.remove(gone.hash)).toBe(true)
          waiting = waiting.filter((other) => other !== gone)
        } else {
          nonces = new Map(senders.map((of, index) => [of, one.nonces[index] ?? 0n]))
          balances = new Map(senders.map((of, index) => [of, one.balances[index] ?? 0n]))
          fee = one.fee
          pool.reset(head({ baseFeePerGas: fee, nonces, balances }))
          waiting = waiting.filter(
            (tx) => tx.nonce >= (nonces.get(tx.from) ?? 0n) && cost(tx) <= (balances.get(tx.from) ?? 0n),
          )
        }

        expect(held).toEqual(new Set(waiting))
        expect([...pool.ready()]).toEqual(expectedOrder(waiting, nonces, fee))
        expect(pool.hasReady()).toBe(expectedOrder(waiting, nonces, fee).length > 0)
        const executable = expectedOrder(waiting, nonces, 0n)
        const { pending, queued } = pool.content()
        for (const of of senders) {
          const own = waiting.filter(({ from }) => from === of).sort((a, b) => Number(a.nonce - b.nonce))
          const run = executable.filter(({ from }) => from === of)
          expect(pending.get(of) ?? []).toEqual(run)
          expect(queued.get(of) ?? []).toEqual(own.slice(run.length))
          expect(pool.nextNonce(of)).toBe((nonces.get(of) ?? 0n) + BigInt(run.length))
        }
      }
    }),
    { numRuns: 150 },
  )
})
