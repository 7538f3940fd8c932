// CometBFT's output in a file of bounded size: one former part is kept beside it.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

/** Bytes after which the file becomes the former part. */
const LARGEST = 16 << 20

export class LogFile {
  readonly #path: string
  #file: number
  #bytes: number

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  /** Appends text. A write that fails loses the text, because CometBFT itself must go on. */
  write(text: string): void {
    try {
      this.#bytes += writeSync(this.#file, text)
      if (this.#bytes < LARGEST) return
      closeSync(this.#file)
      renameSync(this.#path, `${this.#path}.1`)
      this.#file = openSync(this.#path, 'a', 0o600)
      this.#bytes = 0
    } catch {
      // The log is the place for errors, and it is what failed.
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}
