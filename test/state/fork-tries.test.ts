// The state of a fork without a chain: tries, cleared storage, values that were pruned. The forked chain is a list of accounts.
import { describe, expect, it } from 'vitest'
import { bigToWord, hexToAddress, toLatin1 } from '../../src/lib/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/state/accounts.ts'
import { decodeChanges } from '../../src/state/history.ts'
import { isTrieNode, KEY } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { Found, StateSource } from '../../src/state/partial-state.ts'
import { ReplayedRows } from '../../src/state/replayed-rows.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { View } from '../../src/state/view.ts'

const CONTRACT = hexToAddress('0x00000000000000000000000000000000000000c0')
const PERSON = hexToAddress('0x00000000000000000000000000000000000000a1')

/** The contract has the word 5 in each slot, the person a balance of 5 and no nonce. */
const source: StateSource = {
  fetch: async (wanted) =>
    wanted.map((part): Found => {
      if ('block' in part) throw new Error('no block is wanted')
      const { account, slot } = part
      if (slot !== undefined) return { account, slot, word: Uint8Array.of(5) }
      const code = account === CONTRACT ? Uint8Array.of(0) : new Uint8Array(0)
      return { account, state: { nonce: account === CONTRACT ? 1n : 0n, balance: 5n, code } }
    }),
  foresee: async () => [],
  isFar: () => false,
}

async function forkedState() {
  const store = await openMemoryStore()
  const state = new StateStore(store, 0, source)
  return {
    state,
    /** The state again, as after a restart. */
    reopened: () => new StateStore(store, state.version, source),
    async commit(change: (view: View) => void): Promise<string> {
      const view = await state.missing?.complete(() => {
        const tried = state.at(state.version)
        change(tried)
        return tried
      })
      if (view === undefined) throw new Error('not a fork')
      const { rows, codes } = await view.changes()
      const staged = state.stage(rows, codes, view.storageId)
      await staged.write(staged.ops)
      return view.root()
    },
  }
}

describe('the tries of a fork', () => {
  it('lack what was set back or only touched', async () => {
    const { state, commit, reopened } = await forkedState()
    const changed = await commit((view) => view.setStorage(CONTRACT, 1n, 9n))
    const touched = await commit((view) => {
      view.setStorage(CONTRACT, 2n, 8n)
      view.root()
      view.setStorage(CONTRACT, 2n, 5n)
      view.addBalance(PERSON, 0n)
    })
    expect(touched).toBe(changed)
    expect(reopened().at(state.version).prove(CONTRACT, [1n]).storageRoot).toBe(
      state.at(state.version).storageRoot(CONTRACT),
    )
    expect(reopened().at(state.version).root()).toBe(changed)
  })

  it('keep what was changed and changed back', async () => {
    const one = await forkedState()
    await one.commit((view) => view.setStorage(CONTRACT, 1n, 9n))
    const back = await one.commit((view) => view.setStorage(CONTRACT, 1n, 5n))
    const other = await forkedState()
    const never = await other.commit((view) => view.setBalance(PERSON, 6n))
    expect(back).not.toBe(never)
    expect(await one.commit((view) => view.addBalance(PERSON, 0n))).toBe(back)
  })
})

describe('cleared storage of a fork', () => {
  it('is empty in a second execution too, whatever was fetched', async () => {
    const { state, commit } = await forkedState()
    await commit((view) => view.setBalance(PERSON, BigInt(view.storage(CONTRACT, 1n))))
    const clear = (view: View) => view.clearStorage(CONTRACT)
    await commit(clear)
    await state.missing?.fetch([{ account: CONTRACT, slot: bigToWord(2n) }])
    const replayed = new ReplayedRows(state)
    const again = replayed.at(1)
    expect(again.storage(CONTRACT, 1n)).toBe(5n)
    clear(again)
    const list = decodeChanges(state.store.get(KEY.changes(2)) ?? new Uint8Array(0)).map(({ key }) => toLatin1(key))
    const made = [...(await again.changes()).rows.values()].filter(({ key }) => !isTrieNode(key))
    expect(made.map(({ key }) => toLatin1(key))).toEqual(list)
    await replayed.advance(again)
    expect([1n, 2n, 3n].map((slot) => replayed.at(2).storage(CONTRACT, slot))).toEqual([0n, 0n, 0n])
  })

  it('has a word that was written with its former value', async () => {
    const { state, commit, reopened } = await forkedState()
    await commit((view) => view.storage(CONTRACT, 1n))
    await commit((view) => {
      view.clearStorage(CONTRACT)
      view.setStorage(CONTRACT, 1n, 5n)
    })
    for (const view of [state.at(state.version), reopened().at(state.version)]) {
      expect(view.storage(CONTRACT, 1n)).toBe(5n)
      expect(view.storage(CONTRACT, 2n)).toBe(0n)
    }
  })
})

describe('a pruned fork', () => {
  it('knows what an account was, and does not fetch what was pruned', async () => {
    const { state, commit, reopened } = await forkedState()
    for (let round = 1n; round <= 3n; round++)
      await commit((view) => {
        view.setBalance(CONTRACT, round)
        view.setBalance(PERSON, round)
        view.setStorage(CONTRACT, 1n, round)
      })
    for (let version = 1; version < state.version; version++) await state.store.write(state.prune(version))
    const again = reopened()
    const view = again.at(state.version)
    expect(view.hasForkedStorage(CONTRACT)).toBe(true)
    expect(view.hasForkedStorage(PERSON)).toBe(false)
    expect(view.account(PERSON)).toEqual({ nonce: 0n, balance: 3n, codeHash: EMPTY_CODE_HASH })
    await again.missing?.fetch([{ account: PERSON }, { account: CONTRACT, slot: bigToWord(1n) }])
    expect(again.at(state.version).storage(CONTRACT, 1n)).toBe(3n)
    expect(() => again.at(1).storage(CONTRACT, 1n)).toThrow('not available any more')
  })
})
