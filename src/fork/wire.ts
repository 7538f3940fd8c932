// Schemas of the JSON that the forked chain answers. Other people write these answers, so each value is bounded.
import { z } from 'zod'
import { bigToBytes, type Hex, hexToAddress, hexToHash, ZERO_ADDRESS, ZERO_HASH } from '../lib/hex.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import type { SealedHeader, TransactionType } from '../primitives/types.ts'

const lowerHex = z
  .string()
  .refine((text) => text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text))
  .transform((text) => text.toLowerCase() as Hex)
/** Up to 256 bits; with leading zeros too, because some servers send them. */
export const quantity = z
  .string()
  .max(130)
  .regex(/^0x0*[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)
export const bytes = lowerHex.transform((text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')))
export const hash = lowerHex.refine((text) => text.length === 66).transform(hexToHash)
export const address = lowerHex.refine((text) => text.length === 42).transform(hexToAddress)
/** A storage word without leading zeros. */
export const word = quantity.transform(bigToBytes)

const missing = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
/** A value that may be left out or null. */
export const without = <T extends z.ZodType>(schema: T, value: z.output<T>) =>
  schema.nullish().transform((found) => found ?? value)

/** A list; left out or null: empty. */
export const listOr = <T extends z.ZodType>(schema: T) => without(z.array(schema), [])

/** A block's header. Chains that are not Ethereum leave fields out, and their hash is not that of Ethereum's encoding. */
export const block = z
  .object({
    hash,
    parentHash: hash,
    sha3Uncles: without(hash, EMPTY_UNCLES_HASH),
    miner: without(address, ZERO_ADDRESS),
    stateRoot: without(hash, ZERO_HASH),
    transactionsRoot: without(hash, ZERO_HASH),
    receiptsRoot: without(hash, ZERO_HASH),
    logsBloom: without(bytes, EMPTY_BLOOM),
    difficulty: without(quantity, 0n),
    number: quantity,
    gasLimit: quantity,
    gasUsed: without(quantity, 0n),
    timestamp: quantity,
    extraData: without(lowerHex, '0x'),
    mixHash: without(hash, ZERO_HASH),
    nonce: without(lowerHex, '0x0000000000000000'),
    baseFeePerGas: missing(quantity),
    withdrawalsRoot: missing(hash),
    blobGasUsed: missing(quantity),
    excessBlobGas: missing(quantity),
    parentBeaconBlockRoot: missing(hash),
    requestsHash: missing(hash),
    blockAccessListHash: missing(hash),
    slotNumber: missing(quantity),
  })
  .transform(({ miner: coinbase, ...header }): SealedHeader => ({ ...header, coinbase }))

const accessed = z.object({ address, storageKeys: z.array(hash) })
/** Zero, if it is left out. */
export const zero = without(quantity, 0n)

/** A transaction. `number`: of nonce, value and signatures, which types of other chains may leave out. */
const transactionWith = (number: z.ZodType<bigint>) =>
  z
    .object({
      hash,
      type: zero,
      chainId: missing(quantity),
      from: address,
      to: address.nullish().transform((to) => to ?? null),
      nonce: number,
      value: number,
      input: bytes,
      gas: quantity,
      gasPrice: zero,
      maxFeePerGas: missing(quantity),
      maxPriorityFeePerGas: missing(quantity),
      maxFeePerBlobGas: zero,
      accessList: listOr(accessed),
      blobVersionedHashes: listOr(hash),
      authorizationList: listOr(
        z.object({ chainId: quantity, address, nonce: quantity, yParity: number, r: number, s: number }),
      ),
      v: zero,
      yParity: missing(quantity),
      r: number,
      s: number,
    })
    .transform(({ type, input: data, gas: gasLimit, maxFeePerGas, maxPriorityFeePerGas, v, yParity, ...fields }) => ({
      ...fields,
      type: Number(type) as TransactionType,
      data,
      gasLimit,
      maxFeePerGas: maxFeePerGas ?? fields.gasPrice,
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? fields.gasPrice,
      v: type === 0n ? v : (yParity ?? v),
    }))
/** As Ethereum's types have it. */
export const transaction = transactionWith(quantity)
/** As chains with types of their own have it. */
export const foreignTransaction = transactionWith(zero)

export const accessList = z.object({
  accessList: z.array(z.object({ address, storageKeys: without(z.array(hash), []) })).max(100_000),
})

/** EIP-1186. */
export const proof = z.object({
  balance: quantity,
  nonce: quantity,
  codeHash: hash,
  storageHash: hash,
  accountProof: z.array(bytes).max(100),
  storageProof: z.array(z.object({ value: word, proof: z.array(bytes).max(100) })).max(1_000),
})
export type Proof = z.output<typeof proof>

/** Where a transaction or block is. */
export const place = z.object({ number: quantity.nullish(), blockNumber: quantity.nullish() }).nullable()

const ratios = z.array(z.number()).max(10_000)
const fees = z.array(quantity).max(10_000)
export const feeHistory = z.object({
  oldestBlock: quantity,
  baseFeePerGas: fees,
  gasUsedRatio: ratios,
  baseFeePerBlobGas: without(fees, []),
  blobGasUsedRatio: without(ratios, []),
  reward: without(z.array(fees), []),
})

/** Logs as they are. */
export const logs = z.array(z.looseObject({ blockNumber: z.string().regex(/^0x[0-9a-fA-F]{1,16}$/) }))
/** Traces as they are. */
export const traces = z.array(
  z.looseObject({
    blockNumber: z.number().int().nonnegative(),
    action: z.looseObject({}),
    result: z.looseObject({}).nullish(),
  }),
)

const whole = z.number().int().nonnegative()
const blobSchedule = z
  .object({ target: whole, max: whole, baseFeeUpdateFraction: whole })
  // Chains without blobs have zeros.
  .transform(({ target, max, baseFeeUpdateFraction: fraction }) =>
    fraction === 0 ? undefined : { target: BigInt(target), max: BigInt(max), baseFeeUpdateFraction: BigInt(fraction) },
  )
const forkConfig = z.object({
  activationTime: whole,
  precompiles: z.record(z.string(), z.unknown()),
  blobSchedule: blobSchedule.nullish(),
  systemContracts: z
    .object({ DEPOSIT_CONTRACT_ADDRESS: address.nullish(), BUILDER_DEPOSIT_CONTRACT_ADDRESS: address.nullish() })
    .nullish(),
})
/** EIP-7910: the forks of a chain. */
export const config = z.object({ current: forkConfig, next: forkConfig.nullish() })
