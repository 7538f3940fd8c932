// Expected messages: geth's core/error.go, core/txpool/errors.go and validation.go; numbers computed by hand from the EIPs.
import { describe, expect, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { type AdmissionRules, checkAdmission, checkSidecar } from '../../src/pool/admission.ts'
import type { PoolHead } from '../../src/pool/types.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { account, ETHER, GWEI, hash, head, osaka, transaction } from './support.ts'

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const authorization = { chainId: 125n, address: account(9), nonce: 0n, yParity: 0n, r: 1n, s: 1n }
const blobHash = (n: number) => `0x01${hash(n).slice(4)}` as const
const blobs = (count: number, fields: Partial<Transaction> = {}): Transaction =>
  transaction({
    type: 3,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: Array.from({ length: count }, (_, n) => blobHash(n) as Transaction['hash']),
    ...fields,
  })

type Case = [name: string, transaction: Transaction, words: string, rules?: Partial<AdmissionRules>, head?: PoolHead]

const refusals: Case[] = [
  [
    'a used nonce',
    transaction({ nonce: 3n }),
    'nonce too low: next nonce 5, tx nonce 3',
    {},
    head({ nonces: new Map([[account(1), 5n]]) }),
  ],
  [
    'a balance below gas and value',
    // 21,000 gas at 1 wei and 1 wei of value
    transaction({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, value: 1n }),
    'insufficient funds for gas * price + value: balance 20999, tx cost 21001, overshot 2',
    {},
    head({ balances: new Map([[account(1), 20_999n]]) }),
  ],
  [
    'a balance below gas, value and blob gas',
    // 131,072 blob gas at 3 wei and 21,000 gas at 2 wei
    blobs(1, { maxFeePerBlobGas: 3n, maxFeePerGas: 2n, maxPriorityFeePerGas: 0n }),
    'insufficient funds for gas * price + value: balance 435215, tx cost 435216, overshot 1',
    {},
    head({ balances: new Map([[account(1), 435_215n]]) }),
  ],
  ['too little gas', transaction({ gasLimit: 20_000n }), 'intrinsic gas too low: gas 20000, minimum needed 21000'],
  [
    'too little gas for a creation with one word of initcode',
    // 21,000 + 32,000 + 16 + 2
    transaction({ to: null, data: Uint8Array.of(1), gasLimit: 53_017n }),
    'intrinsic gas too low: gas 53017, minimum needed 53018',
  ],
  [
    'gas under the calldata floor',
    // EIP-7623: 21,000 + 10 * 4 * 100 = 25,000; intrinsic is 21,000 + 16 * 100 = 22,600
    transaction({ data: new Uint8Array(100).fill(1), gasLimit: 24_999n }),
    'insufficient gas for floor data gas cost: gas 24999, minimum needed 25000',
  ],
  [
    'gas over the block limit',
    transaction({ gasLimit: 30_001n }),
    'exceeds block gas limit',
    {},
    head({ gasLimit: 30_000n }),
  ],
  [
    'gas over the EIP-7825 cap',
    transaction({ gasLimit: 16_777_217n }),
    'transaction gas limit too high (cap: 16777216, tx: 16777217)',
  ],
  [
    'a tip over the fee cap',
    transaction({ maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI + 1n }),
    'max priority fee per gas higher than max fee per gas',
  ],
  [
    'a tip below the minimum',
    transaction({ maxPriorityFeePerGas: 0n }),
    'transaction underpriced: gas tip cap 0, minimum needed 1',
    { minTip: 1n },
  ],
  [
    'a fee cap below the floor of the base fee',
    transaction({ maxFeePerGas: 6n, maxPriorityFeePerGas: 0n }),
    'transaction underpriced: gas fee cap 6, minimum needed 7',
    {},
    head({ minBaseFee: 7n }),
  ],
  ['a fee cap of 257 bits', transaction({ maxFeePerGas: 2n ** 256n }), 'max fee per gas higher than 2^256-1'],
  [
    'a tip cap of 257 bits',
    transaction({ maxPriorityFeePerGas: 2n ** 256n }),
    'max priority fee per gas higher than 2^256-1',
  ],
  ['the last nonce (EIP-2681)', transaction({ nonce: 2n ** 64n - 1n }), 'nonce has max value'],
  ['another chain', transaction({ chainId: 1n }), 'invalid sender: invalid chain id for signer: have 1 want 125'],
  [
    // EIP-2: secp256k1's order is 0xff..ff_baaedce6_af48a03b_bfd25e8c_d0364141; half of it, rounded down, is the limit.
    'a high s from Homestead',
    transaction({ s: HALF_ORDER + 1n }),
    'invalid sender: invalid transaction v, r, s values',
  ],
  [
    'a legacy transaction without a chain id',
    transaction({ type: 0, chainId: undefined }),
    'only replay-protected (EIP-155) transactions allowed over RPC',
  ],
  [
    'initcode over the EIP-3860 limit',
    transaction({ to: null, data: new Uint8Array(49_153), gasLimit: 1_000_000n }),
    'max initcode size exceeded: code size 49153, limit 49152',
  ],
  [
    'a contract as sender (EIP-3607)',
    transaction(),
    `sender not an eoa: address ${account(1)}, len(code): 2`,
    {},
    head({ codes: new Map([[account(1), Uint8Array.of(0x60, 0)]]) }),
  ],
  [
    'code that only begins like a delegation',
    transaction(),
    `sender not an eoa: address ${account(1)}, len(code): 3`,
    {},
    head({ codes: new Map([[account(1), fromHex('0xef0100')]]) }),
  ],
  [
    'an oversized transaction',
    transaction({ raw: new Uint8Array(131_073) }),
    'oversized data: transaction size 131073, limit 131072',
  ],
  ['no blobs', blobs(0), 'blobless blob transaction'],
  ['seven blobs from Osaka (EIP-7594)', blobs(7), 'too many blobs in transaction: have 7, permitted 6'],
  ['ten blobs in Prague', blobs(10), 'too many blobs in transaction: have 10, permitted 9', { osaka: false }],
  [
    'a blob fee cap of zero',
    blobs(1, { maxFeePerBlobGas: 0n }),
    'transaction underpriced: blob fee cap 0, minimum needed 1',
  ],
  [
    'a versioned hash of another version',
    blobs(0, { blobVersionedHashes: [blobHash(1) as Transaction['hash'], hash(2)] }),
    'blob 1 has invalid hash version',
  ],
  [
    'a blob transaction in a network',
    blobs(1),
    'transaction type not supported: type 3 rejected, blocks of a network have no blobs',
    { takesBlobs: false },
  ],
  ['a blob transaction that creates', blobs(1, { to: null }), 'blob transaction of type create'],
  [
    'a set-code transaction that creates',
    transaction({ type: 4, to: null, authorizationList: [authorization] }),
    'EIP-7702 transaction cannot be used to create contract',
  ],
  [
    'a set-code transaction without authorizations',
    transaction({ type: 4 }),
    'set code tx must have at least one authorization tuple',
  ],
  [
    'an access list before Berlin',
    transaction({ type: 1 }),
    'transaction type not supported: type 1 rejected, pool not yet in Berlin',
    { berlin: false },
  ],
  [
    'a fee cap before London',
    transaction({ type: 2 }),
    'transaction type not supported: type 2 rejected, pool not yet in London',
    { london: false },
  ],
  [
    'a blob before Cancun',
    blobs(1),
    'transaction type not supported: type 3 rejected, pool not yet in Cancun',
    { cancun: false },
  ],
  [
    'a set-code transaction before Prague',
    transaction({ type: 4, authorizationList: [authorization] }),
    'transaction type not supported: type 4 rejected, pool not yet in Prague',
    { prague: false },
  ],
]

const admissions: [string, Transaction, Partial<AdmissionRules>?, PoolHead?][] = [
  ['a plain transfer', transaction()],
  [
    'a balance that equals the cost',
    transaction({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, value: 1n }),
    {},
    head({ balances: new Map([[account(1), 21_001n]]) }),
  ],
  ['a nonce ahead of the account', transaction({ nonce: 7n })],
  ['a fee cap below the base fee', transaction({ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })],
  ['no tip when there is no minimum', transaction({ maxPriorityFeePerGas: 0n })],
  ['the highest low s', transaction({ s: HALF_ORDER })],
  ['a high s before Homestead', transaction({ type: 0, s: HALF_ORDER + 1n }), { homestead: false }],
  ['a gas limit equal to the block limit', transaction({ gasLimit: 30_000n }), {}, head({ gasLimit: 30_000n })],
  ['a gas limit equal to the EIP-7825 cap', transaction({ gasLimit: 16_777_216n })],
  ['any gas limit without a cap', transaction({ gasLimit: 30_000_000n }), { transactionGasCap: undefined }],
  ['a gas limit equal to the calldata floor', transaction({ data: new Uint8Array(100).fill(1), gasLimit: 25_000n })],
  [
    'a gas limit below the calldata floor before Prague',
    transaction({ data: new Uint8Array(100).fill(1), gasLimit: 22_600n }),
    { prague: false, osaka: false },
  ],
  ['an unprotected transaction if allowed', transaction({ type: 0, chainId: undefined }), { allowUnprotected: true }],
  ['initcode of 49,152 bytes', transaction({ to: null, data: new Uint8Array(49_152), gasLimit: 2_000_000n })],
  [
    'long initcode before Shanghai',
    transaction({ to: null, data: new Uint8Array(50_000), gasLimit: 2_000_000n }),
    { shanghai: false },
  ],
  ['six blobs', blobs(6)],
  ['nine blobs in Prague', blobs(9), { osaka: false }],
  ['an authorization', transaction({ type: 4, authorizationList: [authorization], gasLimit: 46_000n })],
  [
    'a delegated account (EIP-7702)',
    transaction(),
    {},
    head({ codes: new Map([[account(1), fromHex(`0xef0100${'ab'.repeat(20)}`)]]) }),
  ],
  [
    'an impersonated contract, which has no signature',
    transaction({ r: 0n, s: 0n }),
    {},
    head({ codes: new Map([[account(1), Uint8Array.of(0)]]) }),
  ],
]

describe('checkAdmission (admission rules)', () => {
  test.each(refusals)('refuses %s', (_, refused, words, rules = {}, at = head()) => {
    expect(() => checkAdmission(refused, at, { ...osaka, ...rules })).toThrow(
      new ChainError('transaction-rejected', words),
    )
  })

  test.each(admissions)('admits %s', (_, admitted, rules = {}, at = head()) => {
    expect(() => checkAdmission(admitted, at, { ...osaka, ...rules })).not.toThrow()
  })
})

describe('checkSidecar (blob sidecars)', () => {
  const parts = (count: number) => Array.from({ length: count }, () => new Uint8Array(48))
  const sidecar = (version: 0 | 1, blobCount: number, commitments: number, proofs: number) => ({
    version,
    blobs: parts(blobCount),
    commitments: parts(commitments),
    proofs: parts(proofs),
  })

  test.each([
    ['no sidecar', undefined, 'missing sidecar in blob transaction'],
    ['a missing blob', sidecar(0, 1, 2, 2), 'invalid number of 1 blobs compared to 2 blob hashes'],
    ['a missing commitment', sidecar(0, 2, 1, 2), 'invalid number of 1 blob commitments compared to 2 blob hashes'],
    ['an extra blob proof', sidecar(0, 2, 2, 3), 'invalid number of 3 blob proofs expected 2'],
    [
      'blob proofs instead of cell proofs (EIP-7594)',
      sidecar(1, 2, 2, 2),
      'invalid number of 2 blob proofs expected 256',
    ],
  ])('refuses %s', (_, given, words) => {
    expect(() => checkSidecar(blobs(2), given)).toThrow(new ChainError('transaction-rejected', words))
  })

  test('admits sidecars of either version, and none before blob transactions exist', () => {
    expect(() => checkSidecar(blobs(2), sidecar(0, 2, 2, 2))).not.toThrow()
    expect(() => checkSidecar(blobs(2), sidecar(1, 2, 2, 256))).not.toThrow()
    expect(() => checkSidecar(transaction({ value: ETHER }), undefined)).not.toThrow()
  })
})
