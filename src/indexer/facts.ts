// What readers know of single things now: blocks, accounts, tokens, holdings, days. Later blocks overwrite these rows. A
// changed record changes the format of the index.
import type { Address, Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import type { Draft } from './draft.ts'
import { address, amount, count, flag, maybe, oneOf, type RecordCodec, record, text, u8, u32 } from './record.ts'
import { ofToken, TOKEN_TYPES, type TokenType } from './tables.ts'

/** What is known now of something; a row that later blocks overwrite. */
export interface Fact<K extends readonly unknown[], T> {
  /** As a row, which is remembered. */
  encode(value: T): Uint8Array
  decode(row: Uint8Array): T
  key(...of: K): Uint8Array
  get(from: Pick<KvReader, 'get'>, ...of: K): T | undefined
  /** undefined removes it. */
  set(draft: Draft, value: T | undefined, ...of: K): void
  /** The same, and what was known before. */
  swap(draft: Draft, value: T | undefined, ...of: K): T | undefined
}

function fact<K extends readonly unknown[], T>(
  table: number,
  owner: (...of: K) => Hex,
  row: RecordCodec<T>,
): Fact<K, T> {
  const key = (...of: K) => KEY.record(table, owner(...of))
  const { encode } = row
  return {
    encode,
    decode: row.decode,
    key,
    get(from, ...of) {
      const found = from.get(key(...of))
      return found && row.decode(found)
    },
    set: (draft, value, ...of) => draft.set(key(...of), value && encode(value)),
    swap(draft, value, ...of) {
      const found = draft.swap(key(...of), value && encode(value))
      return found && row.decode(found)
    },
  }
}

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

/** Eight bytes. */
const numbered = (number: number): Hex => `0x${number.toString(16).padStart(16, '0')}`

export const FACT = {
  block: fact(
    0x01,
    numbered,
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
    (of: Address) => of,
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
    (of: Address) => of,
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
    (of: Address, token: Address) => `0x${of.slice(2)}${token.slice(2)}`,
    record<{ amount: bigint }>({ amount }),
  ),
  /** The same, of one id of an ERC-1155. */
  holdingOfInstance: fact(
    0x06,
    (of: Address, token: Address, tokenId: bigint) => `0x${of.slice(2)}${ofToken(token, tokenId).slice(2)}`,
    record<{ amount: bigint }>({ amount }),
  ),
  /** By days since 1970, UTC. */
  day: fact(0x07, numbered, record<DayFact>({ transactions: count, gasUsed: count, fees: amount, contracts: count })),
  totals: fact(0x08, () => '0x', record<{ gasUsed: number }>({ gasUsed: count })),
  /** All withdrawals of the consensus layer together, in wei. */
  withdrawn: fact(0x09, () => '0x', record<{ amount: bigint }>({ amount })),
} as const
