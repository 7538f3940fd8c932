// Most versions leave the trie nodes that they change to a later one. Under random changes, rewinds and restarts, every version
// has the root that a trie of all its accounts and slots has, and its proofs, whether it stored its nodes or not.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Address, bigToBytes, bigToFixed, fromHex, hexToAddress, toHash } from '../../src/lib/hex.ts'
import { keccak256 } from '../../src/lib/keccak.ts'
import { encodeRlp } from '../../src/primitives/rlp.ts'
import { encodeAccount, NEW_ACCOUNT } from '../../src/state/accounts.ts'
import { checkHistory, checkState } from '../../src/state/check-state.ts'
import { decodeChanges, storesNodes } from '../../src/state/history.ts'
import { isTrieNode, KEY } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { type TrieChange, updateTrie } from '../../src/state/trie.ts'
import type { View } from '../../src/state/view.ts'

const WHO = Array.from({ length: 20 }, (_, i) => hexToAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`))

type Model = ReadonlyMap<Address, { readonly balance: bigint; readonly slots: ReadonlyMap<bigint, bigint> }>

/** The root of a trie with these leaves, built from nothing. */
const rootOf = (leaves: readonly TrieChange[]): Uint8Array => updateTrie(() => undefined, leaves).root

function expectedRoot(model: Model): string {
  const leaves = [...model].map(([of, { balance, slots }]) => {
    const words = [...slots].map(([slot, word]) => ({
      key: keccak256(bigToFixed(slot, 32)),
      value: encodeRlp(bigToBytes(word)),
    }))
    return { key: keccak256(fromHex(of)), value: encodeAccount({ ...NEW_ACCOUNT, balance }, rootOf(words)) }
  })
  return toHash(rootOf(leaves))
}

const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('balance' as const), who: fc.nat(19), value: fc.bigInt(1n, 9n) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('slot' as const),
      who: fc.nat(5),
      slot: fc.bigInt(0n, 40n),
      value: fc.bigInt(0n, 3n),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear' as const, 'delete' as const), who: fc.nat(5) }) },
)
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('version' as const), changes: fc.array(change, { maxLength: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rewind' as const), by: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Makes the changes on the view, and returns the model after them. */
function changed(view: View, model: Model, changes: readonly Change[]): Model {
  const next = new Map(model)
  for (const one of changes) {
    const of = WHO[one.who] as Address
    const { balance, slots } = next.get(of) ?? { balance: 0n, slots: new Map<bigint, bigint>() }
    if (one.do === 'balance') {
      view.setBalance(of, one.value)
      next.set(of, { balance: one.value, slots })
    } else if (one.do === 'slot') {
      // Only accounts that exist have storage.
      if (!next.has(of)) continue
      view.setStorage(of, one.slot, one.value)
      const words = new Map(slots)
      if (one.value === 0n) words.delete(one.slot)
      else words.set(one.slot, one.value)
      next.set(of, { balance, slots: words })
    } else if (one.do === 'clear') {
      if (!next.has(of)) continue
      view.clearStorage(of)
      next.set(of, { balance, slots: new Map() })
    } else {
      view.deleteAccount(of)
      next.delete(of)
    }
  }
  return next
}

it('every version has the root and the proofs of its accounts and slots', { timeout: 300_000 }, async () => {
  const steps = fc.array(step, { minLength: 60, maxLength: 120 })
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const store = await openMemoryStore()
      let state = new StateStore(store, -1)
      const models: Model[] = []
      const land = async (changes: readonly Change[]): Promise<void> => {
        const view = state.at(state.version)
        models.push(changed(view, models.at(-1) ?? new Map(), changes))
        expect(view.root()).toBe(expectedRoot(models.at(-1) ?? new Map()))
        const { rows, codes } = await view.changes()
        const { ops, afterWrite } = state.stage(rows, codes)
        await store.write(ops)
        afterWrite()
      }
      await land(WHO.slice(0, 6).map((_, who) => ({ do: 'balance', who, value: 1n })))
      for (const one of steps) {
        if (one.do === 'version') await land(one.changes)
        else if (one.do === 'restart') state = new StateStore(store, state.version)
        else {
          const { ops, afterWrite } = state.rewind(Math.max(0, state.version - one.by))
          await store.write(ops)
          afterWrite()
          models.length = state.version + 1
        }
      }
      const faults: string[] = []
      const report = (place: string, what: string) => void faults.push(`${place}: ${what}`)
      for (const from of [state, new StateStore(store, state.version)])
        for (const [version, model] of models.entries()) {
          const view = from.at(version)
          expect(view.root()).toBe(expectedRoot(model))
          const of = WHO[version % 6] as Address
          const { accountProof } = view.prove(of, [1n])
          expect(toHash(keccak256(fromHex(accountProof[0] ?? '0x')))).toBe(view.root())
        }
      for (const version of new Set([0, state.version >> 1, state.version]))
        expect(await checkState(store, version, report)).toBe(expectedRoot(models[version] ?? new Map()))
      await checkHistory(store, { newest: state.version, oldest: 0 }, report)
      expect(faults).toEqual([])
      let since = 0
      for (let version = 0; version <= state.version; version++) {
        const list = store.get(KEY.changes(version)) ?? new Uint8Array(0)
        const hasNodes = decodeChanges(list).some(({ key }) => isTrieNode(key))
        if (!storesNodes(list)) expect(hasNodes).toBe(false)
        since = storesNodes(list) ? 0 : since + 1
        expect(since).toBeLessThan(32)
      }
    }),
    { numRuns: 8 },
  )
})

it('a view that outlives a rewind cannot leave nodes for the versions that get its number', async () => {
  const store = await openMemoryStore()
  const state = new StateStore(store, -1)
  const commit = async (value: bigint): Promise<string> => {
    const view = state.at(state.version)
    for (const of of WHO.slice(0, 5)) view.setBalance(of, value)
    const { rows, codes } = await view.changes()
    const { ops, afterWrite } = state.stage(rows, codes)
    await store.write(ops)
    afterWrite()
    return view.root()
  }
  for (let version = 0n; version <= 10n; version++) await commit(version + 1n)
  const undone = state.at(10)
  const { ops, afterWrite } = state.rewind(5)
  await store.write(ops)
  afterWrite()
  expect(() => undone.root()).toThrow('the state was undone')
  const roots: string[] = []
  for (let version = 6n; version <= 12n; version++) roots.push(await commit(100n + version))
  expect([6, 7, 8, 9, 10, 11, 12].map((version) => state.at(version).root())).toEqual(roots)
})
