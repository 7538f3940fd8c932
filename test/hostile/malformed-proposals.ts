// Invalid block proposals of 4 MB, each with a different fault, and as expensive to verify as possible.
import { bigToFixed, bigToWord, fromHex, hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { concatBytes, encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts'
import { encodeTransaction, signTransaction, type TransactionFields } from '../../src/primitives/transaction.ts'

/** `max_bytes` of CometBFT. */
const SIZE = 4_194_304
/** Maximum size of one transaction in bytes. */
const LARGE = 128 * 1024
/** Maximum number of transactions in a block of 36 million gas. */
const MOST = 1714

export type MalformedProposal = {
  readonly name: string
  readonly txs: readonly Uint8Array[]
  /** Fields of the request that are wrong. */
  readonly change?: { readonly height?: bigint; readonly time?: { readonly seconds: bigint; readonly nanos: number } }
}

const to = hexToAddress('0x00000000000000000000000000000000000abcde')

const FIELDS: TransactionFields = {
  type: 2,
  chainId: 125n,
  nonce: 0n,
  maxPriorityFeePerGas: 1n,
  maxFeePerGas: 10_000_000_000n,
  gasLimit: 21_000n,
  to,
  value: 1n,
  data: new Uint8Array(0),
  accessList: [],
  maxFeePerBlobGas: 0n,
  blobVersionedHashes: [],
  authorizationList: [],
}

/** A private key for each number; only the account of number 0 has coins. */
const keyOf = (number: number): Uint8Array =>
  number === 0
    ? fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
    : bigToFixed(BigInt(number) + 1_000_000n, 32)

const sign = (fields: Partial<TransactionFields> = {}, key = 0): Uint8Array =>
  signTransaction({ ...FIELDS, ...fields }, keyOf(key)).raw

/** A transaction with a false signature. */
const unsigned = (fields: Partial<TransactionFields>, signature = { v: 0n, r: 1n, s: 1n }): Uint8Array =>
  encodeTransaction({ ...FIELDS, ...fields, ...signature })

const many = (count: number, of: (index: number) => Uint8Array): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => of(i))

/** Copies of a transaction that fill a block's bytes. */
const filled = (of: Uint8Array): Uint8Array[] => many(Math.floor(SIZE / (of.length + 4)), () => of)

/** Valid transfers in nonce order, and an invalid last one. */
const withLast = (last: Uint8Array): Uint8Array[] => [
  ...many(MOST - 1, (nonce) => sign({ nonce: BigInt(nonce) })),
  last,
]

const EMPTY_LIST: readonly RlpItem[] = []
const typed = (items: readonly RlpItem[]): Uint8Array => concatBytes([Uint8Array.of(2), encodeRlp(items)])
const zeros = (count: number): Uint8Array => new Uint8Array(count)
const address = new Uint8Array(20).fill(7)

function nested(depth: number): Uint8Array {
  const bytes = new Uint8Array(depth * 4)
  for (let level = 0; level < depth; level++) {
    const length = (depth - level - 1) * 4
    bytes.set([0xfa, length >> 16, (length >> 8) & 0xff, length & 0xff], level * 4)
  }
  return bytes
}

/** Calldata of the transactions, so that a block is full by its bytes. */
const data = zeros(2_300)
const authorization = { chainId: 125n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
const slots = (keys: number) => [
  {
    address: to,
    storageKeys: Array.from({ length: keys }, (_, i) => bigToWord(BigInt(i))),
  },
]
const later = 253_402_300_800n

/** The fifty proposals. `head`: number of the newest block. */
export function malformedProposals(head: bigint): readonly MalformedProposal[] {
  const valid = sign()
  const of = (name: string, txs: readonly Uint8Array[]): MalformedProposal => ({ name, txs })
  const tiny = [0, 1, 2, 5, 10, 30].flatMap((size) => [
    of(`transactions of ${size} bytes`, filled(zeros(size))),
    of(
      `transactions of ${size} bytes that begin like an EIP-1559 one`,
      filled(Uint8Array.of(2, ...zeros(Math.max(0, size - 1)))),
    ),
  ])
  const copies = [
    of('35,000 copies of a valid one', filled(valid)),
    of(
      'copies up to the gas of the block',
      many(MOST, () => valid),
    ),
    of('one valid and its copy at the end', withLast(sign({ nonce: 0n }))),
  ]
  const single = [
    of('one of 4 MB of zeros', [zeros(SIZE - 100)]),
    of('one of 4 MB of noise', [zeros(SIZE - 100).map((_, i) => (i * 2_654_435_761) >>> 24)]),
    of('one of nested lists', [nested(SIZE / 4 - 100)]),
    of('one of a million empty strings', [typed(Array.from({ length: 1_000_000 }, () => zeros(0)))]),
    of('one of a million empty lists', [typed(Array.from({ length: 1_000_000 }, () => EMPTY_LIST))]),
    of('one of 4 MB of calldata', [unsigned({ data: zeros(SIZE - 300), gasLimit: 30_000_000n })]),
    of('one with an access list of 4 MB', [unsigned({ accessList: slots(120_000), gasLimit: 30_000_000n })]),
    of('one with 35,000 authorizations', [
      unsigned({
        type: 4,
        authorizationList: Array.from({ length: 35_000 }, () => authorization),
        gasLimit: 30_000_000n,
      }),
    ]),
  ]
  const large = [
    of('large ones of empty strings', filled(typed(Array.from({ length: LARGE - 100 }, () => zeros(0))))),
    of('large ones of empty lists', filled(typed(Array.from({ length: LARGE - 100 }, () => EMPTY_LIST)))),
    of('large ones of nested lists', filled(nested(LARGE / 4 - 1))),
    of('large ones whose calldata is not paid for', filled(unsigned({ data: zeros(LARGE - 300) }))),
    of('large ones whose calldata is', filled(unsigned({ data: zeros(LARGE - 300), gasLimit: 16_000_000n }))),
    of('large access lists', filled(unsigned({ accessList: slots(3_900), gasLimit: 16_000_000n }))),
    of(
      'large authorization lists',
      filled(
        unsigned({
          type: 4,
          authorizationList: Array.from({ length: 1_000 }, () => authorization),
          gasLimit: 16_000_000n,
        }),
      ),
    ),
    of('large ones with an address too long', filled(typed(Array.from({ length: 5_000 }, () => address)))),
  ]
  const signed = [
    of(
      'a nonce gap first',
      many(MOST, (i) => sign({ nonce: BigInt(i + 5), data: zeros(1_000), gasLimit: 40_000n })),
    ),
    of('a nonce gap at the end', withLast(sign({ nonce: 9_999n }))),
    of(
      'another chain',
      many(MOST, (i) => sign({ nonce: BigInt(i), chainId: 126n, data, gasLimit: 60_000n })),
    ),
    of('another chain at the end', withLast(sign({ nonce: BigInt(MOST - 1), chainId: 126n }))),
    of(
      'senders without coins',
      many(MOST, (i) => sign({ data: zeros(1_000), gasLimit: 40_000n }, i + 1)),
    ),
    of('a sender without coins at the end', withLast(sign({}, 1))),
    of(
      'fees below the base fee',
      many(MOST, (i) => sign({ nonce: BigInt(i), maxFeePerGas: 1n })),
    ),
    of('a fee below the base fee at the end', withLast(sign({ nonce: BigInt(MOST - 1), maxFeePerGas: 1n }))),
    of(
      'gas limits above that of the block',
      many(MOST, (i) => sign({ nonce: BigInt(i), gasLimit: 36_000_001n })),
    ),
    of(
      'gas limits below the intrinsic gas',
      many(MOST, (i) => sign({ nonce: BigInt(i), gasLimit: 20_999n, data })),
    ),
    of(
      'values above the balance',
      many(MOST, (i) => sign({ nonce: BigInt(i), value: 10n ** 30n })),
    ),
    of(
      'signatures of nobody',
      many(MOST, (i) => unsigned({ nonce: BigInt(i), data, gasLimit: 60_000n })),
    ),
    of('a signature out of range at the end', withLast(unsigned({}, { v: 0n, r: 0n, s: 1n }))),
    of('a truncated one at the end', withLast(valid.subarray(0, -1))),
    of('one with a byte behind it at the end', withLast(concatBytes([valid, Uint8Array.of(0)]))),
    of(
      'blob transactions',
      many(MOST, (i) =>
        unsigned({
          type: 3,
          nonce: BigInt(i),
          maxFeePerBlobGas: 1n,
          blobVersionedHashes: [hexToHash(`0x01${'00'.repeat(31)}`)],
        }),
      ),
    ),
  ]
  const right = [valid]
  const requests: MalformedProposal[] = [
    { name: 'the height of the head', txs: right, change: { height: head } },
    { name: 'a height far ahead', txs: right, change: { height: head + 1_000n } },
    { name: 'a time before 1970', txs: right, change: { time: { seconds: -62_135_596_800n, nanos: 0 } } },
    { name: 'a time after the year 9999', txs: right, change: { time: { seconds: later, nanos: 0 } } },
  ]
  return [...tiny, ...copies, ...single, ...large, ...signed, ...requests]
}
