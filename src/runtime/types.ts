// Inputs and results of execution. The rooms above (chain, indexer, RPC, explorer) use these types unchanged.
import type { BuiltinContracts } from '../evm/builtin-contracts.ts'
import type { CoinTransfer } from '../evm/native-call.ts'
import type { OpcodeTable } from '../evm/opcode-table.ts'
import type { CallFrame } from '../evm/tracer.ts'
import type { ChainError } from '../lib/errors.ts'
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type {
  AccessList,
  Authorization,
  Block,
  CommitInfo,
  Log,
  Receipt,
  SealedHeader,
  Transaction,
  Withdrawal,
} from '../primitives/types.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'

/** What the builder of a block chooses (Engine API); the other header fields follow from execution and the chain's rules. */
export type PayloadAttributes = {
  readonly parent: SealedHeader
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly coinbase: Address
  readonly prevRandao: Hash
  readonly extraData: Hex
  readonly parentBeaconBlockRoot: Hash
  readonly withdrawals: readonly Withdrawal[]
  /** undefined: EIP-1559's value after the parent. */
  readonly baseFeePerGas: bigint | undefined
  /** undefined: the parent's plus one (EIP-7843). */
  readonly slotNumber?: bigint | undefined
  /** Commit info from CometBFT; its hash is `parentBeaconBlockRoot`. */
  readonly commit?: CommitInfo | undefined
}

/** A frame of a transaction with the frames that it called, in call order; the root is the transaction's own frame. */
export type CallTree = {
  readonly type: 'CALL' | 'STATICCALL' | 'DELEGATECALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'
  readonly from: Address
  /** The called or created account; null when a creation failed before an address was known. */
  readonly to: Address | null
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly input: Uint8Array
  readonly output: Uint8Array
  /** geth's words (`execution reverted`, `out of gas`, …); undefined on success. */
  readonly error: string | undefined
  readonly calls: readonly CallTree[]
  /** Coin transfers of the native contract; left out: none. */
  readonly coinTransfers?: readonly CoinTransfer[]
}

/** A log of a frame, or a call that was refused before it began, and the number of calls that the frame had made before. */
export type FrameNote = {
  readonly frame: CallTree
  readonly position: number
  readonly log?: Log
  readonly refused?: CallFrame
}

/** What only traces of the block's transactions need (`tracing/recorded-block.ts`). */
export type BlockRecording = {
  /** The state before the first transaction. Shared: fork it. */
  readonly start: StateView
  /** The opcode table of the transactions. */
  readonly table: OpcodeTable
  readonly contracts: BuiltinContracts
  /** The notes of each transaction, in the order of execution. */
  readonly notes: readonly (readonly FrameNote[])[]
}

/** A block with everything that its execution produced. */
export type ExecutedBlock = {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** EIP-7685 requests to the consensus layer, each as type byte and data. */
  readonly requests: readonly Uint8Array[]
  /** The block access list in RLP (EIP-7928); undefined before Amsterdam, and of block 0, which accesses nothing. */
  readonly accessList?: Uint8Array | undefined
  /** One call tree per transaction. */
  readonly callTrees: readonly CallTree[]
  readonly diffs: readonly TransactionDiff[]
  /** Candidates that could not be included, with the reason. */
  readonly refused: readonly { readonly transaction: Transaction; readonly reason: ChainError }[]
  /** The state after the block. */
  readonly view: StateView
  /** undefined: no transactions, or it is not kept. */
  readonly recording?: BlockRecording | undefined
}

/** A call that changes nothing (eth_call). Every field is optional. */
export type CallRequest = {
  readonly from?: Address | undefined
  readonly to?: Address | null | undefined
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly value?: bigint | undefined
  readonly data?: Uint8Array | undefined
  readonly nonce?: bigint | undefined
  readonly accessList?: AccessList | undefined
  readonly blobVersionedHashes?: readonly Hash[] | undefined
  readonly maxFeePerBlobGas?: bigint | undefined
  readonly authorizationList?: readonly Authorization[] | undefined
}

export type AccountOverride = {
  readonly balance?: bigint | undefined
  readonly nonce?: bigint | undefined
  readonly code?: Uint8Array | undefined
  /** Replaces the whole storage. */
  readonly state?: ReadonlyMap<Hash, Hash> | undefined
  /** Changes single slots. */
  readonly stateDiff?: ReadonlyMap<Hash, Hash> | undefined
  readonly movePrecompileTo?: Address | undefined
}
export type StateOverrides = ReadonlyMap<Address, AccountOverride>

export type BlockOverrides = {
  readonly number?: bigint | undefined
  readonly time?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly feeRecipient?: Address | undefined
  readonly prevRandao?: Hash | undefined
  readonly baseFeePerGas?: bigint | undefined
  readonly blobBaseFee?: bigint | undefined
}

export type CallOptions = {
  /** Aborted when the client's connection closes; then the call ends. */
  readonly signal?: AbortSignal | undefined
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Collects the messages to this account, which has no code. */
  readonly messagesTo?: Address | undefined
}

/** A message that a call has sent to the account of `CallOptions.messagesTo`. */
export type SentMessage = {
  /** The account whose code has sent it. */
  readonly by: Address
  readonly input: Uint8Array
}

/** The first messages, and the number of all. */
export type SentMessages = { readonly first: readonly SentMessage[]; readonly count: number }

/** The result of a call. A revert or failure is a result too, not an exception. */
export type CallOutcome = {
  readonly gasUsed: bigint
  /** Return data, or revert data when `error` is `execution reverted`. */
  readonly returnData: Uint8Array
  readonly logs: readonly Log[]
  /** geth's words; undefined on success. */
  readonly error: string | undefined
  readonly createdAddress: Address | undefined
  /** Of `CallOptions.messagesTo`; undefined: none, or not asked for. */
  readonly messages?: SentMessages | undefined
}
