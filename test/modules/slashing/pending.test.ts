// Pending slashes (version 2): a slash over several blocks has the same result as in one block, and redelegations are slashed
// as in the Cosmos SDK 0.50 (x/staking/keeper/slash.go). All modules over an empty state.
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../src/lib/hex.ts'
import { SLASH_WORK } from '../../../src/modules/staking/context.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import {
  type Chain,
  chainWith,
  DAY,
  delegator,
  operator,
  P,
  slashWorkOfBlock,
  validator,
} from '../distribution/support.ts'

const WAITS = 'a slash of this stake is being carried out; try again in some blocks'
const places = [0, 1, 2, 3]
const a = operator(0)
const b = operator(1)
const c = operator(2)
const d0 = delegator(0)
const d1 = delegator(1)
const d2 = delegator(2)
const tenth = P / 10n

const begin = (staking: object = {}) =>
  chainWith(
    [100n, 20n, 15n, 12n].map((coins, i) => validator(i, coins * P)),
    { staking, slashing: { version: 2 } },
  )

/** Slashes and jails the validator at once, as the slashing module does. */
function punish(chain: Chain, at: number, back: bigint, fraction: bigint, power: bigint): void {
  const { staking } = chain
  const { jailed, status } = staking.validator(operator(at)) ?? {}
  if (status === undefined || status === 'unbonded') return
  const height = chain.number > back ? chain.number - back : 0n
  staking.slash(operator(at), { height, power, fraction })
  if (!jailed) staking.jail(operator(at))
}

const isPending = ({ staking }: Chain) => staking.pendingSlashes().length > 0
const invariants = ({ staking, distribution }: Chain) => [...staking.invariants(), ...distribution.invariants()]

/** Everything that a slash changes. */
function slashableState(chain: Chain) {
  const { staking, distribution } = chain
  return {
    supply: chain.modules.bank.supply(),
    pools: [chain.balance(MODULE_ACCOUNT.bondedPool), chain.balance(MODULE_ACCOUNT.notBondedPool)],
    bonded: staking.bondedValidators(),
    validators: places.map(operator).map((at) => ({
      validator: { ...staking.stake(at) },
      delegations: staking.delegationsTo(at),
      unbonding: staking.unbondersOf(at).map((of) => staking.unbonding(of, at)),
      moved: [...staking.redelegationsFrom(at)],
      slashes: fractions(chain, at),
      commission: distribution.accumulatedCommission(at),
    })),
    people: places.map(delegator).map((of) => chain.balance(of)),
  }
}

function fractions({ distribution }: Chain, at: ReturnType<typeof operator>): bigint[] {
  const slashes = distribution.slashEvents(at, 0n, 10_000n)
  return Array.from({ length: slashes.length }, (_, place) => slashes.at(place).fraction)
}

/** Most operations are at validator 0. */
const place = fc.constantFrom(0, 0, 0, 0, 1, 2, 3)
const amount = fc.oneof(fc.bigInt(1n, 30n * P), fc.bigInt(1n, 10n), fc.constantFrom(P, 7n * P))
const stakeOperation = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delegate' as const), person: place, place, amount }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('undelegate' as const), person: place, place, amount }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('redelegate' as const), person: place, place, to: place, amount }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), person: place, place, amount }) },
)
const history = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: stakeOperation },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('slash' as const),
        place,
        parts: fc.bigInt(1n, 40n),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('next' as const), seconds: fc.constantFrom(1n, 5n) }) },
  ),
  { minLength: 20, maxLength: 60 },
)
const fault = fc.record({ place, back: fc.bigInt(1n, 8n), parts: fc.bigInt(1n, 100n), inNextBlock: fc.boolean() })

type StakeOperation = typeof stakeOperation extends fc.Arbitrary<infer T> ? T : never

function perform(chain: Chain, of: StakeOperation): string | undefined {
  return chain.attempt(({ staking }) => {
    const person = delegator(of.person)
    const at = operator(of.place)
    if (of.kind === 'delegate') staking.delegate(person, at, of.amount)
    else if (of.kind === 'undelegate') staking.undelegate(person, at, of.amount)
    else if (of.kind === 'redelegate') staking.redelegate(person, at, operator(of.to), of.amount)
    else staking.cancelUnbonding(person, at, of.amount, staking.unbonding(person, at)[0]?.creationHeight ?? 1n)
  })
}

/**
 * Whether entries of the delegator are mature and wait until a slash is finished. Until then they still count as unbonding or
 * redelegating: a redelegation from their destination is refused, and so is an eighth entry.
 */
function waitsToComplete({ staking, time }: Chain, person: Address): boolean {
  const unbonding = staking.unbondingOf(person).flatMap((at) => staking.unbonding(person, at))
  const moving = [...staking.redelegationsOf(person)].flatMap(({ entries }) => entries)
  return [...unbonding, ...moving].some(({ completionTime }) => completionTime <= time)
}

/** Two chains with one history: one executes each slash in one block, the other does `units` of work in a block. */
async function twins(units: number, past: readonly (typeof history extends fc.Arbitrary<(infer T)[]> ? T : never)[]) {
  // Short unbonding, so that entries end while a slash is pending.
  const whole = await begin({ unbondingTime: 60 })
  const pieces = await begin({ unbondingTime: 60 })
  const both = (run: (chain: Chain) => void) => {
    SLASH_WORK.ofBlock = Number.POSITIVE_INFINITY
    run(whole)
    SLASH_WORK.ofBlock = units
    run(pieces)
  }
  SLASH_WORK.ofBlock = Number.POSITIVE_INFINITY
  for (const chain of [whole, pieces]) {
    for (const i of places) for (const j of places) chain.staking.delegate(delegator(i), operator(j), 100n * P)
    for (const of of past) {
      if (of.kind === 'next') chain.next(0n, of.seconds)
      else if (of.kind === 'slash') chain.attempt(() => punish(chain, of.place, 3n, of.parts * 10n ** 16n, 400n))
      else perform(chain, of)
    }
  }
  return { whole, pieces, both }
}

describe('a pending slash', () => {
  beforeEach(() => slashWorkOfBlock(Number.POSITIVE_INFINITY))
  const size = fc.constantFrom(1, SLASH_WORK.burn + 2, 3 * SLASH_WORK.unbond)

  it('has the result of a slash in one block, and the invariants hold after every block', async () => {
    let most = 0
    await fc.assert(
      fc.asyncProperty(size, history, fc.array(fault, { minLength: 1, maxLength: 3 }), async (units, past, faults) => {
        const { whole, pieces, both } = await twins(units, past)
        for (const { place: at, back, parts, inNextBlock } of faults) {
          both((chain) => punish(chain, at, back, parts * 10n ** 16n, 300n))
          if (inNextBlock) both((chain) => chain.next())
        }
        let blocks = 0
        do {
          both((chain) => chain.next())
          expect(invariants(pieces)).toEqual([])
          blocks++
        } while (isPending(pieces))
        most = Math.max(most, blocks)
        both((chain) => chain.next())
        expect(slashableState(pieces)).toEqual(slashableState(whole))
      }),
      { numRuns: 20 },
    )
    // The histories are random: in most runs the longest slash takes more than 8 blocks.
    expect(most).toBeGreaterThan(3)
  })

  it('has the same result, except for rounding, while others delegate, unbond and redelegate', async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(history, fault, fc.array(stakeOperation), async (past, { place: at, back, parts }, others) => {
        const { whole, pieces, both } = await twins(1, past)
        both((chain) => punish(chain, at, back, parts * 10n ** 16n, 300n))
        for (let rest = others; isPending(pieces); rest = rest.slice(2)) {
          for (const of of rest.slice(0, 2)) {
            if (waitsToComplete(pieces, delegator(of.person))) continue
            const refusal = perform(pieces, of)
            if (refusal === WAITS) refused++
            else expect(perform(whole, of)).toBe(refusal)
          }
          both((chain) => chain.next())
          expect(invariants(pieces)).toEqual([])
        }
        both((chain) => chain.next())
        const is = pieces.staking.stake(operator(at))
        const should = whole.staking.stake(operator(at))
        expect(is).toEqual(should)
        const sums = ({ staking, modules, balance }: Chain) => [
          modules.bank.supply(),
          ...places.map((i) => staking.stake(operator(i))?.tokens ?? 0n),
          ...places.map((i) => balance(delegator(i))),
        ]
        const expected = sums(whole)
        for (const [i, sum] of sums(pieces).entries()) {
          const difference = sum - (expected[i] ?? 0n)
          // One unit for each entry that is paid at a share price which the operations in between have rounded.
          expect(difference < 0n ? -difference : difference).toBeLessThan(40n)
        }
      }),
      { numRuns: 20 },
    )
    expect(refused).toBeGreaterThan(0)
  })

  it('blocks delegators whose tokens it can burn, and no other delegators', async () => {
    const chain = await begin()
    for (const of of [d0, d1]) chain.staking.delegate(of, a, 50n * P)
    chain.staking.delegate(d2, b, 10n * P)
    chain.next()
    chain.staking.redelegate(d0, a, b, 20n * P)
    chain.staking.undelegate(d1, a, 10n * P)
    chain.next()
    slashWorkOfBlock(1)
    punish(chain, 0, 1n, tenth, 170n)
    const refusal = (run: (staking: Chain['staking']) => unknown) => chain.attempt(({ staking }) => run(staking))
    expect(refusal((staking) => staking.delegate(d2, a, P))).toBe(WAITS)
    expect(refusal((staking) => staking.undelegate(d0, a, P))).toBe(WAITS)
    expect(refusal((staking) => staking.redelegate(d0, a, c, P))).toBe(WAITS)
    expect(refusal((staking) => staking.redelegate(d2, b, a, P))).toBe(WAITS)
    expect(refusal((staking) => staking.cancelUnbonding(d1, a, P, 2n))).toBe(WAITS)
    expect(refusal((staking) => staking.unjail(a))).toBe(WAITS)
    expect(refusal((staking) => staking.undelegate(d0, b, P))).toBe(WAITS)
    expect(refusal((staking) => staking.delegate(d0, b, P))).toBe(WAITS)
    expect(refusal((staking) => staking.undelegate(d2, b, P))).toBeUndefined()
    expect(refusal((staking) => staking.delegate(d1, b, P))).toBeUndefined()
    expect(refusal((staking) => staking.delegate(d0, c, P))).toBeUndefined()
    for (let i = 0; i < 4; i++) chain.next()
    expect(isPending(chain)).toBe(false)
    expect(refusal((staking) => staking.undelegate(d0, b, P))).toBeUndefined()
    expect(refusal((staking) => staking.undelegate(d1, a, P))).toBeUndefined()
    // The slash is of 170 coins of power, so 17 coins: 1 is taken from unbonding entries and 2 from redelegations.
    expect(fractions(chain, a)).toEqual([(14n * P * P + 170n * P - 1n) / (170n * P)])
    expect(chain.staking.pendingSlashes()).toEqual([])
  })

  it('delays the completion of an entry that matures while it is pending, and slashes it', async () => {
    const chain = await begin()
    for (const of of [d0, d1, d2]) chain.staking.delegate(of, a, 50n * P)
    for (const of of [d0, d1, d2]) chain.staking.undelegate(of, a, 10n * P)
    chain.next()
    slashWorkOfBlock(1)
    punish(chain, 0, 1n, tenth, 250n)
    chain.next(0n, 22n * DAY)
    chain.next()
    expect(invariants(chain)).toEqual([])
    expect([d0, d1, d2].map((of) => chain.balance(of))).toEqual([950n * P, 950n * P, 950n * P])
    chain.next()
    chain.next()
    expect([d0, d1, d2].map((of) => chain.balance(of))).toEqual([959n * P, 959n * P, 959n * P])
    expect(chain.staking.status(a)).toBe('unbonded')
  })

  it('delays later slashes, including slashes of the same validator', async () => {
    const chain = await begin()
    for (const of of [d0, d1]) chain.staking.delegate(of, a, 50n * P)
    for (const of of [d0, d1]) chain.staking.redelegate(of, a, b, 20n * P)
    chain.next()
    slashWorkOfBlock(1)
    punish(chain, 0, 1n, tenth, 160n)
    punish(chain, 1, 1n, tenth, 60n)
    chain.next()
    punish(chain, 0, 2n, tenth, 160n)
    expect(chain.staking.pendingSlashes().map(({ operator: at, left }) => [at, left])).toEqual([
      // Two redelegations have paid 2 of the 16.
      [a, 12n * P],
      [b, 6n * P],
      [a, 16n * P],
    ])
    for (let i = 0; i < 6; i++) chain.next()
    expect(isPending(chain)).toBe(false)
    // 160 - 12 - 12; at the destination both redelegations have lost 2 shares twice.
    expect(chain.staking.stake(a)).toMatchObject({ tokens: 136n * P })
    expect(chain.staking.stake(b)).toMatchObject({ shares: 52n * P * P })
    expect(invariants(chain)).toEqual([])
  })
})

describe('a slashed redelegation', () => {
  /**
   * Two delegators redelegate 100 coins each from a to b, d1 begins to unbond 2 of them, b is slashed by 1 %; then a by 5 %.
   */
  async function moved(slashing: object) {
    const validators = [1_000n, 1_000n].map((coins, i) => validator(i, coins * P))
    const chain = await chainWith(validators, { slashing })
    for (const of of [d0, d1]) chain.staking.delegate(of, a, 100n * P)
    chain.next()
    for (const of of [d0, d1]) chain.staking.redelegate(of, a, b, 100n * P)
    chain.staking.undelegate(d1, b, 2n * P)
    chain.next()
    // 1,198 coins are at b. Its slash is 12, 1 % of 1,200: the entry pays 0.02 and b 11.98, which makes a share worth 0.99.
    chain.staking.slash(b, { height: 1n, power: 1_200n, fraction: P / 100n })
    const burnt = chain.staking.slash(a, { height: 1n, power: 1_200n, fraction: P / 20n })
    return { chain, burnt }
  }

  it('burns tokens as in the SDK: unbonding entries first, then the fraction of its initial shares', async () => {
    const { chain, burnt } = await moved({ version: 2 })
    // 5 % of 1,200 is 60, of which the two redelegations owe 5 each.
    expect(burnt).toBe(50n * P)
    expect(chain.staking.delegation(d0, b)?.shares).toBe(95n * P * P)
    expect(chain.staking.tokensFromShares(b, 95n * P * P)).toBe(94_050n * 10n ** 15n * P)
    // The entry pays 1.98 of the 5. The shares still lose 5, as if it had paid nothing.
    expect(chain.staking.unbonding(d1, b)).toMatchObject([{ balance: 0n }])
    expect(chain.staking.delegation(d1, b)?.shares).toBe(93n * P * P)
    expect(invariants(chain)).toEqual([])
  })

  it('in version 1 burns only what unbonding entries have not covered', async () => {
    const { chain, burnt } = await moved({})
    expect(burnt).toBe(50n * P)
    // 5 coins at 0.99 for each share: 94 of 99 coins are left.
    expect(chain.staking.tokensFromShares(b, chain.staking.delegation(d0, b)?.shares ?? 0n) / P).toBe(94n * P)
    // 98 shares less 3.02 coins at 0.99.
    expect(chain.staking.delegation(d1, b)?.shares).toBe(98n * P * P - (302n * 10n ** 16n * P * 100n) / 99n)
    expect(invariants(chain)).toEqual([])
  })

  it('does not change the delegation when unbonding entries cover the amount', async () => {
    const chain = await begin()
    chain.staking.delegate(d0, a, 50n * P)
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.staking.undelegate(d0, b, 10n * P)
    chain.next()
    chain.staking.slash(a, { height: 1n, power: 100n, fraction: tenth })
    expect(chain.staking.unbonding(d0, b)).toMatchObject([{ balance: 5n * P }])
    expect(chain.staking.delegation(d0, b)?.shares).toBe(40n * P * P)
  })

  it('removes at most the shares of the delegation, and none when there is no delegation', async () => {
    const chain = await begin()
    for (const of of [d0, d1]) chain.staking.delegate(of, a, 50n * P)
    for (const of of [d0, d1]) chain.staking.redelegate(of, a, b, 50n * P)
    chain.next()
    chain.staking.undelegate(d0, b, 48n * P)
    chain.staking.undelegate(d1, b, 50n * P)
    chain.next()
    // Empties the entries.
    chain.staking.slash(b, { height: 2n, power: 0n, fraction: P })
    chain.staking.slash(a, { height: 1n, power: 0n, fraction: tenth })
    expect(chain.staking.delegation(d0, b)).toBeUndefined()
    expect(chain.staking.delegation(d1, b)).toBeUndefined()
    expect(invariants(chain)).toEqual([])
  })
})

it('a slash that burns no tokens of the validator records no slash event', async () => {
  const chain = await begin()
  expect(chain.staking.slash(a, { height: 1n, power: 0n, fraction: tenth })).toBe(0n)
  expect(fractions(chain, a)).toEqual([])
})
