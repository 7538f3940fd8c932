// JSON of any length, serialized in steps: a small value is one string, a large one a list of chunks of about 256 KB, between
// which other work runs. So neither writing nor sending a large response delays other requests.
import { constants } from 'node:buffer'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'

/** Characters serialized without a break, by estimate. */
const CHUNK_LENGTH = 1 << 18
/** Maximum characters of one response; 2^27 below the longest string, so that a batch can add others to it. */
const MAX_LENGTH = constants.MAX_STRING_LENGTH - (1 << 27)
/** Buffers below this many bytes are joined with what is around them: each chunk costs a write to the socket. */
const MIN_BUFFER = 1 << 17
/** Joined as text below this many bytes, and as bytes from there on. */
const SHORT_BUFFER = 1 << 12
/** The estimate of a value's length samples this many items of each list, down to this many levels. */
const SAMPLES = 8
const MAX_DEPTH = 6

/** Whether the JSON of a value is short enough to be serialized without a break. */
export const fitsOneChunk = (value: unknown): boolean => estimateLength(value, MAX_DEPTH) <= CHUNK_LENGTH

/** Text, or its bytes in UTF-8. */
export type JsonChunk = string | Buffer

/**
 * The JSON of a value, between two texts. Throws RangeError when it is longer than a response may be, and ChainError
 * `cancelled` when `signal` is aborted.
 */
export async function jsonChunks(
  value: unknown,
  before = '',
  after = '',
  signal?: AbortSignal,
): Promise<readonly JsonChunk[]> {
  const output = new ChunkedJson(MAX_LENGTH, signal)
  output.add(before)
  await serialize(value, output)
  output.add(after)
  return output.end()
}

/** The chunks as one: text, or bytes if one of them is. */
export function joinChunks(chunks: readonly JsonChunk[]): JsonChunk {
  const [first = ''] = chunks
  if (chunks.length <= 1) return first
  if (chunks.every((chunk) => typeof chunk === 'string')) return chunks.join('')
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
}

/** Collects text into chunks: short parts are joined, because each chunk is a write of its own. */
export class ChunkedJson {
  readonly pause: Pause
  readonly #maxLength: number
  readonly #chunks: JsonChunk[] = []
  /** The last chunk: bytes, then text. */
  #bytes: Buffer[] = []
  #open = ''
  /** Of all but the open text. */
  #addedLength = 0
  #chunkStart = 0

  constructor(maxLength = Number.POSITIVE_INFINITY, signal?: AbortSignal) {
    this.#maxLength = maxLength
    this.pause = yieldToEventLoop('light', signal)
  }

  /** Characters so far. */
  get length(): number {
    return this.#addedLength + this.#open.length
  }

  /** Throws RangeError when the total would exceed the maximum length. */
  add(part: JsonChunk): void {
    if (this.length + part.length > this.#maxLength) throw new RangeError('the answer is too long')
    if (typeof part === 'string') this.#open += part
    else if (part.length < SHORT_BUFFER) this.#open += part.toString()
    else this.#addBuffer(part)
    if (this.length - this.#chunkStart >= CHUNK_LENGTH) this.#closeChunk()
  }

  /** All chunks. Nothing may be added afterwards. */
  end(): readonly JsonChunk[] {
    this.#closeChunk()
    return this.#chunks
  }

  #addBuffer(bytes: Buffer): void {
    if (bytes.length >= MIN_BUFFER) this.#closeChunk()
    this.#closeText()
    this.#bytes.push(bytes)
    this.#addedLength += bytes.length
    if (bytes.length >= MIN_BUFFER) this.#closeChunk()
  }

  #closeText(): void {
    if (this.#open === '') return
    this.#addedLength += this.#open.length
    this.#bytes.push(Buffer.from(this.#open))
    this.#open = ''
  }

  #closeChunk(): void {
    if (this.length === this.#chunkStart) return
    if (this.#bytes.length === 0) {
      this.#addedLength += this.#open.length
      this.#chunks.push(this.#open)
      this.#open = ''
    } else {
      this.#closeText()
      this.#chunks.push(joinChunks(this.#bytes))
      this.#bytes = []
    }
    this.#chunkStart = this.#addedLength
  }
}

async function serialize(value: unknown, output: ChunkedJson): Promise<void> {
  const length = estimateLength(value, MAX_DEPTH)
  if (length <= CHUNK_LENGTH || typeof value !== 'object' || value === null) output.add(JSON.stringify(value) ?? 'null')
  else if (value instanceof PreserializedJson) await addParts(value, output)
  else if (Array.isArray(value)) await serializeList(value, Math.floor((value.length * CHUNK_LENGTH) / length), output)
  else await serializeObject(value, output)
}

async function addParts({ parts }: PreserializedJson, output: ChunkedJson): Promise<void> {
  for (const part of parts) {
    await output.pause()
    output.add(part)
  }
}

/** Serializes `itemsPerChunk` items at a time, or item by item when each is longer than a chunk. */
async function serializeList(list: readonly unknown[], itemsPerChunk: number, output: ChunkedJson): Promise<void> {
  const step = Math.max(1, itemsPerChunk)
  for (let at = 0; at < list.length; at += step) {
    await output.pause()
    output.add(at === 0 ? '[' : ',')
    if (step === 1) await serialize(list[at], output)
    else output.add(JSON.stringify(list.slice(at, at + step)).slice(1, -1))
  }
  output.add(']')
}

async function serializeObject(object: object, output: ChunkedJson): Promise<void> {
  let before = '{'
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    await output.pause()
    output.add(`${before}${JSON.stringify(name)}:`)
    await serialize(value, output)
    before = ','
  }
  output.add(before === '{' ? '{}' : '}')
}

/** Characters of a value's JSON, estimated from samples of its items. */
function estimateLength(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 4
  // Not passed to JSON.stringify: its parts are added unchanged.
  if (value instanceof PreserializedJson) return Number.POSITIVE_INFINITY
  if (typeof value !== 'object' || value === null || depth === 0) return 8
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  const isList = Array.isArray(value) || items.length > 4 * SAMPLES
  const step = isList ? Math.max(1, items.length / SAMPLES) : 1
  let sum = 0
  let sampled = 0
  for (let at = 0; at < items.length; at += step, sampled++) sum += 8 + estimateLength(items[Math.floor(at)], depth - 1)
  return sampled === 0 ? 2 : (sum / sampled) * items.length
}
