// The points of small order of edwards25519 in all encodings that ZIP-215 accepts.
import { ed25519 } from '@noble/curves/ed25519.js'
import { toHex } from '../../src/lib/hex.ts'

const P = 2n ** 255n - 19n

/** 32 bytes, the lowest first. */
export const littleEndian = (value: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse())

/** The encodings of points of small order, canonical or not: 14 (ZIP-215). */
export const smallPoints = (): readonly Uint8Array[] =>
  [...Array(19).keys()]
    .flatMap((offset) => [P + BigInt(offset) - 1n, BigInt(offset)])
    .concat(
      ...[
        '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      ].map((hex) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`)),
    )
    .flatMap((y) => [0n, 1n].map((sign) => littleEndian(y + (sign << 255n))))
    .filter((bytes, place, all) => all.findIndex((other) => toHex(other) === toHex(bytes)) === place)
    .filter((bytes) => {
      try {
        return ed25519.Point.fromBytes(bytes, true).isSmallOrder()
      } catch {
        return false
      }
    })
