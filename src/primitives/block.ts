// The RLP of blocks, as in messages and exported files: header, transactions, uncles and, from Shanghai, withdrawals. A
// network's block has its commit info as a fifth item.
// A legacy transaction is inserted as an RLP list, a typed one as a byte string (EIP-2718). Both keep their original bytes.
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, fromHex, type Hash, hexToHash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { decodeCommitInfo, encodeCommitInfo } from './commit-info.ts'
import { decodeHeader, encodeHeader } from './header.ts'
import {
  asAddress,
  asBytes,
  asListOf,
  asUint,
  decodeRlp,
  encodedLength,
  encodeRlp,
  joinList,
  Malformed,
  prefixLength,
  reading,
  splitItems,
  splitList,
} from './rlp.ts'
import { decodeTransaction } from './transaction.ts'
import type { Block, CommitInfo, Header, SealedHeader, SignedTransaction, Transaction, Withdrawal } from './types.ts'

/** `unclesHash` of no uncles. */
export const EMPTY_UNCLES_HASH: Hash = hexToHash('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')

/** A decoded block. Its transactions' senders have not been recovered. */
export type DecodedBlock = {
  readonly header: SealedHeader
  readonly transactions: readonly SignedTransaction[]
  readonly uncles: readonly SealedHeader[]
  /** undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly commit?: CommitInfo | undefined
}

/** The fields that a block's encoding needs. */
export type BlockParts = Pick<Block, 'uncles' | 'withdrawals' | 'commit'> & {
  readonly header: Header
  readonly transactions: readonly Pick<Transaction, 'type' | 'raw'>[]
}

/** RLP of the block. Throws ChainError `invalid-block` as `encodeHeader`. */
export function encodeBlock({ header, transactions, uncles, withdrawals, commit }: BlockParts): Uint8Array {
  const parts = [
    encodeHeader(header),
    joinList(transactions.map(({ type, raw }) => (type === 0 ? raw : encodeRlp(raw)))),
    joinList(uncles.map(encodeHeader)),
  ]
  if (withdrawals) parts.push(joinList(withdrawals.map(encodeWithdrawal)))
  if (withdrawals && commit) parts.push(encodeCommitInfo(commit))
  return joinList(parts)
}

/** Length of an Ethereum block's RLP in bytes (JSON-RPC's `size`), without encoding its transactions. */
export function blockSize({ header, transactions, uncles, withdrawals }: BlockParts): number {
  const parts = [
    encodeHeader(header).length,
    listSize(sum(transactions.map(transactionSize))),
    listSize(sum(uncles.map((uncle) => encodeHeader(uncle).length))),
  ]
  if (withdrawals) parts.push(listSize(sum(withdrawals.map((withdrawal) => encodeWithdrawal(withdrawal).length))))
  return listSize(sum(parts))
}

/** Length of a transaction in a block's list. */
export const transactionSize = ({ type, raw }: BlockParts['transactions'][number]): number =>
  type === 0 ? raw.length : encodedLength(raw)

/** Length of an RLP list whose items take `payload` bytes. */
export const listSize = (payload: number): number => prefixLength(payload) + payload

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

/** Decodes a block; checks form and ranges, no consensus rule. Throws ChainError `invalid-block`. */
export function decodeBlock(bytes: Uint8Array): DecodedBlock {
  return reading('invalid-block', () => {
    const [header, transactions, uncles, withdrawals, ...more] = splitList(bytes)
    if (!header || !transactions || !uncles) throw new Malformed('rlp: wrong number of elements for block')
    const decoded = decodeHeader(header)
    // go-ethereum exports the access list (EIP-7928) too, which follows from the execution.
    const own = more.filter((item) => keccakHash(item) !== decoded.blockAccessListHash)
    const [commit] = own
    if (own.length > 1 || more.length > own.length + 1) throw new Malformed('rlp: wrong number of elements for block')
    return {
      header: decoded,
      transactions: splitList(transactions).map(decodeItem),
      uncles: splitList(uncles).map(decodeHeader),
      withdrawals: withdrawals && splitList(withdrawals).map(decodeWithdrawal),
      ...(commit && { commit: decodeCommitInfo(commit) }),
    }
  })
}

/** Splits concatenated block encodings, as in an exported chain. Throws ChainError `invalid-block`. */
export function* splitBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  const items = splitItems(bytes)
  for (;;) {
    const { done, value } = reading('invalid-block', () => items.next())
    if (done) return
    yield value
  }
}

/** The header's `sha3Uncles`: hash of the list of uncles. */
export const unclesHash = (uncles: readonly Header[]): Hash => keccakHash(joinList(uncles.map(encodeHeader)))

/** A withdrawal's amount in wei; its own field is in gwei (EIP-4895). */
export const withdrawnWei = ({ amount }: Pick<Withdrawal, 'amount'>): bigint => amount * 1_000_000_000n

/** EIP-4895: RLP of one withdrawal, as in the block and in the withdrawals trie. */
export const encodeWithdrawal = ({ index, validatorIndex, address, amount }: Withdrawal): Uint8Array =>
  encodeRlp([bigToBytes(index), bigToBytes(validatorIndex), fromHex(address), bigToBytes(amount)])

export function decodeWithdrawal(bytes: Uint8Array): Withdrawal {
  const [index, validatorIndex, address, amount] = asListOf(decodeRlp(bytes), [4], 'withdrawal')
  return {
    index: asUint(index, 'withdrawal index', 8),
    validatorIndex: asUint(validatorIndex, 'validatorIndex', 8),
    address: asAddress(address, 'withdrawal address'),
    amount: asUint(amount, 'withdrawal amount', 8),
  }
}

/** Decodes an item of a block's list of transactions. */
function decodeItem(item: Uint8Array, index: number): SignedTransaction {
  const isLegacy = (item[0] ?? 0) >= 0xc0
  try {
    return decodeTransaction(isLegacy ? item : typedBytes(item))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError('invalid-block', `transaction ${index}: ${error.message}`)
  }
}

/** The bytes of a typed transaction. A legacy one in a string is refused, because it would be a second encoding of the block. */
function typedBytes(item: Uint8Array): Uint8Array {
  const bytes = asBytes(decodeRlp(item), 'transaction')
  if ((bytes[0] ?? 0) >= 0x80) throw new Malformed('rlp: a legacy transaction is encoded as a string')
  return bytes
}
