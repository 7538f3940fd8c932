// THE tables that readers use: every list, ranking and fact, what identifies it and what its rows hold. Writers fill them
// from an executed block, readers page through them; both spell them from here and nowhere else.
import { type Address, bigToFixed, fromHex, type Hash, type Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { Reader } from '../state/types.ts'
import type { Draft } from './draft.ts'
import { address, amount, bytes, count, flag, maybe, oneOf, type RecordCodec, record, text, u8, u32 } from './record.ts'

export const TOKEN_TYPES = ['ERC-20', 'ERC-721', 'ERC-1155'] as const
export type TokenType = (typeof TOKEN_TYPES)[number]

/** How an address stands to a transaction, an internal one or a transfer. Each is in exactly one of its lists. */
export const SIDES = ['out', 'in', 'self', 'created'] as const
export type Side = (typeof SIDES)[number]

/** What a transaction is; several may hold. Their bits make its mask, and each mask has a list of its own. */
export const KINDS = [
  'coin_transfer',
  'contract_call',
  'contract_creation',
  'token_transfer',
  'token_creation',
] as const
export type Kind = (typeof KINDS)[number]
export const MASKS = 1 << KINDS.length

const id = (kind: number, ...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat([Uint8Array.of(kind), ...parts])
const at = <W extends string>(words: readonly W[], word: W): Uint8Array => Uint8Array.of(words.indexOf(word))
const ofToken = (token: Address, tokenId: bigint): Uint8Array =>
  Buffer.concat([fromHex(token), bigToFixed(tokenId, 32)])

/** Lists that only grow. Those of `sequence` entries name an entry of the list in brackets by its position. */
export const LIST = {
  /** `transactionRow`: every mined transaction in the chain's order; its position is its sequence. */
  transactions: id(0x01),
  /** sequence [transactions]; by exact mask of kinds */
  transactionsByKinds: (mask: number) => id(0x02, Uint8Array.of(mask)),
  /** sequence [transactions]; by selector (4 bytes) of what a contract was called with, and mask */
  transactionsByMethod: (selector: Hex, mask: number) => id(0x03, fromHex(selector), Uint8Array.of(mask)),
  /** sequence [transactions] */
  transactionsOf: (of: Address, side: Side) => id(0x04, fromHex(of), at(SIDES, side)),

  /** `callRow`: every message within a transaction but the one that it is itself, and top-level creations */
  calls: id(0x08),
  /** sequence [calls] */
  callsOf: (of: Address, side: Side) => id(0x09, fromHex(of), at(SIDES, side)),

  /** `transferRow`: every transfer of a token; a batch has one entry for each id */
  transfers: id(0x10),
  /** sequence [transfers] */
  transfersByType: (type: TokenType) => id(0x11, at(TOKEN_TYPES, type)),
  /** sequence [transfers] */
  transfersOf: (of: Address, type: TokenType, side: Side) =>
    id(0x12, fromHex(of), at(TOKEN_TYPES, type), at(SIDES, side)),
  /** sequence [transfers] */
  transfersOfWith: (of: Address, token: Address, side: Side) => id(0x13, fromHex(of), fromHex(token), at(SIDES, side)),
  /** sequence [transfers] */
  transfersOfToken: (token: Address) => id(0x14, fromHex(token)),
  /** sequence [transfers] */
  transfersOfInstance: (token: Address, tokenId: bigint) => id(0x15, ofToken(token, tokenId)),

  /** `placeRow` of a log, in all four */
  logsOf: (emitter: Address) => id(0x18, fromHex(emitter)),
  logsOfWith: (emitter: Address, topic0: Hash) => id(0x19, fromHex(emitter), fromHex(topic0)),
  logsByTopic: (position: number, topic: Hash) => id(0x1a, Uint8Array.of(position), fromHex(topic)),

  /** `coinRow`: one for each block in which the balance changed */
  coins: (of: Address) => id(0x20, fromHex(of)),
  /** `placeRow` with index 0: blocks by their coinbase */
  blocksOf: (coinbase: Address) => id(0x21, fromHex(coinbase)),
  /** `placeRow` of a withdrawal within its block */
  withdrawals: id(0x22),
  withdrawalsOf: (of: Address) => id(0x23, fromHex(of)),
  /** `seenRow`: every address that was ever part of anything, in order of appearance */
  addresses: id(0x24),
  /** `seenRow`: every contract that was ever created */
  contracts: id(0x25),
} as const

/** Sets in order of something that changes. What a member's bytes are stands behind the name. */
export const RANKING = {
  /** descending(balance) . address; accounts that hold base coins */
  accounts: id(0x01),
  /** descending(amount) . complement(address); not the zero address, not those who hold nothing */
  holders: (token: Address) => id(0x02, fromHex(token)),
  /** the same, of one id */
  holdersOfInstance: (token: Address, tokenId: bigint) => id(0x03, ofToken(token, tokenId)),
  /** descending(holders) . name in lower case, 16 bytes padded with zeros . address */
  tokens: (type: TokenType | 'all') => id(0x04, at(['all', ...TOKEN_TYPES], type)),
  /** descending(amount) . token, and for ERC-1155 . id (32 bytes); one for each token (or id) that the address holds */
  owned: (of: Address, type: TokenType) => id(0x05, fromHex(of), at(TOKEN_TYPES, type)),
  /** token . id (32 bytes); every single ERC-721 and ERC-1155 item of an owner */
  items: (of: Address, type: TokenType) => id(0x06, fromHex(of), at(TOKEN_TYPES, type)),
  /** complement(id, 32 bytes) */
  instances: (token: Address) => id(0x07, fromHex(token)),
} as const

/** What is known now of something; a row that later blocks overwrite. */
export interface Fact<K extends readonly unknown[], T> {
  key(...of: K): Uint8Array
  get(from: Pick<Reader, 'get'>, ...of: K): T | undefined
  /** undefined removes it. */
  set(draft: Draft, value: T | undefined, ...of: K): void
}

function fact<K extends readonly unknown[], T>(
  table: number,
  owner: (...of: K) => Uint8Array,
  row: RecordCodec<T>,
): Fact<K, T> {
  const key = (...of: K) => KEY.fact(table, owner(...of))
  return {
    key,
    get(from, ...of) {
      const found = from.get(key(...of))
      return found && row.decode(found)
    },
    set: (draft, value, ...of) => draft.set(key(...of), value && row.encode(value)),
  }
}

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

export type BlockFact = {
  readonly firstTransaction: number
  readonly transactions: number
  readonly firstCall: number
  readonly calls: number
  readonly firstTransfer: number
  readonly transfers: number
  /** What senders paid, blobs included. */
  readonly fees: bigint
  /** The part of it that is base fee: burnt, or collected on a native chain. */
  readonly baseFees: bigint
  readonly tips: bigint
}

export type AccountFact = {
  /** Base coins after the newest version. */
  readonly balance: bigint
  /** Block of the last change of the balance. */
  readonly changedAt: number
  /** Who created it, if it is a contract that was created by a message. */
  readonly creator: Address | undefined
  /** Sequence of the transaction that created it. */
  readonly createdIn: number | undefined
  readonly isDestroyed: boolean
  /** Gas of transactions that it sent, and that were sent to it. */
  readonly gasSpent: number
  readonly gasServed: number
}
export const NEW_ACCOUNT_FACT: AccountFact = {
  balance: 0n,
  changedAt: 0,
  creator: undefined,
  createdIn: undefined,
  isDestroyed: false,
  gasSpent: 0,
  gasServed: 0,
}

export type TokenFact = {
  readonly type: TokenType
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  readonly supply: bigint | undefined
}

export type InstanceFact = {
  /** Of an ERC-721; undefined when burnt, and for ERC-1155. */
  readonly owner: Address | undefined
  /** How many there are: 0 or 1 for an ERC-721. */
  readonly supply: bigint
  /** As tokenURI or uri answered when the id was first seen. */
  readonly uri: string | undefined
}

export type DayFact = {
  readonly transactions: number
  readonly gasUsed: number
  readonly fees: bigint
  readonly contracts: number
}

export const FACT = {
  block: fact(
    0x01,
    (number: number) => bigToFixed(BigInt(number), 8),
    record<BlockFact>({
      firstTransaction: count,
      transactions: u32,
      firstCall: count,
      calls: u32,
      firstTransfer: count,
      transfers: u32,
      fees: amount,
      baseFees: amount,
      tips: amount,
    }),
  ),
  /** There from an address' first appearance on. */
  account: fact(
    0x02,
    (of: Address) => fromHex(of),
    record<AccountFact>({
      balance: amount,
      changedAt: count,
      creator: maybe(address),
      createdIn: maybe(count),
      isDestroyed: flag,
      gasSpent: count,
      gasServed: count,
    }),
  ),
  token: fact(
    0x03,
    (of: Address) => fromHex(of),
    record<TokenFact>({
      type: oneOf(TOKEN_TYPES),
      name: maybe(text),
      symbol: maybe(text),
      decimals: maybe(u8),
      supply: maybe(amount),
    }),
  ),
  instance: fact(0x04, ofToken, record<InstanceFact>({ owner: maybe(address), supply: amount, uri: maybe(text) })),
  /** What an address holds of a token (of an ERC-721: how many); there only when it is more than nothing. */
  holding: fact(
    0x05,
    (of: Address, token: Address) => Buffer.concat([fromHex(of), fromHex(token)]),
    record<{ amount: bigint }>({ amount }),
  ),
  /** The same, of one id of an ERC-1155. */
  holdingOfInstance: fact(
    0x06,
    (of: Address, token: Address, tokenId: bigint) => Buffer.concat([fromHex(of), ofToken(token, tokenId)]),
    record<{ amount: bigint }>({ amount }),
  ),
  /** By days since 1970, UTC. */
  day: fact(
    0x07,
    (day: number) => bigToFixed(BigInt(day), 8),
    record<DayFact>({ transactions: count, gasUsed: count, fees: amount, contracts: count }),
  ),
  totals: fact(0x08, () => new Uint8Array(0), record<{ gasUsed: number }>({ gasUsed: count })),
  /** All withdrawals of the consensus layer together, in wei. */
  withdrawn: fact(0x09, () => new Uint8Array(0), record<{ amount: bigint }>({ amount })),
} as const

export const SECONDS_A_DAY = 86_400

/** Who is on which side of something that went from one to another. */
export function sidesOf(from: Address, to: Address | undefined): readonly (readonly [Address, Side])[] {
  if (to === undefined) return [[from, 'out']]
  if (from === to) return [[from, 'self']]
  return [
    [from, 'out'],
    [to, 'in'],
  ]
}
