// Random but valid values of the primitives, for fast-check.
import fc from 'fast-check'
import { type Address, type Hash, type Hex, toAddress, toHash, toHex } from '../../src/lib/hex.ts'
import type { TransactionFields } from '../../src/primitives/transaction.ts'
import type { AccessList, Authorization, Header, Log, TransactionType } from '../../src/primitives/types.ts'

export const TYPES: readonly TransactionType[] = [0, 1, 2, 3, 4]

export const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
export const address: fc.Arbitrary<Address> = bytes(20).map(toAddress)
export const hash: fc.Arbitrary<Hash> = bytes(32).map(toHash)
export const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
export const data = fc.uint8Array({ maxLength: 300 })

/** A leading byte of 1..254 makes the value less than n and not 0. */
export const privateKey = fc
  .tuple(fc.integer({ min: 1, max: 254 }), bytes(31))
  .map(([first, rest]) => Uint8Array.of(first, ...rest))

export const accessList: fc.Arbitrary<AccessList> = fc.array(
  fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }),
  { maxLength: 3 },
)

const authorization: fc.Arbitrary<Authorization> = fc.record({
  chainId: uint(53),
  address,
  nonce: uint(53),
  yParity: fc.constantFrom(0n, 1n),
  r: fc.bigInt({ min: 1n, max: 2n ** 255n }),
  s: fc.bigInt({ min: 1n, max: 2n ** 254n }),
})

const blobHash = bytes(31).map((rest): Hash => toHash(Uint8Array.of(1, ...rest)))

/** Valid fields of a type; a legacy transaction has a chain id only if `replayProtected`. */
export function fields(type: TransactionType, replayProtected = true): fc.Arbitrary<TransactionFields> {
  return fc
    .record({
      // Legacy v is twice the chain id plus 35 or 36, and @ethereumjs/tx computes it in doubles.
      chainId: fc.bigInt({ min: 1n, max: 2n ** 51n }),
      nonce: uint(53),
      fees: fc.tuple(uint(128), uint(128)),
      gasLimit: fc.bigInt({ min: 21_000n, max: 2n ** 53n - 1n }),
      to: type > 2 ? address : fc.option(address),
      value: uint(256),
      data,
      accessList: type > 0 ? accessList : fc.constant([]),
      maxFeePerBlobGas: type === 3 ? uint(128) : fc.constant(0n),
      blobVersionedHashes: type === 3 ? fc.array(blobHash, { minLength: 1, maxLength: 6 }) : fc.constant([]),
      authorizationList: type === 4 ? fc.array(authorization, { minLength: 1, maxLength: 3 }) : fc.constant([]),
    })
    .map(({ chainId, fees: [a, b], ...rest }) => {
      const [low, high] = a < b ? [a, b] : [b, a]
      return {
        type,
        chainId: replayProtected ? chainId : undefined,
        maxFeePerGas: high,
        maxPriorityFeePerGas: type < 2 ? high : low,
        ...rest,
      }
    })
}

export const log: fc.Arbitrary<Log> = fc.record({ address, topics: fc.array(hash, { maxLength: 4 }), data })

/** Headers with the fields of one fork: 15 before London, then 16, 17 (Shanghai), 20 (Cancun), 21 (Prague), 23 (Amsterdam). */
export function header(fieldCount: 15 | 16 | 17 | 20 | 21 | 23): fc.Arbitrary<Header> {
  const since = <T>(count: number, value: fc.Arbitrary<T>) => (fieldCount >= count ? value : fc.constant(undefined))
  return fc.record({
    parentHash: hash,
    sha3Uncles: hash,
    coinbase: address,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: bytes(256),
    difficulty: fieldCount < 17 ? uint(80) : fc.constant(0n),
    number: uint(40),
    gasLimit: fc.bigInt({ min: 2n ** 61n, max: 2n ** 62n }),
    gasUsed: uint(60),
    timestamp: uint(40),
    extraData: fc.uint8Array({ maxLength: 32 }).map(toHex),
    mixHash: hash,
    nonce: fieldCount < 17 ? bytes(8).map(toHex) : fc.constant<Hex>('0x0000000000000000'),
    baseFeePerGas: since(16, uint(80)),
    withdrawalsRoot: since(17, hash),
    blobGasUsed: since(20, uint(62)),
    excessBlobGas: since(20, uint(62)),
    parentBeaconBlockRoot: since(20, hash),
    requestsHash: since(21, hash),
    blockAccessListHash: since(23, hash),
    slotNumber: since(23, uint(40)),
  })
}
