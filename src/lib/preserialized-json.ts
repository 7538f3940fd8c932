// JSON that is written while its value comes about, where as objects it would be a mountain of small ones.

/** A value as its JSON in UTF-8, in parts that follow each other. Who writes JSON in pieces takes them as they are. */
export class PreserializedJson {
  readonly parts: readonly Buffer[]

  constructor(parts: readonly Buffer[]) {
    this.parts = parts
  }

  /** For who writes it as any other value. */
  toJSON(): unknown {
    return JSON.parse(Buffer.concat(this.parts).toString())
  }
}

/** Characters that are kept as a string: text that grows and stays is dear to the garbage collector, bytes are not. */
const PART = 1 << 16

/** A list that is written entry by entry. */
export class PreserializedList {
  readonly #parts: Buffer[] = []
  #open = '['
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds an entry's JSON. */
  add(entry: string): void {
    this.#open += this.#length++ === 0 ? entry : `,${entry}`
    if (this.#open.length < PART) return
    this.#parts.push(Buffer.from(this.#open))
    this.#open = ''
  }

  /** The list as it stands. */
  json(): PreserializedJson {
    return new PreserializedJson([...this.#parts, Buffer.from(`${this.#open}]`)])
  }
}
