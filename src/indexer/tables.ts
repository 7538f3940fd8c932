// THE tables that readers use: every list and ranking, and what identifies it. What rows hold is in `rows.ts`, what is known
// of single things in `facts.ts`. Writers fill them from an executed block, readers page through them; both spell them from
// here and nowhere else.
import { ADDRESS_BYTES, type Address, bigToWord, bytesToBig, type Hash, type Hex, toAddress } from '../lib/hex.ts'

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
export const KIND_BIT = Object.fromEntries(KINDS.map((kind, bit) => [kind, 1 << bit])) as Readonly<Record<Kind, number>>

/** Lists and rankings are named in hex: no bytes are made before a row of theirs is asked for. */
const id = (kind: number, a = '', b = '', c = ''): Hex => `0x${byte(kind)}${a}${b}${c}`
const BYTES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'))
const byte = (value: number): string => BYTES[value] ?? ''
const digits = (hex: Hex): string => hex.slice(2)
const at = <W extends string>(words: readonly W[], word: W): string => byte(words.indexOf(word))
/** What stands for one id of a token. */
export const ofToken = (token: Address, tokenId: bigint): Hex => `0x${digits(token)}${digits(bigToWord(tokenId))}`

/** Lists that only grow. Those of `sequence` entries name an entry of the list in brackets by its position. */
export const LIST = {
  /** `transactionRow`: every mined transaction in the chain's order; its position is its sequence. */
  transactions: id(0x01),
  /** sequence [transactions]; by exact mask of kinds */
  transactionsByKinds: (mask: number) => id(0x02, byte(mask)),
  /** sequence [transactions]; by selector (4 bytes) of what a contract was called with, and mask */
  transactionsByMethod: (selector: Hex, mask: number) => id(0x03, digits(selector), byte(mask)),
  /** sequence [transactions] */
  transactionsOf: (of: Address, side: Side) => id(0x04, digits(of), at(SIDES, side)),

  /** `callRow`: every message within a transaction but the one that it is itself, and top-level creations */
  calls: id(0x08),
  /** sequence [calls] */
  callsOf: (of: Address, side: Side) => id(0x09, digits(of), at(SIDES, side)),

  /** `transferRow`: every transfer of a token; a batch has one entry for each id */
  transfers: id(0x10),
  /** sequence [transfers] */
  transfersByType: (type: TokenType) => id(0x11, at(TOKEN_TYPES, type)),
  /** sequence [transfers] */
  transfersOf: (of: Address, type: TokenType, side: Side) =>
    id(0x12, digits(of), at(TOKEN_TYPES, type), at(SIDES, side)),
  /** sequence [transfers] */
  transfersOfWith: (of: Address, token: Address, side: Side) => id(0x13, digits(of), digits(token), at(SIDES, side)),
  /** sequence [transfers] */
  transfersOfToken: (token: Address) => id(0x14, digits(token)),
  /** sequence [transfers] */
  transfersOfInstance: (token: Address, tokenId: bigint) => id(0x15, digits(ofToken(token, tokenId))),

  /** `placeRow` of a log, in all four */
  logsOf: (emitter: Address) => id(0x18, digits(emitter)),
  logsOfWith: (emitter: Address, topic0: Hash) => id(0x19, digits(emitter), digits(topic0)),
  logsByTopic: (position: number, topic: Hash) => id(0x1a, byte(position), digits(topic)),

  /** `coinRow`: one for each block in which the balance changed */
  coins: (of: Address) => id(0x20, digits(of)),
  /** `placeRow` with index 0: blocks by their coinbase */
  blocksOf: (coinbase: Address) => id(0x21, digits(coinbase)),
  /** `placeRow` of a withdrawal within its block */
  withdrawals: id(0x22),
  withdrawalsOf: (of: Address) => id(0x23, digits(of)),
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
  holders: (token: Address) => id(0x02, digits(token)),
  /** the same, of one id */
  holdersOfInstance: (token: Address, tokenId: bigint) => id(0x03, digits(ofToken(token, tokenId))),
  /** descending(holders) . name in lower case, 16 bytes padded with zeros . address */
  tokens: (type: TokenType | 'all') => id(0x04, at(['all', ...TOKEN_TYPES], type)),
  /** descending(amount) . token, and for ERC-1155 . id (32 bytes); one for each token (or id) that the address holds */
  owned: (of: Address, type: TokenType) => id(0x05, digits(of), at(TOKEN_TYPES, type)),
  /** token . id (32 bytes); every single ERC-721 and ERC-1155 item of an owner */
  items: (of: Address, type: TokenType) => id(0x06, digits(of), at(TOKEN_TYPES, type)),
  /** complement(id, 32 bytes) */
  instances: (token: Address) => id(0x07, digits(token)),
} as const

/** What the bytes of members tell. */
export const MEMBER = {
  /** Of `accounts` and `tokens`: whose place it is. */
  address: (order: Uint8Array): Address => toAddress(order.subarray(-ADDRESS_BYTES)),
  /** Of `items`, and of `owned` behind the amount: the token, and the id where one follows. */
  item: (bytes: Uint8Array): { readonly token: Address; readonly id: bigint | undefined } => {
    const tokenId = bytes.subarray(ADDRESS_BYTES)
    return {
      token: toAddress(bytes.subarray(0, ADDRESS_BYTES)),
      id: tokenId.length === 0 ? undefined : bytesToBig(tokenId),
    }
  },
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
