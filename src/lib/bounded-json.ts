// JSON whose number of values and levels is bounded before it is parsed. Five megabytes of brackets are millions of values, which
// cost the parser and the garbage collector a second; as many bytes of text cost some milliseconds.

/** Levels of arrays and objects. Requests have some ten; recursive code exhausts the stack at some thousands. */
export const MAX_JSON_DEPTH = 256
/** Values, including names of members. The shortest items that clients list are addresses: 5 MB hold 116,000. */
export const MAX_JSON_VALUES = 250_000

/** The message for a text that `isBoundedJson` refuses. */
export const JSON_BOUNDS = `at most ${MAX_JSON_VALUES} values and ${MAX_JSON_DEPTH} levels of JSON`

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Whether a text, if it is JSON, has at most MAX_JSON_VALUES values and MAX_JSON_DEPTH levels. */
export const isBoundedJson = (text: string): boolean => countJson(text, MAX_JSON_VALUES) !== undefined

/**
 * Returns a function that parses like `JSON.parse`, and also throws a SyntaxError when all its texts together have more than
 * MAX_JSON_VALUES values, or one has more than MAX_JSON_DEPTH levels.
 */
export function boundedParser(): (text: string) => unknown {
  let left = MAX_JSON_VALUES
  return (text) => {
    const values = countJson(text, left)
    if (values === undefined) throw new SyntaxError(`want ${JSON_BOUNDS}`)
    left -= values
    return JSON.parse(text)
  }
}

/**
 * The number of values of a text, if it is JSON; undefined for more than `most`, or more than MAX_JSON_DEPTH levels. Stops at
 * the first excess: some milliseconds for megabytes of text in strings, 2 ns per byte of anything else.
 */
function countJson(text: string, most: number): number | undefined {
  // Each value is the first of its array or object, or comes after a comma or a colon.
  let values = 1
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COMMA:
      case COLON:
        values++
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values++
        depth++
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--
    }
    if (values > most || depth > MAX_JSON_DEPTH) return undefined
  }
  return values
}

/** Position of the quote that ends the string at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}
