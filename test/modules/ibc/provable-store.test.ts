// The provable store: its root against a sparse Merkle tree computed from the set of entries alone, its proofs against the verifier
// of ICS-23, and how many slots it writes.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { absenceProof, appHashOf, presenceProof, storeProof } from '../../../src/ibc/ics23/prove.ts'
import { TREES } from '../../../src/ibc/ics23/specs.ts'
import { verifyPath } from '../../../src/ibc/ics23/verify.ts'
import { fromHex, toHash, toHex } from '../../../src/lib/hex.ts'
import { ProvableStore, provableStore } from '../../../src/modules/ibc/provable-store.ts'

const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Root of a sparse Merkle tree with these entries: an empty subtree is 32 zeros, a subtree with one leaf is that leaf. */
function rootOf(entries: ReadonlyMap<string, Uint8Array>): string {
  const leaves = [...entries].map(([key, value]) => ({ path: sha(Buffer.from(key)), value: sha(value) }))
  const bit = (path: Buffer, depth: number) => ((path[depth >> 3] ?? 0) >> (7 - (depth % 8))) & 1
  const node = (of: typeof leaves, depth: number): Uint8Array => {
    const [only] = of
    if (only === undefined) return Buffer.alloc(32)
    if (of.length === 1) return sha(Uint8Array.of(0), only.path, only.value)
    const children = [0, 1].map((side) => of.filter(({ path }) => bit(path, depth) === side))
    return sha(Uint8Array.of(1), ...children.map((child) => node(child, depth + 1)))
  }
  return toHex(node(leaves, 0))
}

function openStore() {
  const words = new Map<bigint, bigint>()
  const counted = { writes: 0 }
  const store = new ProvableStore(
    provableStore.open({
      load: (slot) => words.get(slot) ?? 0n,
      store(slot, word) {
        if ((words.get(slot) ?? 0n) === word) return
        counted.writes++
        if (word === 0n) words.delete(slot)
        else words.set(slot, word)
      },
    }),
  )
  return { store, words, counted }
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const key = fc.integer({ min: 0, max: 40 }).map((number) => `client/${number}`)
const change = fc.record({ key, value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 }), { nil: undefined }) })
const blocks = fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 12 })

describe('the provable store', () => {
  it('has after each block the root of its entries, whatever came before, and leaves no slot behind', () => {
    fc.assert(
      fc.property(blocks, (history) => {
        const { store, words } = openStore()
        const entries = new Map<string, Uint8Array>()
        for (const block of history) {
          for (const { key, value } of block) {
            if (value === undefined) {
              entries.delete(key)
              store.delete(bytes(key))
            } else {
              entries.set(key, value)
              store.set(bytes(key), value)
            }
          }
          store.endBlock()
          expect(store.root).toBe(rootOf(entries))
        }
        for (const key of entries.keys()) store.delete(bytes(key))
        store.endBlock()
        expect([...words]).toEqual([])
      }),
    )
  })

  it('proves each entry and each absence below the app hash, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { minLength: 1, maxLength: 30 }),
        key,
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (keys, asked, block) => {
          const { store } = openStore()
          for (const [index, key] of keys.entries()) store.set(bytes(key), Uint8Array.of(index + 1))
          store.endBlock()
          const { root } = store
          const evm = toHash(block)
          const at = keys.indexOf(asked)
          const proven = store.prove(bytes(asked))
          const inner =
            'presence' in proven
              ? presenceProof(proven.presence)
              : absenceProof(bytes(asked), proven.absence.left, proven.absence.right)
          const verify = (value: Uint8Array | undefined, key = asked) =>
            verifyPath({
              trees: [TREES.smt, TREES.tendermint],
              root: fromHex(appHashOf({ evm, ibc: root })),
              path: [bytes('ibc'), bytes(key)],
              proofs: [inner, storeProof(evm, root)],
              value,
            })
          const value = at < 0 ? undefined : Uint8Array.of(at + 1)
          expect(() => verify(value)).not.toThrow()
          expect(() => verify(value === undefined ? Uint8Array.of(1) : undefined)).toThrow()
          for (const present of keys) if (present !== asked) expect(() => verify(value, present)).toThrow()
        },
      ),
    )
  })

  it('writes about four slots an entry and the nodes on the way: below 40 slots for each of 100 in a tree of 2,000', () => {
    const { store, counted } = openStore()
    for (let index = 0; index < 2_000; index++) store.set(bytes(`old/${index}`), sha(bytes(`${index}`)))
    store.endBlock()
    counted.writes = 0
    for (let index = 0; index < 100; index++) store.set(bytes(`new/${index}`), sha(bytes(`${index}`)))
    store.endBlock()
    expect(counted.writes / 100).toBeLessThan(40)
  })
})
