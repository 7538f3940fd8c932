// The block header's encoding. The block's hash depends on it, so a header is encoded exactly as its fork prescribes, or
// refused: 15 fields, then one (London), one (Shanghai), three (Cancun), one (Prague) and two
// (Amsterdam).
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, fromHex, type Hash, toHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { asAddress, asBytes, asHash, asListOf, asUint, decodeRlp, encodeRlp, type RlpItem, reading } from './rlp.ts'
import type { Header, SealedHeader } from './types.ts'

const FIELD_COUNTS = [15, 16, 17, 20, 21, 23]
const UINT64 = 8
const UINT256 = 32

/** RLP of the header. Throws ChainError `invalid-block` when it has a fork's field and lacks one of an earlier fork. */
export function encodeHeader(header: Header): Uint8Array {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const later = [
    baseFeePerGas,
    withdrawalsRoot,
    blobGasUsed,
    excessBlobGas,
    parentBeaconBlockRoot,
    requestsHash,
    header.blockAccessListHash,
    header.slotNumber,
  ]
  const present = later.filter((field) => field !== undefined)
  const fields = [
    fromHex(header.parentHash),
    fromHex(header.sha3Uncles),
    fromHex(header.coinbase),
    fromHex(header.stateRoot),
    fromHex(header.transactionsRoot),
    fromHex(header.receiptsRoot),
    header.logsBloom,
    bigToBytes(header.difficulty),
    bigToBytes(header.number),
    bigToBytes(header.gasLimit),
    bigToBytes(header.gasUsed),
    bigToBytes(header.timestamp),
    fromHex(header.extraData),
    fromHex(header.mixHash),
    fromHex(header.nonce),
    ...present.map((field) => (typeof field === 'bigint' ? bigToBytes(field) : fromHex(field))),
  ]
  const gap = later.slice(0, present.length).includes(undefined)
  if (gap || !FIELD_COUNTS.includes(fields.length)) {
    throw new ChainError('invalid-block', 'the header lacks a field that its fork prescribes')
  }
  return encodeRlp(fields)
}

/** The header with the hash of its encoding. Throws as `encodeHeader`. */
export function sealHeader(header: Header): SealedHeader {
  return { ...header, hash: keccakHash(encodeHeader(header)) }
}

/** Decodes a header; checks ranges and lengths, no consensus rule. Throws ChainError `invalid-block`. */
export function decodeHeader(bytes: Uint8Array): SealedHeader {
  return reading('invalid-block', () =>
    readHeader(asListOf(decodeRlp(bytes), FIELD_COUNTS, 'header'), keccakHash(bytes)),
  )
}

function readHeader(fields: readonly RlpItem[], hash: Hash): SealedHeader {
  const [baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, beaconRoot, requestsHash, accessListHash, slot] =
    fields.slice(15)
  return {
    parentHash: asHash(fields[0], 'parentHash'),
    sha3Uncles: asHash(fields[1], 'sha3Uncles'),
    coinbase: asAddress(fields[2], 'coinbase'),
    stateRoot: asHash(fields[3], 'stateRoot'),
    transactionsRoot: asHash(fields[4], 'transactionsRoot'),
    receiptsRoot: asHash(fields[5], 'receiptsRoot'),
    logsBloom: asBytes(fields[6], 'logsBloom', 256),
    difficulty: asUint(fields[7], 'difficulty', UINT256),
    number: asUint(fields[8], 'number', UINT64),
    gasLimit: asUint(fields[9], 'gasLimit', UINT64),
    gasUsed: asUint(fields[10], 'gasUsed', UINT64),
    timestamp: asUint(fields[11], 'timestamp', UINT64),
    extraData: toHex(asBytes(fields[12], 'extraData')),
    mixHash: asHash(fields[13], 'mixHash'),
    nonce: toHex(asBytes(fields[14], 'nonce', 8)),
    baseFeePerGas: baseFeePerGas && asUint(baseFeePerGas, 'baseFeePerGas', UINT256),
    withdrawalsRoot: withdrawalsRoot && asHash(withdrawalsRoot, 'withdrawalsRoot'),
    blobGasUsed: blobGasUsed && asUint(blobGasUsed, 'blobGasUsed', UINT64),
    excessBlobGas: excessBlobGas && asUint(excessBlobGas, 'excessBlobGas', UINT64),
    parentBeaconBlockRoot: beaconRoot && asHash(beaconRoot, 'parentBeaconBlockRoot'),
    requestsHash: requestsHash && asHash(requestsHash, 'requestsHash'),
    blockAccessListHash: accessListHash && asHash(accessListHash, 'blockAccessListHash'),
    slotNumber: slot && asUint(slot, 'slotNumber', UINT64),
    hash,
  }
}
