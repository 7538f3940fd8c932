// The generated messages, compared with bytes recorded from the real CometBFT.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RequestSchema, ResponseSchema } from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { exchangesOf, readRecording } from '../../support/abci-recording.ts'

const recorded = readRecording(readFileSync(join(import.meta.dirname, 'recorded-v0.40.0.txt'), 'utf8'))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('messages recorded from CometBFT', () => {
  it('decode, and re-encode to the same bytes', () => {
    const kinds = new Set<string>()
    for (const { from, bytes } of recorded) {
      const schema = from === 'engine' ? RequestSchema : ResponseSchema
      const message = fromBinary(schema, bytes)
      expect(message.$unknown).toBeUndefined()
      kinds.add(`${from} ${message.value.case}`)
      expect(hex(toBinary(schema, message))).toBe(hex(bytes))
    }
    expect(recorded).toHaveLength(92)
    const both = ['commit', 'finalizeBlock', 'flush', 'info', 'initChain', 'insertTx']
    expect([...kinds].toSorted()).toEqual(
      ['application', 'engine'].flatMap((from) =>
        [...both, 'prepareProposal', 'processProposal', 'reapTxs'].map((kind) => `${from} ${kind}`),
      ),
    )
  })

  // 1a 13: field 3, 19 bytes. 0a 06 "0.39.0": version. 10 0b: block protocol 11. 18 08: P2P protocol 8. 22 05 "2.0.0".
  it('decode to the values in their bytes: Info', () => {
    expect(
      fromBinary(RequestSchema, Buffer.from('1a130a06302e33392e30100b18082205322e302e30', 'hex')).value,
    ).toMatchObject({
      case: 'info',
      value: { version: '0.39.0', blockVersion: 11n, p2pVersion: 8n, abciVersion: '2.0.0' },
    })
  })

  // 2a 4d: field 5. 0a 0b { 08 98e48ad806: seconds, 10 a0bcdf35: nanos }. 12 0d "kestrel_125-1". 1a 2d: parameters. 30 01:
  // height 1.
  it('decode to the values in their bytes: InitChain', () => {
    const [exchange] = exchangesOf(recorded).filter(({ kind }) => kind === 'initChain')
    expect(exchange?.request).toMatchObject({
      case: 'initChain',
      value: {
        // 0x18 + 0x64 << 7 + 0x0a << 14 + 0x58 << 21 + 0x06 << 28
        time: { seconds: 1_795_338_776n, nanos: 112_713_248 },
        chainId: 'kestrel_125-1',
        // 80808004: 0x04 << 21. 80a29511: 0x22 << 7 + 0x15 << 14 + 0x11 << 21.
        consensusParams: {
          block: { maxBytes: 8_388_608n, maxGas: 36_000_000n },
          validator: { pubKeyTypes: ['ed25519'] },
        },
        validators: [],
        initialHeight: 1n,
      },
    })
  })
})
