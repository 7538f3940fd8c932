// Makes names that anyone may have chosen safe to read: removes invisible characters, and checks the rest like Unicode's
// security mechanisms (UTS #39). The rules are coarse: a warning shows what to look at, and does not prove fraud.

/** Scripts in which joiners are part of the spelling. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam'],
  ...['Oriya', 'Sinhala', 'Tamil', 'Telugu'],
].map((script) => `\\p{Script=${script}}`)
const PICTURE = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?'
/** Sequences whose invisible parts are meaningful: composed emoji, and joiners between letters of those scripts. */
const MEANT = `${PICTURE}(?:\\u200d${PICTURE})*|[${JOINING.join('')}]\\p{M}*[\\u200c\\u200d](?=[${JOINING.join('')}])`
/** Controls, formats (marks of direction, zero-width characters), ignorable fillers and selectors, the empty Braille cell. */
const INVISIBLE = '\\p{Cc}|\\p{Cf}|\\p{Default_Ignorable_Code_Point}|\\u2800|\\ufffd'
const MEANT_OR_INVISIBLE = new RegExp(`(${MEANT})|${INVISIBLE}`, 'gu')
const SPACES = /[\t-\r\p{Z}]+/gu
/** More marks on one letter than any language needs; they overlap the lines around. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u

const withoutInvisible = (text: string): string => text.replace(MEANT_OR_INVISIBLE, '$1')

/** Sequences of terminals for colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const COLOUR = /\u001b\[[\d;]*m/g
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

/** One line for a terminal: without invisible characters, spaces stay. Controls count as spaces. */
export function visibleLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text
  const plain = text
    .replace(COLOUR, '')
    .replaceAll('\t', '    ')
    .replace(/\p{Cc}/gu, ' ')
  return withoutInvisible(plain).replace(STACKED_MARKS, '$1')
}

/** The text without invisible characters, with single spaces. undefined when nothing visible remains. */
export function visibleText(text: string): string | undefined {
  // Line ends and tabs count as spaces, although they are controls.
  const shown = withoutInvisible(text.replace(SPACES, ' ')).replace(STACKED_MARKS, '$1').replace(SPACES, ' ').trim()
  return SEEN.test(shown) ? shown : undefined
}

/**
 * Why a name may be mistaken for another one. `invisible_characters`: it contains some, which `visibleText` removes.
 * `mixed_scripts`: a word mixes scripts that no language mixes. `lookalike_letters`: a word consists of letters that look like
 * Latin ones, or of letters in another style.
 */
export const TEXT_WARNINGS = ['invisible_characters', 'mixed_scripts', 'lookalike_letters'] as const
export type TextWarning = (typeof TEXT_WARNINGS)[number]

/** The first warning that applies; undefined for a plain name. */
export function textWarning(text: string): TextWarning | undefined {
  const plain = text.replace(SPACES, ' ')
  if (withoutInvisible(plain) !== plain) return 'invisible_characters'
  const words = plain.normalize('NFC').match(/[\p{L}\p{M}]+/gu) ?? []
  if (words.some(mixesScripts)) return 'mixed_scripts'
  if (words.some(looksLatin)) return 'lookalike_letters'
  return undefined
}

const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Devanagari', 'Bengali'],
  ...['Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan'],
  ...['Myanmar', 'Georgian', 'Hangul', 'Ethiopic', 'Cherokee', 'Khmer', 'Mongolian', 'Coptic', 'Lisu', 'Han'],
  ...['Hiragana', 'Katakana', 'Bopomofo'],
].map((name) => ({ name, has: new RegExp(`\\p{Script=${name}}`, 'u') }))
/** Scripts that are written together (UTS #39, "highly restrictive"). */
const TOGETHER: readonly ReadonlySet<string>[] = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
]

function mixesScripts(word: string): boolean {
  const found = SCRIPTS.filter(({ has }) => has.test(word)).map(({ name }) => name)
  return found.length > 1 && !TOGETHER.some((set) => found.every((name) => set.has(name)))
}

/** Letters of other scripts that look like Latin ones, from Unicode's table of confusable characters. */
const LOOKALIKES =
  /^[АВЕЅІЈКМНОРСТХУҮԀԌԚԜаԁеһіјӏорԛѕԝхусѵҽΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορστυοՕՍՏԼհոսօցզᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏆᏎᏔᏙᏚᏞᏟᏢᏦᏮᏴꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓮꓰꓲꓳꓴɑɡ]+$/u

/** Letters in another style (fullwidth, mathematical) become plain ones by compatibility decomposition. */
const looksLatin = (word: string): boolean =>
  LOOKALIKES.test(word) || (word.normalize('NFKC') !== word && /^[\x20-\x7e]+$/.test(word.normalize('NFKC')))
