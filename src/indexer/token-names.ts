// Names and symbols of tokens as contracts return them, and the search terms of a token. Readers remove characters that must
// not be shown (`visibleText`), so that they can also report that.
import { type Address, fromHex } from '../lib/hex.ts'
import { visibleText } from '../lib/visible-text.ts'
import { KEY } from '../state/keyspace.ts'
import { NO_VALUE, type Overlay } from '../tables/overlay.ts'
import type { TokenRecord } from './records.ts'
import { sizeAt } from './token-logs.ts'

/** Control characters, and the replacement character for invalid UTF-8. */
const NO_TEXT = /[\p{Cc}\ufffd]/gu
/** Maximum number of decoded bytes of a name. */
const MOST_BYTES = 4_096
const LONGEST_WORD = 64

/**
 * Text of a contract's answer: an ABI string, or bytes32 as old tokens return it. Invalid UTF-8, control characters and all
 * beyond `limit` characters are removed. undefined when no text remains.
 */
export function decodeText(output: Uint8Array, limit: number): string | undefined {
  const bytes = output.length === 32 ? output : abiString(output)
  if (bytes === undefined) return undefined
  const text = new TextDecoder().decode(bytes.subarray(0, MOST_BYTES)).replace(NO_TEXT, '').trim()
  return text === '' ? undefined : [...text].slice(0, limit).join('')
}

/** The bytes of a string that a function returned; undefined if the data is not a string. */
export function abiString(output: Uint8Array): Uint8Array | undefined {
  const offset = sizeAt(output, 0)
  const length = offset === undefined ? undefined : sizeAt(output, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > output.length) return undefined
  return output.subarray(offset + 32, offset + 32 + length)
}

/** Distinct words of a name or of a query, in the form in which they are compared. */
export const searchTermsOf = (text: string): string[] => [
  ...new Set(
    (visibleText(text) ?? '')
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
