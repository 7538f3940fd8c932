// The light client against the rules of ICS-07 and CometBFT's `light` package, on chains made here; signatures against ZIP-215.
import { clone, fromBinary, toBinary } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { isSigned } from '../../src/ibc/comet/ed25519.ts'
import { isFork, type TrustRules, verifyConflictingHeader, verifyHeader } from '../../src/ibc/comet/light-client.ts'
import { decode } from '../../src/ibc/wire.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { type Header, HeaderSchema } from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { CometChain, hashOf, Signer } from '../support/comet-chain.ts'
import { littleEndian, smallPoints } from './small-points.ts'

const MILLION = 1_000_000n
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const nanoseconds = (milliseconds: number) => BigInt(milliseconds) * MILLION

const chain = new CometChain('peer_7-2')
const four = [40n, 30n, 20n, 10n].map((power, number) => new Signer(number, power))
/** After a change: the second and the fifth hold most of the power. */
const later = [four[1], four[2], new Signer(4, 60n)].filter((signer) => signer !== undefined)
const trustedAt = { height: 10, nextValidators: four }
const trusted = { time: nanoseconds(START), root: sha256('ten'), nextValidatorsHash: hashOf(four) }
const rules: TrustRules = {
  chainId: 'peer_7-2',
  trustLevel: { numerator: 1n, denominator: 3n },
  trustingPeriod: nanoseconds(48 * HOUR),
  maxClockDrift: nanoseconds(10_000),
}
const block = (height: number, more = {}) => ({
  height,
  time: START + height * 1_000,
  appHash: sha256(`app ${height}`),
  validators: four,
  nextValidators: later,
  ...more,
})
const now = nanoseconds(START + HOUR)
const verify = (message: Header, at = now) => verifyHeader(rules, 10n, trusted, message, { now: at })

describe('a header after a trusted one', () => {
  it('is accepted if it is the next one and its validators are the trusted ones', () => {
    const verified = verify(chain.update(block(11), trustedAt))
    expect(verified).toMatchObject({ height: 11n, time: nanoseconds(START + 11_000), root: sha256('app 11') })
    expect(verified.nextValidatorsHash).toEqual(hashOf(later))
  })

  it('is accepted at any distance if more than a third of the trusted power and two thirds of its own have signed', () => {
    expect(verify(chain.update(block(500, { validators: later }), trustedAt)).height).toBe(500n)
    // 30 + 20 of 100 trusted, 110 of 110 own. Without the second: 20 of 100 is less than a third.
    const [second, third, fifth] = later
    const signed = (signers: unknown[]) => chain.update(block(500, { validators: later, signers }), trustedAt)
    expect(() => verify(signed([third, fifth]))).toThrow('too little of the trusted power has signed')
    // 30 of 100 is not a third either, although 90 of 110 is more than two thirds.
    expect(() => verify(signed([second, fifth]))).toThrow('too little of the trusted power has signed')
    // 50 of 100 is enough there, but 50 of 110 is less than two thirds.
    expect(() => verify(signed([second, third]))).toThrow('less than two thirds of the power has signed')
  })

  it('verifies each signature once, and no more than the rule needs', () => {
    let signatures = 0
    verifyHeader(rules, 10n, trusted, chain.update(block(400), trustedAt), { now, beforeSignature: () => signatures++ })
    // 40 of 100 is more than a third, 40 + 30 more than two thirds.
    expect(signatures).toBe(2)
  })

  it.each([
    [
      'is of another chain',
      () => new CometChain('peer_7-3').update(block(11), trustedAt),
      'header is of another chain',
    ],
    ['is not newer', () => chain.update(block(10), trustedAt), 'header is not newer than the trusted one'],
    [
      'has an earlier time',
      () => chain.update(block(11, { time: START }), trustedAt),
      'time of the header is not after',
    ],
    [
      'is from the future',
      () => chain.update(block(11, { time: START + 2 * HOUR }), trustedAt),
      'header is from the future',
    ],
    [
      'has other validators than announced',
      () => chain.update(block(11, { validators: later }), trustedAt),
      'validators are not those that the trusted header names',
    ],
    [
      'comes with other trusted validators',
      () => chain.update(block(12), { height: 10, nextValidators: later }),
      'trusted validators are not those of the trusted header',
    ],
  ])('is refused if it %s', (_, message, reason) => {
    expect(() => verify(message())).toThrow(reason)
  })

  it('needs more than two thirds: exactly two thirds are refused', () => {
    const three = [20n, 20n, 20n].map((power, number) => new Signer(number, power))
    const known = { ...trusted, nextValidatorsHash: hashOf(three) }
    const update = (signers: readonly Signer[]) =>
      chain.update(block(11, { validators: three, signers }), { height: 10, nextValidators: three })
    expect(() => verifyHeader(rules, 10n, known, update(three.slice(1)), { now })).toThrow('less than two thirds')
    expect(verifyHeader(rules, 10n, known, update(three), { now }).height).toBe(11n)
  })

  it('is refused after the trusting period, to the nanosecond', () => {
    const message = chain.update(block(11), trustedAt)
    const end = trusted.time + rules.trustingPeriod
    expect(verify(message, end - 1n).height).toBe(11n)
    expect(() => verify(message, end)).toThrow('older than the trusting period')
  })

  it('is refused with any byte of its encoding changed', () => {
    const message = chain.update(block(400), trustedAt)
    const bytes = toBinary(HeaderSchema, message)
    const original = verify(message)
    let refused = 0
    const accepted: { readonly verified: unknown; readonly message: Header }[] = []
    for (const [at, byte] of bytes.entries()) {
      const spoiled = Uint8Array.from(bytes)
      spoiled[at] = byte ^ (1 << (at % 8))
      try {
        const changed = decode(HeaderSchema, spoiled, 262_144)
        accepted.push({ verified: verify(changed), message: changed })
      } catch {
        refused++
      }
    }
    expect(refused).toBeGreaterThan(bytes.length / 2)
    // What no rule reads may differ: signatures that were not needed, proposers, priorities. What is kept of the header may not.
    for (const { verified } of accepted) expect(verified).toEqual(original)
  })
})

describe('misbehaviour', () => {
  const fork = (height: number, more = {}) =>
    verifyConflictingHeader(rules, 10n, trusted, chain.update(block(height, more), trustedAt), { now })

  it('is two blocks of one height, or time that does not rise', () => {
    expect(isFork(fork(20), fork(20, { appHash: sha256('another') }))).toBe(true)
    expect(isFork(fork(20), fork(20))).toBe(false)
    expect(isFork(fork(20), fork(21))).toBe(false)
    expect(isFork(fork(21, { time: START + 20_000 }), fork(20))).toBe(true)
  })

  it('needs a third of the trusted validators too', () => {
    const strangers = [new Signer(90, 1_000n)]
    expect(() => fork(20, { validators: strangers })).toThrow('too little of the trusted power has signed')
  })
})

describe('ed25519 by ZIP-215', () => {
  const small = smallPoints()

  it('accepts the 196 signatures of keys and points of small order', () => {
    expect(small).toHaveLength(14)
    const message = Buffer.from('Zcash')
    for (const key of small)
      for (const point of small) expect(isSigned(key, message, Buffer.concat([point, new Uint8Array(32)]))).toBe(true)
  })

  it('refuses a scalar that is not below the order of the group, and another message', () => {
    const signer = new Signer(1, 1n)
    const message = Buffer.from('message')
    const signature = signer.sign(message)
    expect(isSigned(signer.key, message, signature)).toBe(true)
    expect(isSigned(signer.key, Buffer.from('massage'), signature)).toBe(false)
    const order = ed25519.Point.Fn.ORDER
    const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
    const above = Buffer.concat([signature.subarray(0, 32), littleEndian(scalar)])
    expect(isSigned(signer.key, message, above)).toBe(false)
    expect(isSigned(signer.key.subarray(1), message, signature)).toBe(false)
  })
})

describe('messages of strangers', () => {
  const bytes = toBinary(HeaderSchema, chain.update(block(11), trustedAt))

  it('are refused with unknown fields, and in another encoding than the usual one', () => {
    expect(decode(HeaderSchema, bytes, 10_000)).toEqual(fromBinary(HeaderSchema, bytes))
    expect(() => decode(HeaderSchema, bytes, bytes.length - 1)).toThrow('are allowed')
    // Field 15, a varint; field 3 again, empty.
    for (const more of [
      [0x78, 0x01],
      [0x1a, 0x00],
    ])
      expect(() => decode(HeaderSchema, Buffer.concat([bytes, Uint8Array.from(more)]), 10_000)).toThrow(
        'malformed Header',
      )
  })

  it('are refused with a time that protobuf does not allow', () => {
    const message = clone(HeaderSchema, chain.update(block(11), trustedAt))
    const header = message.signedHeader?.header
    if (header === undefined) throw new Error('no header')
    header.time = { ...timestampFromMs(START + 11_000), nanos: 1_000_000_000 }
    expect(() => verify(message)).toThrow()
  })
})
