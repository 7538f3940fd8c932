// Framing of CometBFT's socket: uvarint lengths as in the Protocol Buffers encoding (300 = ac 02).
import { describe, expect, it } from 'vitest'
import { frame, LONGEST_MESSAGE, messagesOf } from '../../../src/consensus/abci/framing.ts'

async function* stream(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = []
  for await (const message of messagesOf(chunks)) found.push(Buffer.from(message).toString('hex'))
  return found
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const long = 'ab'.repeat(300)

describe('a frame', () => {
  it('begins with the length as a uvarint', () => {
    expect(Buffer.from(frame(bytes('0102'))).toString('hex')).toBe('020102')
    expect(Buffer.from(frame(bytes(''))).toString('hex')).toBe('00')
    expect(Buffer.from(frame(bytes(long))).toString('hex')).toBe(`ac02${long}`)
  })
})

describe('messages of a stream', () => {
  it('are found when one chunk holds several', async () => {
    expect(await collect(stream(bytes(`00 020102 ac02 ${long} 0105`)))).toEqual(['', '0102', long, '05'])
  })

  it('are the same wherever the stream is split into chunks', async () => {
    const whole = bytes(`020102 ac02 ${long} 00 0105`)
    const wanted = ['0102', long, '', '05']
    for (let cut = 0; cut <= whole.length; cut++)
      expect(await collect(stream(whole.subarray(0, cut), whole.subarray(cut)))).toEqual(wanted)
    expect(await collect(stream(...[...whole].map((byte) => Uint8Array.of(byte))))).toEqual(wanted)
  })

  it('are copies, so their packet may be freed or overwritten', async () => {
    // A socket emits views of packets, as buffers.
    const chunk = Buffer.alloc(65_536)
    chunk.set([2, 7, 7])
    const { value } = await messagesOf(stream(chunk)).next()
    chunk.fill(1)
    expect(value).toEqual(Uint8Array.of(7, 7))
    expect(value?.buffer.byteLength).toBe(2)
  })

  it('have at most 256 MB', async () => {
    expect(LONGEST_MESSAGE).toBe(268_435_455)
    // 2^26 = 80 80 80 20
    const large = new Uint8Array(2 ** 26)
    const { value } = await messagesOf(stream(bytes('80808020'), large)).next()
    expect(value?.length).toBe(large.length)
    // 2^28 - 1 = ff ff ff 7f waits for its message; a larger length fails at once.
    await expect(collect(stream(bytes('ffffff7f')))).rejects.toThrow('ended within a message')
    await expect(collect(stream(bytes('8080808001')))).rejects.toThrow('longer than 268435455 bytes')
    await expect(collect(stream(bytes('00 8080808001')))).rejects.toThrow('longer than')
    await expect(collect(stream(bytes('ffffffffffffffffff01')))).rejects.toThrow('longer than')
    // A length without a last byte, although its bytes add nothing.
    await expect(collect(stream(bytes('80'), bytes('80'), bytes('80'), bytes('80')))).rejects.toThrow('longer than')
  })

  it('end with an error when the last one is truncated', async () => {
    for (const cut of ['02', '0201', 'ac', 'ac02', '020102 05 01'])
      await expect(collect(stream(bytes(cut)))).rejects.toThrow('ended within a message')
    expect(await collect(stream())).toEqual([])
  })
})
