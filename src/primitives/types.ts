// The chain's data as plain records with Ethereum's names: header, block, transaction, receipt.
// Amounts are bigint, addresses and hashes branded hex, byte strings Uint8Array. The other files here have the encodings.
import type { Address, Hash, Hex } from '../lib/hex.ts'

export type AccessList = readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[]

/** One EIP-7702 authorization tuple; `yParity`, `r`, `s` are as given and may be invalid (then the tuple is skipped). */
export type Authorization = {
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/**
 * The fields of a transaction that execution needs. A call request is converted to one too.
 * A legacy or EIP-2930 gas price is in both fee fields.
 */
export type TransactionMessage = {
  readonly from: Address
  /** null creates a contract. */
  readonly to: Address | null
  readonly nonce: bigint
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: AccessList
  readonly blobVersionedHashes: readonly Hash[]
  readonly maxFeePerBlobGas: bigint
  readonly authorizationList: readonly Authorization[]
}

export type TransactionType = 0 | 1 | 2 | 3 | 4

/** A signed transaction with its sender. */
export type Transaction = TransactionMessage & {
  readonly type: TransactionType
  /** undefined: a legacy transaction without EIP-155 replay protection. */
  readonly chainId: bigint | undefined
  /** As encoded: 27, 28 or EIP-155's value for legacy transactions, the y parity for typed ones. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  readonly hash: Hash
  /** The consensus encoding (type byte and RLP; never with blobs). */
  readonly raw: Uint8Array
}

/** A decoded transaction before its sender is known. */
export type SignedTransaction = Omit<Transaction, 'from'>

/** The blobs of an EIP-4844 transaction's network form. The pool has them, blocks do not. */
export type BlobSidecar = {
  /** 0: one proof per blob (EIP-4844). 1: 128 cell proofs per blob (EIP-7594). */
  readonly version: 0 | 1
  readonly blobs: readonly Uint8Array[]
  readonly commitments: readonly Uint8Array[]
  readonly proofs: readonly Uint8Array[]
}

export type Log = { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Uint8Array }

export type Receipt = {
  readonly type: TransactionType
  /** undefined before Byzantium, when receipts have `root` instead. */
  readonly status: 0 | 1 | undefined
  readonly root: Hash | undefined
  readonly cumulativeGasUsed: bigint
  readonly gasUsed: bigint
  readonly bloom: Uint8Array
  readonly logs: readonly Log[]
  readonly contractAddress: Address | null
  readonly effectiveGasPrice: bigint
  /** For blob transactions only. */
  readonly blobGasUsed: bigint | undefined
  readonly blobGasPrice: bigint | undefined
}

/** An EIP-4895 withdrawal; `amount` in gwei. */
export type Withdrawal = {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  readonly amount: bigint
}

/** Fields of later forks are undefined. */
export type Header = {
  readonly parentHash: Hash
  readonly sha3Uncles: Hash
  readonly coinbase: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly timestamp: bigint
  readonly extraData: Hex
  /** prevRandao after the merge. */
  readonly mixHash: Hash
  /** 8 bytes. */
  readonly nonce: Hex
  readonly baseFeePerGas: bigint | undefined
  readonly withdrawalsRoot: Hash | undefined
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  readonly parentBeaconBlockRoot: Hash | undefined
  readonly requestsHash: Hash | undefined
  /** keccak256 of the RLP of the block's access list (EIP-7928). */
  readonly blockAccessListHash: Hash | undefined
  /** EIP-7843. On our own chains, which have no slots, a block's is its parent's plus one. */
  readonly slotNumber: bigint | undefined
}

/** A header that belongs to a block, with the block's hash. */
export type SealedHeader = Header & { readonly hash: Hash }

export type Block = {
  readonly header: SealedHeader
  readonly transactions: readonly Transaction[]
  readonly uncles: readonly Header[]
  /** undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** The commit info from a network's consensus engine; left out on a chain of one node. */
  readonly commit?: CommitInfo | undefined
}

/** A validator's part in the commit of the previous block (CometBFT's VoteInfo). */
export type Vote = {
  /** The consensus address: the first 20 bytes of the SHA-256 of its key. */
  readonly address: Address
  readonly power: bigint
  /** CometBFT's BlockIDFlag: 1 absent, 2 for the block, 3 for nil. */
  readonly flag: number
}

/** A validator's proven misbehaviour (CometBFT's Misbehavior). */
export type Evidence = {
  /** 1: two votes in one round; 2: an attack on light clients. */
  readonly type: number
  readonly address: Address
  /** Height of the infraction, and the validator's power at that height. */
  readonly height: bigint
  readonly power: bigint
  /** Unix nanoseconds. */
  readonly time: bigint
}

/** Inputs of a network's block besides its header and transactions. */
export type CommitInfo = {
  /** The round that decided the previous block. */
  readonly round: bigint
  readonly votes: readonly Vote[]
  readonly evidence: readonly Evidence[]
  /** The consensus engine's time of the block, Unix nanoseconds. */
  readonly time: bigint
}
