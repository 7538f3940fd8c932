// The first chunk of a state snapshot of a chain with IBC: its third item is the root of the provable store, without which the app
// hash that the consensus engine trusts cannot be verified.
import { expect, it } from 'vitest'
import { decodeHead, encodeHead } from '../../src/chain/state-sync/format.ts'
import { requireHead } from '../../src/chain/state-sync/head.ts'
import { type Hash, hexToHash, toHash } from '../../src/lib/hex.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { encodeHeader } from '../../src/primitives/header.ts'
import { encodeRlp, joinList, splitList } from '../../src/primitives/rlp.ts'
import { appHashOfHead, fakeNetwork, ibcSpec, networkSpec } from '../support/network.ts'

const OTHER = hexToHash(`0x${'ab'.repeat(32)}`)

/** The first chunk of a snapshot of block 1 with a root of the provable store, and what its receiver knows of the block. */
async function firstChunk(spec = ibcSpec()) {
  const engine = await fakeNetwork(1, spec)
  await engine.decideMany(1)
  const chain = engine.nodes[0]?.chain
  const [block, genesis] = await Promise.all([chain?.block('latest'), chain?.block({ number: 0n })])
  if (chain === undefined || block === undefined || genesis === undefined) throw new Error('there is no block')
  const { ibc } = chain.stateQueries.appHashLeaves(1n) ?? {}
  const known = { appHash: toHash(appHashOfHead(chain)) }
  const chunk = (root: Hash | undefined) => encodeHead(encodeBlock(block), [encodeHeader(genesis.header)], root)
  const read = (bytes: Uint8Array, of = spec) => requireHead(decodeHead(bytes), of, 1n, known).block.header.hash
  return { chunk, read, ibc, hash: block.header.hash }
}

it('is the block that the app hash commits to', async () => {
  const { chunk, read, ibc, hash } = await firstChunk()
  expect(read(chunk(ibc))).toBe(hash)
})

it('is refused without the root, with another root, with a root of another size and with one item more', async () => {
  const { chunk, read, ibc } = await firstChunk()
  expect(() => read(chunk(undefined))).toThrow('it is of another chain')
  expect(() => read(chunk(OTHER))).toThrow(/^its block is 1 with hash 0x[0-9a-f]{64}, and block 1 has hash 0x/)
  const items = splitList(chunk(ibc))
  expect(items).toHaveLength(3)
  const malformed = expect.objectContaining({ code: 'invalid-block' })
  for (const size of [0, 31, 33]) {
    const bytes = joinList([...items.slice(0, 2), encodeRlp(new Uint8Array(size))])
    expect(() => read(bytes), `a root of ${size} bytes`).toThrow(malformed)
  }
  expect(() => read(joinList([...items.slice(0, 2), encodeRlp([new Uint8Array(32)])]))).toThrow(malformed)
  expect(() => read(joinList([...items, encodeRlp(new Uint8Array(32))]))).toThrow(malformed)
})

it('is refused with a root on a chain without IBC', async () => {
  const { chunk, read, hash } = await firstChunk(networkSpec())
  expect(read(chunk(undefined))).toBe(hash)
  expect(() => read(chunk(OTHER))).toThrow('it is of another chain')
})
