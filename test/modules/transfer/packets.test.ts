// IBC packets as bytes. V2 and V3 are the specification's vectors; escapes are those of Go's encoding/json.
import fc from 'fast-check'
import { getAddress, sha256, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { ChainError } from '../../../src/lib/errors.ts'
import {
  acknowledgementCommitment,
  compareHeights,
  decodePacketData,
  encodePacketData,
  errorAcknowledgement,
  errorCode,
  escrowAddress,
  isSuccess,
  isTimedOut,
  type Packet,
  packetCommitment,
  revisionOf,
  SUCCESS,
} from '../../../src/modules/transfer/packets.ts'

const V3 = {
  amount: 10n ** 18n,
  denom: 'aevmos',
  memo: '',
  receiver: 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv',
  sender: 'evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky',
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
const height = (revisionNumber: bigint, revisionHeight: bigint) => ({ revisionNumber, revisionHeight })
const packet = (timeout: Packet['timeout']): Packet => ({
  source: { port: 'transfer', channel: 'channel-0' },
  destination: { port: 'transfer', channel: 'channel-1' },
  sequence: 1n,
  timeout,
  data: encodePacketData(V3),
})

describe('V2: escrow accounts', () => {
  it.each([
    ['channel-0', '0xeD23C6F4443f49c4B08F856350A5D2C65A203235'],
    ['channel-1', '0xb014310b490281E4C39eA74a8f6022967B3DDB47'],
    ['channel-10', '0x484AeE5c14384548B8Cc6457319ACE3eCF0d41c1'],
  ] as const)('of %s', (channel, expected) => {
    expect(getAddress(escrowAddress({ port: 'transfer', channel }))).toBe(getAddress(expected))
  })
})

describe('packet data', () => {
  it('V3: is JSON with sorted keys, without an empty memo', () => {
    const data = encodePacketData(V3)
    expect(text(data)).toBe(
      '{"amount":"1000000000000000000","denom":"aevmos","receiver":"cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv","sender":"evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky"}',
    )
    expect(data).toHaveLength(164)
    expect(sha256(data)).toBe('0x9a63a01bd991414cdb2c523c8a53516ffcac11a77e6b323d14f283aece242202')
  })

  it('escapes HTML characters, as Go does', () => {
    expect(text(encodePacketData({ ...V3, memo: '<a href="x">&\u2028\n</a>' }))).toContain(
      String.raw`"memo":"\u003ca href=\"x\"\u003e\u0026\u2028\n\u003c/a\u003e"`,
    )
  })

  it('survives encoding and decoding', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    const amount = fc.bigInt(1n, 2n ** 256n - 1n)
    fc.assert(
      fc.property(fc.record({ amount, denom: name, memo: fc.string(), receiver: name, sender: name }), (data) => {
        expect(decodePacketData(encodePacketData(data))).toEqual(data)
      }),
    )
  })

  it.each(['', '{', '[]', '{"amount":"0","denom":"a","receiver":"b","sender":"c"}', '{"amount":5}'])(
    'is not %s',
    (json) => expect(() => decodePacketData(Buffer.from(json))).toThrow('cannot unmarshal'),
  )
})

describe('packet commitments', () => {
  it('V3: cover the timeouts and the data', () => {
    const timestamp = 1_700_000_000_000_000_000n
    expect(packetCommitment(packet({ height: height(1n, 100n), timestamp }))).toBe(
      '0xee0aae0b7ced3689171be2a1dd1388a12f781277879a8e2b55e79cebf0e172b5',
    )
    expect(packetCommitment(packet({ height: height(0n, 0n), timestamp }))).toBe(
      '0x4b48d60e6f3fd873ed3f914e61a126c9a20c792d06869cc68fe35459f8fe3ef3',
    )
  })

  it('V3: of acknowledgements are their hashes', () => {
    expect(acknowledgementCommitment(SUCCESS)).toBe(
      '0x08f7557ed51826fe18d84512bf24ec75001edbaf2123a477df72a0a9f3640a7c',
    )
    expect(acknowledgementCommitment(errorAcknowledgement(1))).toBe(
      '0x439dd0ea54f168850977fce615993ac34f8e2d238c76c0c9328a744e89a2230d',
    )
    expect(acknowledgementCommitment(SUCCESS)).toBe(sha256(stringToHex('{"result":"AQ=="}')))
    expect([isSuccess(SUCCESS), isSuccess(errorAcknowledgement(1))]).toEqual([true, false])
  })
})

describe('refusals of packets', () => {
  it('have the Cosmos SDK’s error codes', () => {
    const code = (message: string) => errorCode(new ChainError('execution-reverted', message))
    expect(code('kest1… is not allowed to receive funds: unauthorized')).toBe(4)
    expect(code('unable to unescrow 5akest: insufficient funds')).toBe(5)
    expect(code('fungible token transfers to this chain are disabled')).toBe(8)
    expect(code('decoding bech32 failed: invalid checksum')).toBe(1)
  })
})

describe('packet timeouts', () => {
  const at = height(1n, 10n)
  const none = height(0n, 0n)

  it.each([
    [{ height: height(1n, 11n), timestamp: 0n }, false],
    [{ height: height(1n, 10n), timestamp: 0n }, true],
    [{ height: height(0n, 99n), timestamp: 0n }, true],
    [{ height: height(2n, 1n), timestamp: 0n }, false],
    [{ height: none, timestamp: 501n }, false],
    [{ height: none, timestamp: 500n }, true],
    [{ height: height(1n, 11n), timestamp: 500n }, true],
    [{ height: none, timestamp: 0n }, false],
  ])('%o at height 1-10 and time 500: %s', (timeout, expected) => {
    expect(isTimedOut(timeout, at, 500n)).toBe(expected)
  })

  it('compare heights by revision first', () => {
    expect(compareHeights(height(1n, 5n), height(1n, 5n))).toBe(0)
    expect(compareHeights(height(1n, 9n), height(2n, 1n))).toBe(-1)
    expect(compareHeights(height(1n, 9n), height(1n, 8n))).toBe(1)
  })

  it('take the revision from the chain’s name', () => {
    expect(['evmos_9000-1', 'kestrel_125-12', 'kestrel', 'kestrel-', 'kestrel-01'].map(revisionOf)).toEqual([
      ...[1n, 12n, 0n, 0n, 0n],
    ])
  })
})
