// Messages, in EVMC's terms: a call or creation, and the context of transaction and block that its code can read.
import type { Address, Hash } from '../lib/hex.ts'

export type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'

export const isCreation = (kind: CallKind): boolean => kind === 'CREATE' || kind === 'CREATE2'

/** A message within a transaction. Gas is a whole number of units, value is wei. */
export type Message = {
  readonly kind: CallKind
  /** `msg.sender`; for a DELEGATECALL the sender of the delegating frame. */
  readonly sender: Address
  /** The account that the code acts for; for a creation the new account. */
  readonly recipient: Address
  /** The account with the code; differs from the recipient for CALLCODE and DELEGATECALL. */
  readonly codeAddress: Address
  /** Not transferred by DELEGATECALL and CALLCODE. */
  readonly value: bigint
  readonly gas: bigint
  /** Call data or init code; a copy that does not change later. */
  readonly input: Uint8Array
  /** 0 for the transaction's own message. */
  readonly depth: number
  /** Whether it runs in a static frame or begins one. */
  readonly isStatic: boolean
}

/** The block fields that opcodes read. */
export type BlockContext = {
  readonly number: bigint
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly prevRandao: Hash
  /** undefined before London. */
  readonly baseFeePerGas: bigint | undefined
  /** undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined
  /** Zero before Amsterdam (EIP-7843). */
  readonly slotNumber: bigint
}

/** An outer message: that of a transaction, or one of the protocol. */
export type OuterMessage = {
  readonly from: Address
  /** null: a creation; the sender's nonce has been increased already. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** State gas beside the gas limit (EIP-8037); 0 before Amsterdam. */
  readonly reservoir: bigint
  readonly gasPrice: bigint
  readonly blobVersionedHashes: readonly Hash[]
  readonly isStatic: boolean
  /** Refund of the transaction before its code runs (EIP-7702). */
  readonly refund: bigint
  /** undefined: all fields of the block are zero. */
  readonly block: BlockContext | undefined
}
