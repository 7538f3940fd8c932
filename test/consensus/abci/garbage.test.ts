// Invalid input from fixed seeds: random bytes, truncated frames, and recorded requests with flipped bits. The server must
// answer it or end the connection, and serve the next connection.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { frame } from '../../../src/consensus/abci/framing.ts'
import { type AbciServer, serveAbci } from '../../../src/consensus/abci/server.ts'
import { Random } from '../../evm/wasm/random-programs.ts'
import { countingApplication } from '../../support/abci-application.ts'
import { AbciClient } from '../../support/abci-client.ts'
import { readRecording } from '../../support/abci-recording.ts'

const ROUNDS = 300
const requests = readRecording(readFileSync(join(import.meta.dirname, 'recorded-v0.40.0.txt'), 'utf8'))
  .filter(({ from }) => from === 'engine')
  .map(({ bytes }) => bytes)

let folder: string
let path: string
let server: AbciServer
let errors: unknown[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'abci-'))
  path = join(folder, 'abci.sock')
  server = await serveAbci(path, countingApplication(), (error) => errors.push(error))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

/** Sends the pieces, half-closes the connection, and lists the kinds of responses until the server closes it. */
async function answersTo(...pieces: readonly Uint8Array[]): Promise<(string | undefined)[]> {
  const engine = await AbciClient.connect(path)
  for (const piece of pieces.slice(0, -1)) {
    engine.socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  engine.socket.end(pieces.at(-1) ?? new Uint8Array())
  const kinds = []
  for (let answer = await engine.answer(); answer !== undefined; answer = await engine.answer()) kinds.push(answer.case)
  engine.close()
  return kinds
}

/** Splits the bytes in two at random; the second piece is not empty. */
function inTwo(bytes: Uint8Array, random: Random): [Uint8Array, Uint8Array] {
  const cut = random.below(bytes.length)
  return [bytes.subarray(0, cut), bytes.subarray(cut)]
}

async function isServing(): Promise<boolean> {
  const engine = await AbciClient.connect(path)
  const answer = await engine.ask({ case: 'echo', value: { message: 'still here' } })
  engine.close()
  return answer?.case === 'echo' && answer.value.message === 'still here'
}

describe('the ABCI server', () => {
  it('survives random bytes', async () => {
    const random = new Random(1)
    errors = []
    for (let round = 0; round < ROUNDS; round++) {
      const noise = Uint8Array.from({ length: 1 + random.below(400) }, () => random.below(256))
      await answersTo(...inTwo(noise, random))
    }
    expect(errors.length).toBeGreaterThan(ROUNDS / 2)
    expect(await isServing()).toBe(true)
  })

  it('survives frames of random bytes', async () => {
    const random = new Random(2)
    for (let round = 0; round < ROUNDS; round++) {
      const noise = Uint8Array.from({ length: random.below(60) }, () => random.below(256))
      // The frame is complete, so there is a response: an exception, or another one if the bytes happen to be a request.
      expect(await answersTo(frame(noise))).toHaveLength(1)
    }
    expect(await isServing()).toBe(true)
  })

  it('survives truncated recorded requests', async () => {
    const random = new Random(3)
    for (let round = 0; round < ROUNDS; round++) {
      const whole = frame(random.pick(requests))
      const part = whole.subarray(0, 1 + random.below(whole.length - 1))
      errors = []
      expect(await answersTo(...inTwo(part, random))).toEqual([])
      expect(errors.map(String)).toEqual(['Error: the connection ended within a message'])
    }
    expect(await isServing()).toBe(true)
  })

  it('survives recorded requests with flipped bits, sent after valid ones', async () => {
    const random = new Random(4)
    const outcomes = { answered: 0, refused: 0, cut: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const flipped = Uint8Array.from(frame(random.pick(requests)))
      for (let flips = 1 + random.below(4); flips > 0; flips--) {
        const place = random.below(flipped.length)
        flipped[place] = (flipped[place] ?? 0) ^ (1 << random.below(8))
      }
      const [first = 'none', second] = await answersTo(Buffer.concat([frame(random.pick(requests)), flipped]))
      expect(['none', 'exception']).not.toContain(first)
      outcomes[second === undefined ? 'cut' : second === 'exception' ? 'refused' : 'answered']++
    }
    // All outcomes occur: a flipped bit in a hash leaves a valid request, one in the frame's length truncates it.
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(5)
    expect(await isServing()).toBe(true)
    expect(server.connected).toBeLessThanOrEqual(1)
  })
})
