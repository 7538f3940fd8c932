// The app hash of a network with IBC: the root over the block's hash and the root of the provable store, in every answer of the
// application, and proofs of entries below it. Without IBC it is the block's hash (application.test.ts).

import { createHash } from 'node:crypto'
import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { TREES } from '../../../src/ibc/ics23/specs.ts'
import { verifyPath } from '../../../src/ibc/ics23/verify.ts'
import { toHex } from '../../../src/lib/hex.ts'
import { MerkleProofSchema } from '../../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import * as abci from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { formatGenesis, parseGenesis } from '../../../src/spec/genesis-file.ts'
import { appHashOfStores, fakeNetwork, ibcSpec, networkSpec, openFresh } from '../../support/network.ts'

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
/** The entry that is always there. */
const VERSION = { key: Buffer.from('ibc/version'), value: Uint8Array.of(2) }
/** The root of a sparse Merkle tree with one entry: the leaf, SHA-256 of 0 and the hashes of key and value. */
const ROOT = toHex(sha256(Uint8Array.of(0), sha256(VERSION.key), sha256(VERSION.value)))

test('nodes of a network with IBC decide the root over the block and the provable store, and report it', async () => {
  const engine = await fakeNetwork(3, ibcSpec())
  const [first] = engine.nodes
  if (first === undefined) throw new Error('there is no node')
  for (let number = 1; number <= 2; number++) {
    const answer = await engine.decide()
    const { hash: evm } = first.chain.head
    const appHash = appHashOfStores({ evm, ibc: ROOT as never })
    expect(answer?.appHash).toEqual(appHash)
    expect(await first.application.info(create(abci.RequestInfoSchema))).toMatchObject({ lastBlockAppHash: appHash })
    expect(first.chain.stateQueries.appHashLeaves(BigInt(number))).toEqual({ evm, ibc: ROOT })
  }
  expect(first.chain.stateQueries.appHashLeaves(9n)).toBeUndefined()
})

test('an entry of the provable store and an absence are proven up to the app hash of the block, of old blocks too', async () => {
  const engine = await fakeNetwork(1, ibcSpec())
  await engine.decideMany(2)
  const [node] = engine.nodes
  if (node === undefined) throw new Error('there is no node')
  const { stateQueries } = node.chain
  for (const [number, key, value] of [
    [1n, VERSION.key, VERSION.value],
    [2n, Buffer.from('07-tendermint-0'), undefined],
  ] as const) {
    const evm = (await node.chain.header({ number }))?.hash
    if (evm === undefined) throw new Error('there is no block')
    const found = await stateQueries.ibcProof({ number }, key)
    expect(found).toMatchObject({ block: number, value })
    const root = appHashOfStores({ evm, ibc: ROOT as never })
    const verify = (bytes: Uint8Array, root: Uint8Array) =>
      verifyPath({
        trees: [TREES.smt, TREES.tendermint],
        root,
        path: [Buffer.from('ibc'), key],
        proofs: fromBinary(MerkleProofSchema, bytes).proofs,
        value,
      })
    expect(() => verify(found.proof, root)).not.toThrow()
    for (let bit = 0; bit < 256; bit += 37) {
      const other = Uint8Array.from(root)
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => verify(found.proof, other)).toThrow('proof leads to another root')
    }
  }
})

test('a chain whose genesis does not name IBC has nothing of it, and refuses proofs', async () => {
  const chain = await openFresh(networkSpec())
  const { hash } = chain.head
  expect(chain.stateQueries.appHashLeaves(0n)).toEqual({ evm: hash, ibc: undefined })
  expect((await chain.at('latest')).view.account(NATIVE_CONTRACT.ibc)).toBeUndefined()
  await expect(chain.stateQueries.ibcProof('latest', VERSION.key)).rejects.toMatchObject({ code: 'not-allowed' })
})

test('the genesis rule of IBC has no fields, and survives writing and reading', async () => {
  expect(parseGenesis(formatGenesis(ibcSpec())).native?.modules.ibc).toEqual({})
  const withField = networkSpec(({ kestrel }) => {
    kestrel.modules = { ...Object(kestrel.modules), ibc: { version: 1 } }
  })
  await expect(openFresh(withField)).rejects.toThrow('kestrel.modules.ibc.version: unknown field')
})
