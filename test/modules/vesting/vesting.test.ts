// Clawback accounts with the other modules, without an EVM: what the account may spend, the effect of delegating, and that no
// order of operations releases coins that must stay.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { endBlock, initGenesis, openModules } from '../../../src/modules/index.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import type { NativeSpec } from '../../../src/spec/chain-spec.ts'
import { emptyView, alice as funder, bob as holder, moduleContext, nativeSpec } from '../../support/native.ts'
import { genesisValidator, operator } from '../staking/support.ts'

const T = 1_700_000_000n
const carol = hexToAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const UNBONDING = 300n
const spec: NativeSpec = {
  ...nativeSpec,
  validators: [genesisValidator(0, 10n ** 18n)],
  modules: { staking: { params: { unbondingTime: Number(UNBONDING) } } },
}
const vested = (amount: bigint, times: number) => Array.from({ length: times }, () => ({ length: 1_000n, amount }))
/** The grant of V12. */
const GRANT = {
  start: T,
  lockup: [
    { length: 2_000n, amount: 500n },
    { length: 1_000n, amount: 500n },
  ],
  vesting: vested(250n, 4),
}

/** A chain at time T; the funder has 10,000 units, the holder `own`. */
async function open(own = 0n) {
  const view = await emptyView()
  view.setBalance(operator(0), 2n * 10n ** 18n)
  view.setBalance(funder, 10_000n)
  view.setBalance(holder, own)
  // An account exists once it has sent a transaction.
  view.setNonce(holder, 1n)
  const block = { number: 0n, timestamp: T, proposer: operator(0) }
  initGenesis(view, spec, 2n * 10n ** 18n + 10_000n + own, block)
  let number = 1n
  let timestamp = T
  const modules = () => openModules(moduleContext(view, { spec, block: { ...block, number, timestamp } }))
  return {
    view,
    modules,
    /** Ends the block; the next one has this time. */
    at(time: bigint) {
      endBlock(modules())
      number++
      timestamp = time
    },
    attempt(operation: (of: ReturnType<typeof modules>) => unknown): string | undefined {
      view.checkpoint()
      try {
        operation(modules())
        view.commit()
        return undefined
      } catch (error) {
        view.revert()
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}

async function funded(own = 0n) {
  const chain = await open(own)
  chain.modules().vesting.create(funder, holder, false)
  chain.modules().vesting.fund(funder, holder, GRANT)
  return chain
}

describe('sending from a vesting account', () => {
  it('may spend vested and unlocked coins, and the holder’s other coins', async () => {
    const { at, attempt, modules } = await funded(30n)
    const send = (amount: bigint) => attempt(({ bank }) => bank.transfer(holder, carol, amount))
    expect(send(31n)).toBe('spendable balance 30akest is smaller than 31akest: insufficient funds')
    expect(send(30n)).toBeUndefined()
    at(T + 1_000n)
    expect(send(1n)).toBe('spendable balance 0akest is smaller than 1akest: insufficient funds')
    at(T + 2_000n)
    expect(modules().vesting.spendable(holder)).toBe(500n)
    expect(send(501n)).toBe('spendable balance 500akest is smaller than 501akest: insufficient funds')
    expect(send(500n)).toBeUndefined()
    at(T + 4_000n)
    expect(send(500n)).toBeUndefined()
    expect(modules().vesting.spendable(holder)).toBe(0n)
  })

  it('is not restricted for other accounts', async () => {
    const { attempt, modules } = await funded()
    expect(attempt(({ bank }) => bank.transfer(funder, carol, 9_000n))).toBeUndefined()
    expect(modules().vesting.spendable(carol)).toBe(9_000n)
  })
})

describe('delegating from a vesting account', () => {
  it('V12: takes vested coins that are still locked, and counts them', async () => {
    const { at, attempt, modules } = await funded()
    const delegate = (amount: bigint) => attempt(({ staking }) => staking.delegate(holder, operator(0), amount))
    const refused = (available: bigint, amount: bigint) =>
      `cannot delegate unvested coins. coins available for delegation < delegation amount (${available} < ${amount}): insufficient vested coins error`
    expect(delegate(1n)).toBe(refused(0n, 1n))
    at(T + 1_000n)
    expect(delegate(251n)).toBe(refused(250n, 251n))
    expect(delegate(250n)).toBeUndefined()
    expect(delegate(1n)).toBe(refused(0n, 1n))
    // Delegated coins count as kept: 750 must stay, and 750 are in the account.
    expect([modules().vesting.spendable(holder), modules().bank.balance(holder)]).toEqual([0n, 750n])
    // Received coins are spendable.
    modules().bank.transfer(funder, holder, 5n)
    expect(modules().vesting.spendable(holder)).toBe(5n)
  })

  it('locks the coins again when they are undelegated', async () => {
    const { at, modules } = await funded()
    at(T + 1_000n)
    modules().staking.delegate(holder, operator(0), 250n)
    modules().staking.undelegate(holder, operator(0), 100n)
    modules().bank.transfer(funder, holder, 5n)
    expect(modules().vesting.spendable(holder)).toBe(5n)
    at(T + 1_000n + UNBONDING)
    at(T + 1_001n + UNBONDING)
    // The balance is 855. Of the 250 vested and locked coins 150 are delegated, so 850 must stay.
    expect([modules().bank.balance(holder), modules().vesting.spendable(holder)]).toEqual([855n, 5n])
  })

  it('keeps the delegations when the funder claws back; after that nothing is locked', async () => {
    const { at, modules } = await funded()
    at(T + 1_000n)
    modules().staking.delegate(holder, operator(0), 200n)
    expect(modules().vesting.clawback(funder, holder, carol)).toBe(750n)
    const { bank, staking, vesting } = modules()
    expect([bank.balance(carol), bank.balance(holder), vesting.spendable(holder)]).toEqual([750n, 50n, 50n])
    expect(staking.delegation(holder, operator(0))?.shares).toBe(200n * 10n ** 18n)
    staking.undelegate(holder, operator(0), 200n)
    at(T + 1_000n + UNBONDING)
    at(T + 1_001n + UNBONDING)
    expect(modules().vesting.spendable(holder)).toBe(250n)
  })
})

describe('the storage of vesting accounts', () => {
  it('is empty after the account was converted back', async () => {
    const { view, modules } = await open(1n)
    expect(view.hasStorage(NATIVE_CONTRACT.vesting)).toBe(false)
    modules().vesting.create(funder, holder, true)
    modules().vesting.fund(funder, holder, GRANT)
    modules().vesting.fund(funder, holder, { start: T - 5n, lockup: [], vesting: vested(7n, 3) })
    modules().staking.delegate(holder, operator(0), 1n)
    expect(view.hasStorage(NATIVE_CONTRACT.vesting)).toBe(true)
    modules().vesting.clawback(funder, holder, funder)
    expect(view.hasStorage(NATIVE_CONTRACT.vesting)).toBe(false)
  })

  it('is bounded: a schedule of too many periods is refused', async () => {
    const { attempt } = await funded()
    const grant = (periods: number) => ({ start: T + 1n, lockup: [], vesting: vested(1n, periods) })
    expect(attempt(({ vesting }) => vesting.fund(funder, holder, grant(1_997)))).toBe(
      'more than 2000 periods in one schedule: invalid request',
    )
    expect(attempt(({ vesting }) => vesting.fund(funder, holder, grant(1_996)))).toBeUndefined()
  })
})

describe('any sequence of operations on vesting accounts', () => {
  const amount = fc.bigInt(1n, 400n)
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('send' as const), amount }),
    fc.record({ kind: fc.constant('gift' as const), amount }),
    fc.record({ kind: fc.constant('delegate' as const), amount }),
    fc.record({ kind: fc.constant('undelegate' as const), amount }),
    fc.record({ kind: fc.constant('fund' as const), amount, start: fc.bigInt(-500n, 500n), steps: fc.nat(4) }),
    fc.record({ kind: fc.constant('wait' as const), seconds: fc.bigInt(1n, 700n) }),
  )

  it('keep unvested coins in the account, and release all coins in the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const { at, attempt, modules } = await funded(100n)
        let now = T
        for (const of of operations) {
          if (of.kind === 'wait') {
            now += of.seconds
            at(now)
          } else {
            attempt(({ bank, staking, vesting }) => {
              if (of.kind === 'send') bank.transfer(holder, carol, of.amount)
              if (of.kind === 'gift') bank.transfer(funder, holder, of.amount)
              if (of.kind === 'delegate') staking.delegate(holder, operator(0), of.amount)
              if (of.kind === 'undelegate') staking.undelegate(holder, operator(0), of.amount)
              if (of.kind === 'fund') {
                const grant = { start: now + of.start, lockup: vested(of.amount, of.steps) }
                const total = of.amount * BigInt(of.steps || 1)
                vesting.fund(funder, holder, { ...grant, vesting: [{ length: 900n, amount: total }] })
              }
            })
          }
          const { bank, vesting } = modules()
          const { unvested } = vesting.balances(holder)
          expect(bank.balance(holder)).toBeGreaterThanOrEqual(unvested)
          expect(vesting.spendable(holder)).toBeLessThanOrEqual(bank.balance(holder) - unvested)
        }
        at(now + 100_000n)
        expect(modules().vesting.spendable(holder)).toBe(modules().bank.balance(holder))
        modules().vesting.convert(holder)
      }),
      { numRuns: 25 },
    )
  })
})
