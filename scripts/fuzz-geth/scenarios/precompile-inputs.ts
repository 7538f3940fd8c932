// Inputs of the precompiled contracts, most of them valid or nearly so: points on the curves, their negatives, infinity,
// numbers at the edge of a field or an order, lengths around the expected one. Sources: EIP-196, 197, 198, 152, 4844, 2537,
// 7951 and the Yellow Paper's appendix E.
import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { bigToFixed } from '../../../src/lib/hex.ts'
import { SECP256K1_N, signHash } from '../../../src/primitives/signature.ts'
import type { Random } from '../code.ts'
import { randomBytes, SENDER_KEY } from '../scenario.ts'

const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const word = (value: bigint): Uint8Array => bigToFixed(value % 2n ** 256n, 32)
const scalar = (random: Random, order: bigint): bigint => {
  const edges = [0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 256n - 1n]
  return random.oneIn(2) ? random.pick(edges) : BigInt(`0x${Buffer.from(randomBytes(random, 32)).toString('hex')}`)
}
/** A scalar that libraries accept: neither zero nor above the order. */
const inside = (random: Random, order: bigint): bigint => (scalar(random, order) % (order - 1n)) + 1n

function ecrecover(random: Random): Uint8Array {
  const hash = randomBytes(random, 32)
  const { r, s, yParity } = signHash(hash, SENDER_KEY)
  const broken = (value: bigint) =>
    random.oneIn(4) ? random.pick([0n, SECP256K1_N - 1n, SECP256K1_N, SECP256K1_N + 1n, SECP256K1_N - value]) : value
  const v = random.oneIn(4) ? random.pick([0n, 1n, 26n, 29n, 27n + 256n]) : BigInt(27 + yParity)
  return join(hash, word(v), word(broken(r)), word(broken(s)))
}

function modexp(random: Random): Uint8Array {
  const length = () => random.pick([0, 0, 1, 2, 8, 31, 32, 33, 64, 65, 96, 128, 200, random.oneIn(6) ? 1024 : 40])
  const base = length()
  const exponent = length()
  const modulus = length()
  const claimed = (bytes: number) =>
    word(random.oneIn(25) ? random.pick([1024n, 1025n, 2n ** 32n, 2n ** 64n, 2n ** 255n]) : BigInt(bytes))
  const number = (bytes: number): Uint8Array => {
    const filled = random.oneIn(3) ? new Uint8Array(bytes) : randomBytes(random, bytes)
    if (bytes > 0 && random.oneIn(2)) filled[bytes - 1] = random.pick([0, 1, 2, 3, 255])
    if (bytes > 0 && random.oneIn(4)) filled.fill(0, 0, random.below(bytes))
    return filled
  }
  const lengths = [claimed(base), claimed(exponent), claimed(modulus)]
  return join(...lengths, number(base), number(exponent), number(modulus))
}

const BN = bn254.G1.Point
const BN_P = BN.Fp.ORDER
const BN_N = BN.Fn.ORDER

function bnG1(random: Random): Uint8Array {
  if (random.oneIn(6)) return new Uint8Array(64)
  const { x, y } = BN.BASE.multiply(random.oneIn(3) ? inside(random, BN_N) : BigInt(1 + random.below(5))).toAffine()
  if (random.oneIn(12)) return join(word(x + BN_P), word(y)) // a coordinate above the field
  if (random.oneIn(12)) return join(word(x), word(y + 1n)) // not on the curve
  return join(word(x), word(random.oneIn(4) ? BN_P - y : y))
}

function bnG2(random: Random): Uint8Array {
  if (random.oneIn(6)) return new Uint8Array(128)
  const point = bn254.G2.Point.BASE.multiply(BigInt(1 + random.below(5)))
  const { x, y } = (random.oneIn(3) ? point.negate() : point).toAffine()
  const parts = [x.c1, x.c0, y.c1, y.c0].map(word)
  if (random.oneIn(12)) parts[random.below(4)] = word(random.pick([0n, BN_P, BN_P - 1n]))
  return join(...parts)
}

function bnPairs(random: Random): Uint8Array {
  const pairs = Array.from({ length: random.below(3) }, () => join(bnG1(random), bnG2(random)))
  if (!random.oneIn(3)) return join(...pairs)
  // e(aP, Q) e(-aP, Q) = 1
  const point = BN.BASE.multiply(BigInt(1 + random.below(9)))
  const second = bnG2(random)
  const encoded = [point, point.negate()].map((of) => of.toAffine()).map(({ x, y }) => join(word(x), word(y), second))
  return join(...encoded)
}

function blake2f(random: Random): Uint8Array {
  const rounds = random.pick([0, 1, 2, 11, 12, 13, 200])
  const flag = random.oneIn(6) ? random.pick([2, 255]) : random.below(2)
  return join(bigToFixed(BigInt(rounds), 4), randomBytes(random, 208), Uint8Array.of(flag))
}

/** A proof that a constant polynomial has its value at any point: the proof is infinity (EIP-4844's verify_kzg_proof). */
function kzgOpening(random: Random): Uint8Array {
  const infinity = Uint8Array.from({ length: 48 }, (_, i) => (i === 0 ? 0xc0 : 0))
  const constant = random.oneIn(3) ? 0n : BigInt(1 + random.below(1000))
  const commitment = constant === 0n ? infinity : bls12_381.G1.Point.BASE.multiply(constant).toBytes(true)
  const hash = createHash('sha256').update(commitment).digest()
  hash[0] = random.oneIn(10) ? 2 : 1
  const order = bls12_381.G1.Point.Fn.ORDER
  const value = random.oneIn(8) ? scalar(random, order) : constant
  const at = random.oneIn(6) ? scalar(random, order) : BigInt(random.below(1000))
  return join(hash, word(at), word(value), commitment, random.oneIn(10) ? commitment : infinity)
}

const BLS_P = bls12_381.G1.Point.Fp.ORDER
const BLS_N = bls12_381.G1.Point.Fn.ORDER
const fp = (value: bigint): Uint8Array => bigToFixed(value, 64)
/** A field element, sometimes out of range, or with a non-zero byte in the 16 padding bytes. */
function oddFp(random: Random, value: bigint): Uint8Array {
  if (random.oneIn(30))
    return fp(random.pick([0n, BLS_P, BLS_P - 1n, BLS_P + 1n, value + (1n << 400n), 2n ** 512n - 1n]))
  return fp(value)
}

function blsG1(random: Random): Uint8Array {
  if (random.oneIn(6)) return new Uint8Array(128)
  const point = bls12_381.G1.Point.BASE.multiply(random.oneIn(4) ? inside(random, BLS_N) : BigInt(1 + random.below(5)))
  const { x, y } = (random.oneIn(3) ? point.negate() : point).toAffine()
  // (0, 2) is on the curve y^2 = x^3 + 4, but not in the subgroup.
  if (random.oneIn(12)) return join(fp(0n), fp(2n))
  return join(oddFp(random, x), oddFp(random, y))
}

function blsG2(random: Random): Uint8Array {
  if (random.oneIn(6)) return new Uint8Array(256)
  const point = bls12_381.G2.Point.BASE.multiply(BigInt(1 + random.below(5)))
  const { x, y } = (random.oneIn(3) ? point.negate() : point).toAffine()
  return join(...[x.c0, x.c1, y.c0, y.c1].map((value) => oddFp(random, value)))
}

const several = (random: Random, one: () => Uint8Array): Uint8Array =>
  join(...Array.from({ length: random.oneIn(8) ? 0 : 1 + random.below(3) }, one))

function p256Signature(random: Random): Uint8Array {
  const secret = bigToFixed(inside(random, p256.Point.Fn.ORDER), 32)
  const hash = randomBytes(random, 32)
  const signature = p256.sign(hash, secret, { prehash: false })
  const order = p256.Point.Fn.ORDER
  const parts = [hash, signature.subarray(0, 32), signature.subarray(32), p256.getPublicKey(secret, false).subarray(1)]
  if (random.oneIn(5)) parts[1 + random.below(2)] = word(random.pick([0n, order - 1n, order, order + 1n, 1n]))
  if (random.oneIn(8)) parts[3] = random.oneIn(2) ? new Uint8Array(64) : join(word(p256.Point.Fp.ORDER), word(1n))
  return join(...parts)
}

/** Inputs by the address of the precompiled contract. */
const INPUTS: Readonly<Record<number, (random: Random) => Uint8Array>> = {
  1: ecrecover,
  5: modexp,
  6: (random) => join(bnG1(random), bnG1(random)),
  7: (random) => join(bnG1(random), word(scalar(random, BN_N))),
  8: bnPairs,
  9: blake2f,
  10: kzgOpening,
  11: (random) => join(blsG1(random), blsG1(random)),
  12: (random) => several(random, () => join(blsG1(random), word(scalar(random, BLS_N)))),
  13: (random) => join(blsG2(random), blsG2(random)),
  14: (random) => several(random, () => join(blsG2(random), word(scalar(random, BLS_N)))),
  15: (random) => several(random, () => join(blsG1(random), blsG2(random))),
  16: (random) => oddFp(random, scalar(random, BLS_P) % BLS_P),
  17: (random) => join(oddFp(random, scalar(random, BLS_P) % BLS_P), oddFp(random, BigInt(random.below(9)))),
  256: p256Signature,
}

/** An input for a precompiled contract; one in ten has another length, one in twenty a changed byte. */
export function precompileInput(random: Random, address: bigint): Uint8Array {
  const make = INPUTS[Number(address)]
  // Hashes and the identity accept any input; lengths around the blocks of SHA-256 and RIPEMD-160.
  if (make === undefined)
    return randomBytes(random, random.pick([0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 119, 120, 128, 500]))
  const input = make(random)
  if (input.length > 0 && random.oneIn(20)) input[random.below(input.length)] = random.below(256)
  if (!random.oneIn(10)) return input
  const cut = random.oneIn(2) ? input.length - 1 - random.below(32) : input.length + 1 + random.below(32)
  return join(input, new Uint8Array(33)).subarray(0, Math.max(0, cut))
}
