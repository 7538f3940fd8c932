// One spelling inside: lower-case branded hex for bytes that name things, bigint for every amount.
// Conversions between hex, bytes and bigint live here and nowhere else; all of them throw on malformed input.

export type Hex = `0x${string}`
/** 20 bytes, lower case, no checksum. */
export type Address = Hex & { readonly __address: never }
/** 32 bytes, lower case. */
export type Hash = Hex & { readonly __hash: never }

export const EMPTY_BYTES = new Uint8Array(0)
export const ZERO_ADDRESS = `0x${'00'.repeat(20)}` as Address
export const ZERO_HASH = `0x${'00'.repeat(32)}` as Hash

/** Bytes to lower-case `0x` hex. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Hex to bytes; the empty string after `0x` is zero bytes. Throws on an odd number of digits or a non-digit. */
export function fromHex(hex: string): Uint8Array {
  const buffer = Buffer.from(hex.slice(2), 'hex')
  // Reading ends at what is no digit.
  if (!hex.startsWith('0x') || buffer.length * 2 !== hex.length - 2) {
    throw new TypeError('not a hex string of whole bytes')
  }
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

/** Big-endian bytes to bigint; no bytes are zero. */
export function bytesToBig(bytes: Uint8Array): bigint {
  if (bytes.length > EXACT_BYTES) return BigInt(toHex(bytes))
  let value = 0
  for (const byte of bytes) value = value * 256 + byte
  return BigInt(value)
}

/** A number holds so many bytes without loss. */
const EXACT_BYTES = 6

/** Bigint to the shortest big-endian bytes (RLP's form); zero is no bytes. */
export function bigToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  const digits = value.toString(16)
  return fromHex(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`)
}

/** Bigint to exactly `size` big-endian bytes. */
export function bigToFixed(value: bigint, size: number): Uint8Array {
  const digits = value.toString(16)
  if (value < 0n || digits.length > size * 2) throw new RangeError(`value does not fit ${size} bytes`)
  return fromHex(`0x${digits.padStart(size * 2, '0')}`)
}

/** Bigint to a JSON-RPC quantity: `0x0`, `0x1a`, no leading zeros. */
export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0

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

/** Bytes as a string of the same length, so that they can be a map's key; `fromLatin1` is the way back. */
export const toLatin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
export const fromLatin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
