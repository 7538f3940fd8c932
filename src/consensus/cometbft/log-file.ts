// CometBFT's output in a log file that is rotated at a maximum size; one older file is kept.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

/** Bytes at which the file is rotated. */
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

  /** Appends text. A failed write loses the text, because CometBFT must continue. */
  write(text: string): void {
    try {
      this.#bytes += writeSync(this.#file, text)
      if (this.#bytes < LARGEST) return
      closeSync(this.#file)
      renameSync(this.#path, `${this.#path}.1`)
      this.#file = openSync(this.#path, 'a', 0o600)
      this.#bytes = 0
    } catch {
      // There is no other place to report a failure of the log.
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}
