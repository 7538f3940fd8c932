// kestrel_getIbcProof and kestrel_getCommit of a network's node with IBC, over JSON-RPC: proofs are verified up to the app hash, which
// is calculated by CometBFT's rules.
import { fromBinary } from '@bufbuild/protobuf'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { FEWEST_STATES } from '../../src/chain/limits.ts'
import { TREES } from '../../src/ibc/ics23/specs.ts'
import { verifyPath } from '../../src/ibc/ics23/verify.ts'
import { fromHex, hexToHash, toHex } from '../../src/lib/hex.ts'
import { openChain } from '../../src/node.ts'
import { MerkleProofSchema } from '../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import { nodeOptions, testChain } from '../support/chain.ts'
import { appHashOfStores, ibcSpec } from '../support/network.ts'
import { commitInfo, decide, networkChain, networkFaces } from '../support/network-faces.ts'

const VERSION = toHex(Buffer.from('ibc/version'))
const ABSENT = toHex(Buffer.from('07-tendermint-0'))

/** A network's node with IBC and this many blocks. */
async function open(blocks: number, settings: { prune?: number } = {}) {
  const chain = await openChain(nodeOptions({ spec: ibcSpec(), ...settings }))
  const faces = await networkFaces({ chain })
  for (let number = 1; number <= blocks; number++) {
    await decide(chain, commitInfo({ time: BigInt(1_767_225_605 + number) * 1_000_000_000n }))
    faces.status.proofs.set(BigInt(number), { signed_header: {}, validators: [] })
  }
  return faces
}

type Proof = { readonly block: Hex; readonly height: Hex; readonly value: Hex | null; readonly proof: Hex }
type Commit = { readonly appHash: { readonly evm: Hex; readonly ibc: Hex } | null; readonly hash: Hex }

describe('kestrel_getIbcProof', () => {
  it('proves a value and an absence below the app hash whose leaves kestrel_getCommit answers', async () => {
    const { rpc } = await open(2)
    for (const [key, value] of [
      [VERSION, '0x02'],
      [ABSENT, null],
    ] as const)
      for (const block of ['0x1', '0x2', 'latest', 'pending']) {
        const found = (await rpc('kestrel_getIbcProof', key, block)) as Proof
        const number = block.startsWith('0x') ? block : '0x2'
        expect(found).toMatchObject({ block: number, height: `0x${(Number(number) + 1).toString(16)}`, value })
        const { appHash, hash } = (await rpc('kestrel_getCommit', number)) as Commit
        if (appHash === null) throw new Error('there are no leaves')
        expect(appHash.evm).toBe(hash)
        const path = {
          trees: [TREES.smt, TREES.tendermint],
          root: appHashOfStores({ evm: hexToHash(appHash.evm), ibc: hexToHash(appHash.ibc) }),
          path: [Buffer.from('ibc'), fromHex(key)],
          proofs: fromBinary(MerkleProofSchema, fromHex(found.proof)).proofs,
        }
        expect(() => verifyPath({ ...path, value: value === null ? undefined : fromHex(value) })).not.toThrow()
        expect(() => verifyPath({ ...path, value: Uint8Array.of(3) })).toThrow()
        expect(() =>
          verifyPath({ ...path, path: [Buffer.from('evm'), fromHex(key)], value: Uint8Array.of(2) }),
        ).toThrow()
      }
  })

  it('refuses keys that are empty, too long or no bytes, and unknown blocks', async () => {
    const { raw, rpc } = await open(1)
    const refusal = async (...params: unknown[]) => (await raw('kestrel_getIbcProof', ...params)).error
    for (const key of ['0x', `0x${'ab'.repeat(257)}`])
      expect(await refusal(key, 'latest')).toMatchObject({
        code: -32602,
        message: expect.stringContaining('expected a key of 1 to 256 bytes'),
      })
    for (const key of ['0xabc', 'ibc', 5, null, {}])
      expect((await refusal(key, 'latest'))?.code, String(key)).toBe(-32602)
    expect((await refusal())?.code).toBe(-32602)
    expect(await rpc('kestrel_getIbcProof', `0x${'ab'.repeat(256)}`)).toMatchObject({ value: null })
    expect(await refusal(VERSION, '0x9')).toEqual({ code: -32000, message: 'header not found' })
    expect((await refusal(VERSION, 'x'))?.code).toBe(-32602)
    expect((await refusal(VERSION, `0x${'00'.repeat(32)}`))?.code).toBe(-32000)
  })

  it('is refused where the state of the block was pruned, and kestrel_getCommit then has no leaves', async () => {
    const { raw, rpc } = await open(FEWEST_STATES + 10, { prune: FEWEST_STATES })
    expect((await raw('kestrel_getIbcProof', VERSION, '0x2')).error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/pruned|not available/),
    })
    expect(await rpc('kestrel_getCommit', '0x2')).toMatchObject({ number: '0x2', appHash: null, proof: {} })
    expect(await rpc('kestrel_getIbcProof', VERSION, 'latest')).toMatchObject({ value: '0x02' })
  })

  it('is refused on a chain without IBC, a network or not', async () => {
    const message = 'this chain has no IBC'
    const network = await networkFaces({ chain: await networkChain() })
    expect((await network.raw('kestrel_getIbcProof', VERSION, 'latest')).error).toMatchObject({ message })
    const single = await testChain()
    expect((await single.raw('kestrel_getIbcProof', VERSION, 'latest')).error).toMatchObject({ message })
  })
})
