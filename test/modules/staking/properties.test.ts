// The queue of unbonding completions, and random sequences of staking operations.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schedule, takeDue } from '../../../src/modules/calendar.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { layout, list, struct } from '../../../src/state/layout.ts'
import { u64 } from '../../../src/state/storage-types.ts'
import type { SlotAccess } from '../../../src/state/types.ts'
import { type Chain, chainWith, DAY, delegator, genesisValidator, operator, P } from './support.ts'

describe('the queue of unbonding entries', () => {
  it('returns all mature entries, the earliest first, for any order of insertion', () => {
    const operation = fc.oneof(fc.record({ add: fc.bigInt(0n, 20n) }), fc.record({ until: fc.bigInt(0n, 20n) }))
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const words = new Map<bigint, bigint>()
        const slots: SlotAccess = {
          load: (slot) => words.get(slot) ?? 0n,
          store: (slot, word) => void words.set(slot, word),
        }
        const { calendar } = layout({
          calendar: list(struct<{ time: bigint; id: bigint }>({ time: u64, id: u64 })),
        }).open(slots)
        let model: { time: bigint; id: bigint }[] = []
        operations.forEach((of, index) => {
          if ('add' in of) {
            const item = { time: of.add, id: BigInt(index) }
            schedule(calendar, item)
            model.push(item)
            return
          }
          const due = [...takeDue(calendar, of.until)]
          const expected = model.filter(({ time }) => time <= of.until)
          expect(due.map(({ time }) => time)).toEqual(expected.map(({ time }) => time).sort((a, b) => Number(a - b)))
          const ids = (items: typeof due) => items.map(({ id }) => Number(id)).sort((a, b) => a - b)
          expect(ids(due)).toEqual(ids(expected))
          model = model.filter(({ time }) => time > of.until)
        })
        expect(calendar.length).toBe(model.length)
      }),
    )
  })
})

describe('the staking module', () => {
  const person = fc.nat(3)
  const place = fc.nat(3)
  const amount = fc.oneof(fc.bigInt(1n, 30n * P), fc.bigInt(1n, 10n), fc.constantFrom(P, 7n * P))
  const operation = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('delegate' as const), person, place, amount }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('undelegate' as const), person, place, amount }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('undelegateSelf' as const), place, amount }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('redelegate' as const), person, place, to: place, amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), person, place, amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('jail' as const), place }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('unjail' as const), place }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('slash' as const), place, back: fc.nat(3), parts: fc.bigInt(1n, 100n) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('next' as const), days: fc.constantFrom(0n, 1n, 9n, 21n) }) },
  )
  type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

  function perform(chain: Chain, of: Operation): void {
    if (of.kind === 'next') {
      chain.next(of.days * DAY + 5n)
      return
    }
    chain.attempt((staking) => {
      const at = operator(of.place)
      if (of.kind === 'delegate') staking.delegate(delegator(of.person), at, of.amount)
      else if (of.kind === 'undelegate') staking.undelegate(delegator(of.person), at, of.amount)
      else if (of.kind === 'undelegateSelf') staking.undelegate(at, at, of.amount)
      else if (of.kind === 'redelegate') staking.redelegate(delegator(of.person), at, operator(of.to), of.amount)
      else if (of.kind === 'cancel') {
        const entry = staking.unbonding(delegator(of.person), at)[0]
        staking.cancelUnbonding(delegator(of.person), at, of.amount, entry?.creationHeight ?? 1n)
      } else if (of.kind === 'jail') staking.jail(at)
      else if (of.kind === 'unjail') staking.unjail(at)
      else {
        const height = chain.number > BigInt(of.back) ? chain.number - BigInt(of.back) : chain.number
        const power = (staking.validator(at)?.tokens ?? 0n) / P
        staking.slash(at, { height, power, fraction: of.parts * 10n ** 16n })
      }
    })
  }

  it('satisfies its invariants after any sequence of operations, and no coin is lost or made', async () => {
    const validators = [10n, 20n, 15n, 12n].map((coins, i) => genesisValidator(i, coins * P))
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60 }), async (operations) => {
        const chain = await chainWith(validators, { params: { maxValidators: 3, maxEntries: 3 } })
        for (const of of operations) perform(chain, of)
        chain.next()
        expect(chain.staking.invariants()).toEqual([])
        const holders = [...Array(4).keys()].flatMap((i) => [operator(i), delegator(i)])
        const all = [...holders, MODULE_ACCOUNT.bondedPool, MODULE_ACCOUNT.notBondedPool]
        expect(all.reduce((sum, of) => sum + chain.balance(of), 0n)).toBe(chain.bank.supply())
      }),
      { numRuns: 25 },
    )
  })

  it('pays back every coin that was not slashed when all delegators undelegate', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        const chain = await chainWith([10n, 20n, 15n, 12n].map((coins, i) => genesisValidator(i, coins * P)))
        for (const of of operations) perform(chain, of)
        chain.next(21n * DAY)
        chain.next()
        for (const at of chain.staking.operators()) {
          const { tokens = 0n, shares = 0n } = chain.staking.validator(at) ?? {}
          if (tokens === 0n) continue
          for (const { delegator: of, shares: owned } of chain.staking.delegationsTo(at)) {
            const worth = owned === shares ? tokens : (owned * tokens) / shares
            if (worth > 0n) expect(chain.attempt((staking) => staking.undelegate(of, at, worth))).toBeUndefined()
          }
        }
        chain.next(21n * DAY)
        chain.next()
        expect(chain.staking.invariants()).toEqual([])
        // The rest is rounding: at most one unit for each delegation.
        const left = chain.balance(MODULE_ACCOUNT.bondedPool) + chain.balance(MODULE_ACCOUNT.notBondedPool)
        expect(left).toBeLessThanOrEqual(20n)
      }),
      { numRuns: 15 },
    )
  })
})
