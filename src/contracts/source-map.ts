// Solidity's source maps: which part of the sources each instruction of a code is from, and which jumps enter and leave
// functions. Offsets are bytes of UTF-8. Maps and sources may come from anybody's file: what is out of range is unknown, and
// the work is bounded by the length of code and map. https://docs.soliditylang.org/en/latest/internals/source_mappings.html

/** What a jump does, by the letter of the map. */
export const JUMP = { other: 0, into: 1, out: 2 } as const
const LETTERS: Readonly<Record<number, number>> = { 105: JUMP.into, 111: JUMP.out, 45: JUMP.other }

const PUSH1 = 0x60
const PUSH32 = 0x7f
/** EIP-8024. Before Amsterdam no code that runs has these bytes as opcodes. */
const DUPN = 0xe6
const EXCHANGE = 0xe8
const COLON = 0x3a
const SEMICOLON = 0x3b
const LARGEST = 0x7fffffff

/** The map of a code, by program counter. */
export type CodeMap = {
  /** Id of the source; -1: of none. */
  readonly source: Int32Array
  /** Bytes; -1: unknown. */
  readonly start: Int32Array
  readonly length: Int32Array
  readonly jump: Uint8Array
}

/**
 * Decodes a map. Code may be longer than what was compiled: constructor's arguments, immutables and metadata do not move instructions,
 * and those behind the map's end are of no source.
 */
export function mapCode(code: Uint8Array, map: string): CodeMap {
  const source = new Int32Array(code.length).fill(-1)
  const start = new Int32Array(code.length).fill(-1)
  const length = new Int32Array(code.length)
  const jump = new Uint8Array(code.length)
  const fields = new Int32Array([-1, 0, -1, 0])
  let at = 0
  for (let pc = 0; pc < code.length && at < map.length; pc += 1 + pushed(code[pc] ?? 0)) {
    at = readEntry(map, at, fields)
    start[pc] = fields[0] ?? -1
    length[pc] = fields[1] ?? 0
    source[pc] = fields[2] ?? -1
    jump[pc] = fields[3] ?? 0
  }
  return { source, start, length, jump }
}

/** Bytes of data that follow an opcode in the code. */
function pushed(op: number): number {
  if (op >= DUPN && op <= EXCHANGE) return 1
  return op >= PUSH1 && op <= PUSH32 ? op - PUSH1 + 1 : 0
}

/** Reads `s:l:f:j:m` into fields of the former entry, of which empty ones stay. Returns where the next entry begins. */
function readEntry(map: string, from: number, fields: Int32Array): number {
  let at = from
  for (let field = 0; at < map.length; field++) {
    const begin = at
    let value = 0
    let letter = 0
    let isNegative = false
    let code = map.charCodeAt(at)
    for (; at < map.length && code !== COLON && code !== SEMICOLON; code = map.charCodeAt(++at)) {
      const digit = code - 0x30
      if (digit >= 0 && digit <= 9) value = Math.min(LARGEST, value * 10 + digit)
      else if (code === 0x2d && at === begin) isNegative = true
      letter = code
    }
    if (at > begin && field < 3) fields[field] = isNegative ? -1 : value
    else if (at > begin && field === 3) fields[3] = LETTERS[letter] ?? JUMP.other
    if (at < map.length) at++
    if (code === SEMICOLON) break
  }
  return at
}

/** A place in a source, as editors count: lines and columns from 1, columns in UTF-16 code units. */
export type Place = { readonly line: number; readonly column: number }

/** The text of a source by its bytes. */
export class SourceText {
  readonly bytes: Buffer
  /** Where lines begin. */
  readonly #lines: Uint32Array

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'utf8')
    const lines = [0]
    for (let at = this.bytes.indexOf(0x0a); at !== -1; at = this.bytes.indexOf(0x0a, at + 1)) lines.push(at + 1)
    this.#lines = Uint32Array.from(lines)
  }

  /** undefined: outside of the text. */
  place(offset: number): Place | undefined {
    if (offset < 0 || offset > this.bytes.length) return undefined
    const line = this.lineAt(offset)
    return { line, column: this.bytes.toString('utf8', this.#lines[line - 1] ?? 0, offset).length + 1 }
  }

  /** The lines from one to another, without their ends; those that do not exist are left out. */
  lines(first: number, last: number): readonly string[] {
    const from = this.#lines[Math.max(first, 1) - 1]
    if (from === undefined) return []
    return this.bytes
      .toString('utf8', from, this.#lines[last] ?? this.bytes.length)
      .split(/\r?\n/)
      .slice(0, last - Math.max(first, 1) + 1)
  }

  /** The number of the line with a byte. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#lines.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#lines[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
