// The rows that a view commits: deleted and recreated accounts, code, and the changes of a transaction.
import type { StateManagerInterface } from '@ethereumjs/common'
import { Account as LibAccount } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { StateAdapter } from '../../src/evm/ethereumjs/state-adapter.ts'
import { bytesToBig, fromHex, toHex } from '../../src/lib/hex.ts'
import { decodeRow } from '../../src/state/history.ts'
import { RANGE, within } from '../../src/state/keyspace.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { EMPTY_ROOT } from '../../src/state/trie.ts'
import { slotKey } from '../../src/state/view.ts'
import { everyRow } from '../support/stores.ts'
import { at, goBack, land, lib, rootOf, twins, WHO } from './reference-state.ts'

describe('a deleted account', () => {
  const one = at(WHO, 0)
  const two = at(WHO, 1)
  const write = async (state: StateManagerInterface, words: Record<number, number>): Promise<void> => {
    for (const [slot, word] of Object.entries(words)) {
      await state.putStorage(lib(one), fromHex(slotKey(BigInt(slot))), Uint8Array.of(word))
    }
  }

  it('leaves no trie nodes after an earlier root, and is empty when it is created again', async () => {
    const { ours, reference, store } = await twins()
    const gone = ours.at(0)
    await write(new StateAdapter(gone), { 1: 1, 2: 2, 3: 3 })
    gone.root()
    gone.deleteAccount(one)
    await land(ours, gone)
    for await (const [key, value] of store.scan(RANGE.storageNodes(one))) {
      expect([toHex(key), decodeRow(value).value]).toEqual([toHex(key), undefined])
    }

    const back = ours.at(1)
    await reference.clearStorage(lib(one))
    await reference.deleteAccount(lib(one))
    for (const state of [new StateAdapter(back), reference]) {
      await state.putAccount(lib(one), new LibAccount(1n, 1n))
      await write(state, { 2: 9 })
    }
    expect(back.root()).toBe(await rootOf(reference))
  })

  it('is proven absent after an earlier root', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    await write(new StateAdapter(view), { 1: 1, 2: 2, 3: 3 })
    view.root()
    view.deleteAccount(one)
    const { account, storageRoot, storageProofs } = view.prove(one, [0n, 2n])
    expect({ account, storageRoot, storageProofs }).toEqual({
      account: undefined,
      storageRoot: EMPTY_ROOT,
      storageProofs: [0n, 2n].map((key) => ({ key, value: 0n, proof: [] })),
    })
  })

  it('has its writes again when the deletion is reverted after a root', async () => {
    const { ours, reference } = await twins()
    const view = ours.at(0)
    for (const state of [new StateAdapter(view), reference]) await write(state, { 1: 1, 2: 2 })
    view.checkpoint()
    view.setAccount(one, undefined)
    view.root()
    view.revert()
    expect(view.root()).toBe(await rootOf(reference))
  })

  it('loses its stored storage, however it is deleted', async () => {
    const { ours, store } = await twins()
    const view = ours.at(0)
    view.setAccount(two, undefined)
    await land(ours, view)
    for await (const [key, value] of store.scan(RANGE.slots(two))) {
      expect([toHex(key), decodeRow(value).value]).toEqual([toHex(key), undefined])
    }
    expect(ours.at(1).hasStorage(two)).toBe(false)
    expect(ours.at(1).storage(two, 1n)).toBe(0n)
    expect(ours.at(0).storage(two, 1n)).toBe(7n)
  })
})

describe('code', () => {
  it('is committed only if an account has it, and is deleted with the version that added it', async () => {
    const { ours, store } = await twins()
    const before = await everyRow(store)
    const view = ours.at(0)
    const kept = Uint8Array.of(0x60, 1)
    const reverted = Uint8Array.of(0x60, 2)
    view.setCode(at(WHO, 0), kept)
    view.checkpoint()
    view.setCode(at(WHO, 1), reverted)
    view.revert()
    await land(ours, view)
    const again = ours.at(1)
    again.setCode(at(WHO, 2), kept)
    await land(ours, again)
    const codes: string[] = []
    for await (const [, code] of store.scan(within(Uint8Array.of(0x1a)))) codes.push(toHex(code))
    expect(codes).toEqual(['0x6001'])

    await goBack(ours, 1)
    expect(toHex(ours.at(1).code(at(WHO, 0)))).toBe('0x6001')
    await goBack(ours, 0)
    expect(await everyRow(store)).toEqual(before)
    const anew = ours.at(0)
    anew.setCode(at(WHO, 3), kept)
    await land(ours, anew)
    expect(toHex(new StateStore(store, 1).at(1).code(at(WHO, 3)))).toBe('0x6001')
  })
})

describe('a transaction', () => {
  it('has a diff of first and last values, without reverted writes', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    const one = at(WHO, 0)
    const two = at(WHO, 1)
    const three = at(WHO, 2)
    const four = at(WHO, 3)
    view.setStorage(one, 0n, 8n)
    view.beginTransaction()
    view.setStorage(one, 0n, 9n)
    view.setStorage(one, 0n, 10n)
    expect(bytesToBig(view.originalWord(one, slotKey(0n)))).toBe(8n)
    view.setStorage(two, 3n, 1n)
    view.setStorage(two, 3n, 0n)
    view.checkpoint()
    view.setBalance(three, 77n)
    view.setStorage(three, 1n, 5n)
    view.revert()
    view.setNonce(four, 1n)
    const none = toHex(new LibAccount().codeHash)
    const account = { nonce: 1n, balance: 5n, codeHash: none }
    expect(view.transactionDiff()).toEqual(
      [
        { address: four, before: undefined, after: { ...account, balance: 0n }, slots: [] },
        { address: one, before: account, after: account, slots: [{ key: slotKey(0n), before: 8n, after: 10n }] },
      ].sort((a, b) => (a.address < b.address ? -1 : 1)),
    )
    view.beginTransaction()
    expect(view.transactionDiff()).toEqual([])
    expect(bytesToBig(view.originalWord(one, slotKey(0n)))).toBe(10n)
  })

  it('cannot make a balance negative, and throws before anything changes', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    const root = view.root()
    expect(() => view.transfer(at(WHO, 0), at(WHO, 1), 6n)).toThrow(RangeError)
    expect(view.root()).toBe(root)
    view.transfer(at(WHO, 0), at(WHO, 1), 5n)
    expect([view.balance(at(WHO, 0)), view.balance(at(WHO, 1))]).toEqual([0n, 10n])
    expect(() => view.slots(at(WHO, 0), 'read').store(0n, 1n)).toThrow(/reading/)
    expect(() => view.revert()).toThrow(/checkpoint/)
  })
})
