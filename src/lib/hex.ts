// Hex, bytes and bigint, and all conversions between them. Identifiers (addresses, hashes) are lower-case branded hex strings,
// amounts are bigint. Every conversion throws on malformed input.

export type Hex = `0x${string}`
/** 20 bytes, lower case, no checksum. */
export type Address = Hex & { readonly __address: never }
/** 32 bytes, lower case. */
export type Hash = Hex & { readonly __hash: never }

export const ADDRESS_BYTES = 20
export const HASH_BYTES = 32
export const EMPTY_BYTES = new Uint8Array(0)
export const ZERO_ADDRESS = `0x${'00'.repeat(20)}` as Address
export const ZERO_HASH = `0x${'00'.repeat(32)}` as Hash

/** Methods of Buffer that work on any Uint8Array, so that no Buffer has to be made for `toString`. */
type Slicing = { hexSlice(start: number, end: number): string; latin1Slice(start: number, end: number): string }
const { hexSlice, latin1Slice } = Buffer.prototype as Buffer & Slicing

/** Bytes to lower-case `0x` hex. */
export function toHex(bytes: Uint8Array): Hex {
  return rangeToHex(bytes, 0, bytes.length)
}

/** Bytes up to which the loops below are faster than Node's own conversions. Addresses, hashes and words are shorter. */
const SHORT = 64

/** The two hex characters of each byte value as one 16-bit number, and the buffer that a text is written into. */
const PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => pairOf(byte.toString(16).padStart(2, '0')))
const text = new Uint16Array(1 + SHORT).fill(pairOf('0x'))
const textBytes = new Uint8Array(text.buffer)

function pairOf(characters: string): number {
  return new Uint16Array(Uint8Array.from(characters, (character) => character.charCodeAt(0)).buffer)[0] ?? 0
}

/** The bytes from `start` up to `end` as lower-case `0x` hex. */
export function rangeToHex(bytes: Uint8Array, start: number, end: number): Hex {
  if (end - start > SHORT) return `0x${hexSlice.call(bytes as Buffer, start, end)}`
  // Builds one flat string: V8 would flatten a concatenation when it is first used as the key of a map, as most of these are.
  let at = 1
  for (let i = start; i < end; i++) text[at++] = PAIRS[bytes[i] ?? 0] ?? 0
  return latin1Slice.call(textBytes as Buffer, 0, 2 * at) as Hex
}

/** As `rangeToHex`, without `0x`. */
export const hexDigits = (bytes: Uint8Array, start: number, end: number): string =>
  hexSlice.call(bytes as Buffer, start, end)

/** The value of a hex digit by character code; -1 for other characters. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)
/** Writes the bytes of a hex string into an array and returns the index after them. Throws as `fromHex`. */
export function writeHex(hex: string, out: Uint8Array, start: number): number {
  const end = start + hex.length / 2 - 1
  // Becomes negative at the first character that is not a digit, or when the last digit is missing.
  let seen = hex.startsWith('0x') ? 0 : -1
  for (let at = start, from = 2; at < end; at++, from += 2) {
    const high = DIGITS[hex.charCodeAt(from)] ?? -1
    const low = DIGITS[hex.charCodeAt(from + 1)] ?? -1
    out[at] = (high << 4) | low
    seen |= high | low
  }
  if (seen < 0) throw new TypeError('not a hex string of whole bytes')
  return end
}

/** Hex to bytes; the empty string after `0x` is zero bytes. Throws on an odd number of digits or a non-digit. */
export function fromHex(hex: string): Uint8Array {
  const length = hex.length / 2 - 1
  if (length >= 0 && length <= SHORT) {
    const bytes = new Uint8Array(length)
    writeHex(hex, bytes, 0)
    return bytes
  }
  // Node's conversion stops silently at the first bad digit.
  if (!hex.startsWith('0x') || !Number.isInteger(length) || /[^0-9a-fA-F]/.test(hex.slice(2))) {
    throw new TypeError('not a hex string of whole bytes')
  }
  const buffer = Buffer.from(hex.slice(2), 'hex')
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

export const hexToAddress = (hex: string): Address => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(hex)) throw new TypeError('not a 20-byte address')
  return hex.toLowerCase() as Address
}

export const hexToHash = (hex: string): Hash => {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hex)) throw new TypeError('not a 32-byte hash')
  return hex.toLowerCase() as Hash
}

/** 20 bytes to an address. */
export const toAddress = (bytes: Uint8Array): Address => {
  if (bytes.length !== 20) throw new TypeError('an address has 20 bytes')
  return toHex(bytes) as Address
}

/** 32 bytes to a hash. */
export const toHash = (bytes: Uint8Array): Hash => {
  if (bytes.length !== 32) throw new TypeError('a hash has 32 bytes')
  return toHex(bytes) as Hash
}

/**
 * Four 64-bit limbs for the conversion of integers of up to 32 bytes, lowest byte first (platforms are little-endian).
 * A conversion through a string takes three times as long.
 */
const limbs = new BigUint64Array(4)
const limbBytes = new Uint8Array(limbs.buffer)
const LIMB_BYTES = 8
const LIMB_BITS = 64n
const LIMB_END = 1n << 64n
const LIMBS_END = 1n << 256n

/** Big-endian bytes to bigint; no bytes are zero. */
export function bytesToBig(bytes: Uint8Array): bigint {
  const { length } = bytes
  if (length > limbBytes.length) return BigInt(toHex(bytes))
  if (length <= EXACT_BYTES) {
    let value = 0
    for (let at = 0; at < length; at++) value = value * 256 + (bytes[at] ?? 0)
    return BigInt(value)
  }
  const used = Math.ceil(length / LIMB_BYTES)
  for (let at = 0; at < used * LIMB_BYTES; at++) limbBytes[at] = at < length ? (bytes[length - 1 - at] ?? 0) : 0
  let value = limbs[used - 1] ?? 0n
  for (let at = used - 2; at >= 0; at--) value = (value << LIMB_BITS) | (limbs[at] ?? 0n)
  return value
}

/** A JavaScript number holds integers of this many bytes exactly. */
export const EXACT_BYTES = 6

/** Writes an integer from 0 up to `LIMBS_END`; each limb takes the lowest 64 bits of what it is given. */
function setLimbs(value: bigint): void {
  limbs[0] = value
  limbs[1] = value >> LIMB_BITS
  limbs[2] = value >> (2n * LIMB_BITS)
  limbs[3] = value >> (3n * LIMB_BITS)
}

/** The lowest bytes of the limbs, big-endian. */
function limbsAsBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = limbBytes[length - 1 - at] ?? 0
  return bytes
}

/** Bigint to the shortest big-endian bytes (RLP's form); zero is no bytes. */
export function bigToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  if (value > 0n && value < LIMBS_END) {
    setLimbs(value)
    let length = value < LIMB_END ? LIMB_BYTES : limbBytes.length
    while (limbBytes[length - 1] === 0) length--
    return limbsAsBytes(length)
  }
  const digits = value.toString(16)
  return fromHex(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`)
}

/** Bigint to exactly `size` big-endian bytes. */
export function bigToFixed(value: bigint, size: number): Uint8Array {
  if (size === limbBytes.length && value >= 0n && value < LIMBS_END) {
    setLimbs(value)
    return limbsAsBytes(size)
  }
  const digits = value.toString(16)
  if (value < 0n || digits.length > size * 2) throw new RangeError(`value does not fit ${size} bytes`)
  return fromHex(`0x${digits.padStart(size * 2, '0')}`)
}

/** Bigint to a JSON-RPC quantity: `0x0`, `0x1a`, no leading zeros. */
export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  if (a.length > SHORT) return Buffer.compare(a, b) === 0
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** Lexicographic order: negative when `a` comes first, 0 when they are equal. The first `start` bytes are known to be equal. */
export function compareBytes(a: Uint8Array, b: Uint8Array, start = 0): number {
  const shared = Math.min(a.length, b.length)
  for (let at = start; at < shared; at++) if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0)
  return a.length - b.length
}

/** An integer below 2^256 as a word: 32 bytes in hex. */
export const bigToWord = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}` as Hash

/** Bytes without their leading zeros: the RLP form of an integer. */
export function trimZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

/** Bytes padded on the left to `size`. */
export function padLeft(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length >= size) return bytes
  const out = new Uint8Array(size)
  out.set(bytes, size - bytes.length)
  return out
}

/** Bytes as a string of the same length (one character per byte), to be the key of a map. `fromLatin1` is the inverse. */
export const toLatin1 = (bytes: Uint8Array): string => latin1Slice.call(bytes as Buffer, 0, bytes.length)
export const fromLatin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
