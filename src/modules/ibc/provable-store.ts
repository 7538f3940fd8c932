// The provable store of IBC: keys and values of bytes, in a sparse Merkle tree of ICS-23's kind whose nodes are slots of the same
// contract. So the tree is reverted, kept for old blocks, proven and copied as all other state. Its root depends on the entries
// alone. Changes wait until the end of the block: then the tree takes all of them in one walk.
import { compareBytes, fromHex, type Hash, toHash, ZERO_HASH } from '../../lib/hex.ts'
import { sha256 } from '../../lib/sha256.ts'
import { layout, list, mapping, struct } from '../../state/layout.ts'
import { bytes, hash, u256 } from '../../state/storage-types.ts'

export type Entry = { readonly key: Uint8Array; readonly value: Uint8Array }

/** An entry that is always there: an empty tree proves no absence. */
export const FIRST_ENTRY: Entry = { key: Buffer.from('ibc/version'), value: Uint8Array.of(2) }

/** A position in the tree: a 1 and the bits from the root, 0 for left; the root is 1. */
type Position = bigint

export const provableStore = layout({
  /** By SHA-256 of the key, its path in the tree. An entry without a value does not exist. */
  entries: mapping(hash, struct<Entry>({ key: bytes, value: bytes })),
  /** Paths of the entries that have changed in this block. */
  changed: list(hash),
  /** Hashes of the nodes by position; zero: an empty subtree. */
  nodes: mapping(u256, hash),
  /** Paths of the leaves by position; zero: no leaf. */
  leaves: mapping(u256, hash),
})
export type ProvableStoreState = ReturnType<typeof provableStore.open>

const [LEAF, INNER] = [Uint8Array.of(0), Uint8Array.of(1)]
const ROOT: Position = 1n

/** A leaf: the hash of its node, and its path. */
type Leaf = { readonly hash: Hash; readonly leaf: Hash }
/** A subtree that is not empty: `leaf` is its path if it is a single leaf. */
type Subtree = Leaf | { readonly hash: Hash; readonly leaf: undefined }
/** A subtree that has not changed and is stored at its position; whether it is a leaf was not read. */
type Unchanged = { readonly hash: Hash; readonly at: Position }

/** A step from a leaf to the root: the hash of the other child, and the side on which it is. */
export type Step = { readonly sibling: Uint8Array; readonly side: 'left' | 'right' }
export type Presence = Entry & { readonly steps: readonly Step[] }
/** Why a key is absent: the leaves next to its path. */
export type Absence = { readonly left: Presence | undefined; readonly right: Presence | undefined }

export const pathOf = (key: Uint8Array): Hash => toHash(sha256(key))

const innerHash = (...children: readonly (Pick<Subtree, 'hash'> | undefined)[]): Hash =>
  toHash(sha256(INNER, ...children.map((child) => fromHex(child?.hash ?? ZERO_HASH))))

const isRight = (path: Hash, depth: number): boolean =>
  ((Number.parseInt(path.charAt(2 + (depth >> 2)), 16) >> (3 - (depth & 3))) & 1) === 1

export class ProvableStore {
  readonly #state: ProvableStoreState

  constructor(state: ProvableStoreState) {
    this.#state = state
  }

  /** The value of a key; undefined if there is none. */
  get(key: Uint8Array): Uint8Array | undefined {
    const { value } = this.#state.entries.at(pathOf(key)).get()
    return value.length === 0 ? undefined : value
  }

  /** `value` must not be empty. The root changes at the end of the block. */
  set(key: Uint8Array, value: Uint8Array): void {
    const path = pathOf(key)
    this.#state.entries.at(path).set({ key, value })
    this.#state.changed.push(path)
  }

  delete(key: Uint8Array): void {
    const path = pathOf(key)
    this.#state.entries.at(path).clear()
    this.#state.changed.push(path)
  }

  /** The root after the last end of block. */
  get root(): Hash {
    return this.#state.nodes.at(ROOT).get()
  }

  /** Takes the changes of the block into the tree. */
  endBlock(): void {
    const { changed } = this.#state
    const paths = new Set<Hash>()
    for (let path = changed.pop(); path !== undefined; path = changed.pop()) paths.add(path)
    if (paths.size > 0) this.#store(ROOT, this.#update(ROOT, 0, [...paths].toSorted()))
  }

  /** The subtree at a position after the entries at `paths`, in order and all below it, have changed. Its own node is not stored yet. */
  #update(at: Position, depth: number, paths: readonly Hash[]): Subtree | Unchanged | undefined {
    if (paths.length === 0) return this.#unchanged(at)
    const before = this.#subtree(at)
    if (before === undefined || before.leaf !== undefined) {
      const kept = before === undefined || paths.includes(before.leaf) ? [] : [before]
      return this.#build(at, depth, [...paths.flatMap((path) => this.#leaf(path) ?? []), ...kept])
    }
    const middle = paths.findIndex((path) => isRight(path, depth))
    const end = middle < 0 ? paths.length : middle
    const left = this.#update(2n * at, depth + 1, paths.slice(0, end))
    const right = this.#update(2n * at + 1n, depth + 1, paths.slice(end))
    return this.#join(at, left, right)
  }

  /** The subtree with these leaves; nothing is stored below its position yet. */
  #build(at: Position, depth: number, leaves: readonly Leaf[]): Subtree | undefined {
    if (leaves.length <= 1) return leaves[0]
    const [left = [], right = []] = [false, true].map((side) =>
      leaves.filter(({ leaf }) => isRight(leaf, depth) === side),
    )
    return this.#join(at, this.#build(2n * at, depth + 1, left), this.#build(2n * at + 1n, depth + 1, right))
  }

  /** The subtree over two children, which it stores. A leaf alone moves up, so that its depth depends on the other leaves only. */
  #join(
    at: Position,
    left: Subtree | Unchanged | undefined,
    right: Subtree | Unchanged | undefined,
  ): Subtree | undefined {
    if (left === undefined || right === undefined) {
      const child = left ?? right
      const alone = child !== undefined && 'at' in child ? this.#subtree(child.at) : child
      if (alone === undefined || alone.leaf !== undefined) {
        this.#store(2n * at, undefined)
        this.#store(2n * at + 1n, undefined)
        return alone
      }
    }
    this.#store(2n * at, left)
    this.#store(2n * at + 1n, right)
    return { hash: innerHash(left, right), leaf: undefined }
  }

  /** The leaf of an entry; undefined if it does not exist. */
  #leaf(path: Hash): Leaf | undefined {
    const value = this.#state.entries.at(path).member('value')
    if (value.length === 0) return undefined
    return { hash: toHash(sha256(LEAF, fromHex(path), sha256(value))), leaf: path }
  }

  #unchanged(at: Position): Unchanged | undefined {
    const stored = this.#state.nodes.at(at).get()
    return stored === ZERO_HASH ? undefined : { hash: stored, at }
  }

  #subtree(at: Position): Subtree | undefined {
    const stored = this.#state.nodes.at(at).get()
    if (stored === ZERO_HASH) return undefined
    const leaf = this.#state.leaves.at(at).get()
    return { hash: stored, leaf: leaf === ZERO_HASH ? undefined : leaf }
  }

  #store(at: Position, subtree: Subtree | Unchanged | undefined): void {
    if (subtree !== undefined && 'at' in subtree) return
    this.#state.nodes.at(at).set(subtree?.hash ?? ZERO_HASH)
    this.#state.leaves.at(at).set(subtree?.leaf ?? ZERO_HASH)
  }

  /** All entries, in order of their paths. */
  *entries(at: Position = ROOT): Generator<Entry> {
    const node = this.#subtree(at)
    if (node?.leaf !== undefined) yield this.#state.entries.at(node.leaf).get()
    else if (node !== undefined) for (const child of [2n * at, 2n * at + 1n]) yield* this.entries(child)
  }

  /**
   * Builds the tree again from its entries; yields in words what is stored otherwise. An entry that the tree does not name is not found.
   * For between blocks.
   */
  *faults(): Generator<string> {
    if (this.#state.changed.length > 0) yield `${this.#state.changed.length} changes are not in the tree`
    yield* this.#faultsBelow(ROOT, 0)
  }

  *#faultsBelow(at: Position, depth: number): Generator<string> {
    const node = this.#subtree(at)
    const children = [2n * at, 2n * at + 1n]
    const [left, right] = children.map((child) => this.#subtree(child))
    const place = `node ${at.toString(2)} of the provable tree`
    if (node === undefined || node.leaf !== undefined) {
      if (left !== undefined || right !== undefined) yield `${place} has nodes below it, and is no inner node`
      if (node?.leaf === undefined) return
      const { key } = this.#state.entries.at(node.leaf).get()
      const isHere = (BigInt(node.leaf) | (1n << 256n)) >> BigInt(256 - depth) === at
      if (pathOf(key) !== node.leaf || !isHere) yield `${place} is the leaf of another key`
      else if (this.#leaf(node.leaf)?.hash !== node.hash) yield `${place} is not what its entry makes`
      return
    }
    const alone = left === undefined ? right : left
    if (left === undefined || right === undefined) {
      if (alone === undefined || alone.leaf !== undefined) yield `${place} has fewer than two leaves below it`
    }
    if (innerHash(left, right) !== node.hash) yield `${place} is not what its children make`
    for (const child of children) yield* this.#faultsBelow(child, depth + 1)
  }

  /** What proves the value of a key below the root, or that it has none. */
  prove(key: Uint8Array): { readonly presence: Presence } | { readonly absence: Absence } {
    const path = pathOf(key)
    const { positions, leaf } = this.#descend(path)
    if (leaf === path) return { presence: this.#presence(path) }
    const isLeft = leaf !== undefined && compareBytes(fromHex(leaf), fromHex(path)) < 0
    const left = isLeft ? leaf : this.#besides(path, positions, 'left')
    const right = leaf !== undefined && !isLeft ? leaf : this.#besides(path, positions, 'right')
    return { absence: { left: left && this.#presence(left), right: right && this.#presence(right) } }
  }

  /** The positions from the root to where a path ends, and the leaf there. */
  #descend(path: Hash): { readonly positions: readonly Position[]; readonly leaf: Hash | undefined } {
    const positions = [ROOT]
    let at = ROOT
    let node = this.#subtree(at)
    while (node !== undefined && node.leaf === undefined) {
      at = 2n * at + (isRight(path, positions.length - 1) ? 1n : 0n)
      positions.push(at)
      node = this.#subtree(at)
    }
    return { positions, leaf: node?.leaf }
  }

  #presence(path: Hash): Presence {
    const { positions } = this.#descend(path)
    const steps = positions.slice(1).map((at): Step => {
      const sibling = fromHex(this.#state.nodes.at(at ^ 1n).get())
      return { sibling, side: at % 2n === 1n ? 'left' : 'right' }
    })
    return { ...this.#state.entries.at(path).get(), steps: steps.toReversed() }
  }

  /** The nearest leaf on this side of the positions of a path: in the deepest subtree that branches off to it. */
  #besides(path: Hash, positions: readonly Position[], side: 'left' | 'right'): Hash | undefined {
    for (let depth = positions.length - 2; depth >= 0; depth--) {
      if (isRight(path, depth) !== (side === 'left')) continue
      const found = this.#outermost((positions[depth + 1] ?? ROOT) ^ 1n, side === 'left' ? 1n : 0n)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The last leaf of a subtree on a side: 0 left, 1 right. */
  #outermost(from: Position, side: bigint): Hash | undefined {
    let at = from
    for (;;) {
      const node = this.#subtree(at)
      if (node === undefined || node.leaf !== undefined) return node?.leaf
      at = this.#subtree(2n * at + side) === undefined ? 2n * at + (1n - side) : 2n * at + side
    }
  }
}
