// The bank's balances and supplies of coins other than the base coin.
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { Bank } from '../../src/modules/bank.ts'
import type { StateView } from '../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext } from '../support/native.ts'

const ATOM = `ibc/${'A'.repeat(64)}`
const OSMO = `ibc/${'B'.repeat(64)}`
const MAX = 2n ** 256n - 1n

let view: StateView
let bank: Bank
beforeEach(async () => {
  view = await emptyView()
  view.setBalance(alice, 100n)
  bank = new Bank(moduleContext(view))
  bank.initGenesis({ supply: 100n })
})

describe('other denominations', () => {
  it('are minted, moved and burnt like the base coin', () => {
    bank.mint(alice, 50n, ATOM)
    bank.transfer(alice, bob, 20n, ATOM)
    bank.burn(bob, 5n, ATOM)
    expect([bank.balance(alice, ATOM), bank.balance(bob, ATOM), bank.supply(ATOM)]).toEqual([30n, 15n, 45n])
    expect([bank.balance(alice), bank.supply(), view.balance(bob)]).toEqual([100n, 100n, 0n])
  })

  it('are listed after the base coin, by name; zero balances are not listed', () => {
    bank.mint(alice, 5n, OSMO)
    bank.mint(alice, 7n, ATOM)
    bank.mint(bob, 1n, ATOM)
    expect(bank.balances(alice)).toEqual([
      { denom: 'akest', amount: 100n },
      { denom: ATOM, amount: 7n },
      { denom: OSMO, amount: 5n },
    ])
    bank.burn(alice, 5n, OSMO)
    bank.transfer(alice, bob, 7n, ATOM)
    expect(bank.balances(alice)).toEqual([{ denom: 'akest', amount: 100n }])
    expect(bank.balances(bob)).toEqual([{ denom: ATOM, amount: 8n }])
    expect(bank.supplies()).toEqual([
      { denom: 'akest', amount: 100n },
      { denom: ATOM, amount: 8n },
    ])
  })

  it('cannot be spent above the balance', () => {
    bank.mint(alice, 5n, ATOM)
    const refusal = `spendable balance 5${ATOM} is smaller than 6${ATOM}: insufficient funds`
    expect(() => bank.transfer(alice, bob, 6n, ATOM)).toThrow(refusal)
    expect(() => bank.burn(alice, 6n, ATOM)).toThrow(refusal)
    expect(() => bank.transfer(bob, alice, -1n, ATOM)).toThrow(RangeError)
    expect([bank.balance(alice, ATOM), bank.supply(ATOM)]).toEqual([5n, 5n])
  })

  it('do not overflow', () => {
    bank.mint(alice, MAX, ATOM)
    expect(() => bank.mint(bob, 1n, ATOM)).toThrow(`supply of ${ATOM} overflows: invalid coins`)
    expect([bank.balance(bob, ATOM), bank.supply(ATOM)]).toEqual([0n, MAX])
  })

  it('are not restricted by a lock on the base coin', () => {
    bank.addSendRestriction(() => {
      throw new Error('locked')
    })
    bank.mint(alice, 5n, ATOM)
    bank.transfer(alice, bob, 5n, ATOM)
    expect(bank.balance(bob, ATOM)).toBe(5n)
    expect(() => bank.transfer(alice, bob, 5n)).toThrow('locked')
  })

  it('have balances that add up to their supply after any operations', () => {
    const act = fc.record({
      kind: fc.constantFrom('mint', 'burn', 'transfer'),
      from: fc.constantFrom(alice, bob),
      to: fc.constantFrom(alice, bob),
      amount: fc.bigInt(0n, 20n),
      denom: fc.constantFrom(ATOM, OSMO),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        view.checkpoint()
        const model = new Map<string, bigint>()
        const add = (of: string, denom: string, amount: bigint) =>
          model.set(of + denom, (model.get(of + denom) ?? 0n) + amount)
        for (const { kind, from, to, amount, denom } of acts) {
          const has = model.get(from + denom) ?? 0n
          if (kind === 'mint') {
            bank.mint(to, amount, denom)
            add(to, denom, amount)
          } else if (has < amount) {
            expect(() =>
              kind === 'burn' ? bank.burn(from, amount, denom) : bank.transfer(from, to, amount, denom),
            ).toThrow()
          } else {
            if (kind === 'burn') bank.burn(from, amount, denom)
            else bank.transfer(from, to, amount, denom)
            add(from, denom, -amount)
            if (kind === 'transfer') add(to, denom, amount)
          }
        }
        for (const denom of [ATOM, OSMO]) {
          const [a, b] = [alice, bob].map((of) => model.get(of + denom) ?? 0n)
          expect([bank.balance(alice, denom), bank.balance(bob, denom)]).toEqual([a, b])
          expect(bank.supply(denom)).toBe((a ?? 0n) + (b ?? 0n))
        }
        view.revert()
      }),
    )
  })
})
