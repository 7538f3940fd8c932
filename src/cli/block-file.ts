// A file of blocks: RLP lists one after the other, nothing between them. Read one at a time, however large the file is.
import { closeSync, openSync, readSync } from 'node:fs'
import { ChainError } from '../lib/errors.ts'

/**
 * Bytes that a block in a file may have, so that a damaged length does not allocate all memory. Osaka allows 8 MiB
 * (EIP-7934); before it, and so in files of older chains, only the gas limit bounds a block.
 */
const MAX_BLOCK = 256 * 1024 * 1024

/** The file's blocks, each still encoded. Throws ChainError `invalid-block` with the place, or the file's error. */
export function* readBlocks(file: string): Generator<Uint8Array> {
  const descriptor = openSync(file, 'r')
  try {
    for (let at = 0; ; ) {
      const head = read(descriptor, at, 9)
      if (head.length === 0) return
      const length = listLength(head)
      if (length === undefined || length > MAX_BLOCK) throw malformed(file, at, 'no block begins here')
      const bytes = read(descriptor, at, length)
      if (bytes.length < length) throw malformed(file, at, 'the file ends within a block')
      yield bytes
      at += length
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Bytes of an RLP list, its prefix included, from its first nine; undefined when it is none. */
function listLength(head: Uint8Array): number | undefined {
  const [prefix = 0, ...rest] = head
  if (prefix < 0xc0) return undefined
  if (prefix <= 0xf7) return 1 + prefix - 0xc0
  const digits = rest.slice(0, prefix - 0xf7)
  return 1 + digits.length + digits.reduce((length, digit) => length * 256 + digit, 0)
}

/** Up to `length` bytes from `at`; fewer at the file's end. */
function read(descriptor: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let filled = 0
  for (let got = -1; filled < length && got !== 0; filled += got)
    got = readSync(descriptor, bytes, filled, length - filled, at + filled)
  return bytes.subarray(0, filled)
}

const malformed = (file: string, at: number, problem: string): ChainError =>
  new ChainError('invalid-block', `${file}, byte ${at}: ${problem}`)
