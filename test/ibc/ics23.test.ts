// Commitment proofs against the vectors of Cosmos' own library (vectors/, from github.com/cosmos/ics23 under its licence), and
// forgeries made from them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TREES, type TreeName } from '../../src/ibc/ics23/specs.ts'
import { verifyPath } from '../../src/ibc/ics23/verify.ts'
import { decode } from '../../src/ibc/wire.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { type CommitmentProof, CommitmentProofSchema } from '../../src/protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'

const FOLDER = join(import.meta.dirname, 'vectors')
const NAMES: readonly TreeName[] = ['iavl', 'smt', 'tendermint']
const VECTORS = NAMES.flatMap((tree) =>
  readdirSync(join(FOLDER, tree)).map((file) => {
    const read = JSON.parse(readFileSync(join(FOLDER, tree, file), 'utf8'))
    const bytes = (name: string) => fromHex(`0x${read[name]}`)
    return {
      name: `${tree} ${file.replace('.json', '')}`,
      tree: TREES[tree],
      root: bytes('root'),
      key: bytes('key'),
      value: read.value === '' ? undefined : bytes('value'),
      proof: bytes('proof'),
    }
  }),
)
type Vector = (typeof VECTORS)[number]

const verify = ({ tree, root, key, value }: Vector, proof: CommitmentProof) =>
  verifyPath({ trees: [tree], root, path: [key], proofs: [proof], value })
const decoded = (proof: Uint8Array) => decode(CommitmentProofSchema, proof, 4_096)

/** Each byte of the encoding with one bit changed, where it still decodes. */
const spoiled = (proof: Uint8Array): CommitmentProof[] =>
  Array.from(proof, (byte, at) => {
    const bytes = Uint8Array.from(proof)
    bytes[at] = byte ^ (1 << (at % 8))
    try {
      return decoded(bytes)
    } catch {
      return undefined
    }
  }).filter((proof) => proof !== undefined)

describe.each(VECTORS)('the proof $name', (vector) => {
  it('is accepted', () => {
    expect(() => verify(vector, decoded(vector.proof))).not.toThrow()
  })

  it('is refused for another key, value and root', () => {
    const proof = decoded(vector.proof)
    const other = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte) => byte ^ 1)
    expect(() => verify({ ...vector, root: other(vector.root) }, proof)).toThrow()
    expect(() => verify({ ...vector, value: vector.value === undefined ? vector.key : undefined }, proof)).toThrow()
    expect(() => verify({ ...vector, value: other(vector.value ?? vector.key) }, proof)).toThrow()
    const neighbour =
      proof.proof.case === 'nonexist' ? (proof.proof.value.left ?? proof.proof.value.right)?.key : other(vector.key)
    expect(() => verify({ ...vector, key: neighbour ?? vector.root }, proof)).toThrow()
  })

  it('is refused with any bit of its hashes and forms changed', () => {
    const forgeries = spoiled(vector.proof).filter((proof) => {
      try {
        verify(vector, proof)
        return true
      } catch {
        return false
      }
    })
    // The key that a proof of absence is for is named beside it, and not used.
    expect(forgeries.filter(({ proof }) => proof.case === 'exist')).toEqual([])
    const used = forgeries.map(({ proof }) =>
      proof.case === 'nonexist' ? { left: proof.value.left, right: proof.value.right } : proof,
    )
    const original = decoded(vector.proof).proof
    for (const one of used)
      expect(one).toEqual(
        original.case === 'nonexist' ? { left: original.value.left, right: original.value.right } : undefined,
      )
  })
})
