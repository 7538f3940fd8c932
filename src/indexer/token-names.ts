// Names and symbols of tokens: untrusted text, made safe to display, and the search terms of a token.
import { type Address, fromHex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import { NO_VALUE, type Overlay } from '../tables/overlay.ts'
import type { TokenRecord } from './records.ts'
import { sizeAt } from './token-logs.ts'

/** Control characters, line ends, and marks that change the direction of text. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]/gu
const LONGEST_WORD = 64

/**
 * Text of a contract's answer: an ABI string, or bytes32 as old tokens return it. Invalid UTF-8, control characters and all
 * beyond `limit` characters are removed. undefined when no text remains.
 */
export function decodeText(output: Uint8Array, limit: number): string | undefined {
  const bytes = output.length === 32 ? output : stringIn(output)
  if (bytes === undefined) return undefined
  const shown = new TextDecoder().decode(bytes).replace(UNSHOWABLE, '').trim()
  return shown === '' ? undefined : [...shown].slice(0, limit).join('')
}

function stringIn(output: Uint8Array): Uint8Array | undefined {
  const offset = sizeAt(output, 0)
  const length = offset === undefined ? undefined : sizeAt(output, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > output.length) return undefined
  return output.subarray(offset + 32, offset + 32 + length)
}

/** Distinct words of a name or of a query, in the form in which they are compared. */
export const searchTermsOf = (text: string): string[] => [
  ...new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((word) => word !== '')
      .map((word) => word.slice(0, LONGEST_WORD)),
  ),
]

type Named = Pick<TokenRecord, 'name' | 'symbol'>
const wordsOfToken = (token: Named | undefined): string[] =>
  searchTermsOf(`${token?.name ?? ''} ${token?.symbol ?? ''}`)

/** Replaces the search terms of a token by those of its present name and symbol. */
export function setSearchTerms(overlay: Overlay, of: Address, before: Named | undefined, after: Named): void {
  if (before?.name === after.name && before?.symbol === after.symbol) return
  for (const word of wordsOfToken(before)) overlay.set(KEY.nameWord(word, fromHex(of)), undefined)
  for (const word of wordsOfToken(after)) overlay.set(KEY.nameWord(word, fromHex(of)), NO_VALUE)
}
