// JSON that is written while its value is produced. For results of many small objects (traces, logs) this takes less memory
// and time than building the objects first.

/** A value as its JSON in UTF-8, in consecutive parts. The JSON-RPC server copies the parts into its answer. */
export class PreserializedJson {
  readonly parts: readonly Buffer[]

  constructor(parts: readonly Buffer[]) {
    this.parts = parts
  }

  /** Lets `JSON.stringify` write it like any other value. */
  toJSON(): unknown {
    return JSON.parse(Buffer.concat(this.parts).toString())
  }
}

/**
 * Characters after which the text is encoded as bytes: large strings cost the garbage collector more than byte arrays. Parts of
 * this size are written to the socket as they are (`rpc/chunked-json.ts`).
 */
const PART = 1 << 17

/**
 * A JSON list that is written entry by entry. `latin1`: for texts of ASCII characters only, which are encoded three times as
 * fast.
 */
export class PreserializedList {
  readonly #encoding: 'utf8' | 'latin1'
  readonly #parts: Buffer[] = []
  #open = '['
  #length = 0
  /** Whether a part of an entry was added. */
  #hasText = false

  constructor(encoding: 'utf8' | 'latin1' = 'utf8') {
    this.#encoding = encoding
  }

  get length(): number {
    return this.#length
  }

  /** Adds an entry's JSON. */
  add(entry: string): void {
    this.#open += this.#length++ === 0 ? entry : `,${entry}`
    if (this.#open.length >= PART) this.#close()
  }

  /** Adds a part of a text that has a comma before each entry, and the number of entries that end in it. */
  addText(text: Buffer, entries: number): void {
    if (this.#open !== '') this.#close()
    this.#parts.push(this.#hasText || this.#length > 0 ? text : text.subarray(1))
    this.#hasText = true
    this.#length += entries
  }

  /** The list with the entries added so far. */
  json(): PreserializedJson {
    return new PreserializedJson([...this.#parts, Buffer.from(`${this.#open}]`, this.#encoding)])
  }

  #close(): void {
    this.#parts.push(Buffer.from(this.#open, this.#encoding))
    this.#open = ''
  }
}
