// Packets and acknowledgements as bytes and their commitments (ICS-04), and the data of a transfer packet (ICS-20).
// Other implementations must get the same bytes and hashes. Pure functions.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToFixed, type Hash, toAddress, toHash } from '../../lib/hex.ts'

/** A height of the receiving chain. If both numbers are zero, there is no height. */
export type Height = { readonly revisionNumber: bigint; readonly revisionHeight: bigint }

/** When a packet expires: at the height or the time, whichever is reached first. */
export type Timeout = {
  readonly height: Height
  /** Unix nanoseconds; zero means no time limit. */
  readonly timestamp: bigint
}

export type ChannelId = { readonly port: string; readonly channel: string }

export type Packet = {
  readonly source: ChannelId
  readonly destination: ChannelId
  /** Counted from 1 on each channel end. */
  readonly sequence: bigint
  readonly timeout: Timeout
  readonly data: Uint8Array
}

const sha256 = (...parts: readonly (Uint8Array | string)[]): Uint8Array =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest()

const big64 = (value: bigint): Uint8Array => bigToFixed(value, 8)

/** The hash of a packet that the sending chain stores until the packet is acknowledged or has timed out. */
export const packetCommitment = ({ timeout, data }: Packet): Hash =>
  toHash(
    sha256(
      big64(timeout.timestamp),
      big64(timeout.height.revisionNumber),
      big64(timeout.height.revisionHeight),
      sha256(data),
    ),
  )

/** The hash of an acknowledgement that the receiving chain stores. */
export const acknowledgementCommitment = (acknowledgement: Uint8Array): Hash => toHash(sha256(acknowledgement))

/** The escrow account of a channel end, derived from port and channel (ADR-28), so it has no private key. */
export const escrowAddress = ({ port, channel }: ChannelId): Address =>
  toAddress(sha256('ics20-1', Uint8Array.of(0), `${port}/${channel}`).subarray(0, 20))

/** -1, 0 or 1 when `a` is below, equal to or above `b`; the revision is compared first. */
export function compareHeights(a: Height, b: Height): number {
  const difference = a.revisionNumber - b.revisionNumber || a.revisionHeight - b.revisionHeight
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Whether a chain at this height and time (nanoseconds) no longer accepts the packet. */
export function isTimedOut({ height, timestamp }: Timeout, at: Height, time: bigint): boolean {
  const hasHeight = height.revisionNumber !== 0n || height.revisionHeight !== 0n
  return (hasHeight && compareHeights(at, height) >= 0) || (timestamp !== 0n && time >= timestamp)
}

/** The revision in a chain's name: 1 of `kestrel_125-1`; 0 if the name has none. */
export const revisionOf = (textChainId: string): bigint => BigInt(/[^\n-]-([1-9]\d{0,17})$/.exec(textChainId)?.[1] ?? 0)

/** The data of a transfer packet (ICS-20). */
export type PacketData = {
  /** A decimal string in JSON, because JSON numbers are exact only up to 2^53. */
  readonly amount: bigint
  /** The denomination with its full path of ports and channels. */
  readonly denom: string
  readonly memo: string
  readonly receiver: string
  /** In the bech32 format of the sending chain. */
  readonly sender: string
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON as Go's encoder writes it: keys sorted, no whitespace, an empty memo omitted, HTML characters escaped. */
export function encodePacketData({ amount, denom, memo, receiver, sender }: PacketData): Uint8Array {
  const fields = { amount: String(amount), denom, ...(memo !== '' && { memo }), receiver, sender }
  return Buffer.from(JSON.stringify(fields).replace(/[<>&\u2028\u2029]/g, (sign) => ESCAPES[sign] ?? sign))
}

const packetData = z.object({
  amount: z
    .string()
    .regex(/^\d{1,78}$/)
    .transform(BigInt)
    .refine((amount) => amount > 0n && amount < 2n ** 256n),
  denom: z.string().min(1),
  memo: z.string().default(''),
  receiver: z.string().min(1),
  sender: z.string().min(1),
})

/** The inverse of `encodePacketData`. Throws ChainError for data that is not a transfer. */
export function decodePacketData(data: Uint8Array): PacketData {
  const { success, data: read } = packetData.safeParse(parsed(data))
  if (success) return read
  throw new ChainError('execution-reverted', 'cannot unmarshal ICS-20 transfer packet data: invalid type')
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'))
  } catch {
    return undefined
  }
}

/** The acknowledgement of an accepted packet; its result is one byte 1 in base64. */
export const SUCCESS: Uint8Array = Buffer.from('{"result":"AQ=="}')

/** An error acknowledgement. It has only the error's code, because messages could differ between nodes. */
export const errorAcknowledgement = (code: number): Uint8Array =>
  Buffer.from(`{"error":"ABCI code: ${code}: error handling packet: see events for details"}`)

/** Whether an acknowledgement says that the packet was accepted. */
export const isSuccess = (acknowledgement: Uint8Array): boolean =>
  Buffer.from(acknowledgement).toString('utf8').startsWith('{"result":')

/** The error message of a chain that does not accept transfers. */
export const RECEIVE_DISABLED = 'fungible token transfers to this chain are disabled'

const CODES: readonly (readonly [text: string, code: number])[] = [
  [RECEIVE_DISABLED, 8],
  ['unauthorized', 4],
  ['insufficient funds', 5],
  ['invalid address', 7],
  ['invalid coins', 10],
  ['invalid type', 29],
]
const INTERNAL = 1

/** The Cosmos SDK's error code for a message that ends with one of the registered texts; 1 for any other error. */
export const errorCode = (refusal: ChainError): number =>
  CODES.find(([text]) => `: ${refusal.message}`.endsWith(`: ${text}`))?.[1] ?? INTERNAL
