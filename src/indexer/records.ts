// The record tables of the index: the present state of single blocks, accounts, tokens, balances and days. Later blocks
// overwrite these rows.
import { type Address, bigToFixed, type Hash, type Hex, toHex } from '../lib/hex.ts'
import type { BundledOperation } from '../primitives/user-operation.ts'
import { address, amount, bytes, flag, maybe, oneOf, record, sequence, text, u8, u32 } from '../tables/codec.ts'
import { byteDigits } from '../tables/declarations.ts'
import {
  DIRECTIONS,
  type Direction,
  declarations,
  ofToken,
  PACKET_STATUSES,
  type PacketStatus,
  TOKEN_TYPES,
  type TokenType,
} from './tables.ts'

export type BlockRecord = {
  readonly firstTransaction: number
  readonly transactions: number
  readonly firstCall: number
  readonly calls: number
  readonly firstTransfer: number
  readonly transfers: number
  /** Fees that senders paid, including blob fees. */
  readonly fees: bigint
  /** The base fee part of `fees`: burnt, or collected on a native chain. */
  readonly baseFees: bigint
  readonly tips: bigint
  /** Gas used by the chain's blocks up to this one. */
  readonly totalGas: number
}

export type AccountRecord = {
  /** Balance of base coins after the newest version. */
  readonly balance: bigint
  /** Block of the last change of the balance. */
  readonly changedAt: number
  /** Creator of a contract that a message created. */
  readonly creator: Address | undefined
  /** Sequence of the transaction that created it. */
  readonly createdIn: number | undefined
  readonly isDestroyed: boolean
  /** Gas used by transactions that it sent, and by transactions sent to it. */
  readonly gasSpent: number
  readonly gasServed: number
}
export const NEW_ACCOUNT: AccountRecord = {
  balance: 0n,
  changedAt: 0,
  creator: undefined,
  createdIn: undefined,
  isDestroyed: false,
  gasSpent: 0,
  gasServed: 0,
}

export type TokenRecord = {
  readonly type: TokenType
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  readonly supply: bigint | undefined
  /** Existing items of an ERC-721 or ids of an ERC-1155: those with a supply above zero. */
  readonly items: number
}

export type InstanceRecord = {
  /** Owner of an ERC-721 item; undefined when burnt, and for ERC-1155. */
  readonly owner: Address | undefined
  /** Supply of the id: 0 or 1 for an ERC-721. */
  readonly supply: bigint
}

export type DayRecord = {
  /** Number of the day's first block, and the count of its blocks. */
  readonly firstBlock: number
  readonly blocks: number
  readonly transactions: number
  /** Number of failed transactions. */
  readonly failed: number
  readonly transfers: number
  readonly gasUsed: number
  readonly fees: bigint
  /** Sum of the prices per gas that its transactions paid, for their average. */
  readonly gasPrices: bigint
  readonly contracts: number
}

/** A user operation as its bundle has it, without what its event says. */
export type OperationRecord = Omit<BundledOperation, 'sender' | 'nonce'> & {
  /** Position in LIST.operations. */
  readonly operation: number
}

/** A packet over a client of IBC. */
export type PacketRecord = {
  /** Position in LIST.packets. */
  readonly position: number
  readonly status: PacketStatus
  /** Place of its last log: of its acknowledgement or timeout if it has ended, else that of LIST.packets. */
  readonly number: number
  readonly index: number
}

/** A number as a key of eight bytes. */
const numbered = (number: number): Hex => `0x${number.toString(16).padStart(16, '0')}`

export const RECORD = {
  block: declarations.records(
    0x01,
    'block',
    numbered,
    record<BlockRecord>({
      firstTransaction: sequence,
      transactions: u32,
      firstCall: sequence,
      calls: u32,
      firstTransfer: sequence,
      transfers: u32,
      fees: amount,
      baseFees: amount,
      tips: amount,
      totalGas: sequence,
    }),
  ),
  /** Exists from the first appearance of an address on. */
  account: declarations.records(
    0x02,
    'address',
    (of: Address) => of,
    record<AccountRecord>({
      balance: amount,
      changedAt: sequence,
      creator: maybe(address),
      createdIn: maybe(sequence),
      isDestroyed: flag,
      gasSpent: sequence,
      gasServed: sequence,
    }),
  ),
  token: declarations.records(
    0x03,
    'token',
    (of: Address) => of,
    record<TokenRecord>({
      type: oneOf(TOKEN_TYPES),
      name: maybe(text),
      symbol: maybe(text),
      decimals: maybe(u8),
      supply: maybe(amount),
      items: sequence,
    }),
  ),
  instance: declarations.records(
    0x04,
    'token, id',
    ofToken,
    record<InstanceRecord>({ owner: maybe(address), supply: amount }),
  ),
  /** Balance of a token (of an ERC-721: number of items); exists while it is above zero. */
  holding: declarations.records(
    0x05,
    'address, token',
    (of: Address, token: Address) => `0x${of.slice(2)}${token.slice(2)}`,
    record<{ amount: bigint }>({ amount }),
  ),
  /** Balance of one id of an ERC-1155; exists while it is above zero. */
  holdingOfInstance: declarations.records(
    0x06,
    'address, token, id',
    (of: Address, token: Address, tokenId: bigint) => `0x${of.slice(2)}${ofToken(token, tokenId).slice(2)}`,
    record<{ amount: bigint }>({ amount }),
  ),
  /** By day number since 1970, UTC. */
  day: declarations.records(
    0x07,
    'day',
    numbered,
    record<DayRecord>({
      firstBlock: sequence,
      blocks: sequence,
      transactions: sequence,
      failed: sequence,
      transfers: sequence,
      gasUsed: sequence,
      fees: amount,
      gasPrices: amount,
      contracts: sequence,
    }),
  ),
  /** Sum of all withdrawals of the consensus layer, in wei. */
  withdrawn: declarations.records(0x09, '', () => '0x', record<{ amount: bigint }>({ amount })),
  /** Block of the first grant of one account to another. */
  grantPair: declarations.records(
    0x20,
    'granter, grantee',
    (granter: Address, grantee: Address) => `0x${granter.slice(2)}${grantee.slice(2)}`,
    record<{ number: number }>({ number: sequence }),
  ),
  packet: declarations.records(
    0x21,
    'client, direction, sequence',
    (client: number, direction: Direction, of: bigint): Hex =>
      `${numbered(client)}${byteDigits(DIRECTIONS.indexOf(direction))}${toHex(bigToFixed(of, 8)).slice(2)}`,
    record<PacketRecord>({ position: sequence, status: oneOf(PACKET_STATUSES), number: sequence, index: u32 }),
  ),
  operation: declarations.records(
    0x50,
    'hash',
    (hash: Hash) => hash,
    record<OperationRecord>({
      operation: sequence,
      initCode: bytes,
      callData: bytes,
      callGasLimit: amount,
      verificationGasLimit: amount,
      preVerificationGas: amount,
      maxFeePerGas: amount,
      maxPriorityFeePerGas: amount,
      paymasterAndData: bytes,
      signature: bytes,
      aggregator: maybe(address),
      aggregatorSignature: bytes,
    }),
  ),
  /** Of every sender of an operation: the position of the one for which it was deployed, if there is one. */
  smartAccount: declarations.records(
    0x51,
    'address',
    (of: Address) => of,
    record<{ creation: number | undefined }>({ creation: maybe(sequence) }),
  ),
} as const

/** Hash over the declarations of all tables. It is here because only after this module are all of them declared. */
export const indexFormat = (): string => declarations.format()
