// The values that go into and come out of execution. They travel upward unchanged: chain, indexer and faces read them.
import type { ChainError } from '../lib/errors.ts'
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type {
  AccessList,
  Authorization,
  Block,
  Log,
  Receipt,
  SealedHeader,
  Transaction,
  Withdrawal,
} from '../primitives/types.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'

/** What the maker of a block decides; the rest of the header follows from execution and the chain's rules. */
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
}

/** One frame of the call tree, in call order. */
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
}

export type ExecutedBlock = {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** What the block asks of the consensus layer (EIP-7685), each as type byte and data. */
  readonly requests: readonly Uint8Array[]
  /** One call tree per transaction. */
  readonly callTrees: readonly CallTree[]
  readonly diffs: readonly TransactionDiff[]
  /** Candidates that could not be included, with the reason. */
  readonly refused: readonly { readonly transaction: Transaction; readonly reason: ChainError }[]
  /** The state after the block. */
  readonly view: StateView
}

/** A call that leaves no trace; everything may be left out. */
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
  /** The connection that asks: the call ends when it is closed. */
  readonly signal?: AbortSignal | undefined
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
}

/** What a call did. A revert or failure is an outcome, not an exception. */
export type CallOutcome = {
  readonly gasUsed: bigint
  /** Return data, or revert data when `error` is `execution reverted`. */
  readonly returnData: Uint8Array
  readonly logs: readonly Log[]
  /** geth's words; undefined on success. */
  readonly error: string | undefined
  readonly createdAddress: Address | undefined
}
