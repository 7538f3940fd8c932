// Pools, transactions and heads for the pool's tests: plain records in which a test sets only the fields it is about.
import { ChainError } from '../../src/lib/errors.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../../src/lib/hex.ts'
import type { AdmissionRules } from '../../src/pool/admission.ts'
import { Pool, type PoolLimits } from '../../src/pool/txpool.ts'
import type { PoolHead } from '../../src/pool/types.ts'
import type { Transaction } from '../../src/primitives/types.ts'

export const GWEI = 10n ** 9n
export const ETHER = 10n ** 18n

export const account = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}` as Address
export const hash = (n: number | bigint): Hash => `0x${n.toString(16).padStart(64, '0')}` as Hash

let hashes = 0

/** A transfer of 0 wei by account 1, type 2, 21,000 gas at 10 gwei with a tip of 1 gwei; each has a new hash. */
export const transaction = (fields: Partial<Transaction> = {}): Transaction => ({
  type: 2,
  chainId: 125n,
  from: account(1),
  to: account(0xee),
  nonce: 0n,
  value: 0n,
  data: EMPTY_BYTES,
  gasLimit: 21_000n,
  maxFeePerGas: 10n * GWEI,
  maxPriorityFeePerGas: GWEI,
  accessList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: 0n,
  authorizationList: [],
  v: 0n,
  r: 1n,
  s: 1n,
  hash: hash(++hashes),
  raw: new Uint8Array(110),
  ...fields,
})

/** Osaka with mainnet's limits. */
export const osaka: AdmissionRules = {
  chainId: 125n,
  homestead: true,
  istanbul: true,
  berlin: true,
  london: true,
  shanghai: true,
  cancun: true,
  prague: true,
  osaka: true,
  amsterdam: false,
  transactionGasCap: 16_777_216n,
  executionGasCap: undefined,
  maxInitcodeSize: 49_152,
  maxBlobs: 9,
  takesBlobs: true,
  maxSize: 131_072,
  minTip: 0n,
  allowUnprotected: false,
}

type HeadFields = Partial<Omit<PoolHead, 'nonce' | 'balance' | 'code'>> & {
  readonly nonces?: ReadonlyMap<Address, bigint>
  readonly balances?: ReadonlyMap<Address, bigint>
  readonly codes?: ReadonlyMap<Address, Uint8Array>
}

/** A head at which every account has 1,000 ether, nonce 0 and no code; base fee 1 gwei. */
export const head = ({ nonces, balances, codes, ...fields }: HeadFields = {}): PoolHead => ({
  number: 1n,
  gasLimit: 36_000_000n,
  baseFeePerGas: GWEI,
  minBaseFee: 0n,
  blobBaseFee: 1n,
  nonce: (of) => nonces?.get(of) ?? 0n,
  balance: (of) => balances?.get(of) ?? 1_000n * ETHER,
  code: (of) => codes?.get(of) ?? EMPTY_BYTES,
  ...fields,
})

export const alice = account(1)
export const bob = account(2)
export const carol = account(3)

export const open = (at: PoolHead = head(), limits?: Partial<PoolLimits>) => new Pool(at, () => osaka, limits)
export const names = (transactions: Iterable<Transaction>) =>
  [...transactions].map(({ from, nonce }) => `${Number(from)}/${nonce}`)
export const ready = (pool: Pool) => names(pool.ready())
export const refusal = (words: string) => new ChainError('transaction-rejected', words)
export const send = (pool: Pool, fields: Partial<Transaction>): Transaction => {
  const sent = transaction(fields)
  pool.add(sent, undefined)
  return sent
}
export const nonces = (...entries: [Address, bigint][]) => ({ nonces: new Map(entries) })
