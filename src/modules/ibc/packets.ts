// Packets of IBC version 2 and what is provable of them (ICS-04): bytes, hashes and keys as ibc-go writes them, big endian. Other
// implementations must get the same.
import { bigToFixed, bytesToBig, equalBytes } from '../../lib/hex.ts'
import { sha256 } from '../../lib/sha256.ts'

export type Payload = {
  readonly sourcePort: string
  readonly destPort: string
  readonly version: string
  readonly encoding: string
  readonly value: Uint8Array
}

export type Packet = {
  /** Counted from 1 by the sending client. */
  readonly sequence: bigint
  readonly sourceClient: string
  readonly destClient: string
  /** Unix seconds; from then on the other chain refuses it. */
  readonly timeoutTimestamp: bigint
  readonly payloads: readonly Payload[]
}

const VERSION = Uint8Array.of(2)
const uint64 = (value: bigint): Uint8Array => bigToFixed(value, 8)

const payloadHash = ({ sourcePort, destPort, version, encoding, value }: Payload): Uint8Array =>
  sha256(...[sourcePort, destPort, version, encoding, value].map((part) => sha256(part)))

/** What the sending chain stores until the packet is acknowledged or has timed out. */
export const packetCommitment = ({ destClient, timeoutTimestamp, payloads }: Packet): Uint8Array =>
  sha256(VERSION, sha256(destClient), sha256(uint64(timeoutTimestamp)), sha256(...payloads.map(payloadHash)))

/** What the receiving chain stores of the answers of a packet's applications. */
export const acknowledgementCommitment = (acknowledgements: readonly Uint8Array[]): Uint8Array =>
  sha256(VERSION, ...acknowledgements.map((acknowledgement) => sha256(acknowledgement)))

/** What the receiving chain stores of a packet that it has received. */
export const RECEIPT = Uint8Array.of(2)

/** The answer of a chain one of whose applications has refused a packet; the changes of all its applications are undone. */
export const ERROR_ACKNOWLEDGEMENT = sha256('UNIVERSAL_ERROR_ACKNOWLEDGEMENT')

/** Whether the answers of a packet say that it was refused. */
export const isRefusal = (acknowledgements: readonly Uint8Array[]): boolean => {
  const [first, ...others] = acknowledgements
  return first !== undefined && others.length === 0 && equalBytes(first, ERROR_ACKNOWLEDGEMENT)
}

const key =
  (kind: number) =>
  (client: string, sequence: bigint): Uint8Array =>
    Buffer.concat([Buffer.from(client), Uint8Array.of(kind), uint64(sequence)])

/** Keys in the provable store of the chain that has the client. */
export const PACKET_KEY = { commitment: key(1), receipt: key(2), acknowledgement: key(3) } as const
const KINDS = ['commitment', 'receipt', 'acknowledgement'] as const

/** What a key of a packet names; undefined: it is no such key. */
export function readPacketKey(
  bytes: Uint8Array,
): { kind: keyof typeof PACKET_KEY; client: string; sequence: bigint } | undefined {
  const kind = KINDS[(bytes.at(-9) ?? 0) - 1]
  if (kind === undefined) return undefined
  return {
    kind,
    client: Buffer.from(bytes.subarray(0, -9)).toString('latin1'),
    sequence: bytesToBig(bytes.subarray(-8)),
  }
}

/** A key below the prefix that a counterparty has registered: the prefix' last part begins the key. */
export const merklePath = (prefix: readonly Uint8Array[], of: Uint8Array): readonly Uint8Array[] => [
  ...prefix.slice(0, -1),
  Buffer.concat([prefix.at(-1) ?? new Uint8Array(0), of]),
]
