// JSON of any length, written in turns: a value that is light is one string, a heavy one a row of them, so that neither the
// writing nor the sending of a large answer keeps others waiting.
import { constants } from 'node:buffer'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'

/** Characters that are written at once, roughly. */
const LIGHT = 1 << 18
/** Characters of one answer: a batch that has one among others is still no longer than a string may be. */
const LONGEST = constants.MAX_STRING_LENGTH - (1 << 27)
/** Bytes that are not worth a piece of their own. */
const SHORT = 1 << 14
/** How many items of a list are looked at to tell how heavy it is, and how deep. */
const SAMPLES = 8
const DEPTH = 6

/** Whether a value's JSON can be written at once. */
export const isLight = (value: unknown): boolean => weigh(value, DEPTH) <= LIGHT

/** Text, or its bytes in UTF-8. */
export type Piece = string | Buffer

/**
 * The JSON of a value, between two texts. Throws RangeError when it would be longer than an answer may be, and ChainError
 * `cancelled` when the connection of `caller` is closed.
 */
export async function jsonPieces(
  value: unknown,
  before = '',
  after = '',
  caller?: AbortSignal,
): Promise<readonly Piece[]> {
  const pieces = new Pieces(LONGEST, caller)
  pieces.add(before)
  await spell(value, pieces)
  pieces.add(after)
  return pieces.end()
}

/** Text that grows: short parts are put together, for each piece is sent by itself. */
export class Pieces {
  readonly pause: Pause
  readonly #most: number
  readonly #whole: Piece[] = []
  #open = ''
  #closed = 0

  constructor(most = Number.POSITIVE_INFINITY, caller?: AbortSignal) {
    this.#most = most
    this.pause = yieldToEventLoop('light', caller)
  }

  /** Characters so far. */
  get length(): number {
    return this.#closed + this.#open.length
  }

  /** Throws RangeError when all would be longer than it may be. */
  add(piece: Piece): void {
    if (this.length + piece.length > this.#most) throw new RangeError('the answer is too long')
    if (typeof piece === 'string') this.#open += piece
    else if (piece.length < SHORT) this.#open += piece.toString()
    else this.#keep(piece)
    if (this.#open.length >= LIGHT) this.#close()
  }

  /** All of it; nothing is to be added afterwards. */
  end(): readonly Piece[] {
    this.#close()
    return this.#whole
  }

  #keep(bytes: Buffer): void {
    this.#close()
    this.#closed += bytes.length
    this.#whole.push(bytes)
  }

  #close(): void {
    if (this.#open === '') return
    this.#closed += this.#open.length
    this.#whole.push(this.#open)
    this.#open = ''
  }
}

async function spell(value: unknown, pieces: Pieces): Promise<void> {
  const weight = weigh(value, DEPTH)
  if (weight <= LIGHT || typeof value !== 'object' || value === null) pieces.add(JSON.stringify(value) ?? 'null')
  else if (value instanceof PreserializedJson) await spellParts(value, pieces)
  else if (Array.isArray(value)) await spellList(value, Math.floor((value.length * LIGHT) / weight), pieces)
  else await spellObject(value, pieces)
}

async function spellParts({ parts }: PreserializedJson, pieces: Pieces): Promise<void> {
  for (const part of parts) {
    await pieces.pause()
    pieces.add(part)
  }
}

/** So many items at a time as are light together. */
async function spellList(list: readonly unknown[], atOnce: number, pieces: Pieces): Promise<void> {
  const step = Math.max(1, atOnce)
  for (let at = 0; at < list.length; at += step) {
    await pieces.pause()
    pieces.add(at === 0 ? '[' : ',')
    if (step === 1) await spell(list[at], pieces)
    else pieces.add(JSON.stringify(list.slice(at, at + step)).slice(1, -1))
  }
  pieces.add(']')
}

async function spellObject(object: object, pieces: Pieces): Promise<void> {
  let before = '{'
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    await pieces.pause()
    pieces.add(`${before}${JSON.stringify(name)}:`)
    await spell(value, pieces)
    before = ','
  }
  pieces.add(before === '{' ? '{}' : '}')
}

/** Characters of a value's JSON, guessed from some of what is in it. */
function weigh(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 4
  // What is written already is never written again.
  if (value instanceof PreserializedJson) return Number.POSITIVE_INFINITY
  if (typeof value !== 'object' || value === null || depth === 0) return 8
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  const isList = Array.isArray(value) || items.length > 4 * SAMPLES
  const step = isList ? Math.max(1, items.length / SAMPLES) : 1
  let sum = 0
  let seen = 0
  for (let at = 0; at < items.length; at += step, seen++) sum += 8 + weigh(items[Math.floor(at)], depth - 1)
  return seen === 0 ? 2 : (sum / seen) * items.length
}
