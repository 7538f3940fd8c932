// The pairing curves of mcl against noble's: same bytes and errors on valid, invalid and edge-case inputs.
import { EVMError, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 as nobleCurve } from '@noble/curves/bn254.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bls12381 } from '../../../src/evm/ethereumjs/bls12-381.ts'
import { bn254 } from '../../../src/evm/ethereumjs/bn254.ts'
import { bigToFixed, toHex } from '../../../src/lib/hex.ts'
import { loadMcl } from '../../../src/primitives/mcl.ts'
import { concatBytes } from '../../../src/primitives/rlp.ts'
import { randomSource } from './random.ts'

type Run = (input: Uint8Array) => Uint8Array
/** The outcome of a precompile as text: bytes, the name of an EVM error, or `revert` for any other error. */
function outcome(run: Run, input: Uint8Array): string {
  try {
    return toHex(run(input))
  } catch (error) {
    return error instanceof EVMError ? error.error : 'revert'
  }
}

const both = (ours: Run, theirs: Run, input: Uint8Array) => {
  const expected = outcome(theirs, input)
  expect(outcome(ours, input), toHex(input)).toBe(expected)
  return expected
}
/** Changes one byte, or adds the modulus to a coordinate. */
const random = randomSource(20)
const corrupted = (bytes: Uint8Array): Uint8Array => {
  const out = bytes.slice()
  const at = random.below(out.length)
  out[at] = (out[at] ?? 0) ^ (1 << random.below(8))
  return out
}

beforeAll(async () => {
  expect(await loadMcl('bn254')).toBeDefined()
  expect(await loadMcl('bls12381')).toBeDefined()
})

describe('bn254', () => {
  const theirs = new NobleBN254()
  const { Point: G1 } = nobleCurve.G1
  const { Point: G2 } = nobleCurve.G2
  const p = nobleCurve.fields.Fp.ORDER
  const r = nobleCurve.fields.Fr.ORDER
  const word = (value: bigint) => bigToFixed(value, 32)
  type P1 = typeof G1.BASE
  type P2 = typeof G2.BASE
  const g1 = (point: P1) => {
    const { x, y } = point.toAffine()
    return concatBytes([word(x), word(y)])
  }
  const g2 = (point: P2) => {
    const { x, y } = point.toAffine()
    return concatBytes([x.c1, x.c0, y.c1, y.c0].map(word))
  }
  const scalar = () => random.big(32) % r || 1n
  const P = () => G1.BASE.multiply(scalar())
  const Q = () => G2.BASE.multiply(scalar())
  const infinity = new Uint8Array(64)

  test('addition', () => {
    const a = P()
    for (const input of [
      concatBytes([g1(a), g1(P())]),
      concatBytes([g1(a), g1(a)]),
      concatBytes([g1(a), g1(a.negate())]),
      concatBytes([infinity, g1(a)]),
      concatBytes([g1(a), infinity]),
      concatBytes([infinity, infinity]),
      concatBytes([word(p), word(0n), infinity]),
      concatBytes([word(1n + p), word(2n), infinity]),
      concatBytes([word(1n), word(2n + p), infinity]),
      concatBytes([word(0n), word(1n), infinity]),
    ]) {
      both(bn254.add, theirs.add, input)
      both(bn254.add, theirs.add, corrupted(input))
    }
  })

  test('multiplication', () => {
    for (const k of [
      0n,
      1n,
      2n,
      r - 1n,
      r,
      r + 1n,
      2n * r,
      2n ** 256n - 1n,
      2n ** 128n,
      random.big(32),
      random.big(16),
    ]) {
      for (const point of [g1(P()), infinity, corrupted(g1(P()))]) {
        both(bn254.mul, theirs.mul, concatBytes([point, word(k), new Uint8Array(32)]))
      }
    }
  })

  test('pairing', () => {
    const a = scalar()
    const b = scalar()
    const holds = [
      g1(G1.BASE.multiply(a)),
      g2(G2.BASE.multiply(b)),
      g1(G1.BASE.multiply((a * b) % r).negate()),
      g2(G2.BASE),
    ]
    const one = toHex(word(1n))
    expect(both(bn254.pairing, theirs.pairing, concatBytes(holds))).toBe(one)
    expect(both(bn254.pairing, theirs.pairing, concatBytes([infinity, g2(Q()), ...holds]))).toBe(one)
    expect(both(bn254.pairing, theirs.pairing, concatBytes([...holds, g1(P()), new Uint8Array(128)]))).toBe(one)
    expect(both(bn254.pairing, theirs.pairing, new Uint8Array(0))).toBe(one)
    expect(both(bn254.pairing, theirs.pairing, concatBytes([g1(P()), g2(Q())]))).toBe(toHex(word(0n)))
    for (let k = 0; k < 8; k++) both(bn254.pairing, theirs.pairing, corrupted(concatBytes(holds.slice(0, 2))))
    for (let k = 0; k < 4; k++) {
      const parts = [1n, 2n, 3n, 4n].map((value, index) => word(index === k ? value + p : value))
      expect(both(bn254.pairing, theirs.pairing, concatBytes([g1(P()), ...parts]))).not.toBe('revert')
    }
    // A point on the curve but not in the subgroup: the curve of G2 has a large cofactor.
    expect(both(bn254.pairing, theirs.pairing, concatBytes([g1(P()), outsideG2()]))).toBe('revert')
  })

  function outsideG2(): Uint8Array {
    const { Fp2 } = nobleCurve.fields
    for (let c = 1n; ; c++) {
      const x = Fp2.create({ c0: c, c1: 5n })
      const right = Fp2.add(Fp2.mul(Fp2.sqr(x), x), nobleCurve.G2.Point.CURVE().b)
      try {
        const y = Fp2.sqrt(right)
        return concatBytes([x.c1, x.c0, y.c1, y.c0].map(word))
      } catch {}
    }
  }
})

describe('BLS12-381', () => {
  const theirs = new NobleBLS()
  const { Point: G1 } = bls12_381.G1
  const { Point: G2 } = bls12_381.G2
  const { Fp, Fp2 } = bls12_381.fields
  const p = Fp.ORDER
  const r = bls12_381.fields.Fr.ORDER
  const part = (value: bigint) => bigToFixed(value, 64)
  const word = (value: bigint) => bigToFixed(value, 32)
  const g1 = (point: typeof G1.BASE) => {
    const { x, y } = point.toAffine()
    return concatBytes([x, y].map(part))
  }
  const g2 = (point: typeof G2.BASE) => {
    const { x, y } = point.toAffine()
    return concatBytes([x.c0, x.c1, y.c0, y.c1].map(part))
  }
  const scalar = () => random.big(32) % r || 1n
  const P = () => G1.BASE.multiply(scalar())
  const Q = () => G2.BASE.multiply(scalar())
  const zero1 = new Uint8Array(128)
  const zero2 = new Uint8Array(256)
  /** A point on the curve but not in the subgroup. */
  const outside1 = () => {
    for (let x = 4n; ; x++) {
      try {
        return concatBytes([part(x), part(Fp.sqrt(Fp.create(x ** 3n + 4n)))])
      } catch {}
    }
  }
  const outside2 = () => {
    for (let c = 1n; ; c++) {
      const x = Fp2.create({ c0: c, c1: 3n })
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b))
        return concatBytes([x.c0, x.c1, y.c0, y.c1].map(part))
      } catch {}
    }
  }
  /** As `corrupted`, but without changing the padding, which the precompile has checked. */
  const corruptedNumber = (bytes: Uint8Array): Uint8Array => {
    const out = bytes.slice()
    const at = random.below(out.length / 64) * 64 + 16 + random.below(48)
    out[at] = (out[at] ?? 0) ^ (1 << random.below(8))
    return out
  }

  test('addition in G1, also outside the subgroup', () => {
    const a = P()
    const inputs = [
      [g1(a), g1(P())],
      [g1(a), g1(a)],
      [g1(a), g1(a.negate())],
      [zero1, g1(a)],
      [zero1, zero1],
      [outside1(), g1(a)],
      [outside1(), outside1()],
      [part(p), part(2n), zero1],
      [part(0n), part(2n), g1(a)],
      [part(8n), part(0n), g1(a)],
      [part(p), part(0n), zero1],
    ].map(concatBytes)
    for (const input of inputs) {
      both(oursOf('addG1'), theirsOf('addG1'), input)
      both(oursOf('addG1'), theirsOf('addG1'), corruptedNumber(input))
    }
  })

  test('addition in G2, also outside the subgroup', () => {
    const a = Q()
    const inputs = [
      [g2(a), g2(Q())],
      [g2(a), g2(a)],
      [g2(a), g2(a.negate())],
      [zero2, g2(a)],
      [outside2(), g2(a)],
      [part(8n), part(0n), part(0n), part(0n), g2(a)],
      [part(1n), part(p), part(1n), part(1n), zero2],
    ].map(concatBytes)
    for (const input of inputs) {
      both(oursOf('addG2'), theirsOf('addG2'), input)
      both(oursOf('addG2'), theirsOf('addG2'), corruptedNumber(input))
    }
  })

  test('sums of scalar products', () => {
    const edge = [0n, 1n, r - 1n, r, r + 1n, 2n ** 256n - 1n]
    for (const k of edge) {
      both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes([g1(P()), word(k)]))
      both(oursOf('msmG2'), theirsOf('msmG2'), concatBytes([g2(Q()), word(k)]))
    }
    const a = P()
    const pairs1 = [a, a, a.negate(), P(), P()].flatMap((point) => [g1(point), word(random.big(32))])
    both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes([...pairs1, zero1, word(7n)]))
    both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes([g1(a), word(5n), g1(a.negate()), word(5n)]))
    both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes([...pairs1, outside1(), word(0n)]))
    both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes([...pairs1, part(1n), part(1n), word(0n)]))
    const pairs2 = [Q(), Q(), Q()].flatMap((point) => [g2(point), word(random.big(32))])
    both(oursOf('msmG2'), theirsOf('msmG2'), concatBytes([...pairs2, zero2, word(7n)]))
    both(oursOf('msmG2'), theirsOf('msmG2'), concatBytes([...pairs2, outside2(), word(1n)]))
  })

  test('multi-scalar multiplications', () => {
    const step = P()
    let point = step
    const pairs = Array.from({ length: 40 }, () => {
      point = point.add(step)
      return concatBytes([g1(point), word(random.big(32))])
    })
    both(oursOf('msmG1'), theirsOf('msmG1'), concatBytes(pairs))
  })

  test('pairing', () => {
    const a = scalar()
    const b = scalar()
    const holds = [
      g1(G1.BASE.multiply(a)),
      g2(G2.BASE.multiply(b)),
      g1(G1.BASE.multiply((a * b) % r).negate()),
      g2(G2.BASE),
    ]
    const check = (...parts: Uint8Array[]) => both(oursOf('pairingCheck'), theirsOf('pairingCheck'), concatBytes(parts))
    expect(check(...holds)).toBe(toHex(word(1n)))
    expect(check(zero1, g2(Q()), ...holds, g1(P()), zero2)).toBe(toHex(word(1n)))
    expect(check(g1(P()), g2(Q()))).toBe(toHex(word(0n)))
    check(outside1(), g2(Q()))
    check(g1(P()), outside2())
    for (let k = 0; k < 6; k++) check(corruptedNumber(concatBytes(holds.slice(0, 2))))
  })

  test('maps of field elements to both groups', () => {
    for (const value of [0n, 1n, p - 1n, p, random.big(47), random.big(48) % p]) {
      both(oursOf('mapFPtoG1'), theirsOf('mapFPtoG1'), part(value))
      both(oursOf('mapFP2toG2'), theirsOf('mapFP2toG2'), concatBytes([part(value), part(random.big(47))]))
      both(oursOf('mapFP2toG2'), theirsOf('mapFP2toG2'), concatBytes([part(1n), part(value)]))
    }
  })

  type Name = keyof typeof bls12381
  const oursOf = (name: Name): Run => bls12381[name]
  const theirsOf = (name: Name): Run => theirs[name].bind(theirs)
})
