// What the machine is told and what it hands to the library, where it needs nothing of the machine itself.
import { type EVM, EVMError, type EVMRunCallOpts, type ExecResult } from '@ethereumjs/evm'
import { ChainError } from '../lib/errors.ts'
import { type Address, bytesToBig, EMPTY_BYTES, fromHex, type Hash } from '../lib/hex.ts'
import { toLibAddress } from './state-adapter.ts'

/** What opcodes are told of the block. */
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
}

/** A message from outside: a transaction's own, or one of the protocol's. */
export type OuterMessage = {
  readonly from: Address
  /** null: a creation; the sender's nonce has been raised already. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly gasPrice: bigint
  readonly blobVersionedHashes: readonly Hash[]
  readonly isStatic: boolean
  /** undefined: the message is told of a block of zeros. */
  readonly block: BlockContext | undefined
}

/** EIP-152's address and the first field of its input. Two million rounds take about a second. */
export const BLAKE2F = `0x${'0'.repeat(39)}9` as Address
const MAX_ROUNDS = 8_000_000
const roundsOf = (input: Uint8Array): number => Number(bytesToBig(input.subarray(0, 4)))

export const insufficientBalance = (): ExecResult => ({
  returnValue: EMPTY_BYTES,
  executionGasUsed: 0n,
  exceptionError: new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE),
})

export const unreachable = (): ExecResult => {
  throw new Error('a native contract is entered by _loadCode only')
}

export const isLoneInvalid = (code: unknown): boolean =>
  code instanceof Uint8Array && code.length === 1 && code[0] === 0xfe

/** What the library asks of a blockchain: hashes of ancestors. */
export function chainOf(
  blockHash: (number: bigint) => Hash | undefined,
): NonNullable<ConstructorParameters<typeof EVM>[0]['blockchain']> {
  const chain = {
    getBlock: async (number: number) => {
      const hash = blockHash(BigInt(number))
      return { hash: () => (hash === undefined ? new Uint8Array(32) : fromHex(hash)) }
    },
    putBlock: async () => undefined,
    shallowCopy: () => chain,
  }
  return chain
}

/** Throws ChainError `limit-exceeded` for a BLAKE2F of so many rounds that it is sure to miss any deadline. */
export function refuseLongWork(input: Uint8Array): void {
  const rounds = roundsOf(input)
  if (rounds <= MAX_ROUNDS) return
  throw new ChainError('limit-exceeded', `execution aborted: blake2f with ${rounds} rounds takes too long`)
}

/** The block in the shape the library's opcodes read. */
export function toLibBlock(block: BlockContext): NonNullable<EVMRunCallOpts['block']> {
  return {
    header: {
      number: block.number,
      coinbase: toLibAddress(block.coinbase),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: fromHex(block.prevRandao),
      gasLimit: block.gasLimit,
      ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
      getBlobGasPrice: () => block.blobBaseFee,
    },
  }
}
