// Packets and acknowledgements as bytes, and their commitments (ICS-04); the data of a transfer's packet (ICS-20), which
// other implementations must read and hash alike. Pure functions.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToFixed, type Hash, toAddress, toHash } from '../../lib/hex.ts'

/** A height of the chain that receives. Both zero: none. */
export type Height = { readonly revisionNumber: bigint; readonly revisionHeight: bigint }

/** Until when a packet may be received. */
export type Timeout = {
  readonly height: Height
  /** Unix nanoseconds; zero: none. */
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

/** What the sender's chain keeps of a packet until it hears of its fate. */
export const packetCommitment = ({ timeout, data }: Packet): Hash =>
  toHash(
    sha256(
      big64(timeout.timestamp),
      big64(timeout.height.revisionNumber),
      big64(timeout.height.revisionHeight),
      sha256(data),
    ),
  )

/** What the receiver's chain keeps of its answer. */
export const acknowledgementCommitment = (acknowledgement: Uint8Array): Hash => toHash(sha256(acknowledgement))

/** The escrow account of a channel end: derived from its name (ADR-28), so that it has no key. */
export const escrowAddress = ({ port, channel }: ChannelId): Address =>
  toAddress(sha256('ics20-1', Uint8Array.of(0), `${port}/${channel}`).subarray(0, 20))

/** -1, 0 or 1 as a height is below, at or above another one; revisions count first. */
export function compareHeights(a: Height, b: Height): number {
  const difference = a.revisionNumber - b.revisionNumber || a.revisionHeight - b.revisionHeight
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Whether a chain at this height and time (nanoseconds) takes the packet no more. */
export function isTimedOut({ height, timestamp }: Timeout, at: Height, time: bigint): boolean {
  const hasHeight = height.revisionNumber !== 0n || height.revisionHeight !== 0n
  return (hasHeight && compareHeights(at, height) >= 0) || (timestamp !== 0n && time >= timestamp)
}

/** The revision in a chain's name: 1 of `kestrel_125-1`; 0 where the name has none. */
export const revisionOf = (textChainId: string): bigint => BigInt(/[^\n-]-([1-9]\d{0,17})$/.exec(textChainId)?.[1] ?? 0)

/** What a transfer's packet says. */
export type PacketData = {
  /** Decimal, because JSON's numbers end at 2^53. */
  readonly amount: bigint
  /** Full path. */
  readonly denom: string
  readonly memo: string
  readonly receiver: string
  /** bech32 of the sender's chain. */
  readonly sender: string
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON as Go's encoder writes it: keys in order, no blanks, an empty memo left out, what means something in HTML escaped. */
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

/** Throws ChainError on data that is no transfer. */
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

/** That the packet was taken: base64 of one byte 1. */
export const SUCCESS: Uint8Array = Buffer.from('{"result":"AQ=="}')

/** An error acknowledgement. It has only the error's code, because texts could differ between nodes. */
export const errorAcknowledgement = (code: number): Uint8Array =>
  Buffer.from(`{"error":"ABCI code: ${code}: error handling packet: see events for details"}`)

/** Whether an acknowledgement says that the packet was taken. */
export const isSuccess = (acknowledgement: Uint8Array): boolean =>
  Buffer.from(acknowledgement).toString('utf8').startsWith('{"result":')

/** Why a chain that takes no transfers refuses one. */
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

/** The Cosmos SDK's number for a refusal, by its registered text; 1 for what has none. */
export const errorCode = (refusal: ChainError): number =>
  CODES.find(([text]) => `: ${refusal.message}`.endsWith(`: ${text}`))?.[1] ?? INTERNAL
