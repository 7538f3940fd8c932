// The engine's memory as the host reads and writes it: header fields, stack words, big-endian words, ranges of bytes.
import { type Address, bigToWord, EMPTY_BYTES, type Hash, rangeToHex, writeHex } from '../../lib/hex.ts'
import {
  ADDRESS,
  F_ADDRESS,
  F_CALLER,
  F_GAS,
  type F_GAS_GIVEN,
  F_MEMORY,
  F_VALUE,
  MISSING,
  MISSING_REFUND,
  RETURN,
  RETURN_BYTES,
  RETURN_LIMIT,
  WORDS,
} from './layout.ts'

const HIGH = 4_294_967_296
/** The word at which a host function writes its result. */
const ANSWER = WORDS + 32

/** V8 stores typed arrays up to this length inside the object, which is much cheaper than a buffer. A loop copies them faster than `set`. */
const SHORT = 64

export const aligned = (at: number): number => ((at + 31) & ~31) >>> 0

export class Memory {
  /** Return data that exceed RETURN_LIMIT. */
  longReturn: Uint8Array = EMPTY_BYTES
  bytes = Buffer.alloc(0)
  words = new Uint32Array(0)
  protected limbs = new BigUint64Array(0)

  /** To be called when the memory has grown, which detaches the former views. */
  protected setBuffer(buffer: ArrayBuffer): void {
    this.bytes = Buffer.from(buffer)
    this.words = new Uint32Array(buffer)
    this.limbs = new BigUint64Array(buffer)
  }

  /** Gas that the last step lacked; 0 if its price is not known. */
  get missing(): bigint {
    return BigInt.asIntN(64, this.limbs[MISSING >>> 3] ?? 0n)
  }

  /** The refund change of an SSTORE that ran out of gas; valid if `missing` is above 0. */
  get missingRefund(): bigint {
    return BigInt.asIntN(64, this.limbs[MISSING_REFUND >>> 3] ?? 0n)
  }

  /** Writes an account's address as a stack word. */
  setAddress(at: number, address: Address): void {
    const { bytes, words } = this
    writeHex(address, bytes, at)
    for (let low = at, high = at + 19; low < high; low++, high--) {
      const byte = bytes[low] ?? 0
      bytes[low] = bytes[high] ?? 0
      bytes[high] = byte
    }
    for (let i = (at + 20) >>> 2; i < (at + 32) >>> 2; i++) words[i] = 0
  }

  setAccounts(frame: number, address: Address, caller: Address, value: bigint): void {
    this.setAddress(frame + F_ADDRESS, address)
    this.setAddress(frame + F_CALLER, caller)
    this.setWord(frame + F_VALUE, value)
  }

  /** Where a frame's memory begins. */
  memory(frame: number): number {
    return this.field(frame, F_MEMORY)
  }

  field(frame: number, offset: number): number {
    return this.words[(frame + offset) >>> 2] ?? 0
  }

  setField(frame: number, offset: number, value: number): void {
    this.words[(frame + offset) >>> 2] = value
  }

  gas(frame: number, field: typeof F_GAS | typeof F_GAS_GIVEN = F_GAS): number {
    const at = (frame + field) >>> 2
    return (this.words[at] ?? 0) + (this.words[at + 1] ?? 0) * HIGH
  }

  setGas(frame: number, gas: number): void {
    const at = (frame + F_GAS) >>> 2
    this.words[at] = gas >>> 0
    this.words[at + 1] = Math.floor(gas / HIGH)
  }

  isZero(at: number): boolean {
    const { words } = this
    for (let i = at >>> 2; i < (at >>> 2) + 8; i++) if (words[i] !== 0) return false
    return true
  }

  /** A stack word as a number; Infinity from 2^64 on, which is above any gas or memory size. */
  small(at: number): number {
    const { words } = this
    for (let i = (at >>> 2) + 2; i < (at >>> 2) + 8; i++) if (words[i] !== 0) return Infinity
    return (words[at >>> 2] ?? 0) + (words[(at >>> 2) + 1] ?? 0) * HIGH
  }

  word(at: number): bigint {
    const limbs = this.limbs
    const i = at >>> 3
    const [w0 = 0n, w1 = 0n, w2 = 0n, w3 = 0n] = [limbs[i], limbs[i + 1], limbs[i + 2], limbs[i + 3]]
    return w0 | (w1 << 64n) | (w2 << 128n) | (w3 << 192n)
  }

  setSmall(at: number, value: 0 | 1): void {
    const { words } = this
    words[at >>> 2] = value
    for (let i = (at >>> 2) + 1; i < (at >>> 2) + 8; i++) words[i] = 0
  }

  setWord(at: number, value: bigint): void {
    const limbs = this.limbs
    const i = at >>> 3
    limbs[i] = value
    if (value < 1n << 64n) {
      limbs[i + 1] = limbs[i + 2] = limbs[i + 3] = 0n
      return
    }
    limbs[i + 1] = value >> 64n
    limbs[i + 2] = value >> 128n
    limbs[i + 3] = value >> 192n
  }

  /** The address in a stack word. */
  addressAt(at: number): Address {
    const bytes = Buffer.from(this.bytes.subarray(at, at + 20)).reverse()
    return `0x${bytes.toString('hex')}` as Address
  }

  /** The address that an opcode has written to ADDRESS for the host. */
  address(): Address {
    return rangeToHex(this.bytes, ADDRESS, ADDRESS + 20) as Address
  }

  /** The first big-endian word. */
  key(): Hash {
    return this.hashAt(WORDS)
  }

  /** A big-endian word. */
  hashAt(at: number): Hash {
    return rangeToHex(this.bytes, at, at + 32) as Hash
  }

  /** A copy of a range. */
  slice(at: number, length: number): Uint8Array {
    if (length > SHORT) return new Uint8Array(this.bytes.buffer.slice(at, at + length))
    const { bytes } = this
    const copy = new Uint8Array(length)
    for (let i = 0; i < length; i++) copy[i] = bytes[at + i] ?? 0
    return copy
  }

  /** Copies bytes from outside into the memory. */
  write(data: Uint8Array, at: number): void {
    if (data.length > SHORT) this.bytes.set(data, at)
    else for (let i = 0; i < data.length; i++) this.bytes[at + i] = data[i] ?? 0
  }

  answer(word: Uint8Array, at = ANSWER): void {
    const { bytes } = this
    const start = at + 32 - word.length
    for (let i = at; i < start; i++) bytes[i] = 0
    for (let i = 0; i < word.length; i++) bytes[start + i] = word[i] ?? 0
  }

  answerHex(hash: Hash | undefined): void {
    if (hash === undefined) this.bytes.fill(0, ANSWER, ANSWER + 32)
    else this.bytes.write(hash.slice(2), ANSWER, 'hex')
  }

  answerBig(value: bigint): void {
    this.answerHex(bigToWord(value))
  }

  /** A copy of the second word without its leading zeros. */
  value(): Uint8Array {
    return this.trimmed(ANSWER)
  }

  trimmed(at: number): Uint8Array {
    const { bytes } = this
    let start = at
    while (start < at + 32 && bytes[start] === 0) start++
    return this.slice(start, at + 32 - start)
  }

  // --- return data

  /** Return data of the last call. */
  returned(): Uint8Array {
    const length = this.words[(RETURN + 4) >>> 2] ?? 0
    const at = this.words[RETURN >>> 2] ?? 0
    if (length === 0) return EMPTY_BYTES
    return at === 0 ? this.longReturn.subarray(0, length) : this.slice(at, length)
  }

  /** Return data of a call that ended: bytes from outside, or a range of memory. */
  setReturn(at: number, length: number, bytes?: Uint8Array): void {
    this.words[(RETURN + 4) >>> 2] = length
    if (length === 0) return
    const fits = length <= RETURN_LIMIT
    this.words[RETURN >>> 2] = fits ? RETURN_BYTES : 0
    if (bytes !== undefined) {
      if (fits) this.write(bytes, RETURN_BYTES)
      else this.longReturn = bytes
    } else if (fits) this.bytes.copyWithin(RETURN_BYTES, at, at + length)
    else this.longReturn = this.slice(at, length)
  }
}
