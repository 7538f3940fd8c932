// The lists and rankings of the index: what identifies each, and the layout of its entries. Records are declared in
// `records.ts`. Writers fill the tables from an executed block and readers page through them; both take ids and layouts from here.
import {
  ADDRESS_BYTES,
  type Address,
  bigToFixed,
  bigToWord,
  bytesToBig,
  fromHex,
  type Hash,
  type Hex,
  toAddress,
} from '../lib/hex.ts'
import { WERC20 } from '../spec/addresses.ts'
import { address, amount, bytes, flag, maybe, oneOf, record, sequence, text, u8, u32 } from '../tables/codec.ts'
import { byteDigits, TableDeclarations } from '../tables/declarations.ts'
import { complement } from '../tables/ranking.ts'

export const TOKEN_TYPES = ['ERC-20', 'ERC-721', 'ERC-1155'] as const
export type TokenType = (typeof TOKEN_TYPES)[number]

/** The role of an address in a transaction, a message or a transfer. An entry is in exactly one list of an address's roles. */
export const ROLES = ['out', 'in', 'self', 'created'] as const
export type Role = (typeof ROLES)[number]

/** Kinds of transactions. A transaction's kinds make a bit mask, and each mask has a list of its own. */
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
export const kindMask = (kinds: readonly Kind[]): number => kinds.reduce((mask, kind) => mask | KIND_BIT[kind], 0)

// --- entries of lists

/** The sequence of an entry in another list. Unions of lists are merged by it. */
export const sequenceEntry = record<{ sequence: number }>({ sequence: sequence })
export const positionEntry = record<{ number: number; index: number }>({ number: sequence, index: u32 })
export const firstSeenEntry = record<{ number: number; address: Address }>({ number: sequence, address })

export type TransactionEntry = {
  readonly number: number
  readonly index: number
  /** Bit mask over KINDS. */
  readonly kinds: number
  /** First four bytes of the input if the recipient had code; else empty. */
  readonly selector: Uint8Array
  /** Its range in LIST.transfers. */
  readonly firstTransfer: number
  readonly transfers: number
  /** Its range in LIST.calls. */
  readonly firstCall: number
  readonly calls: number
  /** Failure in go-ethereum's words. */
  readonly error: string | undefined
  /** Revert data, up to 4,096 bytes; else empty. */
  readonly revertData: Uint8Array
  /** Whether a message within it failed. */
  readonly hasInnerError: boolean
}
export const transactionEntry = record<TransactionEntry>({
  number: sequence,
  index: u32,
  kinds: u8,
  selector: bytes,
  firstTransfer: sequence,
  transfers: u32,
  firstCall: sequence,
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
  /** A transfer of coins by a native contract: not a message, but listed like one. */
  'TRANSFER',
] as const

export type CallEntry = {
  /** Sequence of its transaction. */
  readonly transaction: number
  /** Position within the transaction in call order; the transaction itself is 0. */
  readonly index: number
  readonly type: (typeof CALL_TYPES)[number]
  readonly from: Address
  /** The called or created account; undefined when a creation failed before its address was known. */
  readonly to: Address | undefined
  readonly value: bigint
  /** First four bytes of its input; empty for creations, and for transfers. */
  readonly selector: Uint8Array
  readonly gas: number
  readonly gasUsed: number
  readonly error: string | undefined
  /** Whether a message around it failed and reverted it. */
  readonly isUndone: boolean
}
export const callEntry = record<CallEntry>({
  transaction: sequence,
  index: u32,
  type: oneOf(CALL_TYPES),
  from: address,
  to: maybe(address),
  value: amount,
  selector: bytes,
  gas: sequence,
  gasUsed: sequence,
  error: maybe(text),
  isUndone: flag,
})

export type TransferEntry = {
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
export const transferEntry = record<TransferEntry>({
  transaction: sequence,
  log: u32,
  type: oneOf(TOKEN_TYPES),
  token: address,
  from: address,
  to: address,
  id: maybe(amount),
  amount,
})

export type BalanceEntry = {
  readonly number: number
  /** Sequence of the last transaction that changed it; undefined when the block itself or a development method did. */
  readonly transaction: number | undefined
  readonly before: bigint
  readonly after: bigint
}
export const balanceEntry = record<BalanceEntry>({
  number: sequence,
  transaction: maybe(sequence),
  before: amount,
  after: amount,
})

/** A log by its place, and the other account. */
export const partyEntry = record<{ number: number; index: number; address: Address }>({
  number: sequence,
  index: u32,
  address,
})
/** The log of a vote, and its proposal. */
export const ballotEntry = record<{ number: number; index: number; proposal: number }>({
  number: sequence,
  index: u32,
  proposal: sequence,
})

/**
 * A packet, and the place of its log: of its transfer over a channel, or of sending or receiving it over a client of IBC. That log of
 * IBC has the whole packet, so the fields of channels are then empty.
 */
export type PacketEntry = {
  readonly number: number
  readonly index: number
  /** Number on its channel, from 1. */
  readonly sequence: number
  readonly sourcePort: string
  readonly sourceChannel: string
  readonly destinationPort: string
  readonly destinationChannel: string
  /** Timeout: height with its revision, and unix nanoseconds; zeros: none. */
  readonly revision: bigint
  readonly height: bigint
  readonly time: bigint
  /** JSON of ICS-20. */
  readonly data: Uint8Array
}
export const packetEntry = record<PacketEntry>({
  number: sequence,
  index: u32,
  sequence,
  sourcePort: text,
  sourceChannel: text,
  destinationPort: text,
  destinationChannel: text,
  revision: amount,
  height: amount,
  time: amount,
  data: bytes,
})

/** Of a packet over a client of IBC: whether this chain has sent it, and what has become of it. */
export const DIRECTIONS = ['sent', 'received'] as const
export type Direction = (typeof DIRECTIONS)[number]
export const PACKET_STATUSES = ['pending', 'success', 'error', 'timeout'] as const
export type PacketStatus = (typeof PACKET_STATUSES)[number]

/** The part of an address in a user operation. Its bundler is the beneficiary of the bundle's fees, as in Blockscout. */
export const PARTS = ['sender', 'bundler', 'paymaster', 'factory', 'entry_point'] as const
export type Part = (typeof PARTS)[number]

export type OperationEntry = {
  /** Sequence of its transaction. */
  readonly transaction: number
  /** Position of its event among the logs of the transaction. */
  readonly log: number
  /** Number of its bundle in the transaction, and its own in the bundle. */
  readonly bundle: number
  readonly index: number
  readonly bundler: Address
  readonly factory: Address | undefined
  /** Whether it has the struct of version 0.7 and later. */
  readonly isPacked: boolean
}
export const operationEntry = record<OperationEntry>({
  transaction: sequence,
  log: u32,
  bundle: u32,
  index: u32,
  bundler: address,
  factory: maybe(address),
  isPacked: flag,
})

// --- tables

/** Every table of the index is declared here, so that its format follows from the declarations. */
export const declarations = new TableDeclarations()

const digits = (hex: Hex): string => hex.slice(2)
/** A number as eight bytes. */
const numberDigits = (number: number): string => number.toString(16).padStart(16, '0')
const indexIn = <W extends string>(words: readonly W[], word: W): string => byteDigits(words.indexOf(word))
/** A client of IBC by its number, or all of them. */
export type ClientFilter = number | 'all'
const clientDigits = (client: ClientFilter): string => (client === 'all' ? 'ff'.repeat(8) : numberDigits(client))
/** The id of one item of a token: token . id (32 bytes). */
export const ofToken = (token: Address, tokenId: bigint): Hex => `0x${digits(token)}${digits(bigToWord(tokenId))}`

/** Lists only grow. Entries of `sequenceEntry` are positions in the list named in brackets. */
export const LIST = {
  /** Every mined transaction in the chain's order; its position is its sequence. */
  transactions: declarations.list(0x01, transactionEntry),
  /** [transactions] by exact mask of kinds. */
  transactionsByKinds: declarations.lists(0x02, 'mask', sequenceEntry, (mask: number) => byteDigits(mask)),
  /** [transactions] by selector (the first 4 bytes of the input of a contract call) and mask. */
  transactionsByMethod: declarations.lists(
    0x03,
    'selector, mask',
    sequenceEntry,
    (selector: Hex, mask: number) => `${digits(selector)}${byteDigits(mask)}`,
  ),
  /** [transactions] */
  transactionsOf: declarations.lists(
    0x04,
    'address, role',
    sequenceEntry,
    (of: Address, role: Role) => `${digits(of)}${indexIn(ROLES, role)}`,
  ),
  /** [transactions] that failed. */
  failedTransactions: declarations.list(0x06, sequenceEntry),

  /** Every message within a transaction except the transaction itself, and top-level creations. */
  calls: declarations.list(0x08, callEntry),
  /** [calls] */
  callsOf: declarations.lists(
    0x09,
    'address, role',
    sequenceEntry,
    (of: Address, role: Role) => `${digits(of)}${indexIn(ROLES, role)}`,
  ),

  /** Every transfer of a token; a batch has one entry for each id. */
  transfers: declarations.list(0x10, transferEntry),
  /** [transfers] */
  transfersByType: declarations.lists(0x11, 'type', sequenceEntry, (type: TokenType) => indexIn(TOKEN_TYPES, type)),
  /** [transfers] */
  transfersOf: declarations.lists(
    0x12,
    'address, type, role',
    sequenceEntry,
    (of: Address, type: TokenType, role: Role) => `${digits(of)}${indexIn(TOKEN_TYPES, type)}${indexIn(ROLES, role)}`,
  ),
  /** [transfers] */
  transfersOfWith: declarations.lists(
    0x13,
    'address, token, role',
    sequenceEntry,
    (of: Address, token: Address, role: Role) => `${digits(of)}${digits(token)}${indexIn(ROLES, role)}`,
  ),
  /** [transfers] */
  transfersOfToken: declarations.lists(0x14, 'token', sequenceEntry, (token: Address) => digits(token)),
  /** [transfers] */
  transfersOfInstance: declarations.lists(0x15, 'token, id', sequenceEntry, (token: Address, tokenId: bigint) =>
    digits(ofToken(token, tokenId)),
  ),

  /** Positions of logs in their blocks. */
  logsOf: declarations.lists(0x18, 'emitter', positionEntry, (emitter: Address) => digits(emitter)),
  logsOfWith: declarations.lists(
    0x19,
    'emitter, topic 0',
    positionEntry,
    (emitter: Address, topic0: Hash) => `${digits(emitter)}${digits(topic0)}`,
  ),
  logsByTopic: declarations.lists(
    0x1a,
    'position, topic',
    positionEntry,
    (position: number, topic: Hash) => `${byteDigits(position)}${digits(topic)}`,
  ),

  /** One entry for each block in which the balance of base coins changed. */
  balances: declarations.lists(0x20, 'address', balanceEntry, (of: Address) => digits(of)),
  /** Blocks by their coinbase; the index of an entry is 0. */
  blocksOf: declarations.lists(0x21, 'coinbase', positionEntry, (coinbase: Address) => digits(coinbase)),
  /** Positions of withdrawals in their blocks. */
  withdrawals: declarations.list(0x22, positionEntry),
  withdrawalsOf: declarations.lists(0x23, 'address', positionEntry, (of: Address) => digits(of)),
  /** Every address that ever took part in a block, in the order of appearance. */
  addresses: declarations.list(0x24, firstSeenEntry),
  /** Every contract that was ever created. */
  contracts: declarations.list(0x25, firstSeenEntry),

  /** Accounts to which an account has ever granted anything, each once; then the reverse. */
  grantees: declarations.lists(0x30, 'granter', partyEntry, (granter: Address) => digits(granter)),
  granters: declarations.lists(0x31, 'grantee', partyEntry, (grantee: Address) => digits(grantee)),
  /** Votes on a proposal, including repeated ones. */
  votesOn: declarations.lists(0x32, 'proposal', partyEntry, (proposal: number) => numberDigits(proposal)),
  votesOf: declarations.lists(0x33, 'voter', ballotEntry, (voter: Address) => digits(voter)),
  /** The submission of a proposal, and its later deposits. */
  depositsOn: declarations.lists(0x34, 'proposal', partyEntry, (proposal: number) => numberDigits(proposal)),
  /** Every packet sent over a channel of this chain, and sent or received over a client of IBC. */
  packets: declarations.list(0x35, packetEntry),
  /** [packets] by sender, and by receiver if its coins have arrived here. */
  packetsOf: declarations.lists(0x36, 'address', sequenceEntry, (of: Address) => digits(of)),

  /** [packets] over a client of IBC. */
  packetsOver: declarations.lists(
    0x37,
    'client or all, direction',
    sequenceEntry,
    (client: ClientFilter, direction: Direction) => `${clientDigits(client)}${indexIn(DIRECTIONS, direction)}`,
  ),
  /** Places of the logs of a client of IBC: its creation, its counterparty, its updates. */
  clientLogs: declarations.lists(0x38, 'client', positionEntry, numberDigits),

  /** Every user operation (ERC-4337), by bundles: those of a bundle follow each other. */
  operations: declarations.list(0x50, operationEntry),
  /** [operations] */
  operationsOf: declarations.lists(
    0x51,
    'address, part',
    sequenceEntry,
    (of: Address, part: Part) => `${digits(of)}${indexIn(PARTS, part)}`,
  ),
  /** [operations] The first operation of each bundle. */
  bundles: declarations.list(0x52, sequenceEntry),
  /** [bundles] by bundler or entry point. */
  bundlesOf: declarations.lists(
    0x53,
    'address, part',
    sequenceEntry,
    (of: Address, part: Part) => `${digits(of)}${indexIn(PARTS, part)}`,
  ),
  /** Every sender, with its first operation. */
  smartAccounts: declarations.list(0x54, firstSeenEntry),
  /** Accounts that a factory has deployed for an operation, with that operation. */
  smartAccountsOf: declarations.lists(0x55, 'factory', firstSeenEntry, (factory: Address) => digits(factory)),
} as const

/** Rankings: sets in an order that changes. The words after an id describe the bytes of a member. */
export const RANKING = {
  /** Accounts that hold base coins. */
  accounts: declarations.ranking(0x01, 'balance descending, address'),
  /** Holders of a token, without the zero address. */
  holders: declarations.rankings(0x02, 'token', 'amount descending, address complemented', (token: Address) =>
    digits(token),
  ),
  /** Holders of one id of a token. */
  holdersOfInstance: declarations.rankings(
    0x03,
    'token, id',
    'amount descending, address complemented',
    (token: Address, tokenId: bigint) => digits(ofToken(token, tokenId)),
  ),
  /** Balances of an ERC-1155: one member for each id and holder. */
  holdings: declarations.rankings(
    0x08,
    'token',
    'amount descending, id (32 bytes), address complemented',
    (token: Address) => digits(token),
  ),
  tokens: declarations.rankings(
    0x04,
    'type or all',
    'holders descending, name in lower case (16 bytes, padded with zeros), address',
    (type: TokenType | 'all') => indexIn(['all', ...TOKEN_TYPES], type),
  ),
  /** One member for each token (for ERC-1155: each id) that the address holds. */
  owned: declarations.rankings(
    0x05,
    'address, type',
    'amount descending, token, id of ERC-1155 (32 bytes)',
    (of: Address, type: TokenType) => `${digits(of)}${indexIn(TOKEN_TYPES, type)}`,
  ),
  /** Every single ERC-721 and ERC-1155 item of an owner. */
  items: declarations.rankings(
    0x06,
    'address, type',
    'token, id (32 bytes)',
    (of: Address, type: TokenType) => `${digits(of)}${indexIn(TOKEN_TYPES, type)}`,
  ),
  instances: declarations.rankings(0x07, 'token', 'id complemented (32 bytes)', (token: Address) => digits(token)),
  /** Packets over a client of IBC by what has become of them, newest first. */
  packets: declarations.rankings(
    0x30,
    'client or all, direction, status',
    'position in the list of packets, complemented (8 bytes)',
    (client: ClientFilter, direction: Direction, status: PacketStatus) =>
      `${clientDigits(client)}${indexIn(DIRECTIONS, direction)}${indexIn(PACKET_STATUSES, status)}`,
  ),
  /** Bundlers and paymasters by their operations, factories by the accounts that they have deployed. */
  operators: declarations.rankings(0x50, 'part', 'number descending, address', (part: Part) => indexIn(PARTS, part)),
} as const

/**
 * The ranking of a token's holders. All accounts hold the base coin, so its token (WERC20) has the ranking of accounts: coins move
 * without the token's events, from which the index cannot derive holders.
 */
export const HOLDERS = {
  ranking: (token: Address): Hex => (token === WERC20 ? RANKING.accounts : RANKING.holders(token)),
  /** A member after its amount. */
  encode: (token: Address, holder: Address): Uint8Array =>
    token === WERC20 ? fromHex(holder) : complement(fromHex(holder)),
  decode: (token: Address, bytes: Uint8Array): Address => toAddress(token === WERC20 ? bytes : complement(bytes)),
} as const

/** Decodes the bytes of members. */
export const MEMBER = {
  /** A member of `packets`, and its position. */
  ofPacket: (position: number): Uint8Array => complement(bigToFixed(BigInt(position), 8)),
  packet: (order: Uint8Array): number => Number(bytesToBig(complement(order))),
  /** The address of a member of `accounts`, `tokens` or `operators`. */
  address: (order: Uint8Array): Address => toAddress(order.subarray(-ADDRESS_BYTES)),
  /** Id and holder of a member of `holdings`, after the amount. */
  holding: (bytes: Uint8Array): { readonly id: bigint; readonly holder: Address } => ({
    id: bytesToBig(bytes.subarray(0, -ADDRESS_BYTES)),
    holder: toAddress(complement(bytes.subarray(-ADDRESS_BYTES))),
  }),
  /** The token and, if present, the id of a member of `items`, or of `owned` after the amount. */
  item: (bytes: Uint8Array): { readonly token: Address; readonly id: bigint | undefined } => {
    const tokenId = bytes.subarray(ADDRESS_BYTES)
    return {
      token: toAddress(bytes.subarray(0, ADDRESS_BYTES)),
      id: tokenId.length === 0 ? undefined : bytesToBig(tokenId),
    }
  },
} as const

/** The roles of sender and recipient; a transfer to oneself has the one role `self`. */
export function rolesOf(from: Address, to: Address | undefined): readonly (readonly [Address, Role])[] {
  if (to === undefined) return [[from, 'out']]
  if (from === to) return [[from, 'self']]
  return [
    [from, 'out'],
    [to, 'in'],
  ]
}
