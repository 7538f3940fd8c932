// The end of a block does a bounded amount of work: what is due at one moment is spread over several blocks, in order.
import { describe, expect, it } from 'vitest'
import { MAX_ENDED_PER_BLOCK, SLASH_WORK } from '../../src/modules/staking/context.ts'
import { MOST_HOPS, readHash } from '../../src/modules/transfer/denoms.ts'
import { MOST_PACKETS_A_BLOCK } from '../../src/modules/transfer/relayer.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { alice, bob } from '../support/native.ts'
import { DAY, delegator, genesisValidator, operator, P, chainWith as stakingChain } from './staking/support.ts'
import { START, textOf, chainWith as transferChain } from './transfer/support.ts'

const more = 20

describe('the work at the end of a block', () => {
  it.each([1, 2] as const)(
    'completes a bounded number of unbondings by version %i, the earliest first; the rest in the next block',
    async (version) => {
      const most = MAX_ENDED_PER_BLOCK[version]
      const chain = await stakingChain([genesisValidator(0, 100n * P)], undefined, { staking: { version } })
      const people = Array.from({ length: most + more }, (_, index) => delegator(100 + index))
      for (const person of people) {
        chain.view.setBalance(person, P)
        chain.staking.delegate(person, operator(0), P)
      }
      const begin = (some: typeof people) =>
        some.forEach((person) => void chain.staking.undelegate(person, operator(0), P))
      begin(people.slice(0, more))
      chain.next(1n)
      begin(people.slice(more))
      // All of them are mature at once.
      chain.next(22n * DAY)
      chain.next(1n)
      const paid = () => people.map((person) => chain.view.balance(person) === P)
      expect(paid().filter(Boolean)).toHaveLength(most)
      expect(paid().slice(0, more).every(Boolean)).toBe(true)
      chain.next(1n)
      expect(paid().every(Boolean)).toBe(true)
      expect(chain.staking.invariants()).toEqual([])
    },
  )

  it.each([1, 2] as const)('times out a bounded number of packets by version %i; the rest wait', async (version) => {
    const most = MOST_PACKETS_A_BLOCK[version]
    const chain = await transferChain({ version })
    const count = most + more
    chain.bank.mint(alice, BigInt(count))
    const before = chain.view.balance(alice)
    const timeout = { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: (START + 1_000n) * 1_000_000_000n }
    // One block for each half: a block delivers no more than it can end.
    for (const half of [count / 2, count / 2]) {
      for (let i = 0; i < half; i++) chain.send({ channel: 'channel-5', amount: 1n, timeout })
      chain.next()
    }
    chain.next(2_000n)
    const refunded = () => BigInt(count) - (before - chain.view.balance(alice))
    expect(refunded()).toBe(0n)
    chain.next()
    expect(refunded()).toBe(BigInt(most))
    chain.next()
    expect(refunded()).toBe(BigInt(count))
    expect(chain.transfer.invariants()).toEqual([])
  })

  it.each([1, 2] as const)('delivers a bounded number of packets by version %i; the rest wait', async (version) => {
    const most = MOST_PACKETS_A_BLOCK[version]
    const chain = await transferChain({ version })
    chain.bank.mint(alice, BigInt(most + more))
    for (let i = 0; i < most + more; i++) chain.send({ amount: 1n })
    chain.next()
    chain.next()
    const vouchers = () => chain.bank.balances(bob).find(({ denom }) => denom.startsWith('ibc/'))?.amount
    expect(vouchers()).toBe(BigInt(most))
    chain.next()
    expect(vouchers()).toBe(BigInt(most + more))
  })
})

describe('a slash of thousands of entries', () => {
  it('reads a bounded number of entries in each block, and burns tokens of fewer entries', async () => {
    const each = 7
    const at = operator(0)
    const people = Array.from({ length: Math.ceil(3_000 / each) }, (_, index) => delegator(100 + index))
    const entries = people.length * each
    const chain = await stakingChain([genesisValidator(0, 100n * P)], undefined, { slashing: { version: 2 } })
    for (const person of people) {
      chain.view.setBalance(person, BigInt(each) * P)
      chain.staking.delegate(person, at, BigInt(each) * P)
    }
    for (let i = 0; i < each; i++) {
      for (const person of people) chain.staking.undelegate(person, at, P)
      chain.next(1n)
    }
    const inNotBonded = () => chain.view.balance(MODULE_ACCOUNT.notBondedPool)
    /** For each block until the end of the slash: how many entries were read, and of how many a tenth was burnt. */
    function workPerBlock() {
      const blocks: { looked: number; burnt: number }[] = []
      let before = 0
      let held = BigInt(entries) * P
      while (before < entries) {
        const [pending] = chain.staking.pendingSlashes()
        const done = pending === undefined ? entries : Number(pending.done) * each
        blocks.push({ looked: done - before, burnt: Number((held - inNotBonded()) / (P / 10n)) })
        before = done
        held = inNotBonded()
        chain.next(1n)
      }
      return blocks
    }
    chain.next(1n)
    // All entries began before the infraction.
    chain.staking.slash(at, { height: chain.number - 1n, power: 100n, fraction: P / 10n })
    const idle = workPerBlock()
    expect(idle.length).toBeGreaterThan(entries / SLASH_WORK.ofBlock - 1)
    for (const { looked } of idle) expect(looked).toBeLessThanOrEqual(SLASH_WORK.ofBlock + each)
    expect(inNotBonded()).toBe(BigInt(entries) * P)
    expect(chain.staking.stake(at)?.tokens).toBe(90n * P)

    chain.staking.slash(at, { height: 1n, power: 100n + BigInt(entries), fraction: P / 10n })
    const busy = workPerBlock()
    const most = SLASH_WORK.ofBlock / (SLASH_WORK.look + SLASH_WORK.burn)
    expect(busy.length).toBeGreaterThan(entries / most - 1)
    for (const { burnt } of busy) expect(burnt).toBeLessThanOrEqual(most + each)
    expect(inNotBonded()).toBe((BigInt(entries) * P * 9n) / 10n)
    // The validator also loses a tenth of its own 100.
    expect(chain.staking.stake(at)?.tokens).toBe(80n * P)
    expect(chain.staking.invariants()).toEqual([])
  })
})

describe('a coin transferred through many channels', () => {
  it('has a trace of bounded length, and can be returned', async () => {
    const chain = await transferChain()
    let denom = 'akest'
    let holder = alice
    const hop = (channel: string) => {
      const next = holder === alice ? bob : alice
      chain.send({ channel, denom, amount: 1n, sender: holder, receiver: textOf(next) })
      chain.next()
      chain.next()
      holder = next
      denom = chain.bank.balances(next).find((coin) => coin.denom !== 'akest' && coin.amount === 1n)?.denom ?? 'akest'
    }
    // A coin sent through channel-0 arrives at channel-1. Sent through channel-0 again it gets one more hop; only channel-1
    // returns it.
    for (let hops = 0; hops < MOST_HOPS; hops++) hop('channel-0')
    expect(chain.transfer.trace(readHash(denom))?.path.split('/')).toHaveLength(2 * MOST_HOPS)
    expect(chain.attempt(() => chain.send({ denom, amount: 1n, sender: holder, receiver: textOf(bob) }))).toBe(
      `coin has passed ${MOST_HOPS + 1} channels, at most ${MOST_HOPS} are allowed: invalid request`,
    )
    const supply = () => chain.bank.supply(denom)
    expect(supply()).toBe(1n)
    chain.send({ channel: 'channel-1', denom, amount: 1n, sender: holder, receiver: textOf(bob) })
    expect(supply()).toBe(0n)
    expect(chain.transfer.invariants()).toEqual([])
  })
})
