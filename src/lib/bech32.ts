// Addresses as bech32 text (BIP-173, with its original checksum): `<prefix>1<data><checksum>`. Error messages are those of the
// Cosmos SDK, because contracts show them to users.
import { bech32 } from '@scure/base'
import { ChainError } from './errors.ts'
import { type Address, fromHex, hexToAddress, toAddress } from './hex.ts'

/** Whether 20 bytes can be written with this prefix: visible ASCII, and at most 90 characters with separator and checksum. */
export const isPrefix = (prefix: string): boolean =>
  prefix !== '' && VISIBLE.test(prefix) && prefix.length + 1 + 32 + CHECKSUM_SIZE <= LONGEST

/** Any bytes as bech32, lower case. */
export const bytesToBech32 = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes))

/** An address as bech32, lower case: `toBech32('kest', address)`. */
export const toBech32 = (prefix: string, address: Address): string => bytesToBech32(prefix, fromHex(address))

/** Prefix (lower case) and bytes of a bech32 text. Throws ChainError `decoding bech32 failed: <why>`. */
export function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } {
  if (text.trim() === '') throw invalid('empty address string is not allowed')
  const fault = faultOf(text)
  if (fault !== undefined) throw invalid(`decoding bech32 failed: ${fault}`)
  const decoded = bech32.decodeUnsafe(text)
  if (decoded === undefined) throw invalid('decoding bech32 failed: invalid checksum')
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  if (bytes === undefined) throw invalid('decoding bech32 failed: invalid incomplete group')
  return { prefix: decoded.prefix, bytes }
}

const VISIBLE = /^[!-~]*$/
const SHORTEST = 8
const LONGEST = 90
const CHECKSUM_SIZE = 6

/**
 * The first rule of BIP-173 that a text breaks, except the checksum; undefined if none. The messages are those of the SDK's
 * library (btcutil). They are defined here because a message may become state, and a library may change its messages.
 */
function faultOf(text: string): string | undefined {
  if (text.length < SHORTEST || text.length > LONGEST) return `invalid bech32 string length ${text.length}`
  if (!VISIBLE.test(text)) return 'invalid character in string'
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return 'string not all lowercase or all uppercase'
  const separator = lower.lastIndexOf('1')
  if (separator < 1 || separator + 1 + CHECKSUM_SIZE > text.length) return `invalid separator index ${separator}`
  const strange = /[^qpzry9x8gf2tvdw0s3jn54khce6mua7l]/.exec(lower.slice(separator + 1))
  return strange === null ? undefined : `invalid character not part of charset: ${strange[0]}`
}

/** The 20 bytes of a bech32 text that must have this prefix. Throws ChainError. */
export function fromBech32(prefix: string, text: string): Address {
  const found = decodeBech32(text)
  if (found.prefix !== prefix) throw invalid(`invalid Bech32 prefix; expected ${prefix}, got ${found.prefix}`)
  if (found.bytes.length !== 20) throw invalid(`incorrect address length (expected: 20, actual: ${found.bytes.length})`)
  return toAddress(found.bytes)
}

/** Reads an address as bech32 with this prefix, or as 0x hex of 20 bytes. Throws ChainError. */
export const readAddress = (prefix: string, text: string): Address =>
  /^0x[0-9a-fA-F]{40}$/.test(text) ? hexToAddress(text) : fromBech32(prefix, text)

const invalid = (why: string): ChainError => new ChainError('invalid-params', why)
