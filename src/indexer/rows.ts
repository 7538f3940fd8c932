// What the entries of readers' lists hold. A changed record changes the format of the index.
import type { Address } from '../lib/hex.ts'
import { address, amount, bytes, count, flag, maybe, oneOf, record, text, u8, u32 } from './record.ts'
import { TOKEN_TYPES, type TokenType } from './tables.ts'

/** A sequence as an entry of a list: what unions are merged by. */
export const sequenceRow = record<{ sequence: number }>({ sequence: count })
export const placeRow = record<{ number: number; index: number }>({ number: count, index: u32 })
export const seenRow = record<{ number: number; address: Address }>({ number: count, address })

export type TransactionRow = {
  readonly number: number
  readonly index: number
  /** Bits by position in KINDS. */
  readonly kinds: number
  /** First four bytes of the input, if what was called had code; else empty. */
  readonly selector: Uint8Array
  /** Its part of LIST.transfers. */
  readonly firstTransfer: number
  readonly transfers: number
  /** Its part of LIST.calls. */
  readonly firstCall: number
  readonly calls: number
  /** geth's words for its failure. */
  readonly error: string | undefined
  /** What it reverted with, up to 4,096 bytes; empty otherwise. */
  readonly revertData: Uint8Array
  /** A message within it failed. */
  readonly hasInnerError: boolean
}
export const transactionRow = record<TransactionRow>({
  number: count,
  index: u32,
  kinds: u8,
  selector: bytes,
  firstTransfer: count,
  transfers: u32,
  firstCall: count,
  calls: u32,
  error: maybe(text),
  revertData: bytes,
  hasInnerError: flag,
})

export const CALL_TYPES = [
  'CALL',
  'STATICCALL',
  'DELEGATECALL',
  'CALLCODE',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const

export type CallRow = {
  /** Sequence of its transaction. */
  readonly transaction: number
  /** Within the transaction, in call order; the transaction itself is 0. */
  readonly index: number
  readonly type: (typeof CALL_TYPES)[number]
  readonly from: Address
  /** Called or created; undefined when a creation failed before an address was known. */
  readonly to: Address | undefined
  readonly value: bigint
  readonly gas: number
  readonly gasUsed: number
  readonly error: string | undefined
  /** A message around it failed, so that nothing of it stayed. */
  readonly isUndone: boolean
}
export const callRow = record<CallRow>({
  transaction: count,
  index: u32,
  type: oneOf(CALL_TYPES),
  from: address,
  to: maybe(address),
  value: amount,
  gas: count,
  gasUsed: count,
  error: maybe(text),
  isUndone: flag,
})

export type TransferRow = {
  /** Sequence of its transaction. */
  readonly transaction: number
  /** Index of the log within the block. */
  readonly log: number
  readonly type: TokenType
  readonly token: Address
  readonly from: Address
  readonly to: Address
  /** undefined for ERC-20. */
  readonly id: bigint | undefined
  /** 1 for ERC-721. */
  readonly amount: bigint
}
export const transferRow = record<TransferRow>({
  transaction: count,
  log: u32,
  type: oneOf(TOKEN_TYPES),
  token: address,
  from: address,
  to: address,
  id: maybe(amount),
  amount,
})

export type CoinRow = {
  readonly number: number
  /** Sequence of the block's last transaction that changed it; undefined: the block itself did, or someone by hand. */
  readonly transaction: number | undefined
  readonly before: bigint
  readonly after: bigint
}
export const coinRow = record<CoinRow>({ number: count, transaction: maybe(count), before: amount, after: amount })
