// References: ethers, viem and @ethereumjs/tx encode, sign, hash and recover the same random transactions.
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import { eoaCode7702RecoverAuthority } from '@ethereumjs/util'
import { Transaction as EthersTransaction } from 'ethers'
import fc from 'fast-check'
import { type TransactionSerializable, toHex as viemHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { kzg } from '../../src/primitives/kzg.ts'
import { SECP256K1_N } from '../../src/primitives/signature.ts'
import {
  decodeSigned,
  decodeTransaction,
  encodeTransaction,
  hasLowS,
  impersonatedTransaction,
  recoverAuthority,
  recoverSender,
  signingHash,
  signTransaction,
  type TransactionFields,
} from '../../src/primitives/transaction.ts'
import type { TransactionType } from '../../src/primitives/types.ts'
import { fields, privateKey, TYPES } from './arbitraries.ts'

const NAMES = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'] as const

/** The five types, and a legacy transaction without EIP-155. */
const KINDS: readonly [type: TransactionType, replayProtected: boolean][] = [
  ...TYPES.map((type) => [type, true] as [TransactionType, boolean]),
  [0, false],
]

/** The fields as viem takes them; its union of five types cannot be built field by field, hence the cast. */
function viemTransaction(tx: TransactionFields): TransactionSerializable {
  const { type, chainId, nonce, to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = tx
  const numeric = (value: bigint) => Number(value)
  return {
    type: NAMES[type],
    ...(chainId !== undefined && { chainId: numeric(chainId) }),
    nonce: numeric(nonce),
    to,
    value,
    data: viemHex(data),
    gas: gasLimit,
    ...(type < 2 ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas }),
    ...(type > 0 && { accessList: tx.accessList }),
    ...(type === 3 && { maxFeePerBlobGas: tx.maxFeePerBlobGas, blobVersionedHashes: tx.blobVersionedHashes }),
    ...(type === 4 && {
      authorizationList: tx.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
        chainId: numeric(chainId),
        address,
        nonce: numeric(nonce),
        yParity: numeric(yParity),
        r: viemHex(r, { size: 32 }),
        s: viemHex(s, { size: 32 }),
      })),
    }),
  } as unknown as TransactionSerializable
}

describe.each(KINDS)('type %i (EIP-155: %s)', (type, replayProtected) => {
  const arbitrary = fc.tuple(fields(type, replayProtected), privateKey)

  test('signs to the same bytes as viem', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([tx, key]) => {
        const account = privateKeyToAccount(toHex(key))
        const signed = signTransaction(tx, key)
        expect(toHex(signed.raw)).toBe(await account.signTransaction(viemTransaction(tx)))
        expect(signed.from).toBe(account.address.toLowerCase())
      }),
      { numRuns: 30 },
    )
  })

  test('is decoded by ethers to the signed fields', () => {
    fc.assert(
      fc.property(arbitrary, ([tx, key]) => {
        const signed = signTransaction(tx, key)
        const reference = EthersTransaction.from(toHex(signed.raw))
        expect(reference.hash).toBe(signed.hash)
        expect(reference.unsignedHash).toBe(signingHash(tx))
        expect(reference.from?.toLowerCase()).toBe(signed.from)
        expect({
          type: reference.type,
          chainId: reference.chainId,
          nonce: BigInt(reference.nonce),
          to: reference.to?.toLowerCase() ?? null,
          value: reference.value,
          data: reference.data,
          gasLimit: reference.gasLimit,
          fees: type < 2 ? [reference.gasPrice] : [reference.maxPriorityFeePerGas, reference.maxFeePerGas],
          maxFeePerBlobGas: reference.maxFeePerBlobGas ?? 0n,
          blobVersionedHashes: reference.blobVersionedHashes ?? [],
          r: BigInt(reference.signature?.r ?? 0),
          s: BigInt(reference.signature?.s ?? 0),
        }).toEqual({
          type,
          chainId: signed.chainId ?? 0n,
          nonce: signed.nonce,
          to: signed.to,
          value: signed.value,
          data: toHex(signed.data),
          gasLimit: signed.gasLimit,
          fees: type < 2 ? [signed.maxFeePerGas] : [signed.maxPriorityFeePerGas, signed.maxFeePerGas],
          maxFeePerBlobGas: signed.maxFeePerBlobGas,
          blobVersionedHashes: signed.blobVersionedHashes,
          r: signed.r,
          s: signed.s,
        })
      }),
      { numRuns: 30 },
    )
  })

  test('the hash and sender of a signed transaction equal those of @ethereumjs/tx', () => {
    fc.assert(
      fc.property(arbitrary, ([tx, key]) => {
        const { raw, hash, from } = signTransaction(tx, key)
        const common = new Common({
          chain: { ...Mainnet, chainId: Number(tx.chainId ?? 1n) },
          hardfork: Hardfork.Prague,
          customCrypto: { kzg },
        })
        const reference = createTxFromRLP(raw, { common })
        expect(toHex(reference.hash())).toBe(hash)
        expect(reference.getSenderAddress().toString()).toBe(from)
      }),
      { numRuns: 15 },
    )
  })

  test('a signed transaction decodes to its fields, and encodes to the same bytes', () => {
    fc.assert(
      fc.property(arbitrary, ([tx, key]) => {
        const { raw, from } = signTransaction(tx, key)
        const decoded = decodeSigned(raw)
        expect(decoded).toMatchObject(tx)
        expect(decoded.from).toBe(from)
        expect(hasLowS(decoded)).toBe(true)
        expect(encodeTransaction(decoded)).toEqual(raw)
      }),
      { numRuns: 50 },
    )
  })

  test('an impersonated transaction has the given fields and a hash that depends on the sender', () => {
    fc.assert(
      fc.property(fields(type, replayProtected), (tx) => {
        const a = impersonatedTransaction(tx, hexToAddress(`0x${'a'.repeat(40)}`))
        const b = impersonatedTransaction(tx, hexToAddress(`0x${'b'.repeat(40)}`))
        expect(a).toMatchObject(tx)
        expect(a.raw).toEqual(b.raw)
        expect(a.hash).not.toBe(b.hash)
        expect(() => decodeTransaction(a.raw)).toThrow('invalid transaction v, r, s values')
      }),
      { numRuns: 20 },
    )
  })
})

test('a transaction is signed as in the example of EIP-155', () => {
  // https://eips.ethereum.org/EIPS/eip-155#example
  const signed = signTransaction(
    {
      type: 0,
      chainId: 1n,
      nonce: 9n,
      maxFeePerGas: 20n * 10n ** 9n,
      maxPriorityFeePerGas: 20n * 10n ** 9n,
      gasLimit: 21000n,
      to: hexToAddress(`0x${'35'.repeat(20)}`),
      value: 10n ** 18n,
      data: new Uint8Array(0),
      accessList: [],
      blobVersionedHashes: [],
      maxFeePerBlobGas: 0n,
      authorizationList: [],
    },
    fromHex(`0x${'46'.repeat(32)}`),
  )
  expect(signingHash(signed)).toBe('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53')
  expect(toHex(signed.raw)).toBe(
    '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  )
})

test('a high s of a signature recovers to the same sender', () => {
  fc.assert(
    fc.property(fields(2), privateKey, (tx, key) => {
      const signed = signTransaction(tx, key)
      const mirrored = decodeTransaction(encodeTransaction({ ...signed, v: 1n - signed.v, s: SECP256K1_N - signed.s }))
      expect(hasLowS(mirrored)).toBe(false)
      expect(recoverSender(mirrored)).toBe(signed.from)
    }),
    { numRuns: 20 },
  )
})

test('a signature without a public key has no sender', () => {
  // 5 is not the x of a point: 5^3 + 7 = 132 is not a square modulo p.
  const [tx] = fc.sample(fields(2), 1)
  if (!tx) throw new Error('no sample')
  const transaction = decodeTransaction(encodeTransaction({ ...tx, v: 0n, r: 5n, s: 1n }))
  expect(() => recoverSender(transaction)).toThrow(expect.objectContaining({ code: 'transaction-rejected' }))
  expect(() => recoverSender(transaction)).toThrow('invalid sender')
})

test('a typed transaction needs a chain id to be signed', () => {
  const [tx] = fc.sample(fields(2), 1)
  if (!tx) throw new Error('no sample')
  expect(() => signTransaction({ ...tx, chainId: undefined }, new Uint8Array(32).fill(1))).toThrow(
    expect.objectContaining({ code: 'invalid-params' }),
  )
})

describe('EIP-7702 authorizations', () => {
  const address = hexToAddress(`0x${'42'.repeat(20)}`)
  const account = privateKeyToAccount(`0x${'17'.repeat(32)}`)
  const signed = async (chainId: number, nonce: number) => {
    const { r, s, yParity } = await account.signAuthorization({ address, chainId, nonce })
    return {
      chainId: BigInt(chainId),
      address,
      nonce: BigInt(nonce),
      yParity: BigInt(yParity ?? 9),
      r: BigInt(r),
      s: BigInt(s),
    }
  }

  test.each([
    [0, 0],
    [1, 0],
    [125, 7],
    [2 ** 40, 2 ** 33],
  ])('recovers the authority of a tuple that viem signed for chain %i and nonce %i', async (chainId, nonce) => {
    expect(recoverAuthority(await signed(chainId, nonce))).toBe(account.address.toLowerCase())
  })

  test('random signatures have the authority that @ethereumjs/util recovers, or none', () => {
    fc.assert(
      fc.property(fields(4), ({ authorizationList }) => {
        for (const tuple of authorizationList) {
          const { chainId, nonce, yParity, r, s } = tuple
          const hex = (value: bigint) => `0x${value.toString(16)}` as const
          let expected: string | undefined
          try {
            expected = eoaCode7702RecoverAuthority({
              chainId: hex(chainId),
              address: tuple.address,
              nonce: hex(nonce),
              yParity: hex(yParity),
              r: hex(r),
              s: hex(s),
            }).toString()
          } catch {
            expected = undefined
          }
          expect(recoverAuthority(tuple)).toBe(expected)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('a high s, a wrong parity, or r or s out of range has no authority', async () => {
    const good = await signed(125, 1)
    const bad = [
      { ...good, s: SECP256K1_N - good.s, yParity: 1n - good.yParity },
      { ...good, yParity: 2n },
      { ...good, yParity: 27n + good.yParity },
      { ...good, r: 0n },
      { ...good, s: 0n },
      { ...good, r: SECP256K1_N },
      { ...good, r: 2n ** 256n - 1n },
    ]
    expect(bad.map(recoverAuthority)).toEqual(bad.map(() => undefined))
  })
})
