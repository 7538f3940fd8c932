import { beforeEach, describe, expect, it } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { Bank, bankLayout } from '../../src/modules/bank.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import type { StateView } from '../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext } from '../support/native.ts'

let view: StateView
let bank: Bank
beforeEach(async () => {
  view = await emptyView()
  view.setBalance(alice, 100n)
  bank = new Bank(moduleContext(view))
  bank.initGenesis({ supply: 100n })
})

describe('bank', () => {
  it('moves the balances that the EVM reads', () => {
    bank.transfer(alice, bob, 30n)
    expect([view.balance(alice), view.balance(bob)]).toEqual([70n, 30n])
    expect([bank.balance(alice), bank.balance(bob), bank.supply()]).toEqual([70n, 30n, 100n])
  })

  it('transfers a whole balance, zero, and to the sender', () => {
    bank.transfer(alice, alice, 100n)
    bank.transfer(alice, bob, 0n)
    expect([bank.balance(alice), bank.balance(bob)]).toEqual([100n, 0n])
    bank.transfer(alice, bob, 100n)
    expect([bank.balance(alice), bank.balance(bob)]).toEqual([0n, 100n])
  })

  it('refuses to transfer or burn more than the balance, and changes nothing', () => {
    const refusal = 'spendable balance 100akest is smaller than 101akest: insufficient funds'
    expect(() => bank.transfer(alice, bob, 101n)).toThrow(new ChainError('execution-reverted', refusal))
    expect(() => bank.burn(alice, 101n)).toThrow(new ChainError('execution-reverted', refusal))
    expect([bank.balance(alice), bank.balance(bob), bank.supply()]).toEqual([100n, 0n, 100n])
  })

  it('refuses a negative amount', () => {
    expect(() => bank.transfer(bob, alice, -1n)).toThrow(RangeError)
    expect(() => bank.mint(alice, -1n)).toThrow(RangeError)
    expect(() => bank.burn(alice, -1n)).toThrow(RangeError)
    expect([bank.balance(alice), bank.supply()]).toEqual([100n, 100n])
  })

  it('counts coins that are minted, burnt, and created or destroyed outside the bank', () => {
    bank.mint(bob, 50n)
    expect([bank.balance(bob), bank.supply()]).toEqual([50n, 150n])
    bank.burn(alice, 20n)
    expect([bank.balance(alice), bank.supply()]).toEqual([80n, 130n])
    bank.adjustSupply(5n)
    bank.adjustSupply(-7n)
    expect(bank.supply()).toBe(128n)
  })

  it('keeps the supply in slot 0 of its address, and reverts it with the view', () => {
    expect(view.storage(NATIVE_CONTRACT.bank, 0n)).toBe(100n)
    view.checkpoint()
    bank.mint(bob, 1n)
    expect(view.storage(NATIVE_CONTRACT.bank, 0n)).toBe(101n)
    view.revert()
    expect([bank.supply(), bank.balance(bob)]).toEqual([100n, 0n])
    // One slot for the supply, three for an enumerable, one for a mapping.
    expect(bankLayout.width).toBe(5n)
  })

  it('calls the restrictions in the order of registration before it moves coins', () => {
    const asked: unknown[] = []
    bank.addSendRestriction((from, to, amount) => asked.push([from, to, amount]))
    bank.addSendRestriction((from) => {
      if (from === alice) throw new ChainError('execution-reverted', 'locked')
    })
    expect(() => bank.transfer(alice, bob, 1n)).toThrow('locked')
    expect(asked).toEqual([[alice, bob, 1n]])
    expect(bank.balance(bob)).toBe(0n)
  })

  it('refuses to write when opened for reading', () => {
    const reader = new Bank(moduleContext(view, { access: 'read' }))
    expect(reader.supply()).toBe(100n)
    expect(() => reader.mint(bob, 1n)).toThrow()
    expect([reader.supply(), reader.balance(bob)]).toEqual([100n, 0n])
  })
})
