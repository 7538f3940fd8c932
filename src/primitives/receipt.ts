// The consensus encoding of receipts, as in the receipts trie, and the 2048-bit log bloom of receipts and headers (Yellow Paper
// 4.3.1).
import { BytePool, scratchBytes } from '../lib/byte-pool.ts'
import { memo } from '../lib/caches.ts'
import { bigToBytes, EMPTY_BYTES, fromHex, type Hex, toHash } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import {
  asAddress,
  asBytes,
  asHash,
  asList,
  asListOf,
  asUint,
  decodeRlp,
  EncodedItem,
  encodedLength,
  encodeTyped,
  Malformed,
  prefixLength,
  type RlpItem,
  reading,
  writeHexItem,
  writePrefix,
  writeString,
} from './rlp.ts'
import type { Log, Receipt, TransactionType } from './types.ts'

/** The part of a receipt that is in the receipts trie. */
export type ConsensusReceipt = Pick<Receipt, 'type' | 'status' | 'root' | 'cumulativeGasUsed' | 'bloom' | 'logs'>

const BLOOM_SIZE = 256
/** The bloom of no logs, shared. Blooms are not changed once they are complete. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE)

/** The consensus encoding: for typed transactions the type byte, then RLP of status or root, gas, bloom, logs. */
export function encodeReceipt(receipt: ConsensusReceipt): Uint8Array {
  const { type, cumulativeGasUsed, bloom, logs } = receipt
  return encodeTyped(type, [writeOutcome(receipt), bigToBytes(cumulativeGasUsed), bloom, encodeLogs(logs)])
}

/** The inverse of `encodeReceipt`. Throws ChainError `invalid-block`. */
export function decodeReceipt(bytes: Uint8Array): ConsensusReceipt {
  return reading('invalid-block', () => {
    const isLegacy = (bytes[0] ?? 0) >= 0xc0
    const type = isLegacy ? 0 : readType(bytes[0])
    const [outcome, gas, bloom, logs] = asListOf(decodeRlp(isLegacy ? bytes : bytes.subarray(1)), [4], 'receipt')
    return {
      type,
      ...readOutcome(outcome),
      cumulativeGasUsed: asUint(gas, 'cumulativeGasUsed', 8),
      bloom: asBytes(bloom, 'bloom', BLOOM_SIZE),
      logs: asList(logs, 'logs').map(readLog),
    }
  })
}

/** A bloom lives as long as its receipt or header, so it must not share a memory block with short-lived bytes. */
const bloomPool = new BytePool()

/** The bloom of all addresses and topics of the logs. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = bloomPool.allocate(BLOOM_SIZE)
  for (const { address, topics } of logs) {
    mark(bloom, address)
    for (const topic of topics) mark(bloom, topic)
  }
  return bloom
}

/** A test for blooms: false when no log has any of the addresses or topics, true when perhaps one has. */
export function bloomTest(anyOf: readonly Uint8Array[]): (bloom: Uint8Array) => boolean {
  const wanted = anyOf.map(bloomBits)
  return (bloom) => wanted.some((bits) => bits.every((bit) => ((bloom[byteOf(bit)] ?? 0) & maskOf(bit)) !== 0))
}

/** The bitwise OR of blooms: a block's bloom from its receipts'. */
export function mergeBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const all = bloomPool.allocate(BLOOM_SIZE)
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue
    for (let at = 0; at < BLOOM_SIZE; at++) {
      const bits = bloom[at] ?? 0
      // Most bytes are zero.
      if (bits !== 0) all[at] = (all[at] ?? 0) | bits
    }
  }
  return all
}

/** Results of `bitsOf` that are cached, because the same addresses and topics recur in many logs. */
const CACHED_BITS = 20_000
const bitsOf = memo(CACHED_BITS, (value: Hex) => bloomBits(fromHex(value)))

function mark(bloom: Uint8Array, value: Hex): void {
  for (const bit of bitsOf(value)) bloom[byteOf(bit)] = (bloom[byteOf(bit)] ?? 0) | maskOf(bit)
}

/** The three bits of a value, each given by 11 bits of its hash; bit 0 is the last bit of the bloom. */
function bloomBits(value: Uint8Array): readonly number[] {
  const hash = keccak256(value)
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % 2048)
}

const byteOf = (bit: number): number => BLOOM_SIZE - 1 - (bit >> 3)
const maskOf = (bit: number): number => 1 << (bit & 7)

const SUCCESS = Uint8Array.of(1)

/** The first field of a receipt: the status, or before Byzantium the state root. */
export const writeOutcome = ({ status, root }: Pick<Receipt, 'status' | 'root'>): Uint8Array =>
  root === undefined ? (status === 1 ? SUCCESS : EMPTY_BYTES) : fromHex(root)

/** The inverse of `writeOutcome`. Throws Malformed. */
export function readOutcome(item: RlpItem | undefined): Pick<Receipt, 'status' | 'root'> {
  const bytes = asBytes(item, 'status')
  if (bytes.length === 32) return { status: undefined, root: toHash(bytes) }
  if (bytes.length === 0) return { status: 0, root: undefined }
  if (bytes.length === 1 && bytes[0] === 1) return { status: 1, root: undefined }
  throw new Malformed('rlp: invalid receipt status')
}

export function readType(type: number | undefined): TransactionType {
  if (type === 0 || type === 1 || type === 2 || type === 3 || type === 4) return type
  throw new Malformed('rlp: unknown receipt type')
}

const ADDRESS_ITEM = 21
const HASH_ITEM = 33
const NO_LOGS = new EncodedItem(Uint8Array.of(0xc0))

const listLength = (payload: number): number => prefixLength(payload) + payload
const topicsPayload = ({ topics }: Log): number => topics.length * HASH_ITEM
const logPayload = (log: Log): number => ADDRESS_ITEM + listLength(topicsPayload(log)) + encodedLength(log.data)

/** RLP of a list of logs: address, topics, data. Written without intermediate items, because many transactions have logs. */
export function encodeLogs(logs: readonly Log[]): EncodedItem {
  if (logs.length === 0) return NO_LOGS
  let payload = 0
  for (const log of logs) payload += listLength(logPayload(log))
  const out = scratchBytes(listLength(payload))
  let at = writePrefix(0xc0, payload, out, 0)
  for (const log of logs) {
    at = writePrefix(0xc0, logPayload(log), out, at)
    at = writePrefix(0xc0, topicsPayload(log), out, writeHexItem(log.address, out, at))
    for (const topic of log.topics) at = writeHexItem(topic, out, at)
    at = writeString(log.data, out, at)
  }
  return new EncodedItem(out)
}

/** Decodes one log of the list that `encodeLogs` writes. Throws Malformed. */
export function readLog(item: RlpItem): Log {
  const [address, topics, data] = asListOf(item, [3], 'log')
  return {
    address: asAddress(address, 'log address'),
    topics: asList(topics, 'topics').map((topic) => asHash(topic, 'topic')),
    data: asBytes(data, 'log data'),
  }
}
