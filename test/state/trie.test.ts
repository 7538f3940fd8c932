// The path-keyed trie against @ethereumjs/mpt, which stores nodes by hash and shares no code with ours: same roots, same
// proofs, and one row for each node of the reference, at its path.
import {
  BranchMPTNode,
  createMerkleProof,
  createMPT,
  ExtensionMPTNode,
  MerklePatriciaTrie,
  verifyMerkleProof,
} from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { utf8ToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../src/lib/hex.ts'
import type { NodePath, TrieChange } from '../../src/state/trie.ts'
import { EMPTY_ROOT, ListTrie, orderedListRoot, proveTrie, updateTrie } from '../../src/state/trie.ts'

/** Node rows in memory. Applying an update checks that every write changes a row. */
class Rows {
  readonly byPath = new Map<string, Uint8Array>()
  readonly reads: string[] = []

  read = (path: NodePath): Uint8Array | undefined => {
    const id = spell(nibblesOf(path))
    this.reads.push(id)
    return this.byPath.get(id)
  }

  update(changes: readonly TrieChange[]): string {
    const { root, writes } = updateTrie(this.read, changes)
    for (const { path, node } of writes) {
      const id = spell(nibblesOf(path))
      const before = this.byPath.get(id)
      expect(node && toHex(node)).not.toBe(before === undefined ? null : toHex(before))
      if (node === null) this.byPath.delete(id)
      else this.byPath.set(id, node)
    }
    return toHex(root)
  }

  toObject = (): Record<string, string> =>
    Object.fromEntries([...this.byPath].map(([path, node]) => [path, toHex(node)]))
}

/** Nibbles as one hex digit each; the root is the empty string. */
const spell = (nibbles: Iterable<number>): string => [...nibbles].map((nibble) => nibble.toString(16)).join('')

const nibblesOf = (path: NodePath): number[] => [...path].map((nibble) => nibble.charCodeAt(0))

async function applyToReference(trie: MerklePatriciaTrie, changes: readonly TrieChange[]): Promise<string> {
  for (const { key, value } of changes) await (value === null ? trie.del(key) : trie.put(key, value))
  return toHex(trie.root())
}

/** The nodes of the reference that have a row of their own: the root and all of 32 bytes or more. */
async function referenceRows(trie: MerklePatriciaTrie): Promise<Record<string, string>> {
  const rows: Record<string, string> = {}
  const visit = async (reference: Parameters<typeof trie.lookupNode>[0], path: number[]): Promise<void> => {
    const node = await trie.lookupNode(reference)
    const rlp = node.serialize()
    if (path.length === 0 || rlp.length >= 32) rows[spell(path)] = toHex(rlp)
    if (node instanceof BranchMPTNode) {
      // An embedded child is an array, which lookupNode accepts although getChildren's type is wider.
      for (const [nibble, child] of node.getChildren()) await visit(child as Uint8Array, [...path, nibble])
    } else if (node instanceof ExtensionMPTNode) {
      await visit(node.value(), [...path, ...node.key()])
    }
  }
  if (toHex(trie.root()) !== EMPTY_ROOT) await visit(trie.root(), [])
  return rows
}

// Keys that differ from one of two bases in one to three nibbles: long shared paths, forks at every depth, and, near the end of
// the key, nodes small enough to be embedded.
const baseKeys = ['00'.repeat(32), '0123456789abcdef'.repeat(4)]
const anyKey = fc
  .tuple(
    fc.constantFrom(...baseKeys),
    fc.array(
      fc.tuple(fc.oneof(fc.constantFrom(0, 1, 2, 60, 61, 62, 63), fc.nat({ max: 63 })), fc.constantFrom(...'012ef')),
      { maxLength: 3 },
    ),
  )
  .map(([base, edits]) => {
    const digits = [...base]
    for (const [at, digit] of edits) digits[at] = digit
    return fromHex(`0x${digits.join('')}`)
  })
const anyValue = fc.oneof(
  fc.constantFrom(1, 0x7f, 0x80, 0xff).map((byte) => Uint8Array.of(byte)),
  fc.uint8Array({ minLength: 1, maxLength: 34 }),
  fc.uint8Array({ minLength: 50, maxLength: 300 }),
)
const anyChange = fc.record({ key: anyKey, value: fc.option(anyValue, { freq: 2, nil: null }) })
const anyBatch = fc.array(anyChange, { maxLength: 12 })

const numbered = (count: number, size: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => new Uint8Array(size).fill((i % 255) + 1))

/** Hashed keys, as in an account trie. */
const hashedPuts = (count: number): TrieChange[] =>
  Array.from({ length: count }, (_, i) => ({
    key: keccak_256(Uint8Array.of(i >> 8, i & 0xff)),
    value: new Uint8Array(70).fill((i % 255) + 1),
  }))

describe('updateTrie', () => {
  it('agrees with @ethereumjs/mpt in roots and writes exactly its nodes as rows, batch after batch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { minLength: 1, maxLength: 10 }), async (batches) => {
        const rows = new Rows()
        const reference = await createMPT()
        for (const batch of batches) {
          expect(rows.update(batch)).toBe(await applyToReference(reference, batch))
          expect(rows.toObject()).toEqual(await referenceRows(reference))
        }
      }),
      { numRuns: 150 },
    )
  })

  it('agrees with @ethereumjs/mpt over hashed keys', async () => {
    const rows = new Rows()
    const reference = await createMPT()
    const puts = hashedPuts(600)
    const batches: TrieChange[][] = [
      puts.slice(0, 400),
      puts.slice(300),
      puts.slice(100, 500).map(({ key }) => ({ key, value: null })),
      puts.slice(0, 150).map(({ key }, i) => ({ key, value: Uint8Array.of(i + 1) })),
    ]
    for (const batch of batches) {
      expect(rows.update(batch)).toBe(await applyToReference(reference, batch))
      expect(rows.toObject()).toEqual(await referenceRows(reference))
    }
  })

  it('leaves no rows when the last key is deleted', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const rows = new Rows()
        rows.update(batch)
        expect(rows.update(batch.map(({ key }) => ({ key, value: null })))).toBe(EMPTY_ROOT)
        expect(rows.byPath.size).toBe(0)
      }),
    )
  })

  it('reads only the nodes on the paths of the changed keys', () => {
    const rows = new Rows()
    const puts = hashedPuts(600)
    rows.update(puts)
    rows.reads.length = 0
    const key = keccak_256(Uint8Array.of(1, 7))
    rows.update([{ key, value: Uint8Array.of(1) }])
    const path = toHex(key).slice(2)
    expect(rows.reads.every((read) => path.startsWith(read))).toBe(true)
    // The paths of 600 hashed keys fork within about four nibbles.
    expect(rows.reads.length).toBeGreaterThan(2)
    expect(rows.reads.length).toBeLessThan(8)
  })

  it('writes nothing when nothing changes', () => {
    const rows = new Rows()
    const puts = hashedPuts(40)
    const root = rows.update(puts)
    const absent = hashedPuts(80).slice(40)
    for (const changes of [[], puts, absent.map(({ key }) => ({ key, value: null }))]) {
      const update = updateTrie(rows.read, changes)
      expect(toHex(update.root)).toBe(root)
      expect(update.writes).toEqual([])
    }
  })

  it('applies the last of several changes of one key', () => {
    const key = keccak_256(Uint8Array.of(1))
    const last = { key, value: Uint8Array.of(2) }
    const expected = updateTrie(() => undefined, [last]).root
    expect(updateTrie(() => undefined, [{ key, value: Uint8Array.of(1) }, last]).root).toEqual(expected)
    expect(toHex(updateTrie(() => undefined, [last, { key, value: null }]).root)).toBe(EMPTY_ROOT)
  })

  it('refuses empty values and keys that are prefixes of others', () => {
    const value = Uint8Array.of(1)
    expect(() => updateTrie(() => undefined, [{ key: Uint8Array.of(1), value: new Uint8Array(0) }])).toThrow(RangeError)
    const nested = [Uint8Array.of(1), Uint8Array.of(1, 2)].map((key) => ({ key, value }))
    expect(() => updateTrie(() => undefined, nested)).toThrow(RangeError)
  })

  it('throws when a row is missing or malformed', () => {
    const rows = new Rows()
    const puts = hashedPuts(100)
    rows.update(puts)
    const [first] = puts.map(({ key }) => key)
    const nibble = toHex(first ?? new Uint8Array(0)).charAt(2)
    const child = rows.byPath.get(nibble)
    expect(child).toBeDefined()
    const change = puts.slice(0, 1).map(({ key }) => ({ key, value: Uint8Array.of(9) }))

    rows.byPath.delete(nibble)
    expect(() => updateTrie(rows.read, change)).toThrow(/missing/)
    for (const broken of [new Uint8Array(0), Uint8Array.of(0x80), Uint8Array.of(0xc0), child?.subarray(0, -1)]) {
      rows.byPath.set(nibble, broken ?? new Uint8Array(0))
      expect(() => updateTrie(rows.read, change)).toThrow(/corrupt/)
    }

    const [leaf] = updateTrie(() => undefined, puts.slice(0, 1)).writes
    expect(() => updateTrie(() => leaf?.node?.subarray(0, -1), change)).toThrow(/corrupt/)
  })
})

describe('known roots of tries', () => {
  it('include the root of the empty trie', () => {
    // Yellow Paper: KEC(RLP(())).
    expect(EMPTY_ROOT).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    expect(toHex(updateTrie(() => undefined, []).root)).toBe(EMPTY_ROOT)
  })

  // ethereum/tests, TrieTests/trieanyorder.json: the cases whose keys are prefix-free.
  it.each([
    [
      'singleItem',
      [['0x41', toHex(utf8ToBytes('a'.repeat(50)))]],
      '0xd23786fb4a010da3ce639d66d5e904a11dbc02746d1ce25029e53290cabf28ab',
    ],
    [
      'hex',
      [
        ['0x0045', '0x0123456789'],
        ['0x4500', '0x9876543210'],
      ],
      '0x285505fcabe84badc8aa310e2aae17eddc7d120aabec8a476902c8184b3a3503',
    ],
  ] as const)('equals trieanyorder %s', (_name, entries, root) => {
    const changes = entries.map(([key, value]) => ({ key: fromHex(key), value: fromHex(value) }))
    expect(toHex(updateTrie(() => undefined, changes).root)).toBe(root)
  })

  // ethereum/tests, TrieTests/trieanyorder_secureTrie.json: keys are hashed.
  it.each([
    ['singleItem', { A: 'a'.repeat(50) }, '0xe9e2935138352776cad724d31c9fa5266a5c593bb97726dd2a908fe6d53284df'],
    [
      'dogs',
      { doe: 'reindeer', dog: 'puppy', dogglesworth: 'cat' },
      '0xd4cd937e4a4368d7931a9cf51686b7e10abb3dce38a39000fd7902a092b64585',
    ],
    [
      'puppy',
      { do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' },
      '0x29b235a58c3c25ab83010c327d5932bcf05324b7d6b1185e650798034783ca9d',
    ],
    ['foo', { foo: 'bar', food: 'bass' }, '0x1385f23a33021025d9e87cca5c66c00de06178807b96a9acc92b7d651ccde842'],
    [
      'smallValues',
      { be: 'e', dog: 'puppy', bed: 'd' },
      '0x826a4f9f9054a3e980e54b20da992c24fa20467f1ca635115ef4917be66e746f',
    ],
  ])('equals trieanyorder_secureTrie %s', (_name, entries, root) => {
    const changes = Object.entries(entries).map(([key, value]) => ({
      key: keccak_256(utf8ToBytes(key)),
      value: utf8ToBytes(value),
    }))
    expect(toHex(updateTrie(() => undefined, changes).root)).toBe(root)
  })
})

describe('proveTrie', () => {
  it('returns the nodes of @ethereumjs/mpt without embedded ones, and its verifier accepts them', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatch, fc.array(anyKey, { maxLength: 5 }), async (batch, others) => {
        const rows = new Rows()
        const reference = await createMPT()
        rows.update(batch)
        await applyToReference(reference, batch)
        fc.pre(rows.byPath.size > 0)
        for (const key of [...batch.map((change) => change.key), ...others]) {
          const proof = proveTrie(rows.read, key)
          const expected = (await createMerkleProof(reference, key)).filter((node, i) => i === 0 || node.length >= 32)
          expect(proof.map(toHex)).toEqual(expected.map(toHex))
          const proven = await verifyMerkleProof(key, proof, { root: reference.root() })
          expect(proven).toEqual(await reference.get(key))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('returns no nodes for an empty trie', () => {
    expect(proveTrie(() => undefined, keccak_256(Uint8Array.of(1)))).toEqual([])
  })

  it('throws when a row on the path is missing', () => {
    const rows = new Rows()
    const puts = hashedPuts(100)
    rows.update(puts)
    const key = keccak_256(Uint8Array.of(0, 1))
    rows.byPath.delete(toHex(key).charAt(2))
    expect(() => proveTrie(rows.read, key)).toThrow(/missing/)
  })
})

describe('orderedListRoot', () => {
  const counts = [0, 1, 2, 3, 16, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 780]
  it.each(counts.flatMap((count) => [1, 5, 31, 32, 110, 700].map((size) => [count, size] as const)))(
    'agrees with @ethereumjs/mpt for %i values of %i bytes',
    async (count, size) => {
      const values = numbered(count, size)
      const reference = new MerklePatriciaTrie()
      for (const [index, value] of values.entries()) await reference.put(RLP.encode(index), value)
      expect(toHex(orderedListRoot(values))).toBe(toHex(reference.root()))
    },
  )

  it('is the root of a trie with these keys for more than 65,536 values', () => {
    const values = numbered(66_000, 3)
    const puts = values.map((value, index) => ({ key: RLP.encode(index), value }))
    expect(toHex(orderedListRoot(values))).toBe(toHex(updateTrie(() => undefined, puts).root))
  })

  it('gives the right root for a list that grows', () => {
    const values = numbered(600, 40)
    const list = new ListTrie()
    for (const [index, value] of values.entries()) {
      list.add(value)
      if (index % 97 === 0) expect(toHex(list.root())).toBe(toHex(orderedListRoot(values.slice(0, index + 1))))
    }
    expect(toHex(list.root())).toBe(toHex(orderedListRoot(values)))
  })

  it.each([1, 54, 55, 56, 255, 256, 257, 65_535, 65_536, 70_000])(
    'agrees with @ethereumjs/mpt for one value of %i bytes',
    async (size) => {
      for (const byte of [1, 0x7f, 0x80]) {
        const value = new Uint8Array(size).fill(byte)
        const reference = new MerklePatriciaTrie()
        await reference.put(RLP.encode(0), value)
        expect(toHex(orderedListRoot([value]))).toBe(toHex(reference.root()))
      }
    },
  )
})
