// Addresses as bech32 text (BIP-173, the first checksum): `<prefix>1…` for accounts, `<prefix>valoper1…` for validators,
// `<prefix>valcons1…` for consensus keys. Refusals have the Cosmos SDK's words, because contracts show them to users.
import { bech32 } from '@scure/base'
import { ChainError } from './errors.ts'
import { type Address, fromHex, hexToAddress, toAddress } from './hex.ts'

/** The prefix of validators' operator addresses on a chain. */
export const operatorPrefix = (prefix: string): string => `${prefix}valoper`
/** The prefix of consensus addresses on a chain. */
export const consensusPrefix = (prefix: string): string => `${prefix}valcons`

/** Any bytes as bech32, lower case. */
export const bytesToBech32 = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes))

/** An address as bech32, lower case: `toBech32('kest', address)`. */
export const toBech32 = (prefix: string, address: Address): string => bytesToBech32(prefix, fromHex(address))

/** Prefix (lower case) and bytes of a bech32 text. Throws ChainError `decoding bech32 failed: <why>`. */
export function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } {
  if (text.trim() === '') throw invalid('empty address string is not allowed')
  try {
    const { prefix, words } = bech32.decode(text as `${string}1${string}`)
    return { prefix, bytes: bech32.fromWords(words) }
  } catch (error) {
    throw invalid(`decoding bech32 failed: ${error instanceof Error ? error.message : String(error)}`)
  }
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
