// The faster precompiles against the library's: same bytes, gas and errors, in every fork that has them.

import { createECDH, createHash, createPrivateKey, sign } from 'node:crypto'
import type { Common } from '@ethereumjs/common'
import { EVM, type ExecResult, getActivePrecompiles } from '@ethereumjs/evm'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { BuiltinContracts } from '../../../src/evm/builtin-contracts.ts'
import { memoizeSlowPrecompiles, useFasterPrecompiles } from '../../../src/evm/crypto/precompiles.ts'
import { commonFor } from '../../../src/evm/ethereumjs/common.ts'
import { libraryPrecompiles } from '../../../src/evm/ethereumjs/precompiles.ts'
import { failed, type Precompile, precompileAddress, succeeded } from '../../../src/evm/precompile.ts'
import { bigToFixed, bytesToBig, EMPTY_BYTES, fromHex, toHex } from '../../../src/lib/hex.ts'
import { concatBytes } from '../../../src/primitives/rlp.ts'
import { SECP256K1_N, signHash } from '../../../src/primitives/signature.ts'
import { FORKS } from '../../../src/spec/chain-spec.ts'
import { forkRules } from '../../../src/spec/fork-rules.ts'
import { plainSpec } from '../../support/plain-spec.ts'
import { randomSource } from './random.ts'

type Fork = Parameters<typeof commonFor>[1]
const spec = plainSpec(`0x${'11'.repeat(20)}`)
const random = randomSource(152)

async function both(fork: Fork, number: string, data: Uint8Array, gasLimit = 2n ** 60n): Promise<ExecResult> {
  const common: Common = commonFor(spec, fork)
  const ours = libraryPrecompiles(spec, fork)
  const address = precompileAddress(number)
  const before = ours.get(address)
  useFasterPrecompiles(ours, forkRules(fork))
  const faster = ours.get(address)
  const theirs = getActivePrecompiles(common).get(address.slice(2))
  if (faster === undefined || theirs === undefined) throw new Error(`no precompile ${number} in ${fork}`)
  expect(faster).not.toBe(before)
  const result = await faster(data, gasLimit)
  const expected = await theirs({ data, gasLimit, common, _EVM: new EVM({ common }) })
  const { returnValue, executionGasUsed, exceptionError } = expected
  expect(`${toHex(result.output)} ${result.gasUsed} ${result.failure !== undefined}`, `${number} ${toHex(data)}`).toBe(
    `${toHex(returnValue)} ${executionGasUsed} ${exceptionError !== undefined}`,
  )
  return expected
}

test.each(FORKS)('%s has the addresses of the library, whose code runs at the first use', async (fork) => {
  const { precompiles } = new BuiltinContracts(spec, forkRules(fork), new Map())
  const library = libraryPrecompiles(spec, fork)
  expect([...precompiles.keys()].sort()).toEqual([...library.keys()].sort())
  const gas = 2n ** 60n
  for (const [address, run] of precompiles)
    expect(await run(EMPTY_BYTES, gas), address).toEqual(await library.get(address)?.(EMPTY_BYTES, gas))
})

test('ecrecover', async () => {
  const word = (value: bigint) => bigToFixed(value, 32)
  for (let k = 0; k < 12; k++) {
    const { r, s, yParity } = signHash(random.bytes(32), random.bytes(32))
    const v = word(27n + BigInt(yParity))
    const data = concatBytes([random.bytes(32), v, word(r), word(s)])
    await both('prague', '1', data)
    await both('prague', '1', concatBytes([data, random.bytes(5)]))
    await both('prague', '1', data.subarray(0, 100 + k))
    for (const [badV, badR, badS] of [
      [word(BigInt(k)), word(r), word(s)],
      [word(2n ** 248n + 27n), word(r), word(s)],
      [v, word(0n), word(s)],
      [v, word(r), word(0n)],
      [v, word(SECP256K1_N), word(s)],
      [v, word(r), word(SECP256K1_N - s)],
      [v, word(r), word(2n ** 256n - 1n)],
      [v, random.bytes(32), random.bytes(32)],
    ] as const) {
      await both('prague', '1', concatBytes([random.bytes(32), badV, badR, badS]))
    }
  }
  await both('prague', '1', EMPTY_BYTES)
  await both('prague', '1', EMPTY_BYTES, 2_999n)
})

test.each([
  ['SHA-256', '2', 84n],
  ['identity', '4', 21n],
])('%s', async (_, number, gasOfTwoWords) => {
  for (const size of [0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 127, 128, 1_000])
    await both('prague', number, random.bytes(size))
  expect((await both('prague', number, random.bytes(64), gasOfTwoWords - 1n)).exceptionError).toBeDefined()
  expect((await both('prague', number, random.bytes(64), gasOfTwoWords)).executionGasUsed).toBe(gasOfTwoWords)
})

test('RIPEMD-160', async () => {
  for (const size of [0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 127, 128, 1_000])
    await both('prague', '3', random.bytes(size))
  await both('prague', '3', random.bytes(64), 839n)
  await both('prague', '3', random.bytes(64), 840n)
})

test('BLAKE2 compression', async () => {
  const state = () => random.bytes(208)
  const input = (rounds: number, last: number) =>
    concatBytes([bigToFixed(BigInt(rounds), 4), state(), Uint8Array.of(last)])
  for (const rounds of [0, 1, 2, 9, 10, 11, 12, 20, 35, 1_000]) {
    for (const last of [0, 1, 2]) await both('prague', '9', input(rounds, last))
  }
  await both('prague', '9', input(12, 1), 11n)
  await both('prague', '9', input(12, 1), 12n)
  await both('prague', '9', input(12, 1).subarray(1))
  await both('prague', '9', concatBytes([input(12, 1), Uint8Array.of(0)]))
  await both('prague', '9', input(2 ** 32 - 1, 1), 100n)
})

test('BLAKE2 F with twelve rounds equals OpenSSL’s BLAKE2b (input of test vector 5 of EIP-152)', async () => {
  const input = fromHex(
    '0x0000000c48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b' +
      `616263${'00'.repeat(125)}0300000000000000000000000000000001`,
  )
  const { returnValue } = await both('prague', '9', input)
  expect(toHex(returnValue)).toBe(`0x${createHash('blake2b512').update('abc').digest('hex')}`)
})

test('modular exponentiation', async () => {
  const lengths = (...sizes: number[]) => concatBytes(sizes.map((size) => bigToFixed(BigInt(size), 32)))
  const input = (b: Uint8Array, e: Uint8Array, m: Uint8Array) =>
    concatBytes([lengths(b.length, e.length, m.length), b, e, m])
  const odd = (size: number) => {
    const bytes = random.bytes(size)
    bytes[0] = (bytes[0] ?? 0) | 0x80
    bytes[size - 1] = (bytes[size - 1] ?? 0) | 1
    return bytes
  }
  const m = odd(96)
  const minusOne = bigToFixed(bytesToBig(m) - 1n, 96)
  const even = m.slice()
  even[95] = (even[95] ?? 0) & 0xfe
  const zeros = (size: number) => new Uint8Array(size)
  const inputs = [
    ...[64, 65, 128, 200].flatMap((size) => [
      input(random.bytes(size), random.bytes(32), odd(size)),
      input(random.bytes(size + 40), random.bytes(40), odd(size)),
      input(random.bytes(3), random.bytes(70), odd(size)),
    ]),
    ...[zeros(96), zeros(0), bigToFixed(1n, 96), bigToFixed(2n, 1), m, minusOne, concatBytes([m, m])].map((base) =>
      input(base, random.bytes(33), m),
    ),
    ...[zeros(40), bigToFixed(1n, 40), bigToFixed(1n, 8), zeros(0), concatBytes([zeros(33), random.bytes(8)])].map(
      (e) => input(random.bytes(96), e, m),
    ),
    ...[even, zeros(96), bigToFixed(1n, 96), concatBytes([zeros(2), m]), concatBytes([zeros(40), odd(60)])].map(
      (modulus) => input(random.bytes(96), random.bytes(40), modulus),
    ),
    input(random.bytes(96), minusOne, m),
    input(random.bytes(96), random.bytes(40), m).subarray(0, 96 + 96 + 40 + 70),
    input(random.bytes(96), random.bytes(40), m).subarray(0, 96 + 96 + 10),
    concatBytes([input(random.bytes(96), random.bytes(40), m), random.bytes(9)]),
    lengths(96, 40, 96),
    concatBytes([lengths(1025, 40, 96), random.bytes(1_200)]),
    concatBytes([bigToFixed(2n ** 200n, 32), lengths(40, 96), random.bytes(300)]),
    EMPTY_BYTES,
  ]
  for (const fork of ['byzantium', 'berlin', 'osaka'] as const) {
    for (const data of inputs) {
      const { executionGasUsed } = await both(fork, '5', data, 2n ** 40n)
      if (executionGasUsed < 2n ** 40n) await both(fork, '5', data, executionGasUsed - 1n)
    }
  }
})

/** Whether hex of 33 bytes is a compressed point of P-256. */
function isPoint(hex: string): boolean {
  try {
    return p256.Point.fromHex(hex).toAffine().x >= 0n
  } catch {
    return false
  }
}

test('P-256 signatures', async () => {
  const { Point } = p256
  const n = Point.Fn.ORDER
  const p = Point.Fp.ORDER
  const word = (value: bigint) => bigToFixed(value, 32)
  const input = (hash: Uint8Array, r: bigint, s: bigint, { x, y }: { x: bigint; y: bigint }) =>
    concatBytes([hash, ...[r, s, x, y].map(word)])
  const check = async (data: Uint8Array) => (await both('osaka', '100', data)).returnValue.length === 32
  for (let k = 0; k < 12; k++) {
    const key = random.bytes(32)
    const hash = k === 0 ? new Uint8Array(32) : k === 1 ? new Uint8Array(32).fill(0xff) : random.bytes(32)
    const signature = p256.sign(hash, key, { prehash: false, lowS: false })
    const r = bytesToBig(signature.subarray(0, 32))
    const s = bytesToBig(signature.subarray(32))
    const point = Point.fromBytes(p256.getPublicKey(key)).toAffine()
    expect(await check(input(hash, r, s, point))).toBe(true)
    expect(await check(input(hash, r, n - s, point))).toBe(true)
    const data = input(hash, r, s, point)
    for (let j = 0; j < 4; j++) {
      const corrupted = data.slice()
      const at = random.below(160)
      corrupted[at] = (corrupted[at] ?? 0) ^ (1 << random.below(8))
      expect(await check(corrupted)).toBe(false)
    }
    expect(await check(input(hash, r, s, { x: 0n, y: 0n }))).toBe(false)
    // With a zero hash the signature is valid for the negated key too.
    expect(await check(input(hash, r, s, { x: point.x, y: p - point.y }))).toBe(k === 0)
    for (const bad of [0n, n, n + 1n]) {
      expect(await check(input(hash, bad, s, point))).toBe(false)
      expect(await check(input(hash, r, bad, point))).toBe(false)
    }
  }
  // Choose the hash so that (hash / r) G is the key (point doubling), or its negation (infinity).
  const secret = random.big(32) % n
  const point = Point.BASE.multiply(secret).toAffine()
  for (const factor of [secret, n - secret]) {
    const r = random.big(31)
    const hash = word((factor * r) % n)
    await check(input(hash, r, random.big(31), point))
  }
  // In the doubling case r is the x of (2 r / s) key: a valid signature, made without noble's signing.
  const s0 = random.big(31)
  const sum = Point.BASE.multiply(s0).toAffine()
  const r0 = sum.x % n
  // (hash + r d) / s = s0 with hash = r d gives s = 2 r d / s0.
  const s = (((2n * r0 * secret) % n) * Point.Fn.inv(s0)) % n
  expect(await check(input(word((r0 * secret) % n), r0, s, point))).toBe(true)
  // Coordinates must be below the field's order. With a small x of the key, R = G + key and hash = s = r the signature is
  // valid; only the encoding of x is wrong in the second input.
  const small = Array.from({ length: 50 }, (_, x) => `02${x.toString(16).padStart(64, '0')}`).find((hex) =>
    isPoint(hex),
  )
  const key = Point.fromHex(small ?? '')
  const r1 = Point.BASE.add(key).toAffine().x % n
  const { x, y } = key.toAffine()
  expect(await check(input(word(r1), r1, r1, { x, y }))).toBe(true)
  expect(x + p).toBeLessThan(2n ** 256n)
  expect(await check(input(word(r1), r1, r1, { x: x + p, y }))).toBe(false)
  await both('osaka', '100', input(word(1n), 1n, 1n, point), 6_899n)
  await both('osaka', '100', input(word(1n), 1n, 1n, point).subarray(1))
})

test('P-256 accepts a signature of OpenSSL', async () => {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys()
  const url = (bytes: Buffer) => bytes.toString('base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: url(ecdh.getPrivateKey()),
    x: url(publicKey.subarray(1, 33)),
    y: url(publicKey.subarray(33)),
  }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const message = Buffer.from('kestrel')
  const signature = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' })
  const hash = createHash('sha256').update(message).digest()
  const { returnValue } = await both('osaka', '100', concatBytes([hash, signature, publicKey.subarray(1)]))
  expect(bytesToBig(returnValue)).toBe(1n)
})

test('a cached result of a precompile is the same, and costs the same gas', async () => {
  let runs = 0
  const work: Precompile = (input, gas) => {
    runs++
    return gas < 3_000n ? failed(gas, 'out of gas') : succeeded(3_000n, input.slice(0, 2))
  }
  const address = precompileAddress('1')
  const precompiles = new Map([[address, work]])
  memoizeSlowPrecompiles(precompiles)
  const run = async (data: Uint8Array, gas: bigint) => {
    const result = await precompiles.get(address)?.(data, gas)
    return [result?.gasUsed, result && toHex(result.output), result?.failure?.message, runs]
  }
  const data = Uint8Array.of(1, 2, 3)
  expect(await run(data, 2_999n)).toEqual([2_999n, '0x', 'out of gas', 1])
  expect(await run(data, 3_000n)).toEqual([3_000n, '0x0102', undefined, 2])
  // The cache compares content, not identity.
  expect(await run(data.slice(), 9_000n)).toEqual([3_000n, '0x0102', undefined, 2])
  expect(await run(data, 2_999n)).toEqual([2_999n, '0x', 'out of gas', 3])
  data[0] = 9
  expect(await run(data, 9_000n)).toEqual([3_000n, '0x0902', undefined, 4])
  expect(await run(new Uint8Array(2_000), 9_000n)).toEqual([3_000n, '0x0000', undefined, 5])
  expect(await run(new Uint8Array(2_000), 9_000n)).toEqual([3_000n, '0x0000', undefined, 6])
})
