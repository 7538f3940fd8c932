// Merkle proofs of others, made by @ethereumjs/mpt, which shares no code with ours. A changed proof proves nothing.
import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHash } from '../../src/lib/hex.ts'
import { keccak256 } from '../../src/lib/keccak.ts'
import { FalseProof, provenValue } from '../../src/state/verify-proof.ts'

const keyOf = (i: number): Uint8Array => keccak256(Uint8Array.of(i >> 8, i & 255)).slice()

/** A trie with the keys 1 to `count`; short values make embedded nodes. */
async function trieOf(count: number, length: number) {
  const trie = await createMPT()
  for (let i = 1; i <= count; i++) await trie.put(keyOf(i), new Uint8Array(length).fill(1 + (i % 200)))
  return { trie, root: toHash(trie.root()) }
}

describe.each([
  [1, 40],
  [2, 1],
  [300, 1],
  [300, 40],
])('a trie of %i keys with values of %i bytes', (count, length) => {
  it('gives each key its value, and others none', async () => {
    const { trie, root } = await trieOf(count, length)
    for (let i = 1; i <= count + 40; i++) {
      const value = provenValue(root, keyOf(i), await createMerkleProof(trie, keyOf(i)))
      expect(value).toEqual(i > count ? undefined : new Uint8Array(length).fill(1 + (i % 200)))
    }
  })

  it('refuses proofs of another root, and proofs that were changed or cut', async () => {
    const { trie, root } = await trieOf(count, length)
    const proof = await createMerkleProof(trie, keyOf(1))
    expect(() => provenValue(toHash(keccak256(Uint8Array.of(1))), keyOf(1), proof)).toThrow(FalseProof)
    expect(() => provenValue(root, keyOf(1), proof.slice(0, -1))).toThrow(FalseProof)
    const place = fc.record({ node: fc.nat(proof.length - 1), at: fc.nat(), bit: fc.integer({ min: 1, max: 255 }) })
    fc.assert(
      fc.property(place, ({ node, at, bit }) => {
        const changed = proof.map((rlp) => Uint8Array.from(rlp))
        const rlp = changed[node] ?? new Uint8Array(0)
        rlp[at % rlp.length] = (rlp[at % rlp.length] ?? 0) ^ bit
        expect(() => provenValue(root, keyOf(1), changed)).toThrow(FalseProof)
      }),
    )
  })
})

it('needs no proof for an empty trie', async () => {
  const { root } = await trieOf(0, 1)
  expect(provenValue(root, keyOf(1), [])).toBeUndefined()
})
