// The consensus encodings of the five transaction types: legacy (with and without EIP-155), EIP-2930, 1559, 4844, 7702.
// A decoded transaction encodes to the same bytes. It has views of the input, which must not be changed.
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToBytes, bigToFixed, fromHex, type Hash, toAddress } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import {
  asAddress,
  asBytes,
  asHash,
  asList,
  asListOf,
  asUint,
  concatBytes,
  decodeRlp,
  encodeRlp,
  encodeTyped,
  firstItems,
  joinList,
  Malformed,
  type RlpItem,
  reading,
} from './rlp.ts'
import { isScalar, MAX_LOW_S, privateKeyToAddress, recoverAddress, signHash } from './signature.ts'
import type {
  AccessList,
  Authorization,
  SignedTransaction,
  Transaction,
  TransactionMessage,
  TransactionType,
} from './types.ts'

/** The signed fields of a transaction. Types 0 and 1 have their gas price in `maxFeePerGas`. */
export type TransactionFields = Omit<TransactionMessage, 'from'> & Pick<Transaction, 'type' | 'chainId'>

const UINT64 = 8
const UINT256 = 32
const MAX_UINT64 = 2n ** 64n - 1n
const MAX_UINT256 = 2n ** 256n - 1n
/** The empty list, shared, because most transactions have several. */
const NONE: readonly never[] = []
/** First byte of the message that an EIP-7702 authority signs. */
const AUTHORIZATION_MAGIC = 0x05
/** Number of elements of a signed transaction, by type. */
const ELEMENTS = [9, 11, 12, 14, 13] as const
/** v, r and s, the last elements of every type. */
const SIGNATURE_ELEMENTS = 3

/**
 * Decodes a transaction and checks all rules that need no chain: form, ranges, fees, and that v, r and s are in range.
 * `recoverSender` checks the signature, `hasLowS` EIP-2's rule. Pass `hash` when it is known. Throws ChainError
 * `transaction-rejected`.
 */
export function decodeTransaction(raw: Uint8Array, hash?: Hash): SignedTransaction {
  return reading('transaction-rejected', () => {
    const transaction = parseTransaction(raw, hash)
    const { type, v, r, s } = transaction
    const knownV = type === 0 ? v === 27n || v === 28n || v >= 35n : v <= 1n
    if (!knownV || !isScalar(r) || !isScalar(s)) throw new Malformed('invalid transaction v, r, s values')
    return transaction
  })
}

/** Like `decodeTransaction`, with the sender. Throws ChainError `transaction-rejected`. */
export function decodeSigned(raw: Uint8Array): Transaction {
  const transaction = decodeTransaction(raw)
  return withSender(transaction, recoverSender(transaction))
}

/** The account that signed. Throws ChainError `transaction-rejected` for an invalid signature. */
export function recoverSender(transaction: SignedTransaction): Address {
  const { r, s } = transaction
  const sender = recoverAddress(signedDigest(transaction), r, s, parityOf(transaction))
  if (sender === undefined) throw new ChainError('transaction-rejected', 'invalid sender')
  return sender
}

/** A signature in the form of `Curve.recover`: the signed hash, and r and s as 64 bytes. */
export type RecoverableSignature = { readonly hash: Uint8Array; readonly compact: Uint8Array; readonly yParity: 0 | 1 }

/** The transaction's signature, for recovery in a worker thread; undefined when its values are out of range. */
export function signatureOf(transaction: SignedTransaction): RecoverableSignature | undefined {
  const { r, s } = transaction
  const parity = parityOf(transaction)
  if (!isScalar(r) || !isScalar(s) || (parity !== 0n && parity !== 1n)) return undefined
  const compact = concatBytes([bigToFixed(r, 32), bigToFixed(s, 32)])
  return { hash: signedDigest(transaction), compact, yParity: parity === 0n ? 0 : 1 }
}

const parityOf = ({ type, v }: SignedTransaction): bigint => {
  if (type !== 0) return v
  return v >= 35n ? (v - 35n) % 2n : v - 27n
}

/** EIP-2: from Homestead on, only the lower of the two possible values of s is valid. */
export const hasLowS = (transaction: Pick<SignedTransaction, 's'>): boolean => transaction.s <= MAX_LOW_S

/** The account that signed an EIP-7702 tuple; undefined when the signature is invalid or its s is high. */
export function recoverAuthority(authorization: Authorization): Address | undefined {
  const { chainId, address, nonce, yParity, r, s } = authorization
  if (s > MAX_LOW_S) return undefined
  const tuple = encodeRlp([bigToBytes(chainId), fromHex(address), bigToBytes(nonce)])
  return recoverAddress(keccak256(concatBytes([Uint8Array.of(AUTHORIZATION_MAGIC), tuple])), r, s, yParity)
}

/** The consensus encoding of the fields. Checks nothing. */
export function encodeTransaction(transaction: TransactionFields & Pick<Transaction, 'v' | 'r' | 's'>): Uint8Array {
  const { v, r, s } = transaction
  return envelope(transaction.type, [...signedFields(transaction), bigToBytes(v), bigToBytes(r), bigToBytes(s)])
}

/** The hash that the sender signs; by EIP-155 for a legacy transaction with a chain id. */
export const signingHash = (fields: TransactionFields): Hash => keccakHash(signingPayload(fields))

/**
 * Signs the fields. The result is decoded from its encoding, so that it obeys all rules of `decodeTransaction`.
 * Throws ChainError `transaction-rejected` for fields that break one, `invalid-params` for a typed transaction without
 * a chain id, and an Error for an invalid key.
 */
export function signTransaction(fields: TransactionFields, privateKey: Uint8Array): Transaction {
  const { type, chainId } = fields
  if (type !== 0 && chainId === undefined)
    throw new ChainError('invalid-params', 'a typed transaction needs a chain id')
  const { r, s, yParity } = signHash(signingDigest(fields), privateKey)
  const raw = encodeTransaction({ ...fields, v: wireV(fields, BigInt(yParity)), r, s })
  return withSender(decodeTransaction(raw), privateKeyToAddress(privateKey))
}

/**
 * An unsigned transaction of an impersonated account (development only): r and s are zero. The hash covers the sender too,
 * because equal fields of two senders have the same encoding. Throws ChainError `transaction-rejected`.
 */
export function impersonatedTransaction(fields: TransactionFields, from: Address): Transaction {
  const raw = encodeTransaction({ ...fields, v: wireV(fields, 0n), r: 0n, s: 0n })
  const hash = keccakHash(concatBytes([raw, fromHex(from)]))
  return withSender(
    reading('transaction-rejected', () => parseTransaction(raw, hash)),
    from,
  )
}

/** An unsigned transaction that represents a call in a simulated block. Checks nothing. */
export function unsignedTransaction(fields: TransactionFields, from: Address): Transaction {
  const signature = { v: 0n, r: 0n, s: 0n }
  const raw = encodeTransaction({ ...fields, ...signature })
  return { ...fields, ...signature, from, hash: keccakHash(raw), raw }
}

/**
 * `decodeTransaction` without the check of v, r and s, for transactions that this node has accepted before. Throws Malformed.
 * Pass `hash` when it is known, or is not the hash of the encoding.
 */
export function parseTransaction(raw: Uint8Array, hash: Hash = keccakHash(raw)): SignedTransaction {
  const type = typeOf(raw)
  const items = asListOf(decodeRlp(type === 0 ? raw : raw.subarray(1)), [ELEMENTS[type]], 'transaction')
  let at = 0
  const next = () => items[at++]
  // All types have their fields in this order, and each type has some of them.
  const typedChainId = type === 0 ? undefined : asUint(next(), 'chainId', UINT256)
  const nonce = asUint(next(), 'nonce', UINT64)
  const maxPriorityFeePerGas = asUint(next(), type < 2 ? 'gasPrice' : 'maxPriorityFeePerGas', UINT256)
  const maxFeePerGas = type < 2 ? maxPriorityFeePerGas : asUint(next(), 'maxFeePerGas', UINT256)
  const gasLimit = asUint(next(), 'gasLimit', UINT64)
  const to = readTo(next())
  const value = asUint(next(), 'value', UINT256)
  const data = asBytes(next(), 'data')
  const accessList = type === 0 ? NONE : readAccessList(next())
  const maxFeePerBlobGas = type === 3 ? asUint(next(), 'maxFeePerBlobGas', UINT256) : 0n
  const blobVersionedHashes = type === 3 ? readBlobHashes(next()) : NONE
  const authorizationList = type === 4 ? asList(next(), 'authorizationList').map(readAuthorization) : NONE
  const v = asUint(next(), 'v', UINT256)
  const r = asUint(next(), 'r', UINT256)
  const s = asUint(next(), 's', UINT256)
  const chainId = type === 0 && v >= 35n ? (v - 35n) / 2n : typedChainId

  if (nonce === MAX_UINT64) throw new Malformed('nonce has max value')
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new Malformed('max priority fee per gas higher than max fee per gas')
  }
  if (gasLimit * maxFeePerGas > MAX_UINT256) throw new Malformed('gas limit times fee does not fit 256 bits')
  if (to === null && type === 3) throw new Malformed('blob transaction of type create')
  if (to === null && type === 4) throw new Malformed('set code transaction of type create')
  if (type === 3 && blobVersionedHashes.length === 0) throw new Malformed('blob transaction missing blob hashes')
  if (type === 4 && authorizationList.length === 0) throw new Malformed('set code transaction with empty auth list')

  return {
    type,
    chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gasLimit,
    to,
    value,
    data,
    accessList,
    maxFeePerBlobGas,
    blobVersionedHashes,
    authorizationList,
    v,
    r,
    s,
    hash,
    raw,
  }
}

function typeOf(raw: Uint8Array): TransactionType {
  const first = raw[0]
  if (first !== undefined && first >= 0x80) return 0
  if (raw.length <= 1) throw new Malformed('typed transaction too short')
  if (first === 1 || first === 2 || first === 3 || first === 4) return first
  throw new Malformed('transaction type not supported')
}

function readTo(item: RlpItem | undefined): Address | null {
  const bytes = asBytes(item, 'to')
  if (bytes.length === 0) return null
  if (bytes.length === 20) return toAddress(bytes)
  throw new Malformed('rlp: to must have 0 or 20 bytes')
}

function readAccessList(item: RlpItem | undefined): AccessList {
  const entries = asList(item, 'accessList')
  if (entries.length === 0) return NONE
  return entries.map((entry) => {
    const [address, keys] = asListOf(entry, [2], 'access list entry')
    return {
      address: asAddress(address, 'access list address'),
      storageKeys: asList(keys, 'storageKeys').map((key) => asHash(key, 'storage key')),
    }
  })
}

const readBlobHashes = (item: RlpItem | undefined): readonly Hash[] =>
  asList(item, 'blobVersionedHashes').map((hash) => asHash(hash, 'blob versioned hash'))

/** Checks EIP-7702's ranges. An invalid signature is not an error here. */
function readAuthorization(item: RlpItem): Authorization {
  const [chainId, address, nonce, yParity, r, s] = asListOf(item, [6], 'authorization')
  return {
    chainId: asUint(chainId, 'authorization chainId', UINT256),
    address: asAddress(address, 'authorization address'),
    nonce: asUint(nonce, 'authorization nonce', UINT64),
    yParity: asUint(yParity, 'authorization yParity', 1),
    r: asUint(r, 'authorization r', UINT256),
    s: asUint(s, 'authorization s', UINT256),
  }
}

/** The fields that are signed, in the order `parseTransaction` reads them. */
function signedFields(fields: TransactionFields): RlpItem[] {
  const { type, chainId = 0n } = fields
  return [
    ...(type === 0 ? [] : [bigToBytes(chainId)]),
    bigToBytes(fields.nonce),
    ...(type < 2 ? [] : [bigToBytes(fields.maxPriorityFeePerGas)]),
    bigToBytes(fields.maxFeePerGas),
    bigToBytes(fields.gasLimit),
    fromHex(fields.to ?? '0x'),
    bigToBytes(fields.value),
    fields.data,
    ...(type === 0 ? [] : [writeAccessList(fields.accessList)]),
    ...(type === 3 ? [bigToBytes(fields.maxFeePerBlobGas), fields.blobVersionedHashes.map(fromHex)] : []),
    ...(type === 4 ? [fields.authorizationList.map(writeAuthorization)] : []),
  ]
}

const writeAccessList = (accessList: AccessList): RlpItem[] =>
  accessList.map(({ address, storageKeys }) => [fromHex(address), storageKeys.map(fromHex)])

const writeAuthorization = ({ chainId, address, nonce, yParity, r, s }: Authorization): RlpItem[] => [
  bigToBytes(chainId),
  fromHex(address),
  ...[nonce, yParity, r, s].map(bigToBytes),
]

function signingPayload(fields: TransactionFields): Uint8Array {
  return envelope(fields.type, [...signedFields(fields), ...replayProtection(fields)])
}

const signingDigest = (fields: TransactionFields): Uint8Array => keccak256(signingPayload(fields))

/** The digest of a signed transaction, from its encoding: the fields need not be encoded again. */
function signedDigest(transaction: SignedTransaction): Uint8Array {
  const { type, raw } = transaction
  const fields = firstItems(type === 0 ? raw : raw.subarray(1), ELEMENTS[type] - SIGNATURE_ELEMENTS)
  const payload = joinList([fields, ...replayProtection(transaction).map(encodeRlp)])
  return keccak256(type === 0 ? payload : concatBytes([Uint8Array.of(type), payload]))
}

/** EIP-155: the additional signed items of a legacy transaction with a chain id. */
const replayProtection = ({ type, chainId }: TransactionFields): Uint8Array[] =>
  type === 0 && chainId !== undefined ? [chainId, 0n, 0n].map(bigToBytes) : []

function wireV({ type, chainId }: TransactionFields, yParity: bigint): bigint {
  if (type !== 0) return yParity
  return yParity + (chainId === undefined ? 27n : chainId * 2n + 35n)
}

const envelope = (type: TransactionType, fields: RlpItem[]): Uint8Array => encodeTyped(type, fields)

/** Adds the sender. Field by field, because an object spread of 18 fields takes twenty times as long. */
export const withSender = (transaction: SignedTransaction, from: Address): Transaction => ({
  type: transaction.type,
  chainId: transaction.chainId,
  nonce: transaction.nonce,
  maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
  maxFeePerGas: transaction.maxFeePerGas,
  gasLimit: transaction.gasLimit,
  to: transaction.to,
  value: transaction.value,
  data: transaction.data,
  accessList: transaction.accessList,
  maxFeePerBlobGas: transaction.maxFeePerBlobGas,
  blobVersionedHashes: transaction.blobVersionedHashes,
  authorizationList: transaction.authorizationList,
  v: transaction.v,
  r: transaction.r,
  s: transaction.s,
  hash: transaction.hash,
  raw: transaction.raw,
  from,
})
